// What the page says of a question before it is answered, and steps that are played well and badly.
import { test, expect } from "../fixtures.js";
import { Lesson } from "../lesson.js";
import { stepOf } from "../steps.js";

test("nothing says which choice is right before the step has passed", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  await lesson.isOpen("list-then-watch");
  const forms = await lesson.article.locator(".lesson-choice").evaluateAll((all) =>
    all.map((c) => {
      const copy = c.cloneNode(true);
      copy.querySelector("label > span").textContent = "";
      return copy.outerHTML.replace(/\d+/g, "");
    }),
  );
  expect(forms.length).toBeGreaterThan(8);
  expect([...new Set(forms.map((f) => f.replace(/ name="[^"]*"/, "").replace(' checked=""', "")))]).toHaveLength(1);
});

test("a step that is opened by hand is the shown one, as by Next", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  await lesson.isOpen("list-then-watch");
  await lesson.step(2).locator("summary").first().click(); // a look ahead
  await lesson.at(1);
  await lesson.step(2).locator("summary").first().click();
  await lesson.solve();
  await lesson.at(1);
  await lesson.step(2).locator("summary").first().click();
  await lesson.at(2);
  await expect(lesson.step(1).locator("details").first()).not.toHaveAttribute("open");
  await lesson.solve("right");
  await expect(lesson.verdict).toHaveText("You predicted it.");
});

for (const [id, step] of [["streaming-lists", "two-older-servers"], ["old-servers", "a-part-of-a-collection"]]) {
  for (const how of ["right", "wrong"]) {
    test(`${id} ${step} is predicted ${how}`, { tag: "@long" }, async ({ lab, page }) => {
      await lab.open(`/#lesson-${id}-${step}`);
      const lesson = new Lesson(page);
      await lesson.isOpen(id);
      await lesson.at(stepOf(id, step));
      await lesson.press(lesson.bar.getByRole("button", { name: /for me/ }));
      await lesson.solve(how);
      await expect(lesson.verdict).toHaveText(how === "right" ? "You predicted it." : "The result was different.");
      await expect(lesson.question.locator(".lesson-reply:visible")).toHaveCount(how === "wrong" ? 1 : 0);
    });
  }
}
