// Where panels lie: what can be seen at once, splitters, tabs, keys, the presenter; and pictures of it.
import { test, expect, results } from "../fixtures.js";
import { boxOf, parts, Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const merge = { "Content-Type": "application/merge-patch+json" };

/**
 * A lab in use: a watch that came too late for what was compacted, a manifest
 * applied while another one watches, a list in pages.
 */
async function inUse(lab, page) {
  const timeline = new Timeline(page);
  await timeline.watch(configMaps, "head");
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("settings", { colour: "blue" }) });
  await expect(timeline.lane("w1")).toContainText("resume after");
  await lab.lever("Cut the watches");
  await lab.fetch(configMaps + "/settings", { method: "PATCH", headers: merge, body: { data: { colour: "green" } } });
  await lab.lever("Compact now");
  await timeline.lane("w1").getByRole("button", { name: /^Resume watch w1/ }).click();
  await expect(timeline.lane("w1")).toContainText("410");
  await timeline.watch(deployments);
  await lab.sample("Guestbook");
  await expect.poll(async () => (await lab.fetch(deployments)).body.items.length).toBe(3);
  await page.keyboard.press("Escape");
  await lab.fetch(deployments + "/frontend", { method: "PATCH", headers: merge, body: { spec: { replicas: 5 } } });
  await lab.request("GET", deployments + "?limit=2");
  await lab.fetch(deployments + "/redis-follower", { method: "DELETE" });
  await expect(lab.response).toContainText("200");
  await expect(timeline.lane("w2")).toContainText("resume after");
}

/** What has the focus, with the panel in which it lies. */
const focused = (page) =>
  page.evaluate(() => document.activeElement?.closest("[data-panel]")?.getAttribute("data-panel") ?? "");

for (const scheme of ["light", "dark"]) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });
    const tag = scheme === "dark" ? "@long" : [];
    test(`wide, ${scheme}: stage, lesson, console and answer without scrolling`, { tag }, async ({ lab, page }) => {
      await lab.open();
      await inUse(lab, page);
      const size = await page.evaluate(
        () => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
      expect(size).toEqual([1440, 900]);
      for (const name of ["Lesson", "Stage", "Console", "Requests", "Answer"]) {
        const box = await boxOf(parts(page)[name]);
        expect.soft(box.x, name).toBeGreaterThanOrEqual(0);
        expect.soft(box.y, name).toBeGreaterThanOrEqual(0);
        expect.soft(box.x + box.width, name).toBeLessThanOrEqual(1440);
        expect.soft(box.y + box.height, name).toBeLessThanOrEqual(900);
        expect.soft(box.width, name).toBeGreaterThan(200);
        expect.soft(box.height, name).toBeGreaterThan(60);
      }
      await page.screenshot({ path: results + `wide-${scheme}.png` });
    });
  });
}

test.describe("the stage is the largest part", () => {
  /** Heights of ruler and rows, and how many lanes lie wholly in view, below an open page list. */
  async function stageOf(page) {
    return page.evaluate(() => {
      const scroll = document.getElementById("st-scroll").getBoundingClientRect();
      const whole = [...document.querySelectorAll("#st-rows > .is-lane")].map((r) => r.getBoundingClientRect()).filter(
        (b) => b.top >= scroll.top - 1 && b.bottom <= scroll.bottom + 1);
      const ruler = document.getElementById("st-ruler").getBoundingClientRect();
      return { height: ruler.height + scroll.height, lanes: whole.length,
        least: Math.min(...whole.map((b) => b.height)) };
    });
  }
  const open = (page, n) =>
    page.evaluate(async (n) => {
      for (let i = 0; i < n; i++) await fetch("/api/v1/namespaces/default/pods?watch=1&resourceVersion=" + (5 + i));
    }, n);

  test("at 1440 x 900: four lanes, six where the dock is one line", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await open(page, 8);
    const timeline = new Timeline(page);
    await expect(timeline.words("w8")).toHaveCount(1);
    await timeline.settled();
    let stage = await stageOf(page);
    expect(stage.height).toBeGreaterThanOrEqual(0.45 * 900);
    expect(stage.lanes).toBeGreaterThanOrEqual(4);
    await page.getByRole("separator", { name: "Height of the dock" }).press("Home");
    await timeline.settled();
    stage = await stageOf(page);
    expect(stage.lanes).toBeGreaterThanOrEqual(6);
    expect(stage.least).toBeGreaterThanOrEqual(47);
  });

  test("three lanes beside an open page list", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await open(page, 3);
    await lab.request("GET", "/api/v1/namespaces?limit=2");
    const timeline = new Timeline(page);
    await expect(timeline.words("p1")).toBeVisible();
    await timeline.settled();
    expect((await stageOf(page)).lanes).toBe(3);
  });
});

test.describe("splitters", () => {
  for (const [name, part, size, larger, smaller] of [
    ["Width of the lesson", "Lesson", "width", "ArrowRight", "ArrowLeft"],
    ["Height of the dock", "Console", "height", "ArrowUp", "ArrowDown"],
  ]) {
    test(`${name}: by keyboard, and remembered over a reload`, { tag: "@long" }, async ({ lab, page }) => {
      await lab.open();
      const of = async () => Math.round((await boxOf(parts(page)[part]))[size]);
      const bar = page.getByRole("separator", { name });
      const before = await of();
      const now = Number(await bar.getAttribute("aria-valuenow"));
      await bar.focus();
      for (let i = 0; i < 3; i++) await page.keyboard.press(larger);
      await expect.poll(of).toBe(before + 48);
      expect(Number(await bar.getAttribute("aria-valuenow"))).toBeGreaterThan(now);
      await page.keyboard.press(smaller);
      await expect.poll(of).toBe(before + 32);
      await page.reload();
      await lab.ready();
      expect(await of()).toBe(before + 32);
      // Enter takes it back to how it was designed.
      await bar.focus();
      await page.keyboard.press("Enter");
      await expect.poll(of).toBe(before);
    });
  }

  test("by the pointer; a lesson that is made very narrow folds to a rail", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    const bar = await boxOf(page.getByRole("separator", { name: "Width of the lesson" }));
    const drag = async (to) => {
      await page.mouse.move(bar.x + bar.width / 2, bar.y + 200);
      await page.mouse.down();
      await page.mouse.move(to, bar.y + 200, { steps: 5 });
      await page.mouse.up();
    };
    await drag(480);
    await expect.poll(async () => Math.round((await boxOf(parts(page).Lesson)).width)).toBe(480);
    await page.mouse.move(480 + bar.width / 2, bar.y + 200);
    await page.mouse.down();
    await page.mouse.move(150, bar.y + 200, { steps: 5 });
    await page.mouse.up();
    await expect(parts(page).Lesson).toBeHidden();
    await page.reload();
    await lab.ready();
    await expect(parts(page).Lesson).toBeHidden();
    await page.getByRole("button", { name: "Show the lesson" }).click();
    await expect(parts(page).Lesson).toBeVisible();
  });
});

test("tabs of the dock, by keyboard: one stop of Tab, arrows among them", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const tab = (name) => page.getByRole("tab", { name, exact: true });
  await expect(tab("Console")).toHaveAttribute("aria-selected", "true");
  await tab("Objects").click();
  await page.keyboard.press("ArrowRight");
  await expect(tab("Representations")).toBeFocused();
  await expect(tab("Representations")).toHaveAttribute("aria-selected", "true");
  await expect(parts(page).Objects).toBeHidden();
  await expect(parts(page).Console).toBeHidden();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await expect(tab("Representations")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(tab("Objects")).toBeFocused();
  await expect(parts(page).Objects).toBeVisible();
});

test("Alt and a number move the focus to a useful place in each panel", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("one") });
  await lab.request("GET", configMaps);
  await expect(lab.response).toContainText("200");
  const timeline = new Timeline(page);
  await page.keyboard.press("Alt+1");
  expect(await focused(page)).toBe("lesson");
  await page.keyboard.press("Alt+2");
  await expect(timeline.ruler).toBeFocused();
  await page.keyboard.press("Alt+3");
  await expect(lab.path).toBeFocused();
  await page.keyboard.press("Alt+4");
  await expect(lab.requests.getByRole("button", { name: /^GET .*, list$/ })).toBeFocused();
  await page.keyboard.press("Alt+5");
  await expect(parts(page).Objects).toBeVisible();
  await expect.poll(() => focused(page)).toBe("objects");
  // Not what enlarges the panel: something to choose objects by.
  await expect(page.getByRole("button", { name: "Enlarge this panel" }).first()).not.toBeFocused();
  await page.keyboard.press("Alt+6");
  await expect(lab.answer).toBeFocused();
  await page.keyboard.press("Alt+3");
  await expect(parts(page).Console).toBeVisible();
  await expect(lab.path).toBeFocused();
});

test("a panel takes all of the work, and an act that needs another brings that into view", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  const stage = parts(page).Stage;
  const dock = page.getByRole("tabpanel", { name: "Console" }).locator("..");
  await dock.getByRole("button", { name: "Enlarge this panel" }).click();
  await expect(stage).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(stage).toBeVisible();
  await lab.response.getByRole("button", { name: "Enlarge this panel" }).click();
  await expect(parts(page).Console).toBeHidden();
  await page.locator("body").press("/");
  await expect(lab.path).toBeFocused();
  await expect(lab.path).toBeInViewport();
});

test.describe("at a zoom of 200 %", () => {
  test.use({ viewport: { width: 720, height: 450 } });

  test("after a POST the answer has the body's room, which comes back with the path", { tag: "@long" },
    async ({ lab, page }) => {
    await lab.open();
    await lab.request("POST", configMaps, lab.configMap("one"));
    await expect(lab.response).toContainText("201");
    await expect(lab.body).toBeHidden();
    const [answer, composer] = [await boxOf(lab.answer), await boxOf(page.locator("#request"))];
    expect(answer.height).toBeGreaterThan(60);
    expect(answer.y + answer.height).toBeLessThanOrEqual(composer.y + 1);
    await lab.path.focus();
    await expect(lab.body).toBeVisible();
    await lab.body.press("Control+Enter");
    await expect(lab.send).toBeFocused(); // not what is hidden
  });

  test("the lesson by keyboard: the focus goes into it, what it covers is out of reach", { tag: "@long" },
    async ({ lab, page }) => {
    await lab.open();
    const rail = page.getByRole("button", { name: "Show the lesson" });
    await rail.focus();
    await page.keyboard.press("Enter");
    await expect(parts(page).Lesson).toBeVisible();
    await expect.poll(() => focused(page)).toBe("lesson");
    await expect(page.locator(".work")).toHaveAttribute("inert");
    await page.keyboard.press("Escape");
    await expect(rail).toBeFocused();
    await expect(page.locator(".work")).not.toHaveAttribute("inert");
  });
});

test("a middle window: the tab of the answer is marked when one has come, until it is looked at", { tag: "@long" },
  async ({ lab,
  page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await lab.open();
  await lab.request("GET", configMaps);
  const tab = page.getByRole("tab", { name: /^Answer/ });
  await expect(tab).toHaveAttribute("data-news");
  await tab.click();
  await expect(lab.answer).toBeVisible();
  await expect(tab).not.toHaveAttribute("data-news");
});

for (const [width, height] of [[1024, 768], [720, 450], [390, 844]]) {
  test(`the presenter by the mouse alone, at ${width}x${height}`, { tag: "@long" }, async ({ lab, page }) => {
    await page.setViewportSize({ width, height });
    await lab.open();
    if (width < 700) await page.getByRole("button", { name: "Console", exact: true }).click();
    await lab.request("POST", configMaps, lab.configMap("one")); // neither its body nor the answer gets room there
    await expect(page.locator("#res-status")).toContainText("201");
    if (width < 700) await page.getByRole("button", { name: "Search, room, help and more" }).click();
    await page.getByRole("button", { name: "Present", exact: true }).click();
    const edge = page.getByRole("region", { name: "Presenter" });
    await expect(page.locator("#st-scroll")).toBeVisible();
    const [stage, below] = [await boxOf(parts(page).Stage), await boxOf(edge)];
    expect(Math.abs(stage.y + stage.height - below.y)).toBeLessThan(2);
    await edge.getByRole("button", { name: "Leave" }).click();
    await expect(edge).toBeHidden();
  });
}

test("a lane's buttons by keyboard: the focus stays on the lane, and goes to that of a watch that is added",
  { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const timeline = new Timeline(page);
  const path = timeline.add.getByLabel("Collection to watch");
  await path.fill(configMaps);
  await path.press("Enter");
  await expect(page.locator("#st-head-w1")).toBeFocused();
  await lab.lever("Cut the watches");
  await page.keyboard.press("Escape");
  const resume = timeline.lane("w1").getByRole("button", { name: /^Resume watch w1/ });
  await resume.focus();
  await page.keyboard.press("Enter");
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /, open,/);
  await expect(page.locator("#st-head-w1")).toBeFocused();
  await page.keyboard.press("Enter");
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("one") });
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /, open, [1-9]/);
});

test("the presenter: P, the arrows, Escape", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const timeline = new Timeline(page);
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("one") });
  const head = (await lab.fetch(configMaps)).body.metadata.resourceVersion;
  await expect.poll(() => timeline.revision()).toBe(Number(head));
  const number = timeline.head.locator(".st-big");
  const before = (await boxOf(number)).height;
  await page.locator("body").press("p");
  await expect(parts(page).Lesson).toBeHidden();
  await expect(parts(page).Console).toBeHidden();
  expect((await boxOf(number)).height).toBeGreaterThan(before * 1.2);
  const stage = await boxOf(parts(page).Stage);
  expect(stage.width).toBe(1440);
  await page.keyboard.press("ArrowLeft");
  await lab.says(`Revision ${head}: added configmaps default/one`);
  await page.screenshot({ path: results + "presenter.png" });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(parts(page).Lesson).toBeVisible();
  await expect(parts(page).Console).toBeVisible();
});

test("Escape leaves the presenter, whatever the mouse rests on", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const timeline = new Timeline(page);
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("one") });
  const head = Number((await lab.fetch(configMaps)).body.metadata.resourceVersion);
  await expect.poll(() => timeline.revision()).toBe(head);
  await page.locator("body").press("p");
  await expect(parts(page).Lesson).toBeHidden();
  await timeline.settled();
  const { x, axis } = await timeline.at(head);
  await page.mouse.move(x, axis);
  await expect(page.locator("#st-tip")).toHaveText(`Travel to ${head}`);
  await page.keyboard.press("Escape");
  await expect(parts(page).Lesson).toBeVisible();
});

test("forced colours: shapes and places still tell all", { tag: "@long" }, async ({ lab, page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await lab.open();
  await inUse(lab, page);
  const timeline = new Timeline(page);
  await timeline.settled();
  // Each mark is drawn in a colour of the system, and differs from the canvas.
  const seen = await page.evaluate(() => {
    const canvas = getComputedStyle(document.getElementById("panel-stage")).backgroundColor;
    return [...document.querySelectorAll("#st-ruler .st-mark, #st-rows .st-mark")].map((m) => {
      const { fill, stroke, display } = getComputedStyle(m);
      return display !== "none" && (fill !== canvas && fill !== "none" || stroke !== canvas && stroke !== "none");
    });
  });
  expect(seen.length).toBeGreaterThan(2);
  expect(seen).not.toContain(false);
  await page.screenshot({ path: results + "forced-colours.png" });
});

test("reduced motion: nothing glides and nothing grows", { tag: "@long" }, async ({ lab, page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await lab.open();
  const timeline = new Timeline(page);
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("one") });
  await expect(timeline.ruler.locator(".st-mark.added").first()).toBeVisible();
  const moving = await page.evaluate(
    () => document.getAnimations().filter(
      (a) => a.playState === "running" && a.effect.getComputedTiming().duration > 1).length);
  expect(moving).toBe(0);
  await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
  await expect(timeline.head).toContainText("showing revision");
});
