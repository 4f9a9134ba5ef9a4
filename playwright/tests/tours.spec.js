// What stopped people who tried the page: by keyboard, in a low window, beside a wide column, on a phone.
import { test, expect } from "../fixtures.js";
import { boxOf } from "../lab.js";
import { Lesson } from "../lesson.js";

const LONG = "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=59&allowWatchBookmarks=true" +
  "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

/** What has the focus: its name, or that nothing has. @param {import("@playwright/test").Page} page */
const focused = (page) => page.evaluate(() => {
  const at = document.activeElement;
  return at === document.body ? "nothing" : at.id || (at.getAttribute("aria-label") ?? at.textContent).trim();
});

/** Buttons and fields in sight that something else lies on. @param {import("@playwright/test").Locator} within */
const covered = (within) => within.evaluate((el) => [...el.querySelectorAll("button, input, select, textarea")]
  .filter((e) => e.checkVisibility({ visibilityProperty: true })).filter((e) => {
    const { left, top, width, height } = e.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    return width > 1 && (!at || !e.contains(at) && !at.contains(e));
  }).map((e) => e.getAttribute("aria-label") ?? e.id ?? e.textContent));

test.describe("a first visit", () => {
  test.use({ first: true, viewport: { width: 1366, height: 768 } });

  test("whoever presses a door’s button has the focus on what comes next", { tag: "@long" },
    async ({ lab, page }) => {
    await page.goto(lab.url);
    await lab.ready();
    await page.locator(".door").filter({ hasText: "410 Gone" }).click();
    await page.locator(".lesson-bar").getByRole("button", { name: "Play" }).press("Enter");
    await expect(page.locator("#st-ruler")).toBeFocused();
    // The bar has the step that comes next, and not a second Play.
    const run = page.locator(".lesson-bar").getByRole("button", { name: /^Run/ });
    await expect(run).toBeVisible();
    await page.getByRole("button", { name: "Leave the scene" }).press("Enter");
    await expect(page.locator("#st-ruler")).toBeFocused();
    await run.focus();
    await run.press("Enter");
    await expect(new Lesson(page).next).toBeFocused();
  });
});

test.describe("a first visit at 200 % of 1280x720", () => {
  test.use({ first: true, viewport: { width: 640, height: 360 } });

  test("opens on what to press", { tag: "@long" }, async ({ lab, page }) => {
    await page.goto(lab.url);
    await lab.ready();
    const run = page.locator(".lesson-bar").getByRole("button", { name: /^Run/ });
    await expect(run).toBeInViewport({ ratio: 1 });
    await run.click({ trial: true });
    for (const door of await page.locator(".door").all()) {
      await door.scrollIntoViewIfNeeded();
      await expect(door).toBeInViewport({ ratio: 0.9 });
    }
    await page.keyboard.press("Escape");
    await expect(page.getByLabel("Path and query")).toBeInViewport();
    await page.reload();
    await lab.ready();
    await expect(page.getByLabel("Path and query")).toBeInViewport();
  });
});

test.describe("in a low window", () => {
  test.use({ viewport: { width: 1280, height: 720 } });

  test("an answer is chosen though something moves it while it is pressed", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    const lesson = new Lesson(page);
    await lesson.choose("addresses");
    const choice = lesson.question.locator(".lesson-choice > label").nth(1);
    await choice.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await boxOf(choice);
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await choice.evaluate((el) => (el.closest(".lesson-text").scrollTop += 60)); // as when the bar grows over it
    await page.mouse.up();
    await expect(choice.getByRole("radio")).toBeChecked();
  });

  test("a long path leaves Send its place, and completions are no stop of Tab", { tag: "@long" },
    async ({ lab, page }) => {
    await lab.open();
    await lab.path.fill(LONG);
    await page.keyboard.press("Escape");
    await expect.poll(() => covered(page.locator("#panel-console"))).toEqual([]);
    await lab.send.click();
    await expect(lab.response).toContainText("200");
    await lab.path.fill("/api/v1/namespaces/default/");
    await expect(page.getByRole("listbox", { name: "Completions" })).toBeVisible();
    await page.keyboard.press("Tab");
    expect(await focused(page)).not.toBe("req-options");
  });

  test("a search leads to sharing, and into the menus of levers", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    const find = async (words, option) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Search the course/ }).fill(words);
      await page.getByRole("option", { name: option }).click();
    };
    await find("own levels", /^Own levels/);
    await expect(page.getByRole("heading", { name: "Your own levels" })).toBeVisible();
    await find("share", /^Share this cluster/);
    await expect(page.getByRole("heading", { name: "Share", exact: true })).toBeVisible();
    await page.keyboard.press("Escape");
    for (const [words, option, menu] of /** @type {const} */ ([
      ["all levers", /^All levers/, "levers"], ["freeze", /^API servers/, "servers"], ["clock", /clock/, "clock"]])) {
      await find(words, option);
      await expect(page.locator(`#${menu}-title`)).toBeFocused();
      await page.keyboard.press("Escape");
    }
  });

  test("beside one’s own levels all of the lab can be used", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open("/#levels");
    await expect(page.getByRole("heading", { name: "Your own levels" })).toBeVisible();
    await lab.path.fill(LONG);
    await page.keyboard.press("Escape");
    await expect.poll(() => covered(page.locator("#dock"))).toEqual([]);
    await expect.poll(() => covered(page.locator("#st-bar"))).toEqual([]);
    expect((await boxOf(page.locator(".st-addform"))).height).toBeLessThan(80);
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("answers are large enough for a finger, and log and answer change places with the focus", { tag: "@long" },
    async ({ lab, page }) => {
    await lab.open();
    const lesson = new Lesson(page);
    await lesson.choose("addresses");
    const low = await lesson.question.locator(".lesson-choice > label").evaluateAll(
      (all) => all.map((el) => el.getBoundingClientRect().height).filter((height) => height < 44));
    expect(low).toEqual([]);
    await page.getByRole("button", { name: "Console", exact: true }).tap();
    await lab.send.tap();
    await expect(page.locator("#res-status")).toContainText("200");
    await page.getByRole("button", { name: /^Log \d/ }).tap();
    await expect(page.getByRole("button", { name: "Answer", exact: true })).toBeFocused();
    const tools = await page.locator("#exchange-tools .button").evaluateAll(
      (all) => all.map((el) => el.getBoundingClientRect().height));
    expect(Math.min(...tools)).toBeGreaterThanOrEqual(44);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("button", { name: /^Log \d/ })).toBeFocused();
  });
});
