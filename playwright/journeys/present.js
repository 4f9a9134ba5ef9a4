// The presenter, by keyboard alone.

/** The presenter's sentence says so. @param {import("../engines/page.js").Page} page */
const told = (page, words) =>
  page.until(`the sentence says ${words}`,
    (words) => new RegExp(words).test(document.getElementById("present-text").textContent.replace(/\s+/g, " ")),
    String(words));

/** The scene has come to a step, and nothing is under way. @param {import("../engines/page.js").Page} page */
export const at = (page, title, step) =>
  page.until(`${title} is at step ${step}`,
    (title, step) => {
      const edge = document.getElementById("panel-present");
      return edge.querySelector(".present-title")?.textContent === title &&
        edge.querySelector(".present-steps").getAttribute("aria-label").startsWith(`Step ${step} of`) &&
        edge.querySelector("[data-do=next]").getAttribute("aria-disabled") === "false";
    }, title, step);

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "presenter: a teacher plays three scenes by keyboard alone",
    long: true,
    async run({ page }) {
      await page.open();
      await page.press("p");
      await page.see({ css: "#panel-present" });
      // The first one by the line for commands.
      await page.press("/");
      await page.tab.type("scene gone");
      await page.press("Enter");
      await at(page, "410 Gone", 1);
      for (let step = 2; step <= 6; step++) {
        await page.press(" ");
        await at(page, "410 Gone", step);
        if (step === 5) await told(page, "^410: newer events pushed \\d+ out");
      }
      await page.press("b");
      await at(page, "410 Gone", 5);
      await page.press(" ");
      await at(page, "410 Gone", 6);
      // The next ones by Space.
      await page.press(" ");
      await at(page, "Bookmarks", 1);
      for (let step = 2; step <= 5; step++) {
        await page.press(" ");
        await at(page, "Bookmarks", step);
      }
      await page.press(" ");
      await at(page, "A token expires", 1);
      // A lever pulled in between does not break it.
      await page.press("c");
      await page.see({ css: "[data-do=next]" }, "set up again");
      await page.press(" ");
      await page.see({ css: "[data-do=next]" }, "next:");
      await at(page, "A token expires", 1);
      for (let step = 2; step <= 5; step++) {
        await page.press(" ");
        await at(page, "A token expires", step);
      }
      await told(page, "together they are not one state");
      await page.press("Escape");
      await page.see({ css: "#panel-lesson" });
      await page.click({ css: "#panel-present button", name: "Leave the scene" });
      await page.gone({ css: "#panel-present" });
    },
  },
];
