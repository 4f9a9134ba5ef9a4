// Lessons done with kubectl, in the terminal, where it can do what their requests do.
import { readFileSync } from "node:fs";
import { test, expect } from "../fixtures.js";
import { Lesson, lessonFiles } from "../lesson.js";

const withKubectl = lessonFiles().filter(({ file }) => /^```kubectl$/m.test(readFileSync(file, "utf8")));

for (const { id } of withKubectl) {
  test(`${id} is done with kubectl`, async ({ lab, page }) => {
    await lab.open("/#lesson-" + id);
    const lesson = new Lesson(page);
    await lesson.isOpen(id);
    await lesson.article.getByRole("radio", { name: "kubectl" }).check();
    const count = await lesson.count();
    for (let n = 1; n <= count; n++) {
      await lesson.at(n);
      await lesson.solve(n % 2 ? "right" : "wrong");
      await lesson.goOn();
    }
    await lesson.at(count + 1);
    await expect(page.locator(".term-block").first()).toBeVisible();
  });
}
