// axe-core finds nothing, in the states a person meets.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";
import { expectNoViolations } from "../axe.js";
import { Timeline } from "../lab.js";

/** A lab with something in every panel. */
async function fill(lab, page) {
  const configMaps = "/api/v1/namespaces/default/configmaps";
  const timeline = new Timeline(page);
  await timeline.watch(configMaps, "head");
  for (let i = 0; i < 5; i++) await lab.fetch(configMaps, { method: "POST", body: lab.configMap("c" + i, { k: "v" }) });
  await lab.fetch(configMaps + "/c4", { method: "DELETE" });
  await page.evaluate((path) => fetch(path + "?limit=2"), configMaps);
  await expect(timeline.words("p1")).toHaveCount(1);
  await lab.lever("Cut the watches");
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("late") });
  await lab.lever("Compact now");
  await timeline.resume("w1");
  await expect(timeline.words("w1")).toHaveAccessibleName(/error 410/);
  await lab.fetch(CONTROL_PLANE, {
    method: "PATCH",
    headers: { "Content-Type": "application/merge-patch+json" },
    body: { spec: { cache: { replicas: [{}, { frozen: true }] } } },
  });
  await expect(timeline.words("C1")).toHaveAccessibleName(/frozen/);
}

for (const scheme of ["light", "dark"]) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });

    test(`no violations in any state, ${scheme}`, { tag: scheme === "dark" ? "@long" : [] }, async ({ lab, page }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await lab.open();
      await expectNoViolations(page, "as it starts");
      await fill(lab, page);
      await lab.request("GET", "/api/v1/namespaces/default/configmaps/none");
      await expect(lab.response).toContainText("404");
      await expectNoViolations(page, "with data, a broken watch and an error");
      await lab.moreOfRequest();
      await lab.method.selectOption("PATCH");
      await lab.request("GET", "kubectl get pods");
      await expectNoViolations(page, "with all of the composer, and what is no path");
      const timeline = new Timeline(page);
      await timeline.showTables();
      await expectNoViolations(page, "as tables");
      await page.locator("body").press("t");
      for (const menu of ["Levers", "Servers", "Clock", "Help"]) {
        await lab.openMenu(menu);
        await expectNoViolations(page, menu);
        await page.keyboard.press("Escape");
      }
      await lab.openScenes();
      await expectNoViolations(page, "Scenes");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Room", exact: true }).click();
      await expect(page.getByRole("heading", { name: "Room", exact: true })).toBeVisible(); // it is loaded late
      await expectNoViolations(page, "Room");
      await page.keyboard.press("Escape");
      await lab.showTab("Objects");
      await expectNoViolations(page, "objects");
      await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
      await expect(timeline.head).toContainText("showing revision");
      await expectNoViolations(page, "in the past");
      await timeline.bar.getByRole("button", { name: "Back to live" }).click();
      await page.locator("body").press("p");
      await expectNoViolations(page, "presenter");
      await page.keyboard.press("?");
      await page.keyboard.press("/");
      await page.keyboard.type("c");
      await expect(page.getByRole("listbox", { name: "Commands" })).toBeVisible();
      await expectNoViolations(page, "presenter, with its line");
    });

    test(`no violations at any size, ${scheme}`, { tag: "@long" }, async ({ lab, page }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await lab.open();
      await fill(lab, page);
      const timeline = new Timeline(page);
      for (const [width, height, what] of [
        [360, 740, "a phone"],
        [720, 450, "200 % zoom"],
        [1024, 768, "a tablet"],
        [1920, 1080, "a large screen"],
        [3840, 2160, "a very large screen"],
      ]) {
        await page.setViewportSize({ width, height });
        await timeline.settled();
        await expectNoViolations(page, what);
        expect.soft(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
          `${what}: nothing to scroll sideways`).toBeLessThanOrEqual(0);
      }
    });
  });
}

test("Tab walks the levers in the order in which they are seen, and closes the menu behind it",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const opener = page.getByRole("button", { name: "More levers", exact: true });
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
        return { inside: menu.contains(el), inView, ring: getComputedStyle(shown).outlineStyle,
          top: box.top + menu.scrollTop, left: box.left, bottom: box.bottom + menu.scrollTop };
      }),
    );
  }
  for (const [i, at] of seen.entries()) {
    expect(at, `stop ${i}`).toMatchObject({ inside: true, inView: true, ring: "solid" });
    const before = seen[i - 1];
    if (before) {
      const after = at.top >= before.bottom - 1 || at.left > before.left;
      expect(after, `stop ${i} comes after the one before: ${JSON.stringify([before, at])}`).toBe(true);
    }
  }
  await page.keyboard.press("Tab");
  // What comes after the button that opens it.
  await expect(new Timeline(page).ruler).toBeFocused();
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
  test("no violations, panel by panel", { tag: "@long" }, async ({ lab, page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await lab.open();
    for (const tab of ["Lesson", "Console", "Objects"]) {
      await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: tab }).click();
      await expectNoViolations(page, tab);
    }
    await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Console" }).click();
    await lab.request("GET", "/api/v1/namespaces");
    await expect(lab.answer).toContainText("NamespaceList");
    await expectNoViolations(page, "answer");
    await page.keyboard.press("Control+K");
    await page.keyboard.type("too old");
    await expect(page.getByRole("option").first()).toBeVisible();
    await expectNoViolations(page, "search");
  });
});

test.describe("crashed", () => {
  test.use({ tolerated: [/./] });
  test("no violations in the banners", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await page.evaluate(() => tabernetes.crash());
    await expect(page.getByRole("button", { name: /restart/i })).toBeVisible();
    await expectNoViolations(page, "crashed");
  });
});
