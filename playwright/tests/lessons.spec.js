// Lessons, as a learner plays them.
import { test, expect } from "../fixtures.js";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tabTo } from "../lab.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const levers = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default";
const pods = "/api/v1/namespaces/default/pods";

/** The open lesson. */
class Lesson {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.article = page.getByRole("article");
    this.bar = page.getByRole("group", { name: "Progress in this lesson" });
    this.checks = this.bar.getByRole("list", { name: "To pass this step" }).getByRole("listitem");
    this.next = this.bar.getByRole("button", { name: "Next", exact: true });
    this.shown = page.locator("article.lesson[data-open] .lesson-step[data-shown]");
    this.filled = page.locator("article.lesson[data-open] .button.primary:visible");
  }

  /** Chooses a lesson from the list that the head opens. */
  async choose(title) {
    await this.article.getByText(/^Lesson \d of \d$/).click();
    await this.page.getByRole("navigation", { name: "Lessons" }).getByRole("link", { name: title }).click();
    await expect(this.article.getByRole("heading", { level: 2, name: title })).toBeVisible();
  }

  step(n) {
    return this.article.locator(`.lesson-step[data-step="${n - 1}"]`);
  }

  /** Presses, with the keyboard, what there is to run in the shown step, and then in its solution, until it is passed. */
  async solve() {
    await this.runAll(".lesson-step-body > .lesson-http");
    if (await this.passed()) return;
    if ((await this.shown.locator(".lesson-solution").count()) === 0) return; // its events are still to come
    await tabTo(this.bar.getByRole("button", { name: "Solution" }));
    await this.page.keyboard.press("Enter");
    await this.runAll(".lesson-solution .lesson-http");
  }

  async runAll(boxes) {
    for (const box of await this.shown.locator(boxes).all()) {
      if (await this.passed()) return;
      await tabTo(box.getByRole("button", { name: /^Run/ }));
      await this.page.keyboard.press("Enter");
      await this.settled();
      await expect(box.getByText(/^[\d,]+ of [\d,]+$/)).toHaveCount(0, { timeout: 90_000 });
    }
  }

  async passed() {
    return (await this.shown.getAttribute("data-state")) === "passed";
  }

  /** Solves the shown step and goes on to the next one. */
  async goOn() {
    await this.solve();
    await expect(this.shown).toHaveAttribute("data-state", "passed", { timeout: 30_000 });
    await expect(this.filled).toHaveCount(1);
    const left = await this.shown.getAttribute("data-step");
    await tabTo(this.next);
    await this.page.keyboard.press("Enter");
    await expect(this.page.locator(`article.lesson[data-open] .lesson-step[data-shown][data-step="${left}"]`)).toHaveCount(0);
    await this.settled();
  }

  /** Waits until the request that a key has started is answered and drawn. */
  async settled() {
    await this.page.evaluate(async () => {
      await fetch("/readyz", { tabernetes: { quiet: true } });
      for (let i = 0; i < 3; i++) await new Promise((r) => requestAnimationFrame(r));
    });
  }

  /** Runs the request that is to be run next, which is the one filled button. */
  async run() {
    await expect(this.filled).toHaveText("Run");
    await this.filled.click();
  }
}

/** A request as the page's own script makes it, which the lesson sees. */
const fetchAs = (page, path, method = "GET", body) =>
  page.evaluate(
    async ([path, method, body]) => {
      const r = await fetch(path, { method, body, headers: body ? { "Content-Type": "application/json" } : {} });
      return { status: r.status, body: await r.json() };
    },
    [path, method, body],
  );

test("the first one is solved with the keyboard, and leads to the next", async ({ lab, page }) => {
  test.setTimeout(120_000);
  await lab.open();
  const lesson = new Lesson(page);
  await page.keyboard.press("Alt+1");
  await expect(lesson.article.getByText(/^Lesson 1 of/)).toBeFocused();
  const count = await lesson.article.locator(".lesson-step").count();
  expect(count).toBeGreaterThan(2);
  for (let n = 1; n <= count; n++) {
    await expect(lesson.bar).toContainText(`Step ${n} of ${count}`);
    await expect(lesson.step(n)).toHaveAttribute("data-state", "todo");
    await expect(lesson.next).toBeDisabled();
    await lesson.goOn();
    await expect(lesson.step(n)).toHaveAttribute("data-state", "passed");
    if (n < count) await expect(lesson.step(n + 1).locator("summary").first()).toBeFocused();
    await expect(lesson.step(n).locator(".lesson-step-body")).toBeHidden();
  }
  await expect(lesson.bar).toContainText(`All ${count} steps passed`);
  const end = lesson.article.locator(".lesson-outro");
  await expect(end).toBeFocused();
  await expect(end.getByRole("link", { name: "410 Gone, and how clients recover" })).toBeVisible();
  await tabTo(lesson.bar.getByRole("link", { name: "Next lesson" }));
  await page.keyboard.press("Enter");
  const title = lesson.article.getByRole("heading", { level: 2, name: /^410 Gone/ });
  await expect(title).toBeFocused();
  await expect(title).toBeInViewport({ ratio: 1 });
  await expect(lesson.bar).toContainText("Step 1 of 8");
});

test("none is solved by nothing, and each by its own solution", { tag: "@long" }, async ({ lab, page }) => {
  test.setTimeout(180_000);
  await lab.open();
  const lesson = new Lesson(page);
  for (const title of ["List, then watch", "410 Gone", "Paging 1,253 pods", "Stale reads"]) {
    if (title !== "List, then watch") await lesson.choose(title);
    const steps = lesson.article.locator(".lesson-step");
    const count = await steps.count();
    expect(count).toBeGreaterThan(1);
    for (let n = 1; n <= count; n++) await expect(lesson.step(n)).toHaveAttribute("data-state", "todo");
    for (let n = 1; n <= count; n++) await lesson.goOn();
  }
  await expect(lesson.bar).toContainText("That was the last lesson");
});

test("what was solved is still solved after a reload", async ({ lab, page }) => {
  await lab.open();
  const lesson = new Lesson(page);
  await lesson.goOn();
  await page.reload();
  await lab.ready();
  await expect(lesson.step(1)).toHaveAttribute("data-state", "passed");
  await expect(lesson.bar).toContainText("Step 2 of 6");
  await expect(lesson.step(2).locator(".lesson-step-body")).toBeVisible();
});

test("one button is filled: what is to be run, then Next", async ({ lab, page }) => {
  await lab.open("/#lesson-410-gone");
  const lesson = new Lesson(page);
  await expect(lesson.filled).toHaveAccessibleName("Run list");
  await lesson.run();
  await expect(lesson.filled).toHaveAccessibleName("Next");
  await expect(lesson.shown.getByRole("button", { name: "Run again list" })).toBeVisible();
  await expect(lesson.shown.locator(".lesson-chip")).toHaveText(/^200\s*as of\s*\d+$/);
  // Keys press it, too, where nothing is typed.
  await page.locator("body").press("n");
  for (const name of ["created", "labelled", "replay"]) {
    await expect(lesson.filled).toHaveAccessibleName("Run " + name);
    await page.keyboard.press("r");
  }
  await expect(lesson.filled).toHaveAccessibleName("Next");
  await expect(lesson.shown.locator(".lesson-chip").nth(0)).toHaveText(/^201\s*→\s*\d+$/);
  await expect(lesson.shown.locator(".lesson-chip").nth(2)).toHaveText(/2 events$/);
  await expect(lesson.shown.getByRole("button", { name: "Stop replay" })).toBeVisible();
  // A reference shows its value once there is one.
  const replay = lesson.shown.locator(".lesson-http").nth(2);
  await expect(replay).toContainText(/resourceVersion=\d+/);
  await expect(replay).not.toContainText("{{");
});

// Sending from the console left hints and ticks scrolled away.
test("what a request from the console did is seen in the bar, and said", async ({ lab, page }) => {
  await lab.open();
  const lesson = new Lesson(page);
  const status = page.getByRole("status").filter({ hasText: /Not yet|Passed|Done/ });
  await lesson.article.locator(".lesson-text").evaluate((el) => (el.scrollTop = el.scrollHeight));
  await lab.request("GET", pods + "?watch=1");
  const miss = lesson.bar.getByText("That was a watch. Leave watch out to get a list.");
  await expect(miss).toBeInViewport({ ratio: 1 });
  await expect(status).toContainText("Not yet: That was a watch");
  await lab.request("GET", pods);
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  await expect(lesson.checks.first()).toBeInViewport({ ratio: 1 });
  await expect(miss).toBeHidden();
  await expect(lesson.next).toBeEnabled();
  await expect(lesson.next).toBeInViewport({ ratio: 1 });
  await expect(status).toContainText("Passed step 1 of 6");
  // Who goes on without Next is followed.
  const { body } = await fetchAs(page, pods);
  await page.evaluate((path) => void fetch(path), `${pods}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
  await expect(lesson.bar).toContainText("Step 2 of 6");
  await expect(lesson.next).toBeEnabled();
});

test("a request out of order is told where it belongs", async ({ lab, page }) => {
  await lab.open("/#lesson-410-gone");
  const lesson = new Lesson(page);
  await lab.request("POST", levers + "/compact", "{}");
  await expect(lesson.checks.first()).toContainText("That belongs to step 3, “Take the past away”. This comes first.");
  await lesson.run();
  await expect(lesson.next).toBeEnabled();
  await lesson.next.click();
  await expect(lesson.bar).toContainText("Step 2 of 8");
  await expect(lesson.bar).not.toContainText("That belongs");
});

test("a reload in the middle of a step keeps what was noted", async ({ lab, page }) => {
  test.setTimeout(120_000);
  await lab.open();
  const lesson = new Lesson(page);
  for (let n = 1; n <= 4; n++) await lesson.goOn();
  await expect(lesson.bar).toContainText("Step 5 of 6");
  await lesson.run(); // cut
  await expect(lesson.filled).toHaveAccessibleName("Run missed");
  await lesson.run();
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  await page.reload();
  await lab.ready();
  await expect(lesson.bar).toContainText("Step 5 of 6");
  await expect(lesson.checks.first()).toHaveAttribute("data-done", "true");
  await expect(lesson.checks.nth(1)).toHaveAttribute("data-done", "false");
  await lesson.bar.getByRole("button", { name: "Solution" }).click();
  await lesson.shown.getByRole("button", { name: "Run resumed" }).click();
  for (let i = 0; i < 3; i++) await expect(lesson.checks.nth(i)).toHaveAttribute("data-done", "true");
  await expect(lesson.next).toBeEnabled();
});

test("a watch that a reload has ended is missed, with the way to it", async ({ lab, page }) => {
  await lab.open();
  const lesson = new Lesson(page);
  for (let n = 1; n <= 2; n++) await lesson.goOn();
  const missing = lesson.bar.getByText("This step needs the watch of step 2, which is not open any more. Run it again.");
  await expect(missing).toBeHidden();
  await page.reload();
  await lab.ready();
  await expect(lesson.bar).toContainText("Step 3 of 6");
  await expect(missing).toBeInViewport({ ratio: 1 });
  await lesson.bar.getByRole("button", { name: "Show step 2" }).click();
  const again = lesson.step(2).getByRole("button", { name: "Run again watch" });
  await expect(again).toBeInViewport();
  await again.click();
  await expect(missing).toBeHidden();
  await lesson.shown.getByRole("button", { name: "Run created" }).click();
  await expect(lesson.next).toBeEnabled();
});

test("after a reset of the cluster the bar says what that means", async ({ lab, page }) => {
  await lab.open();
  const lesson = new Lesson(page);
  await lesson.goOn();
  await lab.fetch(levers + "/reset", { method: "POST", body: {} });
  await expect(lesson.bar.getByText(/^This is another cluster than before/)).toBeInViewport({ ratio: 1 });
  await lesson.bar.getByRole("group").or(lesson.bar).getByRole("button", { name: "Start over", exact: true }).first().click();
  await expect(lesson.bar).toContainText("Step 1 of 6");
  await expect(lesson.bar).not.toContainText("another cluster");
  await expect(lesson.step(1)).toHaveAttribute("data-state", "todo");
  await lesson.goOn();
});

/** The settings, with what is as it usually is spelled out. */
async function settingsOf(lab) {
  const { spec } = (await lab.fetch(levers)).body;
  const servers = spec.cache.replicas.map((r) => (r.frozen ? "frozen" : `${r.lagSeconds ?? 0} s late`));
  return { servers, kept: spec.history.retentionSeconds, paused: spec.clock.paused ?? false };
}

const change = (lab, spec) =>
  lab.fetch(levers, { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" }, body: { spec } });

test("a lesson that is left gives back what it has set, and the next sets what it needs", async ({ lab, page }) => {
  test.setTimeout(120_000);
  await lab.open("/#lesson-stale-reads");
  const lesson = new Lesson(page);
  await lesson.goOn();
  expect((await settingsOf(lab)).servers).toEqual(["0 s late", "frozen"]);
  await lesson.choose("List, then watch");
  await expect(lesson.bar.getByText("Set for this lesson: one API server.")).toBeInViewport({ ratio: 1 });
  expect((await settingsOf(lab)).servers).toEqual(["0 s late"]);
  // It was set by a request like any other.
  await expect(lab.requests.getByRole("row").filter({ hasText: "PATCH" }).filter({ hasText: "controlplanes" })).not.toHaveCount(0);
  await lesson.goOn();
  // Back in the lesson that was left: its steps' settings are gone, and it says so.
  await lesson.choose("Stale reads");
  await expect(lesson.bar).toContainText("Step 2 of 7");
  await expect(lesson.bar.getByText(/had set was set back when you left it: start it over/)).toBeInViewport({ ratio: 1 });
});

test("settings of one's own come back when a lesson is left, and stay as the lesson needs them over a reload", async ({ lab, page }) => {
  await lab.open();
  const lesson = new Lesson(page);
  const replicas = [{}, { lagSeconds: 2 }, { frozen: true }];
  await change(lab, { cache: { replicas }, history: { retentionSeconds: 77 }, clock: { paused: true } });
  // Coming back changes nothing by itself.
  await page.reload();
  await lab.ready();
  await expect(lesson.bar.getByText(/^This lesson needs other settings: one API server, .*the clock runs/)).toBeInViewport({ ratio: 1 });
  const own = { servers: ["0 s late", "2 s late", "frozen"], kept: 77, paused: true };
  expect(await settingsOf(lab)).toEqual(own);
  await lesson.run();
  await expect(lesson.bar.getByText(/^Set for this lesson: one API server/)).toBeVisible();
  expect(await settingsOf(lab)).toEqual({ servers: ["0 s late"], kept: 300, paused: false });
  await page.reload();
  await lab.ready();
  await lesson.choose("Paging");
  await expect(lesson.bar.getByText("history is kept for 1 hour", { exact: false })).toBeVisible();
  expect(await settingsOf(lab)).toEqual({ servers: ["0 s late"], kept: 3600, paused: false });
  // What the next lesson does not need is as it was before.
  await lesson.choose("Stale reads");
  await expect.poll(() => settingsOf(lab)).toEqual({ servers: ["0 s late"], kept: 300, paused: false });
  await lesson.run();
  await expect.poll(async () => (await settingsOf(lab)).servers.length, "its first request makes two").toBe(2);
  await lesson.bar.getByRole("button", { name: /^Start over/ }).click();
  await expect.poll(async () => (await settingsOf(lab)).servers.length, "started over").toBe(1);
});

test("at the end of a lesson settings can be given back", { tag: "@long" }, async ({ lab, page }) => {
  test.setTimeout(120_000);
  await lab.open("/#lesson-stale-reads");
  const lesson = new Lesson(page);
  await change(lab, { history: { retentionSeconds: 77 } });
  for (let n = 1; n <= 7; n++) await lesson.goOn();
  expect(await settingsOf(lab)).toEqual({ servers: ["0 s late", "0 s late"], kept: 300, paused: false });
  await expect(lesson.bar).toContainText("All 7 steps passed");
  await lesson.bar.getByRole("button", { name: "Set back" }).click();
  await expect(lesson.bar.getByText("Set back as it was: one API server, history is kept for 77 seconds.")).toBeVisible();
  expect(await settingsOf(lab)).toEqual({ servers: ["0 s late"], kept: 77, paused: false });
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

test("Run is not lost while the API server is being loaded", async ({ lab, page }) => {
  const start = await hold(page);
  await page.goto(lab.url + "/?nosw");
  const lesson = new Lesson(page);
  await lesson.run();
  await expect(lesson.shown.getByRole("button", { name: "Waiting for the API server pod" })).toBeVisible();
  expect(await page.evaluate(() => window.tabernetes.state)).toBe("loading");
  start();
  await lab.ready();
  await expect(lesson.shown.locator(".lesson-chip").first()).toHaveText(/^201\s*→/);
  await expect(lesson.shown.getByRole("button", { name: "Run again pod" })).toBeVisible();
  expect((await lab.fetch(pods)).body.items.length, "sent once").toBe(1);
});

test("Run while the API server is being loaded takes a lesson up as it was left", async ({ lab, page }) => {
  await lab.open("/?nosw#lesson-stale-reads");
  const lesson = new Lesson(page);
  await lesson.goOn();
  const start = await hold(page);
  await page.reload();
  await expect(lesson.bar).toContainText("Step 2 of 7");
  await lesson.run();
  await expect(lesson.shown.getByRole("button", { name: /^Waiting/ })).toBeVisible();
  start();
  await lab.ready();
  await expect(lesson.shown.locator(".lesson-chip").first()).toHaveText(/^200\s*→/);
  expect((await settingsOf(lab)).servers).toEqual(["0 s late", "frozen"]);
});

test("a link opens a lesson's step, before it is passed and after", async ({ lab, page }) => {
  await lab.open("/#lesson-410-gone-3");
  const lesson = new Lesson(page);
  await expect(lesson.shown.getByRole("heading", { name: "Take the past away" })).toBeInViewport({ ratio: 1 });
  await expect(lesson.shown.locator(".lesson-step-body")).toBeVisible();
  await expect(lesson.bar).toContainText("Step 3 of 8");
  await expect(lesson.bar).toContainText(/Steps pass in order, and\s*step 1\s*is next/);
  await page.evaluate(() => (location.hash = "#lesson-paging-2"));
  await expect(lesson.article.getByRole("heading", { level: 2 })).toHaveText("Paging 1,253 pods");
  await expect(lesson.shown.getByRole("heading", { name: "The first page" })).toBeInViewport({ ratio: 1 });
  await page.goBack();
  await expect(lesson.shown.getByRole("heading", { name: "Take the past away" })).toBeInViewport({ ratio: 1 });
  await lesson.bar.getByRole("button", { name: "step 1" }).click();
  await expect(lesson.step(1).locator("summary").first()).toBeFocused();
  await expect(lesson.step(1).locator("summary").first()).toBeInViewport({ ratio: 1 });
  await lesson.goOn();
  await expect(lesson.bar).toContainText("Step 2 of 8");
  // Asked for by its number, the first step is shown and not the lesson's beginning.
  await page.setViewportSize({ width: 720, height: 450 });
  await page.evaluate(() => (location.hash = "#lesson-stale-reads-1"));
  await expect(lesson.step(1).locator("summary").first()).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goBack();
  // A link that is not a lesson's leaves the lesson open.
  await page.evaluate(() => (location.hash = "#req-path"));
  await expect(lesson.bar).toContainText("Step 2 of 8");
  // A folded step reopens.
  await lesson.step(1).locator("summary").first().click();
  await expect(lesson.step(1).locator(".lesson-step-body")).toBeVisible();
  await expect(lesson.bar).toContainText("Step 2 of 8");
  await lesson.step(1).getByRole("button", { name: /^Do this step again/ }).click();
  await expect(lesson.bar).toContainText("Step 1 of 8");
  await expect(lesson.step(1)).toHaveAttribute("data-state", "todo");
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });
  test("the lessons can be read, and links open them", async ({ lab, page }) => {
    await page.goto(lab.url + "/");
    const lesson = new Lesson(page);
    await expect(lesson.article).toHaveCount(1);
    await expect(lesson.article.getByText("A controller that acts on pods has to know all of them")).toBeVisible();
    await expect(lesson.step(1).locator(".lesson-step-body")).toBeVisible();
    await expect(lesson.bar).toContainText("Step 1 of 6");
    await lesson.choose("Paging");
    await expect(lesson.article).toHaveCount(1);
    await page.goto(lab.url + "/#lesson-paging-4");
    await expect(lesson.article.getByText("Now write the request yourself")).toBeVisible();
  });
});

for (const [width, height] of [
  [720, 450],
  [844, 390],
]) {
  test.describe(`${width} by ${height}`, () => {
    test.use({ viewport: { width, height } });
    test("the bar is one line, and leaves room for the text", async ({ lab, page }) => {
      await lab.open("/#lesson-410-gone");
      const lesson = new Lesson(page);
      await expect(lesson.article.getByRole("heading", { level: 2 })).toBeInViewport({ ratio: 1 });
      const text = lesson.article.locator(".lesson-text");
      const size = async () => [await text.boundingBox(), await lesson.bar.boundingBox()];
      let [room, bar] = await size();
      expect(bar.height).toBeLessThanOrEqual(44);
      expect(room.height, "the text's room").toBeGreaterThan(250);
      await page.evaluate((path) => fetch(path, { method: "POST", body: "{}" }), levers + "/compact");
      const miss = lesson.bar.getByText(/^That belongs to step 3/);
      await expect(miss).toBeInViewport();
      [room, bar] = await size();
      expect(bar.height, "with what is missing").toBeLessThanOrEqual(100);
      expect(room.height, "the text's room beside that").toBeGreaterThan(200);
      await expect(lesson.next).toBeInViewport({ ratio: 1 });
      // The rest is behind a button.
      await expect(lesson.bar.getByRole("button", { name: /^Start over/ })).toBeHidden();
      await lesson.bar.getByRole("button", { name: /^More/ }).click();
      await expect(lesson.bar.getByRole("button", { name: /^Start over/ })).toBeInViewport({ ratio: 1 });
      await expect(lesson.checks.first()).toContainText("Pods were listed");
      await lesson.bar.getByRole("button", { name: /^Less/ }).click();
      await lesson.run();
      await expect(lesson.next).toBeEnabled();
      await lesson.next.click();
      await expect(lesson.shown.getByRole("heading", { name: "Be late, but not too late" })).toBeInViewport({ ratio: 1 });
    });
  });
}

for (const scheme of ["light", "dark"]) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });
    test(`axe finds nothing in the column, ${scheme}`, { tag: "@long" }, async ({ lab, page }) => {
      await lab.open("/#lesson-410-gone");
      const lesson = new Lesson(page);
      await page.evaluate(axe);
      const clean = async (state) => {
        const found = await page.evaluate(async () => {
          const { violations, passes } = await window.axe.run("#panel-lesson");
          if (passes.length < 10) return ["only " + passes.length + " rules had something to look at"];
          return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target + " " + (n.any[0]?.message ?? "")).join(" | ")}`);
        });
        expect.soft(found, state).toEqual([]);
      };
      await clean("as it starts");
      await fetchAs(page, levers + "/compact", "POST", "{}");
      await expect(lesson.bar).toContainText("That belongs to step 3");
      await clean("with what is missing");
      await lesson.run();
      await expect(lesson.next).toBeEnabled();
      await clean("passed");
      await lesson.bar.getByRole("button", { name: /^Start over/ }).click();
      await expect(lesson.bar.getByRole("button", { name: "Cancel" })).toBeVisible();
      await clean("asking");
      await lesson.bar.getByRole("button", { name: "Cancel" }).click();
      await expect(lesson.bar.getByRole("button", { name: /^Start over/ })).toBeFocused();
      await lesson.article.getByText(/^Lesson 2 of/).click();
      await clean("the list of lessons");
      await page.keyboard.press("Escape");
      await lab.fetch(levers + "/reset", { method: "POST", body: {} });
      await expect(lesson.bar).toContainText("This is another cluster");
      await clean("with a notice");
    });
  });
}
