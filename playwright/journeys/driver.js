// What the other journeys rest on: that what is pressed is what was aimed at, and once.
import assert from "node:assert/strict";

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "driver: what moves away under the mouse is pressed, and a link of two lines",
    long: true,
    async run({ page }) {
      await page.open();
      await page.evaluate(() => {
        const box = document.createElement("div");
        box.id = "moving";
        box.style.cssText = "position: fixed; inset: 0; z-index: 9999; background: white";
        box.innerHTML = `<button data-on="pointerover">Before</button><button data-on="pointerdown">Pressed</button>
          <p style="width: 9em; line-height: 3; text-indent: 7em"><a href="#two-lines">A link of more lines</a></p>`;
        for (const button of box.querySelectorAll("button")) {
          button.addEventListener(button.dataset.on, () => (button.style.translate = "0 300px"), { once: true });
          button.addEventListener("click", () => (button.textContent += ", once"));
        }
        document.body.append(box);
      });
      for (const name of ["Before", "Pressed"]) {
        await page.click({ css: "#moving button", name });
        await page.see({ css: "#moving button", text: name + ", once" });
      }
      await page.click({ css: "#moving a" });
      await page.until("the link was followed", () => location.hash === "#two-lines");
      assert.equal(await page.text({ css: "#moving button" }), "Before, once");
    },
  },
];
