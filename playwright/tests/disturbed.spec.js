// A step that a learner has disturbed: what is said of it, and the way on, by mouse and by keyboard.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";
import { Lesson } from "../lesson.js";
import { stepOf } from "../steps.js";

const between = stepOf("list-then-watch", "what-falls-between");
const pods = "/api/v1/namespaces/list-then-watch/pods";

/** Makes a request as a script in the page does: the lesson sees it. */
const fetchAs = (page, path, method, body) =>
  page.evaluate(
    async ([path, method, body]) =>
      (await fetch(path, { method, body, headers: { "Content-Type": "application/json" } })).status,
    [path, method, body],
  );

/** Opens the step that asks what falls between a list and a watch, and answers its question. */
async function whatFallsBetween(lab, page, how) {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page, how);
  await lesson.play(between - 1);
  await lesson.at(between);
  await lesson.answer("right");
  return lesson;
}

const ways = [["mouse", {}], ["keyboard", { keys: true }]];

for (const [name, how] of ways) {
  test(`another situation than was asked about is set up again, by ${name}`,
    { tag: "@long" }, async ({ lab, page }) => {
    const lesson = await whatFallsBetween(lab, page, how);
    for (let i = 0; i < 3; i++) await lesson.run(); // list, create, list
    for (const lever of ["compact", "restart"])
      await fetchAs(page, `${CONTROL_PLANE}/${lever}`, "POST", "{}");
    await lesson.run(); // both watches: that of A brings 410 now

    await expect(lesson.trouble).toContainText("This run is not the situation that was asked about.");
    await expect(lesson.trouble).toBeInViewport();
    await expect(lesson.trouble).toContainText("ERROR 410");
    await expect(lesson.trouble).toContainText("restarted");
    await expect(lesson.trouble).toContainText("Your prediction is kept. Nothing is ticked, nothing is counted.");
    // It is said in the place of the result: there is nothing else.
    await expect(lesson.question).toBeHidden();
    await expect(lesson.shown.locator(".lesson-explanation")).toBeHidden();
    for (const check of await lesson.checks.all()) await expect(check).toHaveAttribute("data-done", "false");
    await expect(lesson.next).toBeHidden();
    await expect(lesson.filled, "one way on").toHaveText("Set this step up again");

    if (how.keys) await page.keyboard.press("r");
    else await lesson.press(lesson.filled);
    await expect(lesson.trouble).toBeHidden();
    await lesson.at(between);
    for (let n = 1; n < between; n++) await expect(lesson.step(n)).toHaveAttribute("data-state", "passed");
    await expect(lesson.question).toHaveAttribute("data-committed");
    await lesson.solve();
    await expect(lesson.verdict).toHaveText("You predicted it.");
  });
}

test("a refusal that the step does not expect names what is in the way, and is set up again", { tag: "@long" },
  async ({ lab, page }) => {
  const lesson = await whatFallsBetween(lab, page);
  await lesson.run();
  const pod = { metadata: { name: "c" }, spec: { containers: [{ name: "app", image: "nginx" }] } };
  expect((await lab.fetch(pods, { method: "POST", body: pod })).status).toBe(201);
  await expect(lesson.trouble).toBeHidden(); // that would be one way to do it
  await page.reload();
  await lab.ready();
  await lesson.isOpen("list-then-watch");
  await lesson.at(between);
  await lesson.request(1).getByRole("button", { name: /^Run/ }).click();
  await expect(lesson.trouble).toContainText("409: this step expects another answer.");
  await expect(lesson.trouble).toContainText('pods "c" already exists');
  await lesson.bar.getByRole("button", { name: "Set this step up again" }).click();
  await expect(lesson.trouble).toBeHidden();
  await expect.poll(async () => (await lab.fetch(pods)).body.items.map((p) => p.metadata.name)).toEqual(["a", "b"]);
  await lesson.solve();
  await expect(lesson.verdict).toHaveText("You predicted it.");
});

test("the steps before one are done again on a machine that seldom draws", { tag: "@long" }, async ({ lab, page }) => {
  await page.addInitScript(() => {
    const { requestAnimationFrame } = window;
    window.requestAnimationFrame = (f) => setTimeout(() => requestAnimationFrame(f), 600);
  });
  await lab.open("/#lesson-list-then-watch-what-does-a-selector-select");
  const lesson = new Lesson(page);
  await lesson.bar.getByRole("button", { name: "Do the steps before this one for me" }).click();
  await expect(lesson.notice).toHaveText(/^Everything is as it is after the steps before/);
  const selector = stepOf("list-then-watch", "what-does-a-selector-select");
  for (let n = 1; n < selector; n++) await expect(lesson.step(n)).toHaveAttribute("data-state", "passed");
});

test("the steps before one are done for who asks while the lesson still begins",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await page.evaluate(() => {
    const { tabernetes } = window;
    const { fetch } = tabernetes;
    tabernetes.fetch = async (path, init) => {
      if (init?.method === "POST" && path.startsWith("/api")) { // what the lesson starts with is made now
        tabernetes.fetch = fetch;
        const button = () => document.querySelector(".lesson[data-open] [data-action=lesson-catch-up]");
        while (!button()) await new Promise(requestAnimationFrame);
        button().click();
      }
      return fetch(path, init);
    };
    location.hash = "#lesson-list-then-watch-what-falls-between";
  });
  const lesson = new Lesson(page);
  await expect(lesson.notice).toHaveText(/^Everything is as it is after the steps before/);
  for (let n = 1; n < between; n++) await expect(lesson.step(n)).toHaveAttribute("data-state", "passed");
});
