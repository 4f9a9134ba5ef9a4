// axe-core finds nothing, in the states a person meets.
import { test, expect } from "../fixtures.js";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Timeline } from "../lab.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function expectNoViolations(page, state) {
  await page.evaluate(axe);
  const { found, checked } = await page.evaluate(async () => {
    const { violations, passes } = await window.axe.run(document);
    const found = violations.map((v) => `${v.id} (${v.impact}): ${v.help}: ` + v.nodes.slice(0, 5).map((n) => `${n.target} ${n.any[0]?.message ?? n.all[0]?.message ?? ""}`).join(" | "));
    return { found, checked: passes.length };
  });
  expect(checked, "rules that had something to look at").toBeGreaterThan(15);
  expect.soft(found, state).toEqual([]);
}

/** A lab with something in every panel. */
async function fill(lab, page) {
  const timeline = new Timeline(page);
  await timeline.watch("/api/v1/namespaces/default/configmaps");
  for (let i = 0; i < 5; i++) await lab.fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: lab.configMap("c" + i, { k: "v" }) });
  await lab.fetch("/api/v1/namespaces/default/configmaps/c4", { method: "DELETE" });
  await lab.request("GET", "/api/v1/namespaces/default/configmaps?limit=2");
  await expect(lab.response).toContainText("200");
  await lab.lever("Cut the watches");
  await lab.fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: lab.configMap("late") });
  await lab.lever("Compact now");
  await timeline.lanes.getByRole("button", { name: /^Resume watch/ }).first().click();
  await expect(timeline.lanes).toContainText("410");
  await lab.request("GET", "/api/v1/namespaces/default/configmaps/none");
  await expect(lab.response).toContainText("404");
}

for (const scheme of ["light", "dark"]) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });

    test(`no violations, wide, ${scheme}`, async ({ lab, page }) => {
      test.setTimeout(120_000);
      await page.emulateMedia({ reducedMotion: "reduce" });
      await lab.open();
      await expectNoViolations(page, "as it starts");
      await fill(lab, page);
      await expectNoViolations(page, "with data, a broken watch and an error");
      const timeline = new Timeline(page);
      await timeline.showTables();
      await timeline.ruler.getByRole("button", { name: "Table", exact: true }).click();
      await expectNoViolations(page, "as tables");
      for (const menu of ["Sample data", "Levers", "Help"]) {
        await lab.openMenu(menu);
        await expectNoViolations(page, menu);
        await page.keyboard.press("Escape");
      }
    });
  });
}

test("Tab walks the levers in the order in which they are seen, and closes the menu behind it", async ({ lab, page }) => {
  await lab.open();
  const opener = page.getByRole("button", { name: "Levers", exact: true });
  const menu = page.getByRole("dialog", { name: "Levers" });
  await opener.focus();
  await page.keyboard.press("Enter");
  await expect(menu).toBeVisible();
  const stops = await menu.locator("button, select, input:not([type=radio], [hidden]), input:checked").count();
  const seen = [];
  for (let i = 0; i < stops; i++) {
    await page.keyboard.press("Tab");
    seen.push(
      await menu.evaluate((menu) => {
        const el = document.activeElement;
        const shown = el.type === "radio" ? el.parentElement : el;
        const box = shown.getBoundingClientRect();
        const inView = box.top >= menu.getBoundingClientRect().top && box.bottom <= menu.getBoundingClientRect().bottom;
        return { inside: menu.contains(el), inView, ring: getComputedStyle(shown).outlineStyle, top: box.top + menu.scrollTop, left: box.left, bottom: box.bottom + menu.scrollTop };
      }),
    );
  }
  for (const [i, at] of seen.entries()) {
    expect(at, `stop ${i}`).toMatchObject({ inside: true, inView: true, ring: "solid" });
    const before = seen[i - 1];
    if (before) expect(at.top >= before.bottom - 1 || at.left > before.left, `stop ${i} comes after the one before: ${JSON.stringify([before, at])}`).toBe(true);
  }
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Help", exact: true })).toBeFocused();
  await expect(menu).toBeHidden();
  await opener.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();
  await expect(menu).toBeHidden();
});

test.describe("narrow", () => {
  test.use({ viewport: { width: 360, height: 740 } });
  test("no violations, panel by panel", async ({ lab, page }) => {
    test.setTimeout(120_000);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await lab.open();
    for (const tab of ["Lesson", "Console", "Streams", "Requests", "Objects"]) {
      await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: tab }).click();
      await expectNoViolations(page, tab);
    }
  });
});

test.describe("crashed", () => {
  test.use({ tolerated: [/./] });
  test("no violations in the banners", async ({ lab, page }) => {
    await lab.open();
    await page.evaluate(() => tabernetes.crash());
    await expect(page.getByRole("button", { name: /restart/i })).toBeVisible();
    await expectNoViolations(page, "crashed");
  });
});
