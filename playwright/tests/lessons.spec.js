// Lessons, as a learner plays them.
import { test, expect } from "../fixtures.js";
import { tabTo } from "../lab.js";

test.beforeEach(async ({ lab }) => lab.open());

/**
 * Presses, with the keyboard, every Run button of a step, and then those of its
 * solution, until the step is solved.
 */
async function solve(page, step) {
  await runAll(page, step, step.locator(".lesson-step-body > .lesson-http [data-action=lesson-run]"));
  if (await passed(step)) return;
  const solution = step.getByText("Solution", { exact: true });
  if ((await solution.count()) === 0) return; // its events are still to come
  await tabTo(solution);
  await page.keyboard.press("Enter");
  await runAll(page, step, step.locator("details.lesson-solution [data-action=lesson-run]"));
}

async function runAll(page, step, buttons) {
  for (const button of await buttons.all()) {
    if (await passed(step)) return;
    await tabTo(button);
    await page.keyboard.press("Enter");
    await settled(page);
    await expect(step.getByText(/^[\d,]+ of [\d,]+ sent/).filter({ hasNotText: /^([\d,]+) of \1 sent/ })).toHaveCount(0, { timeout: 90_000 });
  }
}

const passed = async (step) => (await step.getAttribute("data-state")) === "passed";

/** Waits until the request that a key has started is answered and drawn. */
async function settled(page) {
  await page.evaluate(async () => {
    await fetch("/readyz", { tabernetes: { quiet: true } });
    for (let i = 0; i < 3; i++) await new Promise((r) => requestAnimationFrame(r));
  });
}

test("the first one is solved with the keyboard", async ({ page }) => {
  test.setTimeout(120_000);
  const lesson = page.locator("article.lesson").first();
  const steps = await lesson.locator("[data-step][data-state]").all();
  expect(steps.length).toBeGreaterThan(2);
  await page.keyboard.press("Alt+1");
  for (const step of steps) {
    await expect(step).toHaveAttribute("data-state", "todo");
    await solve(page, step);
    await expect(step).toHaveAttribute("data-state", "passed");
  }
});

test("none is solved by nothing, and each by its own solution", async ({ page }) => {
  test.setTimeout(180_000);
  const links = page.getByRole("navigation", { name: "Lessons" }).getByRole("link");
  expect(await links.count()).toBe(4);
  for (let i = 0; i < 4; i++) {
    await links.nth(i).click();
    const lesson = page.locator("article.lesson").nth(i);
    await expect(lesson).toBeVisible();
    const steps = await lesson.locator("[data-step][data-state]").all();
    expect(steps.length).toBeGreaterThan(1);
    for (const step of steps) await expect(step).toHaveAttribute("data-state", "todo");
    for (const step of steps) {
      await solve(page, step);
      await expect(step).toHaveAttribute("data-state", "passed", { timeout: 30_000 });
    }
  }
});

test("what was solved is still solved after a reload", async ({ lab, page }) => {
  const step = page.locator("article.lesson").first().locator("[data-step][data-state]").first();
  await solve(page, step);
  await expect(step).toHaveAttribute("data-state", "passed");
  await page.reload();
  await lab.ready();
  await expect(step).toHaveAttribute("data-state", "passed");
});
