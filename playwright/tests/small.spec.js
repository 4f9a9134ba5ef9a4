// Small windows: 200 % of 1280x720, where an answer needs the stage's room, and a phone, whose menus are sheets.
import { test, expect } from "../fixtures.js";
import { boxOf } from "../lab.js";
import { fakeTerminal, Terminal } from "../terminal.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** What lies over something else, as pairs of names. @param {import("@playwright/test").Page} page */
const overlapping = (page) => page.evaluate(() => {
  const parts = [".bar", ".tabs button", ".dock-above button", ".composer :is(button, select, textarea)", ".verdict",
    "#res-body", ".answer-head :is(button, select)", ".st-big", ".st-ruler", ".term-keys button", "#term-line"];
  const seen = [...document.querySelectorAll(parts.join())]
    .filter((el) => el.checkVisibility({ visibilityProperty: true })).map((el) => [el, el.getBoundingClientRect()]);
  const pairs = [];
  for (const [i, [a, x]] of seen.entries()) {
    for (const [b, y] of seen.slice(i + 1)) {
      if (a.contains(b) || b.contains(a)) continue;
      if (x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 1 && y.top < x.bottom - 1) {
        pairs.push(`${a.id || a.className} and ${b.id || b.className}`);
      }
    }
  }
  return pairs;
});

test.describe("at 200 % of 1280x720", () => {
  test.use({ viewport: { width: 640, height: 360 } });

  for (const way of ["Enter", "Send"]) {
    const tag = way === "Send" ? [] : "@long";
    const what = `after ${way} the answer and its verdict are in sight, and nothing lies over them`;
    test(what, { tag }, async ({ lab, page }) => {
      await lab.open();
      await lab.fetch(configMaps, { method: "POST", body: lab.configMap("one") });
      await lab.path.fill(`${configMaps}/one`);
      await page.keyboard.press("Escape"); // the completions
      if (way === "Enter") await lab.path.press("Enter");
      else await lab.send.click();
      await expect(page.locator("#res-status")).toContainText("200");
      await expect(page.locator(".verdict h3")).toBeInViewport({ ratio: 1 });
      const [body, composer] = [await boxOf(page.locator("#res-body")), await boxOf(page.locator("#request"))];
      expect(body.height).toBeGreaterThan(60);
      expect(body.y + body.height).toBeLessThanOrEqual(composer.y + 1);
      expect(composer.y + composer.height).toBeLessThanOrEqual(360);
      expect((await boxOf(page.locator("#panel-stage"))).height).toBeLessThan(60);
      await expect(page.locator("#st-ruler .st-mark").first()).toBeInViewport();
      expect(await overlapping(page)).toEqual([]);
    });
  }

  test("Lanes gives the lanes the room, Escape gives it back to what had it",
    { tag: "@long" }, async ({ lab, page }) => {
    await fakeTerminal(page);
    await lab.open();
    await page.evaluate(async (path) => void fetch(path + "?watch=1").then((r) => r.text(), () => {}), configMaps);
    await page.getByRole("button", { name: "Terminal", exact: true }).click();
    const terminal = new Terminal(page);
    await terminal.ready();
    await terminal.run("kubectl get configmaps");
    await expect(terminal.field).toBeInViewport();
    expect((await boxOf(page.locator(".term-out"))).height).toBeGreaterThan(150);
    expect(await overlapping(page)).toEqual([]);
    const lanes = page.getByRole("button", { name: "Lanes 1" });
    await lanes.click();
    await expect(page.locator("#st-head-w1")).toBeInViewport();
    await expect(terminal.panel).toBeHidden();
    expect(await overlapping(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(terminal.field).toBeInViewport();
    await expect(lanes).toBeFocused();
  });

  test("the tabs are in the header, and the lesson opens below it", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    const tab = (name) => page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name, exact: true });
    await tab("Lesson").click();
    const lesson = page.getByRole("region", { name: "Lesson", exact: true });
    expect((await boxOf(lesson)).width).toBe(640);
    await expect(tab("Lesson")).toHaveAttribute("aria-current", "true");
    await page.keyboard.press("Escape");
    await expect(lesson).toBeHidden();
    await expect(tab("Lesson")).toBeFocused();
    await expect(tab("Console")).toHaveAttribute("aria-current", "true");
    await tab("Objects").click();
    await expect(page.getByRole("tabpanel", { name: "Objects" })).toBeInViewport();
    await page.getByRole("button", { name: "Search, room, help and more" }).click();
    await tab("More").click();
    await page.getByRole("button", { name: "Rules", exact: true }).click();
    await expect(page.getByRole("tabpanel", { name: "Rules" })).toBeInViewport();
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  /** Things to touch that are smaller than a finger needs, with what they have around them. */
  const small = (page, within) => page.locator(within).evaluate((part) => {
    const all = [...part.querySelectorAll("button, select, textarea, summary, label:has([type=radio]), " +
      "a[href]:not(.skip, .ref), input:not([type=radio], [type=checkbox], [type=file])")];
    return all.filter((el) => el.checkVisibility({ visibilityProperty: true, opacityProperty: true })).map((el) => {
      const box = el.getBoundingClientRect();
      const around = getComputedStyle(el, "::after");
      const more = around.position === "absolute" && around.content !== "none" ? parseFloat(around.height) || 0 : 0;
      const high = Math.max(box.height, more, el.closest(".composer-url")?.getBoundingClientRect().height ?? 0);
      return `${el.getAttribute("aria-label") ?? (el.textContent.trim() || el.id)}: ${Math.round(high)}`;
    }).filter((line) => Number(line.split(": ").at(-1)) < 44);
  });

  test("Levers is a sheet above the tabs, which do not move; a button closes it",
    { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    const tabs = page.getByRole("navigation", { name: "Panels" });
    const places = () => tabs.getByRole("button").evaluateAll((all) => all.map((el) => {
      const { x, y, width, height } = el.getBoundingClientRect();
      const at = document.elementFromPoint(x + width / 2, y + height / 2);
      return `${el.textContent.trim()} ${x},${y} ${width}x${height}${el.contains(at) ? "" : " covered"}`;
    }));
    const before = await places();
    await tabs.getByRole("button", { name: "Levers" }).tap();
    const sheet = page.getByRole("dialog", { name: "Levers" });
    await expect(sheet).toBeVisible();
    expect(await places()).toEqual(before);
    const box = await boxOf(sheet);
    expect(box.width).toBe(390);
    expect(await small(page, "#panel-levers")).toEqual([]);
    expect(await small(page, ".tabs")).toEqual([]);
    const close = sheet.getByRole("button", { name: "Close" });
    await expect(close).toBeInViewport({ ratio: 1 });
    await sheet.evaluate((el) => (el.scrollTop = el.scrollHeight));
    await expect(close).toBeInViewport({ ratio: 1 });
    await close.tap();
    await expect(sheet).toBeHidden();
    expect(await places()).toEqual(before);
  });

  test("the path of the console is one line; what is touched there is large enough",
    { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await page.getByRole("button", { name: "Console", exact: true }).tap();
    const path = page.getByLabel("Path and query");
    await expect(path).toHaveValue("/api/v1/namespaces/default/pods");
    await expect(path).toHaveAttribute("rows", "1");
    expect(await path.evaluate((el) => [el.scrollHeight <= el.clientHeight, el.scrollWidth <= el.clientWidth]))
      .toEqual([true, true]);
    expect(await small(page, "#panel-console")).toEqual([]);
    await page.getByRole("button", { name: "Send", exact: true }).tap();
    await expect(page.locator("#res-status")).toContainText("200");
    expect(await small(page, "#panel-answer .answer-head")).toEqual([]);
  });

  test("links in lines of text are large enough", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    const links = (within) => page.locator(within).evaluate((part) => {
      const high = (el) => Math.max(el.getBoundingClientRect().height,
        parseFloat(getComputedStyle(el, "::after").height) || 0);
      return [...part.querySelectorAll("a[href]:not(.ref)")].filter((el) => high(el) < 44)
        .filter((el) => el.checkVisibility({ visibilityProperty: true })).map((el) => el.textContent.trim());
    });
    expect(await page.locator("#panel-lesson a[href]:visible").count()).toBeGreaterThan(0);
    for (const hash of ["", "#practice", "#progress"]) {
      await page.evaluate((to) => to && (location.hash = to), hash);
      if (hash) await expect(page.locator("#panel-lesson").getByRole("heading", { level: 2 }).last()).toBeVisible();
      await expect.poll(() => links("#panel-lesson"), hash).toEqual([]);
    }
  });

  test("a search for RBAC leads to its switch", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await page.getByRole("button", { name: "Search, room, help and more" }).tap();
    await page.getByRole("button", { name: "Search", exact: true }).tap();
    await page.locator("#search-field").fill("rbac");
    await page.getByRole("option", { name: /^RBAC: who may do what/ }).last().tap();
    const levers = page.getByRole("dialog", { name: "Levers" });
    await expect(levers.getByRole("radio", { name: "RBAC" })).toBeInViewport();
    await levers.getByRole("link", { name: "See it as a scene" }).tap();
    await expect(page.getByRole("region", { name: "Presenter" })).toContainText("next: a user without rights asks");
    await expect(levers).toBeHidden();
  });
});

test.describe("beside a terminal", () => {
  const pods = "/api/v1/namespaces/default/pods";

  /** A terminal with a table that is wider than half of the dock. */
  async function wide(lab, page) {
    await fakeTerminal(page);
    await lab.open();
    for (const name of ["web-6c9f-4kzqs", "web-6c9f-r8x2p"]) {
      await lab.fetch(pods, { method: "POST",
        body: { metadata: { name }, spec: { containers: [{ name: "a", image: "nginx" }] } } });
    }
    const terminal = new Terminal(page);
    await terminal.open();
    await terminal.run("kubectl get pods -o wide");
    return terminal;
  }

  test("the answer has room only when something is chosen; Escape lets go of both",
    { tag: "@long" }, async ({ lab, page }) => {
    const terminal = await wide(lab, page);
    const width = async () => (await boxOf(terminal.panel)).width;
    const whole = await width();
    const opener = page.getByRole("button", { name: "Answer nothing chosen" });
    await expect(opener).toBeVisible();
    await expect(page.locator("#panel-answer")).toBeHidden();
    await terminal.block().locator(".chip").click();
    await expect(page.locator("#panel-answer")).toBeVisible();
    await expect(opener).toBeHidden();
    const half = await width();
    expect(half).toBeLessThan(0.6 * whole);
    await page.locator("#tab-console").click();
    await page.locator("#tab-terminal").click();
    await terminal.field.press("Escape");
    await expect(page.locator("#panel-answer")).toBeHidden();
    expect(await width()).toBe(whole);
    // By the mouse, too.
    await terminal.block().locator(".chip").click();
    expect(await width()).toBe(half);
    await page.getByRole("button", { name: "Let go of what is chosen" }).click();
    expect(await width()).toBe(whole);
    await opener.click();
    await expect(page.locator("#panel-answer")).toBeVisible();
    // The console keeps both.
    await page.locator("#tab-console").click();
    await expect(page.locator("#panel-answer")).toBeVisible();
  });

  test("a table is not wrapped: it scrolls, by keyboard too, and is copied whole",
    { tag: "@long" }, async ({ lab, page }) => {
    const terminal = await wide(lab, page);
    await terminal.block().locator(".chip").click();
    const table = terminal.block().getByRole("group", { name: "Table" });
    const size = await table.evaluate((el) => ({ wide: el.scrollWidth - el.clientWidth, high: el.clientHeight,
      line: parseFloat(getComputedStyle(el).lineHeight) }));
    expect(size.wide).toBeGreaterThan(100);
    expect(Math.round(size.high / size.line)).toBe(3);
    expect(await page.locator(".term-out").evaluate((el) => el.scrollWidth - el.clientWidth)).toBe(0);
    await table.focus();
    await expect(table).toBeFocused();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => table.evaluate((el) => el.scrollLeft)).toBeGreaterThan(0);
    const printed = await terminal.output();
    const copied = await terminal.block().locator(".term-text").evaluate((el) => {
      getSelection().selectAllChildren(el);
      return String(getSelection());
    });
    expect(copied.trim()).toBe(printed.trim());
    expect(printed.split("\n")[0]).toMatch(/^NAME +READY .* READINESS GATES$/);
    // Where it has room it is no stop of Tab.
    await page.keyboard.press("Escape");
    await terminal.field.press("Escape");
    await expect(page.locator("#panel-answer")).toBeHidden();
    await expect(table).not.toHaveAttribute("tabindex");
  });
});
