// What is seen where there is room for one thing at a time: a phone, a low window, the console beside the capstone.
import { test, expect, results } from "../fixtures.js";
import { boxOf, parts, Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** The visible controls of the console and of the log that lie over one another, or outside of their part. */
const crowded = (page) =>
  page.evaluate(() => {
    const dock = document.getElementById("dock").getBoundingClientRect();
    const seen = (el) => {
      // What is scrolled out of sight inside of its part is not crowded.
      let { left, top, right, bottom } = el.getBoundingClientRect();
      for (let up = el.parentElement; up; up = up.parentElement) {
        if (["visible", ""].includes(getComputedStyle(up).overflow)) continue;
        const clip = up.getBoundingClientRect();
        [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
        [top, bottom] = [Math.max(top, clip.top), Math.min(bottom, clip.bottom)];
      }
      return { left, top, right, bottom };
    };
    const all = [...document.querySelectorAll(
      "#req-method, #req-path, #req-more, #send, #req-parts, .composer-tools, #editor, #history-filters, " +
        "#history-tools, #history, #exchange-tools, .dock-tabs, .dock-above")]
      .filter((el) => el.getClientRects().length)
      .map((el) => ({ el, box: seen(el) })).filter(({ box }) => box.right - box.left > 1 && box.bottom - box.top > 1);
    const bad = all.filter(({ box }) => box.left < dock.left - 1 || box.right > dock.right + 1 ||
      box.bottom > dock.bottom + 1).map(({ el }) => (el.id || el.className) + " lies outside");
    for (const [i, a] of all.entries()) {
      for (const b of all.slice(i + 1)) {
        if (a.el.contains(b.el) || b.el.contains(a.el)) continue;
        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (wide > 1 && high > 1) bad.push(`${a.el.id || a.el.className} over ${b.el.id || b.el.className}`);
      }
    }
    return bad;
  });

for (const [what, width, height, hash] of [
  ["wide", 1440, 900], ["middle", 1024, 768], ["low", 720, 450], ["phone", 390, 844],
  ["capstone", 1440, 900, "#capstone"],
]) {
  test.describe(`${width} x ${height}, ${what}`, () => {
    test.use({ viewport: { width, height } });
    test("nothing in the console lies over anything else, and four requests are seen", { tag: "@long" },
      async ({ lab, page }) => {
      await lab.open("/" + (hash ?? ""));
      if (what === "phone") {
        await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Console" }).click();
      }
      for (let i = 0; i < 6; i++) {
        await page.evaluate(([path, body]) => fetch(path, { method: "POST", body, headers: { "Content-Type":
          "application/json" } }), [configMaps, JSON.stringify(lab.configMap("c" + i))]);
      }
      const answered = page.locator("#res-status"); // which is out of sight in some
      await lab.request("GET", configMaps + "/c1");
      await expect(answered).toContainText("200");
      expect.soft(await crowded(page), "GET").toEqual([]);
      await lab.method.selectOption("PATCH");
      await lab.path.fill(configMaps + "/c1?fieldManager=somebody&fieldValidation=Strict");
      await lab.body.fill('{"data": {"a": "b"}}');
      expect.soft(await crowded(page), "PATCH").toEqual([]);
      await lab.send.click();
      await expect(answered).toContainText("PATCH");
      expect.soft(await crowded(page), "sent").toEqual([]);
      const log = page.getByRole("button", { name: /^Log/ });
      if (await log.isVisible()) await log.click();
      const rows = await page.evaluate(() => {
        const { top, bottom } = document.getElementById("history").getBoundingClientRect();
        return [...document.querySelectorAll("#history tbody tr:not(.spacer)")].map((r) => r.getBoundingClientRect())
          .filter((b) => b.top >= top - 1 && b.bottom <= bottom + 1).length;
      });
      if (what !== "low" && what !== "phone") expect.soft(rows).toBeGreaterThanOrEqual(4);
      const more = page.getByRole("button", { name: "More about the requests" });
      await more.click();
      await expect(page.getByRole("dialog", { name: "Requests", exact: true })).toBeVisible();
      await page.keyboard.press("Escape");
      await lab.moreOfRequest();
      await expect(page.getByLabel("Headers, one a line")).toBeInViewport();
      expect.soft(await crowded(page), "headers").toEqual([]);
    });
  });
}

test.describe("200 % zoom", () => {
  test.use({ viewport: { width: 720, height: 450 } });
  const what = "an answer takes the lanes’ room and gives it back; the lesson opens over the stage";
  test(what, { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    const { Stage, Lesson, Answer } = parts(page);
    const lanes = page.locator("#st-rows");
    const ruler = new Timeline(page).ruler;
    await expect(Answer).toBeHidden();
    await expect(lanes).toBeInViewport();
    await lab.request("GET", configMaps);
    await expect(lab.answer).toBeInViewport();
    await expect(lab.send).toBeInViewport({ ratio: 1 });
    await expect(ruler).toBeInViewport({ ratio: 0.9 });
    await expect(lanes).toBeHidden();
    await page.getByRole("button", { name: /^Lanes/ }).click();
    await expect(lanes).toBeInViewport();
    await expect(Answer).toBeHidden();

    const opener = page.getByRole("button", { name: "Show the lesson" });
    await opener.click();
    expect((await boxOf(Lesson)).width).toBe(720);
    const bar = page.getByRole("group", { name: "Progress in this lesson" });
    await expect(bar).toBeInViewport({ ratio: 1 });
    expect((await boxOf(bar)).height).toBeLessThan(60);
    await Lesson.getByRole("heading", { level: 2 }).focus();
    await page.keyboard.press("Escape");
    await expect(Lesson).toBeHidden();
    await expect(Stage).toBeInViewport();
    await expect(opener).toBeFocused();
    await page.screenshot({ path: results + "zoom.png" });
  });
});

test.describe("narrow", () => {
  test.use({ viewport: { width: 360, height: 740 } });
  const tabs = (page) => page.getByRole("navigation", { name: "Panels" });

  test("narrow: one panel at a time, the stage above it", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await lab.fetch(configMaps, { method: "POST", body: lab.configMap("seen") });
    const { Stage, Lesson, Objects } = parts(page);
    const all = { Lesson, Objects };
    for (const tab of ["Lesson", "Console", "Objects"]) {
      const button = tabs(page).getByRole("button", { name: tab });
      await button.click();
      await expect(button).toHaveAttribute("aria-current", "true");
      for (const [name, part] of Object.entries(all)) {
        await (name === tab ? expect(part).toBeVisible() : expect(part).toBeHidden());
      }
      await (tab === "Console" ? expect(lab.send).toBeInViewport({ ratio: 1 }) : expect(lab.send).toBeHidden());
      await expect(Stage).toBeInViewport();
      expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBeLessThanOrEqual(360);
      await page.screenshot({ path: results + `narrow-${tab.toLowerCase()}.png` });
    }
    await tabs(page).getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog", { name: "More panels" }).getByRole("button", { name: "Rules" }).click();
    await expect(page.getByRole("tabpanel", { name: "Rules" })).toBeVisible();
    await expect(tabs(page).getByRole("button", { name: "More" })).toHaveAttribute("aria-current", "true");
    // A phone's first visit begins with the lesson.
    await page.reload();
    await lab.ready();
    await expect(Lesson).toBeVisible();
  });

  test("an answer is seen after Send, and the log is a tap away", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await tabs(page).getByRole("button", { name: "Console" }).click();
    await lab.request("GET", configMaps);
    await expect(lab.answer).toBeInViewport();
    await expect(lab.answer).toContainText("ConfigMapList");
    await expect(lab.send).toBeInViewport({ ratio: 1 });
    await expect(new Timeline(page).ruler).toBeInViewport({ ratio: 0.9 });
    await page.getByRole("button", { name: "Log 1" }).click();
    await expect(lab.answer).toBeHidden();
    await expect(lab.requests.getByRole("row").filter({ hasText: "configmaps" })).toBeVisible();
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await expect(lab.answer).toBeVisible();
  });

  test("the lesson leaves a strip of the stage, which says what is there", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    const strip = page.getByRole("button", { name: /^Stage:/ });
    const bar = page.getByRole("group", { name: "Progress in this lesson" });
    await expect(strip).toHaveText(/no watches/);
    await expect(bar).toBeInViewport({ ratio: 1 });
    await page.evaluate(async () => void fetch("/api/v1/namespaces/default/pods?watch=1&resourceVersion=1"));
    await expect(strip).toHaveText(/1 watch/);
    await strip.click();
    await expect(strip).toBeHidden();
    await expect(new Timeline(page).lane("w1")).toBeInViewport();
    await page.getByRole("button", { name: "Show more or less of the stage" }).click();
    await expect(strip).toBeVisible();
    // What the header has no room for.
    await page.getByRole("button", { name: "Search, room, help and more" }).click();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page.getByRole("combobox", { name: /^Search the course/ })).toBeFocused();
  });
});
