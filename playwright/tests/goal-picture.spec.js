// The picture of a goal beside that of now: what is missing goes as it comes, and any way there counts.
import { test, expect } from "../fixtures.js";
import { Lesson } from "../lesson.js";
import { stepOf } from "../steps.js";

const secrets = "/api/v1/namespaces/watch-starts/secrets";

/** Makes a request as a script of the page does, and returns the version in its answer. */
const ask = (page, path, init) => page.evaluate(async ([path, init]) =>
  (await (await fetch(path, init)).json()).metadata.resourceVersion, [path, init]);

for (const [name, size] of [["wide", { width: 1366, height: 768 }], ["phone", { width: 390, height: 844 }]]) {
  test.describe(name, () => {
    test.use({ viewport: size });
    const tag = name === "wide" ? [] : "@long";
    test("what is missing of a goal is seen, and then there", { tag }, async ({ lab, page }) => {
      await lab.open("/#lesson-watch-starts-incident-half-a-copy");
      const lesson = new Lesson(page);
      const step = lesson.step(stepOf("watch-starts", "incident-half-a-copy"));
      await lesson.bar.getByRole("button", { name: "Do the steps before this one for me" }).click();
      await expect(lesson.notice).toContainText("Everything is as it is after the steps before this one");
      // In a wide window it is in the place of the answer, while nothing is chosen.
      const picture = page.locator(".lesson[data-open] .lesson-picture, #goal-beside .goal-body")
        .filter({ visible: true });
      const seen = async () => {
        const show = page.getByRole("button", { name: "Show the goal" });
        if (await show.isVisible()) await show.click();
      };
      await expect(picture, "before anything is pressed").toHaveCount(1);
      await step.getByRole("button", { name: /^Run/ }).first().click();
      // What is asked before its answer does not count.
      await expect(lesson.bar.locator(".lesson-checks > li").first()).toHaveAttribute("data-done", "true");
      await seen();
      await expect(picture.getByRole("listitem")).toHaveText([
        "a write is missing: secrets, created", "a watch of watch-starts/secrets is missing: from a version"]);
      await expect(picture.locator("[data-picture=now]")).toContainText("not there yet");

      const version = await ask(page, secrets);
      await ask(page, secrets, { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ metadata: { name: "made" } }) });
      await expect(picture.getByRole("listitem")).toHaveText([
        "all writes are there", "a watch of watch-starts/secrets is missing: from a version"]);
      await expect(picture.locator("[data-picture=now] .st-mark.added")).toHaveCount(1);

      // The goal has no watch that begins with the state.
      await page.evaluate((path) => void fetch(path), `${secrets}?watch=1&timeoutSeconds=1`);
      await expect(step.locator(".lesson-score-words")).toHaveText("fewest requests 3, yours 3");
      await expect(picture.getByRole("listitem").nth(1)).toContainText("is missing: from a version");
      await page.evaluate((path) => void fetch(path), `${secrets}?watch=1&resourceVersion=${version}`);
      await expect(step).toHaveAttribute("data-state", "passed");
      await expect(picture).toContainText("reached: any way there counts");
      await expect(picture.locator("[data-picture=now] .st-arrow")).toHaveCount(1);
    });
  });
}
