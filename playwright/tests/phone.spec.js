// A phone: what is seen of an answer, the order of Tab, and what can be done with a revision.
import { test, expect } from "../fixtures.js";
import { boxOf, Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const one = `${configMaps}/one-with-a-name-of-some-length`;

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

/** Opens the console, with an answer. */
async function answered(lab, page) {
  await lab.open();
  await lab.settled();
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap(one.split("/").at(-1)) });
  await page.getByRole("button", { name: "Console", exact: true }).tap();
  await lab.path.fill(one);
  await page.getByRole("button", { name: "Send", exact: true }).tap();
  await expect(page.locator("#res-status")).toContainText("200");
}

test("below two notices an answer is seen: its path whole, and some lines of its body", { tag: "@long" },
  async ({ lab, page, context }) => {
  const other = await context.newPage();
  await other.addInitScript(() => delete Navigator.prototype.serviceWorker);
  await other.goto(lab.url + "/?nosw");
  await other.waitForFunction(() => window.tabernetes?.state === "ready");
  await page.addInitScript(() => delete Navigator.prototype.serviceWorker);
  await answered(lab, page);
  await expect(page.locator(".banner")).toHaveCount(2);
  expect((await boxOf(page.locator("#res-body"))).height).toBeGreaterThan(100);
  const path = page.locator("#res-status .of");
  await expect(path).toHaveText(`GET ${one}`);
  const whole = await path.evaluate((el) => el.scrollWidth <= el.clientWidth && el.scrollHeight <= el.clientHeight);
  expect(whole).toBe(true);
  // The button that opens the rest of the header is not under them.
  const notices = await boxOf(page.locator("#banners"));
  const more = page.getByRole("button", { name: "Search, room, help and more" });
  expect((await boxOf(more)).y).toBeGreaterThanOrEqual(notices.y + notices.height);
  await more.tap();
  await expect(page.getByRole("button", { name: "Help", exact: true })).toBeVisible();
});

test("Tab goes through the console from its top to its bottom", { tag: "@long" }, async ({ lab, page }) => {
  await answered(lab, page);
  const walk = async () => {
    const tops = [];
    await page.locator("#dock").evaluate((dock) => {
      dock.tabIndex = -1;
      dock.focus();
    });
    for (;;) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const el = document.activeElement;
        const part = el.closest(".dock-above, .answer-head, .verdict, #res-body, #panel-history, .composer");
        return part && { part: part.id || part.className, top: part.getBoundingClientRect().top };
      });
      if (!at) return tops;
      if (tops.at(-1)?.part !== at.part) tops.push(at);
    }
  };
  const sorted = (tops) => tops.every((at, i) => i === 0 || tops[i - 1].top <= at.top + 1);
  const answer = await walk();
  expect(answer.at(-1)).toMatchObject({ part: "request" });
  expect(sorted(answer), JSON.stringify(answer)).toBe(true);
  await page.getByRole("button", { name: /^Log/ }).tap();
  const log = await walk();
  expect(log.map((at) => at.part)).toContain("panel-history");
  expect(sorted(log), JSON.stringify(log)).toBe(true);
});

test("the sheet of the console has a handle: pulled down it gives the stage room, pulled up it takes it back",
  { tag: "@long" }, async ({ lab, page }) => {
  await answered(lab, page);
  const handle = page.getByRole("button", { name: "Show more or less of the stage" });
  const stage = page.getByRole("region", { name: "Stage", exact: true });
  const height = async () => (await boxOf(stage)).height;
  const before = await height();
  await handle.tap();
  await expect.poll(height).toBeGreaterThan(before + 60);
  await handle.tap();
  await expect.poll(height).toBe(before);
});

test("a revision of the past is compared with now, and forked", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  for (const name of ["a", "b"]) await lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });
  await page.getByRole("button", { name: "Console", exact: true }).tap();
  const timeline = new Timeline(page);
  const head = Number((await lab.fetch(configMaps)).body.metadata.resourceVersion);
  await expect.poll(() => timeline.revision()).toBe(head);
  const travel = async () => {
    await timeline.settled();
    const place = await timeline.at(head - 1); // a number of the axis travels
    await page.touchscreen.tap(place.x, place.axis);
    await expect(timeline.head).toContainText("1 before the head");
  };
  await travel();
  await page.getByRole("button", { name: "Compare with now" }).tap();
  await expect(page.locator("#panel-answer")).toContainText("default/configmaps/b");
  await travel();
  await page.getByRole("button", { name: "Fork here" }).tap();
  await expect(timeline.head).toContainText(`forked at ${head - 1}`);
});

test("a scene has all of the stage, its buttons one line, and no name lies on a picture",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#scene=token");
  const edge = page.getByRole("region", { name: "Presenter" });
  const next = edge.locator("[data-do=next]");
  const steps = edge.getByRole("img", { name: /^Step/ });
  for (let step = 1; step <= 5; step++) {
    await expect(steps).toHaveAccessibleName(`Step ${step} of 5`);
    await expect(next).toHaveAttribute("aria-disabled", "false");
    if (step < 5) await next.tap();
  }
  const leave = edge.getByRole("button", { name: "Leave the scene" });
  expect((await boxOf(next)).y).toBe((await boxOf(leave)).y);
  expect((await boxOf(page.locator("#panel-stage"))).height).toBeGreaterThan(480);
  const row = page.locator("#st-rows > .is-page");
  const plot = await boxOf(row.locator(".st-plot"));
  for (const part of await row.locator(".st-head > *, .st-act").all()) {
    const box = await boxOf(part);
    expect(box.y + box.height).toBeLessThanOrEqual(plot.y);
  }
  await leave.tap();
  await expect(page.locator("#panel-lesson")).toBeVisible();
});
