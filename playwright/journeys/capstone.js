// The capstone: a reflector is judged in its sandbox.
import { readFileSync } from "node:fs";

const right = readFileSync(new URL("../../web/capstone/clients/right.js", import.meta.url), "utf8");

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "capstone: a reflector that lacks the end is told so, and a right one passes",
    long: true,
    async run({ page }) {
      await page.open("/#capstone");
      await page.click({ css: ".course-page button", name: "Judge it" });
      await page.see({ css: ".capstone-result" }, "Rule R16");
      await page.evaluate((code) => {
        const field = /** @type {HTMLTextAreaElement} */ (document.querySelector("#capstone-code"));
        field.value = code;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }, right);
      await page.click({ css: ".course-page button", name: "Judge it" });
      await page.see({ css: ".capstone-result" }, "Seed 1 is passed");
    },
  },
];
