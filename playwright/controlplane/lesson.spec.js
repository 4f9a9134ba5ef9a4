// The lesson with the programs: the steps before one are done again faster than anybody would do them.
import { expect, test } from "../fixtures.js";
import { Lesson } from "../lesson.js";
import { stepOf } from "../steps.js";
import { begin } from "./begin.js";

test.use({ tolerated: [/deprecated|503/] });

test("the steps before a step are done, though the programs are slower", { tag: "@long" }, async ({ lab, page }) => {
  await begin(lab, page, "/#lesson-controllers-incident-pods-that-must-survive");
  const lesson = new Lesson(page);
  await lesson.bar.getByRole("button", { name: "Do the steps before this one for me" }).click();
  await expect(lesson.notice).toContainText("Everything is as it is after the steps before this one");
  for (let n = 1; n < stepOf("controllers", "incident-pods-that-must-survive"); n++) {
    await expect(lesson.step(n)).toHaveAttribute("data-state", "passed");
  }
  // Six were wanted for an instant, and nobody has made so many.
  const { items } = (await lab.fetch("/api/v1/namespaces/controllers/pods?labelSelector=app%3Dweb")).body;
  expect(items.filter(({ metadata }) => !metadata.deletionTimestamp).length).toBe(3);
});
