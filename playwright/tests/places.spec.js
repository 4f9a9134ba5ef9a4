// Places on the stage: where buttons, menus and names are, what is taken off, and what fingers and keys reach.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";
import { Lesson } from "../lesson.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Writes config maps, and returns their revisions. */
async function write(lab, timeline, ...names) {
  const revisions = [];
  for (const name of names) {
    const { body } = await lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });
    revisions.push(Number(body.metadata.resourceVersion));
  }
  await expect.poll(() => timeline.revision()).toBe(revisions.at(-1));
  return revisions;
}

/** The buttons of the stage's bar and of the ruler's head, by name, with where they are. */
const buttons = (page) =>
  page.evaluate(() => {
    const out = {};
    for (const b of document.querySelectorAll("#st-bar button, #st-revision button")) {
      const { left, right, top, bottom } = b.getBoundingClientRect();
      const word = b.innerText.replace(/[\s\d:]+/g, " ").trim();
      const name = (b.getAttribute("data-action") ?? "") + (b.getAttribute("popovertarget") ?? "") +
        (b.getAttribute("data-by") ?? "") + (b.getAttribute("data-lever") ?? "") || word;
      if (right > left) out[name] = { left, right, top, bottom };
    }
    return out;
  });

/** Those that stand where another button stood. What toggles one thing, and what goes back to live, share a place. */
function moved(before, after) {
  const one = [["st-pause", "st-play"], ["st-follow", "st-live", "st-pause"]];
  const out = [];
  for (const [a, x] of Object.entries(before)) {
    for (const [b, y] of Object.entries(after)) {
      const meet = x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 1 && y.top < x.bottom - 1;
      if (a !== b && meet && !one.some((group) => group.includes(a) && group.includes(b))) out.push(`${b} at ${a}`);
      if (a === b && (Math.abs(x.left - y.left) > 1 || Math.abs(x.top - y.top) > 1)) {
        out.push(`${a} moved from ${JSON.stringify(x)} to ${JSON.stringify(y)}`);
      }
    }
  }
  return out;
}

test.beforeEach(async ({ lab }) => {
  await lab.open();
  await lab.settled();
});

for (const [width, height] of [[1440, 900], [1280, 720], [1024, 768]]) {
  test(`no button takes another one's place: ${width} wide`, { tag: width === 1440 ? [] : "@long" },
    async ({ lab, page }) => {
    await page.setViewportSize({ width, height });
    const timeline = new Timeline(page);
    await timeline.watch(configMaps, "head");
    await write(lab, timeline, "a", "b", "c");
    await expect(timeline.bar.getByRole("button", { name: /^Buffers: \d/ })).toBeVisible();
    await expect(page.locator("#st-clock")).toHaveText(/^\d\d:\d\d:\d\d$/);
    await timeline.settled();
    const live = await buttons(page);
    expect(live).toHaveProperty("panel-compact");
    for (const b of Object.values(live)) expect(b.right).toBeLessThanOrEqual(width);

    await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
    await expect(timeline.head.getByRole("button", { name: "Fork here" })).toBeVisible();
    const past = await buttons(page);
    expect(past).toHaveProperty("st-compare");
    expect(moved(live, past)).toEqual([]);
    for (const b of Object.values(past)) expect(b.right).toBeLessThanOrEqual(width);
    await page.locator("body").press("l");
    await expect(timeline.head).not.toContainText("showing");
    await lab.lever("Cut the watches");
    await lab.lever("Compact etcd");
    await expect(timeline.bar.getByRole("button", { name: /^Undo/ })).toBeVisible();
    const menu = await lab.openMenu("Clock");
    await menu.getByRole("button", { name: "+5 min", exact: true }).click();
    await expect(timeline.bar.getByRole("button", { name: /^The cluster’s clock, \+5 min/ })).toBeVisible();
    expect(moved(live, await buttons(page))).toEqual([]);
  });
}

test("the clock has its place before it has its text", { tag: "@long" }, async ({ page }) => {
  await expect(page.locator("#st-clock")).toHaveText(/^\d\d:\d\d:\d\d$/);
  const [full, empty] = await page.evaluate(() => {
    const left = () => document.querySelector("[data-lever=disconnect]").getBoundingClientRect().left;
    const before = left();
    document.getElementById("st-clock").textContent = "";
    return [before, left()];
  });
  expect(Math.abs(full - empty)).toBeLessThan(1);
});

for (const width of [1440, 390]) {
  test(`the words of an empty stage do not touch: ${width} wide`, { tag: "@long" }, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    if (width < 700) await page.getByRole("button", { name: /^Stage: / }).click();
    await expect(page.locator(".st-leg").first()).toBeVisible();
    const touching = await page.evaluate(() => {
      const edge = document.querySelector(".st-legend").getBoundingClientRect().right;
      const words = [...document.querySelectorAll(".st-leg > span")].map((el) => ({ text: el.textContent,
        box: el.getBoundingClientRect() }));
      return words.filter(({ box: a }, i) => a.right > edge + 1 || words.some(({ box: b }, j) =>
        j > i && a.left < b.right + 4 && b.left < a.right + 4 && a.top < b.bottom && b.top < a.bottom))
        .map(({ text }) => text);
    });
    expect(touching).toEqual([]);
  });
}

test("the menu of a lever opens at its button, in the window", { tag: "@long" }, async ({ lab, page }) => {
  for (const name of ["Compact", "Servers", "Buffers", "Clock", "Levers"]) {
    const menu = await lab.openMenu(name);
    const id = await menu.getAttribute("id");
    const button = await page.locator(`.st-lever[popovertarget=${id}]`).boundingBox();
    const box = await menu.boundingBox();
    expect(Math.abs(box.y - button.y - button.height), name).toBeLessThan(12);
    expect(box.x, name).toBeLessThan(button.x + button.width);
    expect(box.x + box.width, name).toBeGreaterThan(button.x);
    expect(box.x + box.width, name).toBeLessThanOrEqual(1440);
    expect(box.y + box.height, name).toBeLessThanOrEqual(900);
    await page.keyboard.press("Escape");
  }
});

/** Words of the stage's plots that run into a sign or into other words, as the browser lays them out. */
const runsInto = (page) =>
  page.evaluate(() => {
    const out = [];
    for (const plot of document.querySelectorAll(".st-plot")) {
      const box = (el) => el.getBoundingClientRect();
      const words = [...plot.querySelectorAll(".st-text")];
      const signs = [...plot.querySelectorAll(".st-stop, .st-cut, .st-house, .st-grip rect:last-of-type, .st-flag, " +
        ".st-chip, .st-play path, .st-fold, .st-snap, .st-arrow, .st-cap, .st-push-out, .st-again")];
      words.forEach((word, i) => {
        for (const other of [...words.slice(i + 1), ...signs]) {
          const [a, b] = [box(word), box(other)];
          const [w, h] = [Math.min(a.right, b.right) - Math.max(a.left, b.left),
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
          // A line of text is higher than its letters.
          if (w > 1 && h > a.height * 0.3) out.push(`${word.textContent} / ${other.textContent || other.classList}`);
        }
      });
    }
    return out;
  });

for (const width of [1440, 1024]) {
  test(`words run into nothing, in the fonts that there are: ${width} wide`, { tag: "@long" },
    async ({ lab, page }) => {
    await page.setViewportSize({ width, height: 900 });
    const timeline = new Timeline(page);
    await lab.lever("Drop the caches’ history");
    for (const from of ["head", "stream"]) await timeline.watch(configMaps, from);
    const [first, second, third] = await write(lab, timeline, "a", "b", "c");
    await expect(timeline.words("w1")).toHaveAccessibleName(new RegExp(`resume after ${third};`));
    await lab.fetch(configMaps + "/b", { method: "DELETE" });
    await page.evaluate(async (path) => {
      const { metadata } = await (await fetch(path + "?limit=1")).json();
      await fetch(`${path}?limit=1&continue=${metadata.continue}`);
      await fetch(path + "/c", { method: "DELETE" });
    }, configMaps);
    await lab.lever("Cut the watches");
    await lab.lever("Compact etcd");
    await write(lab, timeline, "d");
    await expect(timeline.words("p1")).toHaveAccessibleName(/2 pages/);
    await timeline.settled();
    expect(await page.locator(".st-plot .st-text").count()).toBeGreaterThan(6);
    expect(await runsInto(page)).toEqual([]);
    for (const revision of [first, second, third]) {
      await timeline.choose(revision);
      await timeline.settled();
      expect(await runsInto(page), `${revision} is chosen`).toEqual([]);
    }
    await timeline.bar.getByRole("button", { name: /^One revision back/ }).evaluate((button) => button.click());
    await expect.poll(() => timeline.revision()).toBeLessThan(third + 4);
    await timeline.settled();
    expect(await runsInto(page), "in the past").toEqual([]);
  });
}

test("what is over is closed, one or all", { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  for (const from of ["head", "now", "stream"]) await timeline.watch(configMaps, from);
  await write(lab, timeline, "a");
  await expect(timeline.words("w3")).toHaveAccessibleName(/open, /);
  const clear = timeline.stage.getByRole("button", { name: /^Close \d ended/ });
  await expect(clear).toHaveCount(0);
  await lab.lever("Cut the watches");
  await expect(clear).toHaveText("Close 3 ended");
  await timeline.lane("w2").hover();
  await timeline.lane("w2").getByRole("button", { name: "Take watch w2 off the stage" }).click();
  await expect(timeline.words("w2")).toHaveCount(0);
  await timeline.resume("w1");
  await expect(timeline.words("w1")).toHaveAccessibleName(/open, /);
  await expect(clear).toHaveText("Close 1 ended");
  await clear.click();
  await expect(timeline.words("w3")).toHaveCount(0);
  await expect(timeline.words("w1")).toHaveAccessibleName(/open, /);
  await expect(clear).toHaveCount(0);
});

test("a name without room shows its end", { tag: "@long" }, async ({ lab, page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  const timeline = new Timeline(page);
  const namespace = "a-namespace-with-a-long-name";
  await lab.fetch("/api/v1/namespaces", { method: "POST", body: { metadata: { name: namespace } } });
  await timeline.watch(`/api/v1/namespaces/${namespace}/configmaps`, "head");
  const seen = await timeline.lane("w1").locator(".st-short").evaluate((el) => {
    const text = el.firstElementChild.firstChild;
    const at = (i) => {
      const range = document.createRange();
      range.setStart(text, i);
      range.setEnd(text, i + 1);
      const { left, right } = range.getBoundingClientRect();
      const box = el.getBoundingClientRect();
      return left >= box.left - 1 && right <= box.right + 1;
    };
    return [text.data, at(0), at(text.data.length - 1), at(text.data.length - "configmaps".length)];
  });
  expect(seen).toEqual([`${namespace}/configmaps`, false, true, true]);
});

test("the start of the cluster is one step of time travel", { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  const [first] = await write(lab, timeline, "a", "b");
  await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
  await page.locator("body").press("ArrowLeft");
  await expect.poll(() => timeline.revision()).toBe(first - 1);
  await page.locator("body").press("ArrowLeft");
  expect(await timeline.revision()).toBe(first - 1);
  await page.locator("body").press("ArrowRight");
  await expect.poll(() => timeline.revision()).toBe(first);
  await page.locator("body").press("Home");
  await expect.poll(() => timeline.revision()).toBe(first - 1);
});

test("arrow keys go from a lane's head to its tank and its edge, and Enter shows the buffers",
  { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await lab.lever("Drop the caches’ history");
  await timeline.watch(configMaps, "head");
  await write(lab, timeline, "a", "b");
  await expect(timeline.words("w1")).toHaveAccessibleName(/buffer starts at \d+, 2 of 100, history was dropped$/);
  await timeline.ruler.focus();
  await page.keyboard.press("ArrowUp"); // from wherever it is
  await page.keyboard.press("ArrowDown");
  const row = timeline.lane("w1");
  await expect(row).toHaveAttribute("data-cursor", "head");
  await page.keyboard.press("ArrowRight");
  await lab.says("w1, its buffer: 2 of 100: history was dropped");
  await expect(row).toHaveAttribute("data-cursor", "tank");
  await page.keyboard.press("ArrowRight");
  await lab.says(/w1, its edge: starts at \d+, 2 of 100: history was dropped/);
  await expect(row).toHaveAttribute("data-cursor", "edge");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Buffers", exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await timeline.ruler.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(row).toHaveAttribute("data-cursor", "tank");
});

test("a lesson that begins takes off what another one has put on the stage",
  { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  const lanes = () => timeline.rows.locator(".is-lane").count();
  const lesson = new Lesson(page);
  await lesson.run(); // a watch
  await expect.poll(lanes).toBe(1);
  await timeline.watch(configMaps, "head");
  await expect.poll(lanes).toBe(2);
  await lesson.choose("addresses");
  await lesson.solve();
  await expect(timeline.words("w1")).toHaveCount(0);
  await expect(timeline.words("w2")).toHaveAccessibleName(/open, /);
});

test.describe("with a finger", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  /** A finger that moves from one place to others, and is lifted. */
  async function finger(page, places, { rest = false } = {}) {
    const client = await page.context().newCDPSession(page);
    const touch = (type, at) => client.send("Input.dispatchTouchEvent",
      { type, touchPoints: at ? [{ x: Math.round(at.x), y: Math.round(at.y) }] : [] });
    await touch("touchStart", places[0]);
    if (rest) await expect(page.locator("#st-tip")).toBeVisible();
    for (const at of places.slice(1)) await touch("touchMove", at);
    return () => touch("touchEnd");
  }

  test("the wall is dragged, the playhead is moved, and a long press shows what hover does",
  { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    // The strip that a lesson leaves of the stage is pulled down, and is pressed.
    const strip = page.getByRole("button", { name: /^Stage: / });
    const bar = await timeline.middle(strip);
    await (await finger(page, [bar, { x: bar.x, y: bar.y + 20 }, { x: bar.x, y: bar.y + 60 }]))();
    await expect(strip).toBeHidden();
    await page.getByRole("button", { name: "Show more or less of the stage" }).tap();
    await strip.tap();
    await expect(strip).toBeHidden();
    await write(lab, timeline, "a");
    await lab.fetch("/apis/sandbox.tabernetes.dev/v1/controlplanes/default/compact", { method: "POST", body: {} });
    const made = await write(lab, timeline, "b", "c", "d");
    await timeline.settled();
    const hold = timeline.ruler.locator("[data-grip=wall]");
    const from = await timeline.middle(hold);
    const to = await timeline.at(made[1]);
    // Beside the grip: what is taken hold of is as wide as a finger.
    const start = { x: from.x + 14, y: from.y };
    const up = await finger(page, [start, { x: start.x + 8, y: from.y }, { x: to.x - 8, y: from.y },
      { x: to.x, y: from.y }]);
    await up();
    await expect(timeline.head).toContainText(`etcd from ${made[1]}`);

    // A number of the axis travels; then the playhead is taken by its handle.
    await timeline.settled();
    const second = await timeline.at(made[1]);
    await page.touchscreen.tap(second.x, second.axis);
    await expect.poll(() => timeline.revision()).toBe(made[1]);
    await timeline.settled();
    const head = await timeline.middle(timeline.ruler.locator("[data-grip=playhead]"));
    const third = await timeline.at(made[2]);
    const lift = await finger(page, [head, { x: head.x + 6, y: head.y }, { x: third.x, y: head.y }]);
    await expect.poll(() => timeline.revision()).toBe(made[2]);
    await lift();
    await timeline.bar.getByRole("button", { name: "Back to live" }).click();

    await timeline.settled();
    const mark = await timeline.at(made[1]);
    const end = await finger(page, [mark], { rest: true });
    await expect(page.locator("#st-tip")).toContainText(`${made[1]} added configmaps default/c`);
    await end();
    await expect(page.locator("#st-tip")).toBeHidden();
    // It was no tap: nothing is chosen.
    await expect(timeline.ruler.locator(".st-ring")).toHaveCount(0);
  });
});
