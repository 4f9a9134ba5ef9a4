// The stage: what is chosen, the way through time, the levers, and what a person takes hold of.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** A request by a script of the page, which the lab shows. */
const seen = (page, method, path, body) =>
  page.evaluate(
    async ([method, path, body]) => {
      const patch = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const r = await fetch(path, { method, headers: { "Content-Type": patch }, body: body && JSON.stringify(body) });
      const got = await r.json();
      return Number(got.metadata?.resourceVersion);
    },
    [method, path, body],
  );

test.beforeEach(async ({ lab }) => {
  await lab.open();
  await lab.settled();
});

/** Three writes of one object, each a revision; the stage shows them. A lane has each event before the next write. */
async function story(lab, page, timeline, lane = "") {
  const revisions = [];
  for (const colour of ["red", "green", "blue"]) {
    const written = revisions.length === 0
      ? seen(page, "POST", configMaps, lab.configMap("story", { colour }))
      : seen(page, "PATCH", configMaps + "/story", { data: { colour } });
    revisions.push(await written);
    if (lane) await expect(timeline.words(lane)).toHaveAccessibleName(new RegExp(`resume after ${revisions.at(-1)};`));
  }
  await expect.poll(() => timeline.revision()).toBe(revisions[2]);
  await timeline.settled();
  return revisions;
}

test.describe("what is chosen", () => {
  test("a revision: its request, its thread through the lanes and its answer light up together",
    { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    await timeline.watch(configMaps, "head");
    const [, second] = await story(lab, page, timeline);
    const row = lab.requests.getByRole("row").filter({ hasText: `→ ${second}` });
    await expect(row).not.toHaveClass(/is-chosen/);
    await timeline.choose(second);
    // The chip names the request that made it; the thread leads through the ruler and each lane.
    await expect(timeline.ruler).toContainText(/PATCH configmaps\/story · 200 · \d+ ms/);
    await expect(timeline.words("w1").locator(".st-thread")).toHaveCount(1);
    await expect(row).toHaveClass(/is-chosen/);
    await expect(lab.response).toContainText("200");
    // What the request changed.
    await expect(lab.answer).toContainText(/− *colour: red\s*\+ *colour: green/);

    await page.keyboard.press("Escape");
    await expect(row).not.toHaveClass(/is-chosen/);
    await expect(timeline.words("w1").locator(".st-thread")).toHaveCount(0);
  });

  test("a request: the revision that it made is shown on the stage", { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    await story(lab, page, timeline);
    await lab.requests.getByRole("button", { name: /^POST .*configmaps, create$/ }).click();
    await expect(timeline.ruler).toContainText(/POST configmaps.* · 201 · \d+ ms/);
  });

  test("with the keyboard alone: arrows, Enter, rows, Escape", { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    await timeline.watch(configMaps, "head");
    const [first, , third] = await story(lab, page, timeline);
    await timeline.ruler.focus();
    // The newest first, and never all the way to the oldest.
    await page.keyboard.press("ArrowLeft");
    await lab.says(`Revision ${third}: modified configmaps default/story; received by: w1`);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await lab.says(`Revision ${first}: added configmaps default/story`);
    await page.keyboard.press("Enter");
    await expect(lab.requests.getByRole("row").filter({ hasText: `→ ${first}` })).toHaveClass(/is-chosen/);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+Enter");
    await expect(lab.response).toContainText(`${first} to ${first + 1}: 1 write, 1 object.`);
    await page.keyboard.press("ArrowDown");
    await lab.says(/w1, default\/configmaps, open, 3 events/);
    await page.keyboard.press("Escape");
    await expect(lab.requests.locator(".is-chosen")).toHaveCount(0);
  });

  test("the tables tell the same, and choose", { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    await timeline.watch(configMaps, "head");
    const [first, second, third] = await story(lab, page, timeline);
    await page.keyboard.press("Escape");
    await page.locator("body").press("t");
    await expect(timeline.tables).toBeVisible();
    await expect.poll(async () => (await timeline.table(/^Revisions/)).slice(0, 3).map((r) => r.slice(0, 3))).toEqual([
      [String(third), "● modified", "configmaps default/story"],
      [String(second), "● modified", "configmaps default/story"],
      [String(first), "▲ added", "configmaps default/story"],
    ]);
    expect((await timeline.events()).map((e) => e.revision)).toEqual([first, second, third]);
    await timeline.tables.getByRole("button", { name: String(second), exact: true }).click();
    await expect(lab.requests.getByRole("row").filter({ hasText: `→ ${second}` })).toHaveClass(/is-chosen/);
    await page.locator("body").press("t");
    await expect(timeline.tables).toBeHidden();
  });
});

test.describe("time travel", () => {
  test("a step back, by button and by key, and back to live", async ({ lab, page }) => {
    const timeline = new Timeline(page);
    await timeline.watch(configMaps, "head");
    const [first, second, third] = await story(lab, page, timeline, "w1");
    await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
    await expect(timeline.head).toContainText("showing revision");
    expect(await timeline.revision()).toBe(second);
    await expect(timeline.head).toContainText(`1 before the head, ${third}`);
    await page.locator("body").press("ArrowLeft");
    await expect.poll(() => timeline.revision()).toBe(first);
    await expect(timeline.lane("w1")).toContainText(`had seen up to ${first}`);
    // The levers act on the present: they are off meanwhile.
    await expect(timeline.bar.getByRole("button", { name: "Compact", exact: true })).toBeDisabled();

    // New writes keep arriving, and change nothing of what is shown.
    const later = await seen(page, "POST", configMaps, lab.configMap("meanwhile"));
    await expect(timeline.head).toContainText(`3 before the head`);
    expect(await timeline.revision()).toBe(first);
    await timeline.bar.getByRole("button", { name: "Back to live" }).click();
    await expect.poll(() => timeline.revision()).toBe(later);
    await expect(timeline.head).not.toContainText("showing");
    await expect(timeline.bar.getByRole("button", { name: "Compact", exact: true })).toBeEnabled();
  });

  test("a number of the axis travels there; playing comes back to the head", { tag: "@long" },
    async ({ lab, page }) => {
    const timeline = new Timeline(page);
    const [first, , third] = await story(lab, page, timeline);
    const { x, axis } = await timeline.at(first);
    await page.mouse.click(x, axis);
    await expect.poll(() => timeline.revision()).toBe(first);
    await page.locator("body").press("Shift+Space");
    await expect.poll(() => timeline.revision()).toBe(third);
    await page.locator("body").press("l");
    await expect(timeline.head).not.toContainText("showing");
  });

  test("behind the wall the page shows its own notes, and says so", { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    const [, second] = await story(lab, page, timeline);
    await lab.lever("Compact now");
    await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
    await expect.poll(() => timeline.revision()).toBe(second);
    await expect(timeline.head).toContainText("compacted, as recorded");
    await expect(timeline.head.getByRole("button", { name: "Fork here" })).toHaveCount(0);
    await timeline.bar.getByRole("button", { name: "Back to live" }).click();
  });

  test("the objects as of a revision, by exact reads, and those that came later",
    { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    const [first, second, third] = await story(lab, page, timeline);
    const late = await seen(page, "POST", configMaps, lab.configMap("late"));
    await page.getByRole("tab", { name: "Objects", exact: true }).click();
    await timeline.settled();
    const { x, axis } = await timeline.at(second);
    await page.mouse.click(x, axis);
    await expect(lab.objects).toContainText(`Objects as of ${second}`);
    await expect(lab.objects).toContainText("by exact reads");
    const row = (name) => lab.objects.getByRole("row").filter({ hasText: `default/${name}` });
    await expect(row("story")).toContainText(`changed here${second}`);
    await expect(row("late")).toContainText(`comes at ${late}`);
    await page.locator("body").press("ArrowLeft");
    await expect(row("story")).toContainText(`added here${first}`);
    await timeline.bar.getByRole("button", { name: "Back to live" }).click();
    await expect(lab.objects.getByRole("tree").or(lab.objects.getByRole("treegrid"))).toBeVisible();
    expect(third).toBeLessThan(late);
  });

  test("two revisions are compared: from where one has travelled with now, and any two by Shift", { tag: "@long" },
    async ({ lab, page }) => {
    const timeline = new Timeline(page);
    const [first, second, third] = await story(lab, page, timeline);
    await seen(page, "POST", configMaps, lab.configMap("late"));
    await timeline.settled();
    const one = await timeline.at(first);
    await page.mouse.click(one.x, one.axis);
    await expect.poll(() => timeline.revision()).toBe(first);
    await timeline.head.getByRole("button", { name: "Compare with now" }).click();
    const change = (name) => lab.response.getByRole("button", { name: new RegExp(name) });
    await expect(change("configmaps/story")).toContainText("changed");
    await expect(change("configmaps/late")).toContainText("added");
    await change("configmaps/story").click();
    await expect(lab.response).toContainText(/− +colour: red/);
    await expect(lab.response).toContainText(/\+ +colour: blue/);

    await timeline.choose(second);
    const { x, y } = await timeline.at(third);
    await page.keyboard.down("Shift");
    await page.mouse.click(x, y);
    await page.keyboard.up("Shift");
    await expect(change("configmaps/late")).toHaveCount(0);
    await expect(change("configmaps/story")).toContainText("changed");
  });

  test("a fork begins a cluster as it was; the one that was left is kept until it is let go", { tag: "@long" },
    async ({ lab, page }) => {
    const timeline = new Timeline(page);
    const [, second] = await story(lab, page, timeline);
    await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
    await expect(timeline.head).toContainText("showing revision");
    await timeline.head.getByRole("button", { name: "Fork here" }).click();
    const colour = async () => (await lab.fetch(configMaps + "/story")).body.data?.colour;
    await expect.poll(colour).toBe("green");
    await expect(timeline.head).not.toContainText("showing");
    // The stage says so.
    await expect(timeline.head).toContainText(`forked at ${second}`);
    await expect(timeline.ruler).toContainText(`forked at ${second}`);
    const menu = await lab.openMenu("Levers");
    const left = menu.getByRole("region", { name: "Clusters that you left" });
    await left.getByRole("button", { name: "Go back to it" }).click();
    await expect.poll(colour).toBe("blue");
    await expect(left).toHaveCount(0);
    await expect(timeline.head).not.toContainText("forked");
  });
});

test.describe("levers", () => {
  /** The status of an exact read as of a revision. */
  const readAt = async (lab, revision) =>
    (await lab.fetch(`${configMaps}?resourceVersion=${revision}&resourceVersionMatch=Exact`)).status;

  test("a compaction is undone", { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    const [first, , third] = await story(lab, page, timeline);
    await lab.lever("Compact now");
    expect(await readAt(lab, first)).toBe(410);
    await expect(timeline.head).toContainText(`etcd from ${third}`);
    await timeline.bar.getByRole("button", { name: `Undo: compacted to ${third}` }).click();
    await lab.says("Undone");
    expect(await readAt(lab, first)).toBe(200);
    await expect(timeline.head).toContainText("all history kept");
    await expect(timeline.bar.getByRole("button", { name: /^Undo/ })).toHaveCount(0);
    expect((await lab.fetch(configMaps + "/story")).body.data.colour).toBe("blue");
  });

  test("the next write ends the offer to undo a compaction, which would lose it", {
    tag: "@long",
  }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    await story(lab, page, timeline);
    await lab.lever("Compact now");
    const undo = timeline.bar.getByRole("button", { name: /^Undo: compacted/ });
    await expect(undo).toBeVisible();
    await seen(page, "POST", configMaps, lab.configMap("next"));
    await expect(undo).toHaveCount(0);
  });

  test("a setting is undone with U, also after a write", { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    const menu = await lab.openMenu("Servers");
    await menu.getByRole("button", { name: "Freeze cache" }).click();
    await expect(timeline.row("cache")).toContainText("frozen");
    await page.keyboard.press("Escape");
    await seen(page, "POST", configMaps, lab.configMap("next"));
    await expect(timeline.bar.getByRole("button", { name: /^Undo/ })).toBeVisible();
    await page.locator("body").press("u");
    await expect(timeline.row("cache")).toHaveCount(0);
    await expect(timeline.bar.getByRole("button", { name: /^Undo/ })).toHaveCount(0);
  });

  test("the wall is dragged by its grip to the revision up to which history goes", {
    tag: "@long",
  }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    await story(lab, page, timeline);
    await lab.lever("Compact now");
    const made = [];
    for (const name of ["a", "b", "c", "d"]) made.push(await seen(page, "POST", configMaps, lab.configMap(name)));
    await expect.poll(() => timeline.revision()).toBe(made[3]);
    await timeline.settled();
    const grip = timeline.ruler.locator("[data-grip=wall]");
    const from = await timeline.middle(grip);
    const to = await timeline.at(made[2]);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x - 30, to.y, { steps: 4 });
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    await expect(timeline.head).toContainText(`etcd from ${made[2]}`);
    // It is etcd's: caches still answer at what they remember, and what reads etcd does not.
    expect(await readAt(lab, made[1])).toBe(200);
    const events = (at) => `/api/v1/events?resourceVersion=${at}&resourceVersionMatch=Exact`;
    expect((await lab.fetch(events(made[1]))).status).toBe(410);
    expect((await lab.fetch(events(made[2]))).status).toBe(200);
    await lab.says(`Compacted etcd to ${made[2]}.`);
  });
});

test.describe("the start of the cluster", () => {
  test("is one mark, which a click unfolds", { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    await story(lab, page, timeline);
    const fold = timeline.ruler.getByText("cluster start");
    await expect(fold).toBeVisible();
    const { x, y } = await timeline.place(timeline.ruler.getByText(/^2–\d+$/));
    await page.mouse.click(x, y);
    await expect(fold).toHaveCount(0);
    await expect(timeline.ruler.getByText("5", { exact: true })).toBeVisible();
    await lab.says(/Revisions 2 to \d+ are unfolded/);
  });

  test("and Enter", { tag: "@long" }, async ({ lab, page }) => {
    const timeline = new Timeline(page);
    const [first] = await story(lab, page, timeline);
    await timeline.ruler.focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
    await lab.says(`Revisions 2 to ${first - 1}, cluster start, one mark; Enter unfolds them`);
    await page.keyboard.press("Enter");
    await expect(timeline.ruler.getByText("cluster start")).toHaveCount(0);
  });
});

test("zoom, fit and pause", { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  const [first, , third] = await story(lab, page, timeline);
  const apart = async () => {
    await timeline.settled();
    return (await timeline.at(third)).x - (await timeline.at(first)).x;
  };
  const before = await apart();
  await page.locator("body").press("-");
  await expect.poll(apart).toBeLessThan(before * 0.8);
  await page.locator("body").press("+");
  await expect.poll(apart).toBeGreaterThan(before * 0.8);
  await timeline.bar.getByRole("button", { name: "Fit" }).click();
  await timeline.bar.getByRole("button", { name: "Live", exact: true }).click();
  await expect(timeline.bar.getByRole("button", { name: "Live", exact: true })).toHaveAttribute("aria-pressed", "true");

  await timeline.bar.getByRole("button", { name: /^Draw nothing new for now/ }).click();
  const next = await seen(page, "POST", configMaps, lab.configMap("unseen"));
  const on = timeline.bar.getByRole("button", { name: /^Resume, 1 newer/ });
  await expect(on).toBeVisible();
  await on.click();
  await expect.poll(() => timeline.revision()).toBe(next);
});
