// The search, by keyboard alone.
import { test, expect } from "../fixtures.js";
import { Lesson } from "../lesson.js";

test.beforeEach(({ lab }) => lab.open());

const field = (page) => page.getByRole("combobox", { name: /^Search the course/ });
const found = (page, group) => page.getByRole("group", { name: group, exact: true }).getByRole("option");

test("Ctrl-K finds a lesson by words of the API and by plain ones, also while typing",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.path.focus();
  await page.keyboard.press("Control+K");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("Expired");
  await expect(found(page, "Lessons").first()).toContainText("410 Gone");
  const steps = await found(page, "Steps").allTextContents();
  await page.keyboard.press("Control+K"); // selects what is there
  await page.keyboard.type("too old");
  await expect(found(page, "Lessons").first()).toContainText("410 Gone");
  await expect.poll(() => found(page, "Steps").allTextContents()).toEqual(steps);
  await lab.says(/\d+ found/);
  await page.keyboard.press("Escape");
  await expect(field(page)).toBeHidden();
  await expect(lab.path).toBeFocused();
});

test("arrows and Enter open a lesson, a rule, a lever and a key’s act", { tag: "@long" }, async ({ lab, page }) => {
  await page.keyboard.press("Control+K");
  await page.keyboard.type("410 gone");
  await expect(found(page, "Lessons").first()).toHaveAttribute("aria-selected", "true");
  const first = await found(page, "Lessons").first().getAttribute("id");
  await expect(field(page)).toHaveAttribute("aria-activedescendant", first);
  await page.keyboard.press("Enter");
  const lesson = new Lesson(page);
  await lesson.isOpen("410-gone");
  await expect(field(page)).toBeHidden();

  await page.keyboard.press("Control+K");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("changes after that version");
  const rule = found(page, "Rules").first();
  await expect(rule).toBeVisible();
  await rule.click();
  await expect(page.getByRole("tabpanel", { name: "Rules" })).toBeVisible();
  await expect.poll(() => page.evaluate(() => document.activeElement.id)).toMatch(/^rule-watch-\d+-now$/);

  await page.keyboard.press("Control+K");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("forget");
  await found(page, "Keys and levers").filter({ hasText: "Compact" }).click();
  await expect(page.getByRole("dialog", { name: "Compact", exact: true })).toBeVisible();
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+K");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("stage as tables");
  await found(page, "Keys and levers").first().click();
  await expect(page.getByRole("region", { name: "The stage as tables" })).toBeVisible();
});

test("what is not found offers what is near, and the log", { tag: "@long" }, async ({ lab, page }) => {
  await lab.request("GET", "/api/v1/namespaces/default/configmaps?labelSelector=bokmrks");
  await expect(lab.response).toContainText("200");
  await lab.request("GET", "/version");
  await page.keyboard.press("Control+K");
  await page.keyboard.type("bokmrks");
  await expect(page.getByRole("option").first()).toContainText("Bookmarks");
  await lab.says("nothing found");
  await page.getByRole("button", { name: /^Search the log of requests/ }).click();
  await expect(lab.requests.getByRole("row").filter({ hasText: "bokmrks" })).toHaveCount(1);
  await expect(lab.requests.getByRole("row").filter({ hasText: "version" })).toHaveCount(0);
});

test("the list of lessons has practice, exam and capstone in sight", { tag: "@long" }, async ({ page }) => {
  const lesson = new Lesson(page);
  await expect(lesson.column.getByRole("link", { name: "practice" })).toBeVisible();
  await lesson.openMenu();
  for (const name of [/^Practice/, /^Exam/, /^Capstone level 1/]) {
    await expect(lesson.menu.getByRole("link", { name })).toBeInViewport({ ratio: 1 });
  }
});
