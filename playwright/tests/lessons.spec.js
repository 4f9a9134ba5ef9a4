// More than 400 lines: the tests share their ways through a lesson.
// The column of lessons: what its buttons and its bar say, what a lesson sets, and how it is opened.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";
import { expectNoViolations } from "../axe.js";
import { Lesson, lessonFiles, namespaces } from "../lesson.js";
import { stepOf } from "../steps.js";

const files = lessonFiles();
/** The step of list-then-watch whose watch breaks. */
const lost = stepOf("list-then-watch", "lose-the-connection");

/** A request as the page's own script makes it, which the lesson sees. */
const fetchAs = (page, path, method = "GET", body) =>
  page.evaluate(
    async ([path, method, body]) => {
      const r = await fetch(path, { method, body, headers: body ? { "Content-Type": "application/json" } : {} });
      return r.status;
    },
    [path, method, body],
  );

// The site of these tests has no programs: wasm/controllers plays the lessons that need them.
for (const { id } of files.filter(({ programs }) => !programs)) {
  test(`${id} is not solved by nothing, and is by its own solution`, { tag: "@long" }, async ({ lab, page }) => {
    await lab.open("/#lesson-" + id);
    const lesson = new Lesson(page);
    await lesson.isOpen(id);
    const count = await lesson.count();
    for (let n = 1; n <= count; n++) await expect(lesson.step(n)).toHaveAttribute("data-state", "todo");
    for (let n = 1; n <= count; n++) {
      await lesson.at(n);
      const answered = await lesson.solve(n % 2 ? "right" : "wrong");
      // A choice that is right by its place is right by what happened.
      if (answered === "right") await expect(lesson.verdict).toHaveText("You predicted it.");
      await lesson.goOn();
    }
    await lesson.at(count + 1);
  });
}

test("one button is filled: what is to be run, then Next", async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  await lesson.answer("skip");
  const names = async () =>
    lesson.shown.locator("[data-action=lesson-run]").evaluateAll(
      (all) => all.map((b) => b.getAttribute("aria-label").replace(/^Run /, "")));
  const [write, read, watch, second] = await names();
  await expect(lesson.filled).toHaveAccessibleName("Run " + write);
  await lesson.filled.click();
  await expect(lesson.request(0).locator(".lesson-chip")).toHaveText(/^201\s*→\s*\d+$/);
  await expect(lesson.filled).toHaveAccessibleName("Run " + read);
  await lesson.filled.click();
  await expect(lesson.filled).toHaveAccessibleName("Run " + watch);
  await expect(lesson.shown.getByRole("button", { name: "Run again " + read })).toBeVisible();
  await expect(lesson.request(1).locator(".lesson-chip")).toHaveText(/^200\s*as of\s*\d+$/);
  // Keys press it, too, where nothing is typed.
  for (const name of [watch, second]) {
    await expect(lesson.filled).toHaveAccessibleName("Run " + name);
    await page.locator("body").press("r");
  }
  await expect(lesson.filled).toHaveAccessibleName("Next");
  await expect(lesson.request(2).locator(".lesson-chip")).toHaveText(/1 event$/);
  await expect(lesson.shown.getByRole("button", { name: "Stop " + watch })).toBeVisible();
  // A reference shows its value once there is one.
  await expect(lesson.request(2)).toContainText(/resourceVersion=\d+/);
  await expect(lesson.request(2)).not.toContainText("{{");
  await page.locator("body").press("n");
  await lesson.at(2);
});

// Sending from the console left hints and ticks scrolled away.
test("what a request from the console did is seen in the bar, and said", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const lesson = new Lesson(page);
  await lesson.choose("addresses");
  await expect.poll(() => namespaces(lab)).toContain("addresses");
  const [wrong] = files.find((l) => l.id === "addresses").wrong;
  const status = page.getByRole("status").filter({ hasText: /Not yet|Passed|Done/ });
  await lesson.article.locator(".lesson-text").evaluate((el) => (el.scrollTop = el.scrollHeight));
  for (const { method, path, body } of wrong.requests) await lab.request(method, path, body);
  const miss = lesson.bar.locator(".lesson-miss");
  await expect(miss).toContainText(wrong.says);
  await expect(miss).toBeInViewport({ ratio: 1 });
  await expect(status).toContainText("Not yet: " + wrong.says);
  await lab.request("GET", "/api/v1/namespaces");
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  await expect(lesson.checks.first()).toBeInViewport({ ratio: 1 });
  await expect(miss).toBeHidden();
  await lab.request("GET", "/api/v1/namespaces/addresses");
  await expect(lesson.next).toBeEnabled();
  await expect(lesson.next).toBeInViewport({ ratio: 1 });
  await expect(status).toContainText(`Passed step 1 of ${await lesson.count()}`);
  // Who continues without Next is followed.
  await fetchAs(page, "/api/v1/deployments");
  await lesson.at(stepOf("addresses", "where-are-the-deployments"));
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
});

test("a step that has passed stays until somebody goes on", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  const between = stepOf("list-then-watch", "what-falls-between");
  await lesson.play(between - 1);
  await lesson.solve();
  // The watches of this step end, and would do for the next step's, which waits for one.
  await expect(lesson.shown.locator(".lesson-http").filter({ hasText: "Stop" })).toHaveCount(0);
  await lesson.at(between);
  await expect(lesson.verdict).toBeVisible();
  await lesson.goOn();
  await lesson.at(between + 1);
  await expect(lesson.bar.locator(".lesson-miss")).toHaveCount(0);
});

test("a request out of order is told where it belongs", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-addresses");
  const lesson = new Lesson(page);
  await lesson.isOpen("addresses");
  const empty = stepOf("addresses", "what-does-an-empty-answer-prove");
  const title = await lesson.step(empty).locator("h3").evaluate((el) => el.firstChild.textContent);
  await lab.request("GET", "/api/v1/namespaces/nowhere/secrets");
  await expect(lesson.checks.first()).toContainText(`That belongs to step ${empty}, “${title}”. This comes first.`);
  await lesson.play(1);
  await lesson.at(2);
  await expect(lesson.bar).not.toContainText("That belongs");
});

test("a reload in the middle of a step keeps what was noted", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  await lesson.play(lost - 1);
  await lesson.at(lost);
  for (let i = 0; i < 3; i++) await lesson.run(); // delete, cut, then write
  await expect(lesson.checks.nth(1)).toHaveAttribute("data-done", "true");
  await page.reload();
  await lab.ready();
  await lesson.isOpen("list-then-watch");
  await lesson.at(lost);
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  await expect(lesson.checks.nth(2)).toHaveAttribute("data-done", "false");
  // The request that resumes refers to the last event of the watch that is gone.
  await lesson.reveal("solution");
  await expect(lesson.request(3)).toContainText(/resourceVersion=\d+/);
  await lesson.solve();
  await expect(lesson.step(lost)).toHaveAttribute("data-state", "passed");
});

test("a watch that a reload has ended is missed, with the way on", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  await lesson.play(lost - 1);
  await lesson.at(lost);
  await expect(lesson.trouble).toBeHidden();
  await page.reload();
  await lab.ready();
  await lesson.isOpen("list-then-watch");
  await lesson.at(lost);
  const first = stepOf("list-then-watch", "what-is-the-first-event");
  await expect(lesson.trouble).toContainText(`This step needs the watch of step ${first}, which is no longer open.`);
  await expect(lesson.trouble).toBeInViewport();
  // Either the watch is run again, or all is set up again.
  await lesson.step(first).locator("summary").first().click();
  await lesson.step(first).getByRole("button", { name: "Run again watch" }).click();
  await expect(lesson.trouble).toBeHidden();
  await lesson.solve();
});

test("after a reset of the cluster the bar says what that means", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  await lesson.play(1);
  await lab.fetch(CONTROL_PLANE + "/reset", { method: "POST", body: {} });
  await expect(lesson.notice).toContainText("This is not the same cluster as before");
  await expect(lesson.notice).toBeInViewport({ ratio: 1 });
  await lesson.notice.getByRole("button", { name: "Start over", exact: true }).click();
  await lesson.at(1);
  await expect(lesson.bar).not.toContainText("the same cluster");
  await expect(lesson.step(1)).toHaveAttribute("data-state", "todo");
  await lesson.play(1);
});

/** The settings, with what is as it usually is spelled out. */
async function settingsOf(lab) {
  const { spec } = (await lab.fetch(CONTROL_PLANE)).body;
  const servers = spec.cache.replicas.map((r) => (r.frozen ? "frozen" : `${r.lagSeconds ?? 0} s late`));
  return { servers, kept: spec.history.retentionSeconds, paused: spec.clock.paused ?? false };
}

const change = (lab, spec) =>
  lab.fetch(CONTROL_PLANE,
    { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" }, body: { spec } });

test("a lesson sets what it needs when it is begun, and at its end all is given back", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const lesson = new Lesson(page);
  const replicas = [{}, { lagSeconds: 2 }, { frozen: true }];
  await change(lab, { cache: { replicas }, history: { retentionSeconds: 77 }, clock: { paused: true } });
  // Coming back changes nothing by itself.
  await page.reload();
  await lab.ready();
  const own = { servers: ["0 s late", "2 s late", "frozen"], kept: 77, paused: true };
  expect(await settingsOf(lab)).toEqual(own);
  expect(await namespaces(lab)).not.toContain("list-then-watch");
  await lesson.answer("skip");
  await lesson.run();
  const usual = { servers: ["0 s late"], kept: 3600, paused: false };
  await expect.poll(() => settingsOf(lab)).toEqual(usual);
  await page.reload();
  await lab.ready();
  expect(await settingsOf(lab)).toEqual(usual);
  // Others may need others, and what one needs is said.
  await lesson.choose("stale-reads");
  await expect(lesson.notice).toContainText("Settings changed: 2 API servers");
  await expect(lesson.notice).toBeInViewport({ ratio: 1 });
  expect(await settingsOf(lab)).toEqual({ ...usual, servers: ["0 s late", "0 s late"] });
  await lesson.choose("list-then-watch");
  await expect.poll(() => namespaces(lab)).toContain("list-then-watch");
  expect(await settingsOf(lab)).toEqual(usual);
  await lesson.play(await lesson.count());
  await expect(lesson.notice).toContainText("settings");
  await lesson.notice.getByRole("button", { name: "Tidy up" }).click();
  await expect(lesson.notice).toContainText("Everything is as it was before.");
  expect(await settingsOf(lab)).toEqual(own);
  expect(await namespaces(lab)).not.toContain("list-then-watch");
});

test("a lesson that was left before a reload of another cluster says what it needs", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open("/#lesson-stale-reads");
  const lesson = new Lesson(page);
  await page.reload();
  await lab.ready();
  await expect(lesson.notice).toContainText("Other settings are needed here: 2 API servers.");
  expect((await settingsOf(lab)).servers).toEqual(["0 s late"]);
  await lesson.notice.getByRole("button", { name: "Set them" }).click();
  await expect.poll(async () => (await settingsOf(lab)).servers).toEqual(["0 s late", "0 s late"]);
  await expect.poll(() => namespaces(lab)).toContain("stale-reads");
});

test("a lesson whose beginning was cut short by a reload is begun anew", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-addresses");
  const lesson = new Lesson(page);
  await lesson.isOpen("addresses");
  await lesson.answer("skip");
  // The page goes as soon as it has been noted that the lesson begins.
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (key, value) {
      setItem.call(this, key, value);
      if (key === "tabernetes/lesson-settings") location.reload();
    };
  });
  const loaded = page.waitForEvent("load");
  await lesson.filled.click();
  await loaded;
  await lab.ready();
  await lesson.at(1);
  await lesson.solve();
  expect(await namespaces(lab)).toEqual(expect.arrayContaining(["addresses", "addresses-b"]));
});

test("set up again, no box shows what it has brought before", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-two-phase");
  const lesson = new Lesson(page);
  await lesson.isOpen("two-phase");
  await lesson.answer("skip");
  const chip = (n) => lesson.request(n).locator(".lesson-chip");
  await lesson.filled.click();
  await expect(chip(0)).toHaveText(/watching/);
  await lesson.filled.click();
  await expect(chip(1)).toHaveText(/→ \d+/);
  await lesson.bar.getByRole("button", { name: "Set up again" }).click();
  await expect(lesson.bar.getByRole("button", { name: "Set up again" })).toBeEnabled();
  for (const n of [0, 1]) {
    await expect(chip(n)).toBeEmpty();
    await expect(lesson.request(n).locator("[data-action=lesson-run]")).toHaveText("Run");
  }
});

/** Keeps the API server from being started until what it returns is called. */
async function hold(page) {
  let start;
  const held = new Promise((resolve) => (start = resolve));
  await page.route("**/worker*.js*", async (route) => {
    await held;
    await route.continue();
  });
  return start;
}

test("Run is not lost while the API server is being loaded", { tag: "@long" }, async ({ lab, page }) => {
  const start = await hold(page);
  await page.goto(lab.url + "/?nosw#lesson-list-then-watch");
  const lesson = new Lesson(page);
  await lesson.answer("skip");
  const label = (await lesson.filled.getAttribute("aria-label")).replace(/^Run /, "");
  await lesson.filled.click();
  await expect(lesson.shown.getByRole("button", { name: "Waiting for the API server " + label })).toBeVisible();
  expect(await page.evaluate(() => window.tabernetes.state)).toBe("loading");
  start();
  await lab.ready();
  await expect(lesson.request(0).locator(".lesson-chip")).toHaveText(/^201\s*→/);
  await expect(lesson.shown.getByRole("button", { name: "Run again " + label })).toBeVisible();
  expect((await lab.fetch("/api/v1/namespaces/list-then-watch/pods")).body.items.length, "sent once").toBe(1);
});

test("Run while the API server is being loaded takes a lesson up as it was left", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open("/?nosw#lesson-stale-reads");
  const lesson = new Lesson(page);
  await lesson.play(1);
  const uid = async () => (await lab.fetch("/api/v1/namespaces/stale-reads")).body.metadata.uid;
  const before = await uid();
  const start = await hold(page);
  await page.reload();
  await lesson.at(2);
  await lesson.answer("skip");
  await lesson.filled.click();
  await expect(lesson.shown.getByRole("button", { name: /^Waiting/ })).toBeVisible();
  start();
  await lab.ready();
  await expect(lesson.request(0).locator(".lesson-chip")).toHaveText(/^200/);
  expect((await settingsOf(lab)).servers).toEqual(["0 s late", "frozen"]);
  expect(await uid(), "it was not made anew").toBe(before);
});

test("a link opens a lesson's step, before it is passed and after", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-addresses-3");
  const lesson = new Lesson(page);
  const head = (n) => lesson.step(n).locator("summary").first();
  await lesson.isOpen("addresses");
  await expect(head(3)).toBeInViewport({ ratio: 1 });
  await lesson.bar.getByRole("button", { name: "step 1" }).click();
  await expect(head(1)).toBeFocused();
  await expect(head(1)).toBeInViewport({ ratio: 1 });
  await lesson.play(1);
  await lesson.at(2);
  // Asked for by its number, the first step is shown and not the lesson's beginning.
  await page.setViewportSize({ width: 720, height: 450 });
  await page.evaluate(() => (location.hash = "#lesson-stale-reads-1"));
  await lesson.isOpen("stale-reads");
  await expect(head(1)).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goBack();
  await lesson.isOpen("addresses");
  // A link that is not a lesson's leaves the lesson open.
  await page.evaluate(() => (location.hash = "#req-path"));
  await lesson.at(2);
  // A folded step reopens, and so does one that is asked for by a link.
  await head(1).click();
  await expect(lesson.step(1).locator(".lesson-step-body")).toBeVisible();
  await lesson.at(2);
  await page.evaluate(() => (location.hash = "#lesson-addresses-1"));
  await lesson.at(1);
  await expect(lesson.next).toBeEnabled();
});

test("the list of what there is: by its parts, how far each lesson is, left by Escape", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open("/#lesson-addresses");
  const lesson = new Lesson(page, { keys: true });
  await lesson.isOpen("addresses");
  await lesson.play(1);
  await lesson.openMenu();
  const links = lesson.menu.getByRole("link");
  const entries = await links.evaluateAll((all) => all.map((a) => a.dataset.entry));
  expect(entries.slice(0, files.length)).toEqual(files.map((l) => l.id));
  expect(entries.slice(files.length)).toEqual(expect.arrayContaining(["practice", "exam", "progress"]));
  await expect(lesson.menu.getByRole("heading")).not.toHaveCount(0);
  await expect(lesson.entry("addresses")).toContainText(`1 of ${await lesson.count()}`);
  await expect(lesson.entry(files.at(-1).id)).toContainText(/\d+ min/);
  await page.keyboard.press("Tab");
  await expect(links.first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(lesson.menu).toBeHidden();
  await expect(lesson.column.locator(".lesson-menu > summary")).toBeFocused();
  // And by going elsewhere.
  await lesson.openMenu();
  await lab.path.focus();
  await expect(lesson.menu).toBeHidden();
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });
  test("the first lesson can be read, and what there is", { tag: "@long" }, async ({ lab, page }) => {
    await page.goto(lab.url + "/");
    const lesson = new Lesson(page);
    await expect(lesson.article).toHaveCount(1);
    await expect(lesson.column.locator("article")).toHaveAttribute("data-lesson-id", files[0].id);
    await expect(lesson.step(1).locator(".lesson-step-body")).toBeVisible();
    await expect(lesson.bar).toContainText("Step 1 of");
    await lesson.openMenu();
    await expect(lesson.entry(files.at(-1).id)).toBeVisible();
  });
});

for (const [width, height] of [
  [720, 450],
  [844, 390],
]) {
  test.describe(`${width} by ${height}`, () => {
    test.use({ viewport: { width, height } });
    test("the bar is one line, and leaves room for the text", { tag: "@long" }, async ({ lab, page }) => {
      await lab.open("/#lesson-addresses");
      const lesson = new Lesson(page);
      await lesson.isOpen("addresses");
      await expect(lesson.title).toBeInViewport({ ratio: 1 });
      const text = lesson.article.locator(".lesson-text");
      const size = async () => [await text.boundingBox(), await lesson.bar.boundingBox()];
      let [room, bar] = await size();
      expect(bar.height).toBeLessThanOrEqual(44);
      expect(room.height, "the text's room").toBeGreaterThan(200);
      await fetchAs(page, "/api/v1/namespaces/nowhere/secrets");
      const empty = stepOf("addresses", "what-does-an-empty-answer-prove");
      const miss = lesson.bar.getByText(new RegExp(`^That belongs to step ${empty}`));
      await expect(miss).toBeInViewport();
      [room, bar] = await size();
      expect(bar.height, "with what is missing").toBeLessThanOrEqual(110);
      expect(room.height, "the text's room beside that").toBeGreaterThan(150);
      await expect(lesson.filled).toBeInViewport({ ratio: 1 });
      // The rest is behind a button.
      await expect(lesson.bar.getByRole("button", { name: "Set up again" })).toBeHidden();
      await lesson.bar.getByRole("button", { name: /^More/ }).click();
      await expect(lesson.bar.getByRole("button", { name: "Set up again" })).toBeInViewport({ ratio: 1 });
      await expect(lesson.checks.first()).toBeVisible();
      await lesson.bar.getByRole("button", { name: /^Less/ }).click();
      await lesson.solve();
      await lesson.goOn();
      await expect(lesson.step(2).locator("h3")).toBeInViewport({ ratio: 1 });
    });
  });
}

for (const scheme of ["light", "dark"]) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });
    test(`axe finds nothing in the column, ${scheme}`, { tag: "@long" }, async ({ lab, page }) => {
      await lab.open("/#lesson-list-then-watch");
      const lesson = new Lesson(page);
      const clean = (state) => expectNoViolations(page, state, { within: "#panel-lesson", rules: 9 });
      await clean("as it starts");
      const [wrong] = files.find((l) => l.id === "list-then-watch").wrong;
      await lesson.answer("wrong");
      await clean("answered");
      for (const { method, path, body } of wrong.requests) await fetchAs(page, path, method, body);
      await lesson.solve();
      await clean("passed, with a wrong prediction");
      await lesson.goOn();
      await lesson.answer("right");
      await lesson.reveal("hint");
      await clean("with a hint");
      await lesson.solve();
      await clean("passed, with a right prediction");
      const over = lesson.article.locator(".lesson-over").getByRole("button", { name: /^Start over/ });
      await over.click();
      await expect(lesson.bar.getByRole("button", { name: "Cancel" })).toBeVisible();
      await clean("asking");
      await lesson.bar.getByRole("button", { name: "Cancel" }).click();
      await expect(over).toBeFocused();
      await lesson.openMenu();
      await clean("the list of lessons");
      await page.keyboard.press("Escape");
      await lab.fetch(CONTROL_PLANE + "/reset", { method: "POST", body: {} });
      await expect(lesson.bar).toContainText("This is not the same cluster");
      await clean("with a notice");
    });
  });
}
