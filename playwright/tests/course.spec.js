// More than 400 lines: the tests share their ways through a lesson.
// Whole lessons, as a learner plays them, and what happens when one is left, taken up or done again.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect, ownServerTest } from "../fixtures.js";
import { Lab } from "../lab.js";
import { Lesson, lessonFiles, namespaces } from "../lesson.js";
import { stepOf } from "../steps.js";

const files = lessonFiles();
const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** Plays the open lesson to its end by keyboard alone, and looks at what the page says meanwhile. */
async function playWhole(lesson) {
  const { page } = lesson;
  const count = await lesson.count();
  expect(count).toBeGreaterThan(2);
  const ways = ["right", "wrong", "skip"];
  const given = [];
  for (let n = 1; n <= count; n++) {
    const step = lesson.step(n);
    await lesson.at(n);
    await expect(step).toHaveAttribute("data-state", "todo");
    await expect(lesson.next).toBeHidden();
    const answered = await lesson.solve(ways[given.length % 3]);
    if (answered) {
      given.push(answered);
      await expectVerdict(lesson, answered);
    }
    await expect(lesson.filled, "one way on").toHaveCount(1);
    await lesson.goOn();
    await expect(step).toHaveAttribute("data-state", "passed");
    await expect(step.locator(".lesson-step-body")).toBeHidden();
    if (n < count) await expect(lesson.step(n + 1).locator("summary").first()).toBeFocused();
  }
  expect(new Set(given), "ways in which was answered").toEqual(new Set(ways));
  await lesson.at(count + 1);
  await expect(lesson.outro).toBeFocused();
  await expect(page.getByRole("navigation", { name: "Course" })).toBeHidden();
}

/** What a question says once its step has passed. */
async function expectVerdict(lesson, answered) {
  const says = { right: "You predicted it.", wrong: /^(The result was different|It was .*)\.$/,
    skip: "Run without an answer." };
  await expect(lesson.verdict).toHaveText(says[answered]);
  await expect(lesson.question.locator(".lesson-explanation")).toBeVisible();
  const radios = lesson.question.getByRole("radio");
  if ((await radios.count()) === 0) return;
  const right = lesson.question.locator('.lesson-choice[data-judged="right"]');
  await expect(right).toContainText("that is what happened");
  const wrong = lesson.question.locator('.lesson-choice[data-judged="wrong"]');
  await expect(wrong).toHaveCount(answered === "wrong" ? 1 : 0);
  await expect(lesson.question.locator(".lesson-reply:visible")).toHaveCount(answered === "wrong" ? 1 : 0);
  if (answered === "wrong") await expect(wrong.locator(".lesson-reply")).toBeVisible();
}

for (const [id, size, long] of [
  ["addresses", wide],
  ["list-then-watch", phone, true],
  ["stale-reads", wide, true],
  ["addresses", phone, true],
  ["list-then-watch", wide, true],
  ["stale-reads", phone, true],
]) {
  test.describe(`${size.width} by ${size.height}`, () => {
    test.use({ viewport: size });
    test(`${id} is played by keyboard alone`, { tag: long ? "@long" : [] }, async ({ lab, page }) => {
      await lab.open("/#lesson-" + id);
      const lesson = new Lesson(page, { keys: true });
      await lesson.isOpen(id);
      await playWhole(lesson);
      // What it has made can be removed, and the next one is a key away.
      const { namespaces: own } = files.find((l) => l.id === id);
      expect(await namespaces(lab)).toEqual(expect.arrayContaining(own));
      await lesson.press(lesson.notice.getByRole("button", { name: "Tidy up" }));
      await expect(lesson.notice).toContainText("Everything is as it was before");
      for (const name of own) expect(await namespaces(lab)).not.toContain(name);
      const next = files[files.findIndex((l) => l.id === id) + 1];
      await expect(lesson.outro.locator(".lesson-following").getByRole("link"))
        .toHaveAttribute("href", "#lesson-" + next.id);
      await page.keyboard.press("n");
      await lesson.isOpen(next.id);
      await expect(lesson.title).toBeFocused();
      await expect(lesson.title).toBeInViewport({ ratio: 1 });
      await lesson.at(1);
      await expect.poll(() => namespaces(lab)).toEqual(expect.arrayContaining(next.namespaces));
    });
  });
}

ownServerTest.describe("offline", () => {
  // The browser reports that a page does not reach its server.
  ownServerTest.use({ installs: true, tolerated: [/ERR_CONNECTION_REFUSED|Failed to load resource/] });

  const what = "after one visit a lesson that was not opened is played with the server stopped";
  ownServerTest(what, { tag: "@long" }, async ({ lab, page, context, server }) => {
    await lab.open();
    await lab.installed();
    await server.stop();
    await page.close();

    const later = new Lab(await context.newPage(), server.url);
    await later.open();
    const lesson = new Lesson(later.page, { keys: true });
    await lesson.choose("list-then-watch");
    await playWhole(lesson);
    // And a situation to practise, whose file was not read before.
    await later.page.goto(server.url + "/#practice-writes-around-watch-1");
    await expect(lesson.where).toHaveText("Practice");
    await lesson.solve();
  });
});

/** The API servers, and how late the cache of each is. */
async function serversOf(lab) {
  const { spec } = (await lab.fetch(CONTROL_PLANE)).body;
  return spec.cache.replicas.map((r) => (r.frozen ? "frozen" : `${r.lagSeconds ?? 0} s late`));
}

/** What the page keeps of a lesson. */
const kept = (page, id) =>
  page.evaluate((id) => JSON.parse(localStorage.getItem("tabernetes/lesson/" + id) ?? "{}"), id);

test("a link leads to a step of a lesson that is not in the page, and back",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-paging-write-while-you-read");
  const lesson = new Lesson(page);
  const write = stepOf("paging", "write-while-you-read");
  await lesson.isOpen("paging");
  await lesson.at(write);
  await expect(lesson.bar).toContainText(/Steps pass in order, and\s*step 1\s*is next/);
  await expect(lesson.shown.locator("summary").first()).toBeInViewport({ ratio: 1 });
  await expect(lesson.shown.locator(".lesson-step-body")).toBeVisible();
  // Nothing is set up by a link that was followed from elsewhere.
  expect(await namespaces(lab)).not.toContain("paging");
  await page.evaluate(() => (location.hash = "#lesson-addresses-where-are-the-deployments"));
  await lesson.isOpen("addresses");
  await lesson.at(stepOf("addresses", "where-are-the-deployments"));
  await expect(lesson.article).toHaveCount(1);
  await page.goBack();
  await lesson.isOpen("paging");
  await lesson.at(write);
  await lesson.press(lesson.bar.getByRole("button", { name: "step 1" }));
  await expect(lesson.step(1).locator("summary").first()).toBeFocused();
  // What is no lesson, or no step of one, changes nothing.
  for (const hash of ["#lesson-paging-99", "#lesson-nothing", "#practice-taken-or-free-0", "#exam-x"]) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    await lesson.isOpen("paging");
    await lesson.at(1);
  }
});

test.describe("without its file", () => {
  test.use({ tolerated: [/ERR_FAILED/] });
  test("a lesson that does not come is said, and comes at the next attempt",
    { tag: "@long" }, async ({ lab, page, context }) => {
    await lab.open("/?nosw");
    await page.waitForFunction(() => document.querySelector("#st-ruler .st-fold")); // the lab, which looks for the file
    const lesson = new Lesson(page);
    const before = await lesson.title.textContent();
    await context.route("**/course/paging.html", (route) => route.abort());
    await lesson.openMenu();
    await lesson.entry("paging").click();
    await expect(page.getByRole("alert").filter({ hasText: "The lesson could not be loaded" })).not.toHaveCount(0);
    await expect(lesson.title).toHaveText(before);
    await context.unroute("**/course/paging.html");
    await lesson.choose("paging");
    await lesson.at(1);
  });
});

test("questions hold what is run after them", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  const runs = lesson.shown.locator("[data-action=lesson-run]");
  await expect(lesson.filled, "one way on").toHaveText("Answer the question");
  for (const run of await runs.all()) {
    await expect(run).toBeDisabled();
    await expect(run).toHaveAttribute("title", "Answer the question above first");
  }
  await page.locator("body").press("r");
  await expect(lesson.question.getByRole("radio").first()).toBeFocused();
  // An answer has to be chosen.
  await lesson.question.getByRole("button", { name: "That is my answer" }).click();
  await expect(lesson.verdict).toHaveText("Choose an answer first, or just run it.");
  await expect(runs.first()).toBeDisabled();
  const [wrong] = await lesson.choices("wrong");
  await lesson.answer({ value: wrong });
  await expect(lesson.verdict).toHaveText("Answered. Run it and see.");
  await expect(lesson.offered).toBeFocused();
  await expect(lesson.choice(wrong).getByRole("radio")).toBeDisabled();
  // What is right is not given away before it has happened.
  await expect(lesson.question.locator(".lesson-reply:visible")).toHaveCount(0);
  await expect(lesson.question.locator(".lesson-explanation")).toBeHidden();
  await expect(lesson.question.locator('[data-judged="right"]')).toHaveCount(0);
  for (const run of await runs.all()) await expect(run).toBeEnabled();
  expect((await lab.fetch("/api/v1/namespaces/list-then-watch/pods")).body.items).toEqual([]);
  await lesson.solve();
  await expectVerdict(lesson, "wrong");
  // Skipped questions hold nothing, either.
  await lesson.goOn();
  await lesson.answer("skip");
  await expect(lesson.verdict).toHaveText("Not answered. Run it and see.");
  await expect(lesson.offered).toBeFocused();
  await lesson.solve();
  await expectVerdict(lesson, "skip");
});

test("choices stand in an order of the learner's own, which stays", { tag: "@long" }, async ({ lab, page }) => {
  const lesson = new Lesson(page);
  const order = async () => {
    await lab.open("/#lesson-list-then-watch");
    await lesson.isOpen("list-then-watch");
    return lesson.article.getByRole("radio").evaluateAll(
      (all) => all.map((r) => r.closest("[data-step]").dataset.step + r.value).join(" "));
  };
  const mine = await order();
  await page.reload();
  expect(await order()).toBe(mine);
  const others = new Set([mine]);
  for (const salt of ["1", "2", "3"]) {
    await page.evaluate((salt) => localStorage.setItem("tabernetes/salt", salt), salt);
    await page.reload();
    others.add(await order());
  }
  expect(others.size).toBeGreaterThan(1);
});

test("what is requested from elsewhere needs no answer", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-addresses");
  const lesson = new Lesson(page);
  await lesson.choose("verbs");
  await lesson.choose("addresses"); // sets it up
  await expect.poll(() => namespaces(lab)).toContain("addresses");
  await lab.request("GET", "/api/v1/namespaces");
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  await lab.request("GET", "/api/v1/namespaces/addresses");
  await expect(lesson.next).toBeEnabled();
  await expectVerdict(lesson, "skip");
});

test("hints come one by one", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch-what-is-the-first-event");
  const lesson = new Lesson(page);
  const hints = lesson.shown.locator(".lesson-hint");
  const count = await hints.count();
  expect(count).toBeGreaterThan(1);
  const button = lesson.bar.locator("[data-action=lesson-reveal][data-kind=hint]");
  for (let n = 0; n < count; n++) {
    for (let i = 0; i < count; i++) await (i < n ? expect(hints.nth(i)).toBeVisible()
      : expect(hints.nth(i)).toBeHidden());
    await expect(button).toHaveText(`Hint ${n + 1} of ${count}`);
    await button.click();
    await expect(hints.nth(n).locator(".lesson-prose")).toBeInViewport();
    await expect(hints.nth(n).locator("summary")).toBeFocused();
  }
  await expect(button).toHaveText("Hints");
  await expect(button).toHaveAttribute("aria-expanded", "true");
  await button.click();
  for (const hint of await hints.all()) await expect(hint).toBeHidden();
  await expect(button).toHaveText(`Hint 1 of ${count}`);
});

test("a wrong attempt is told what was nearly right", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const lesson = new Lesson(page);
  let tried = 0;
  for (const { id, wrong } of files) {
    const attempt = wrong.find(({ step }) => step === 1);
    if (!attempt || tried === 4) continue;
    tried++;
    await lesson.choose(id);
    const { namespaces: own } = files.find((l) => l.id === id);
    await expect.poll(() => namespaces(lab), id).toEqual(expect.arrayContaining(own));
    for (const { method, path, body } of attempt.requests) await lab.request(method, path, body);
    const miss = lesson.bar.locator(".lesson-miss");
    await expect(miss, id).toContainText(attempt.says);
    await expect(miss).toBeInViewport();
    await expect(lesson.next).toBeHidden();
  }
  expect(tried).toBe(4);
});

test("a step that is done again is as it was, and passes again", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-stale-reads");
  const lesson = new Lesson(page);
  const turns = stepOf("stale-reads", "servers-take-turns");
  await lesson.play(turns - 1, "right");
  await lesson.at(turns);
  const light = async () => (await lab.fetch("/api/v1/namespaces/stale-reads/configmaps/light")).body.data?.colour;
  const before = { colour: await light(), servers: await serversOf(lab) };
  expect(before).toMatchObject({ colour: "blue", servers: ["0 s late", "frozen"] });
  const uid = (await lab.fetch("/api/v1/namespaces/stale-reads")).body.metadata.uid;
  // Something else than the lesson has changed what it stands on.
  await lab.fetch("/api/v1/namespaces/stale-reads/configmaps/light", { method: "DELETE" });

  const read = stepOf("stale-reads", "the-light-read-from-both");
  await lesson.step(read).locator("summary").first().click();
  await lesson.step(read).getByRole("button", { name: /^Do this step again/ }).click();
  await lesson.at(read);
  await expect(lesson.step(read).locator("summary").first()).toBeFocused();
  await expect(lesson.notice).toContainText("Everything is as it is after the steps before this one");
  expect({ colour: await light(), servers: await serversOf(lab) }).toEqual(before);
  expect((await lab.fetch("/api/v1/namespaces/stale-reads")).body.metadata.uid).not.toBe(uid);
  for (let n = 1; n < turns; n++)
    await expect(lesson.step(n)).toHaveAttribute("data-state", n < read ? "passed" : "todo");
  // Its question is open again, and the answer to the one before it is still there.
  await lesson.solve("wrong");
  await expectVerdict(lesson, "wrong");
  await lesson.goOn();
  await lesson.solve("right");
  await lesson.step(1).locator("summary").first().click();
  await expect(lesson.step(1).locator(".lesson-verdict")).toHaveText("You predicted it.");
});

test("a lesson is started over", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-addresses");
  const lesson = new Lesson(page);
  const over = lesson.article.locator(".lesson-over").getByRole("button", { name: /^Start over/ });
  // With nothing passed there is nothing to ask.
  await over.click();
  await expect.poll(() => namespaces(lab)).toContain("addresses");
  await lesson.at(1);
  const empty = stepOf("addresses", "what-does-an-empty-answer-prove");
  await lesson.play(empty - 1, "wrong");
  const secrets = "/api/v1/namespaces/addresses/secrets";
  expect((await lab.fetch(secrets)).body.items.map((s) => s.metadata.name)).toEqual(["a"]);
  await over.click();
  const asked = lesson.bar.getByRole("group", { name: "Start the lesson over?" });
  await expect(asked.getByRole("button", { name: "Start over" })).toBeFocused();
  await asked.getByRole("button", { name: "Cancel" }).click();
  await expect(over).toBeFocused();
  await lesson.at(empty);
  await over.click();
  await asked.getByRole("button", { name: "Start over" }).click();
  await lesson.at(1);
  await expect.poll(async () => (await lab.fetch(secrets)).body.items).toEqual([]);
  for (let n = 1; n <= (await lesson.count()); n++) await expect(lesson.step(n)).toHaveAttribute("data-state", "todo");
  expect(await kept(page, "addresses")).not.toHaveProperty("answers");
  await expect(lesson.filled, "one way on").toHaveText("Commit, run");
  // The answer that was given before is not chosen: the bar has the choices of a question that are short.
  await expect(lesson.bar.getByRole("button", { name: "NamespaceList" })).toBeVisible();
  await expect(lesson.bar.locator("[aria-pressed=true]")).toHaveCount(0);
  await expect(lesson.question.getByRole("radio", { checked: true })).toHaveCount(0);
  await lesson.play(empty - 1);
  await lesson.at(empty);
});

test("a lesson that is left gives all back, and coming back all is as it was", {
  tag: "@long",
}, async ({ lab, page }) => {
  await lab.open();
  const lesson = new Lesson(page);
  await lesson.choose("stale-reads");
  const secret = stepOf("stale-reads", "not-older-than-what-you-have-seen");
  await lesson.play(secret - 1, "wrong");
  await lesson.answer("right");
  await lesson.run(); // the first request of that step, and no more
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  const light = async () => (await lab.fetch("/api/v1/namespaces/stale-reads/configmaps/light")).body.data?.colour;
  const before = { colour: await light(), servers: await serversOf(lab) };
  expect(before.servers).toEqual(["0 s late", "frozen"]);

  await lesson.choose("addresses");
  await expect.poll(() => namespaces(lab)).toContain("addresses");
  expect(await namespaces(lab)).not.toContain("stale-reads");
  expect(await serversOf(lab)).toEqual(["0 s late"]);
  // It was made and set by requests like any other.
  await expect(lab.requests.getByRole("row").filter({ hasText: "PATCH" }).filter(
    { hasText: "controlplanes" })).not.toHaveCount(0);
  await lesson.solve();

  await lesson.choose("stale-reads");
  await lesson.at(secret);
  await expect(lesson.notice).toContainText("Everything is as it is after the steps before this one");
  expect(await namespaces(lab)).not.toContain("addresses");
  expect({ colour: await light(), servers: await serversOf(lab) }).toEqual(before);
  // What was run of the step is gone with all the rest; what was answered is not.
  await expect(lesson.question).toHaveAttribute("data-committed");
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "false");
  await expect(lesson.request(0).locator("[data-action=lesson-run]")).toHaveText("Run");
  await lesson.solve();
  await expectVerdict(lesson, "right");
});

test("a reload in the middle keeps what was passed, done and answered", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  const between = stepOf("list-then-watch", "what-falls-between");
  await lesson.play(between - 1, "wrong");
  await lesson.answer("right");
  await lesson.run();
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  await page.reload();
  await lab.ready();
  await lesson.isOpen("list-then-watch");
  await lesson.at(between);
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  await expect(lesson.checks.nth(1)).toHaveAttribute("data-done", "false");
  await expect(lesson.question).toHaveAttribute("data-committed");
  await lesson.step(1).locator("summary").first().click();
  await expect(lesson.step(1).locator(".lesson-verdict")).toHaveText("The result was different.");
  await expect(lesson.step(1).locator(".lesson-reply:visible")).toHaveCount(1);
  await lesson.step(1).locator("summary").first().click();
  await lesson.solve();
  await expectVerdict(lesson, "right");
});
