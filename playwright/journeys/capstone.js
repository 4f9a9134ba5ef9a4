// The capstone: a lesson opens a level of it, and a reflector is judged in its sandbox.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { next, solve, where } from "./learner.js";

const right = readFileSync(new URL("../../web/course/capstone/clients/right.js", import.meta.url), "utf8");
const result = { css: ".capstone-result" };
const judge = { css: ".course-page button", name: "Judge one run" };

/** Puts code into the editor: typed, it would be indented by it. @param {import("../engines/page.js").Page} page */
const write = (page, code) =>
  page.evaluate((code) => {
    const field = /** @type {HTMLTextAreaElement} */ (document.querySelector("#capstone-code"));
    field.value = code;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }, code);

/** @type {import("./parts.js").Journey[]} */
export default [
  ...[["finger", "on a phone"], ["mouse", "with the mouse"]].map(([hand, how]) => ({
    name: `capstone: the lesson that opens its first level leads there, and a right reflector passes, ${how}`,
    long: true,
    async run({ page }) {
      page.hand = hand;
      if (hand === "finger") await page.tab.resize(390, 844);
      await page.open("/#lesson-list-then-watch-a-watch-of-one-pod");
      await page.use({ css: ".lesson[data-open] button", name: "Do the steps before this one for me" });
      await page.gone({ css: ".lesson[data-open] .lesson-first" });
      await solve(page);
      await page.use(next);
      await page.see(where, /^(All \d+|Both) steps passed|^Step passed/);
      await page.use({ css: ".lesson[data-open] .lesson-opens a", name: /^level 1 of the capstone, calm/ });
      await page.see({ css: "#capstone-level" });
      const levels = await page.evaluate(() => {
        const all = /** @type {HTMLSelectElement} */ (document.querySelector("#capstone-level"));
        return [all.value, ...[...all.options].map((o) => (o.disabled ? "closed" : "open"))];
      });
      assert.deepEqual(levels, ["1", "open", ...Array(6).fill("closed")]);
      await page.use(judge); // as it begins: it lists, and does not follow
      await page.see(result, "Rule R16");
      await write(page, right);
      await page.use(judge);
      await page.see(result, "One run of level 1 is passed: seed 1");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.ok(!wide, "the page is wider than the screen");
    },
  })),
];
