// The levers of the watch caches, the clock and old clients' servers.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

const create = (lab, name) => lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });

/** How far the caches have come, as the ruler's head says: {C0: 12, C1: 10, …}, or {cache: 12}. */
async function caches(timeline) {
  const text = (await timeline.head.innerText()).replace(/\s+/g, " ");
  const all = /caches (\d+)/.exec(text);
  if (all) return { cache: Number(all[1]) };
  return Object.fromEntries([...text.matchAll(/(cache|C\d) (\d+)/g)].map(([, name, at]) => [name, Number(at)]));
}

test.beforeEach(async ({ lab }) => lab.open());

test("a frozen cache: its row, the ruler's head and a lane tell what it holds back",
  { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await timeline.watch(configMaps);
  await create(lab, "seen");
  await expect(timeline.lane("w1")).toContainText(/resume after \d+/);
  await expect(timeline.row("cache")).toHaveCount(0);
  const menu = await lab.openMenu("Servers");
  const freeze = menu.getByRole("button", { name: "Freeze cache" });
  await freeze.click();
  await expect(freeze).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Escape");
  await expect(timeline.bar.getByRole("button", { name: /^Servers/ })).toHaveAttribute("aria-pressed", "true");

  await create(lab, "held-1");
  await create(lab, "held-2");
  const row = timeline.row("cache");
  await expect(row).toContainText("frozen");
  await expect(timeline.words("cache")).toHaveAccessibleName(
    /^API server cache, its watch cache is at \d+, [2-9] behind, frozen$/);
  await expect(row).toContainText(/[2-9] behind/);
  const at = (await caches(timeline)).cache;
  expect(at).toBeGreaterThan(0);
  expect((await timeline.revision()) - at).toBeGreaterThanOrEqual(2);
  await expect(timeline.lane("w1")).toContainText("not yet cached");
  await timeline.showTables();
  expect((await timeline.events()).map((e) => e.object).join(" ")).not.toContain("held");
  const stale = (await lab.fetch(configMaps + "?resourceVersion=0")).body.items.map((o) => o.metadata.name);
  expect(stale).not.toContain("held-1");

  await row.getByRole("button", { name: "Thaw cache" }).click();
  await expect.poll(async () => (await timeline.events()).map((e) => e.object).join(" ")).toMatch(
    /held-2.*held-1|held-1.*held-2/);
  await expect(timeline.row("cache")).toHaveCount(0);
  await expect(timeline.lane("w1")).toContainText(/resume after \d+/);
  await expect.poll(async () => (await caches(timeline)).cache).toBe(await timeline.revision());
});

test("three API servers: the console asks one of them, and its copies keep that",
  { tag: "@long" }, async ({ lab, page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const timeline = new Timeline(page);
  await lab.moreOfRequest();
  const server = page.getByLabel("API server", { exact: true });
  await expect(server).toBeHidden();
  const menu = await lab.openMenu("Servers");
  await menu.getByLabel("Number of API servers").selectOption("3");
  await menu.getByLabel("Lag of C2 in seconds").fill("3600");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await lab.fetch(CONTROL_PLANE)).body.spec.cache.replicas.map((r) => r.lagSeconds))
    .toEqual([0, 0, 3600]);
  await menu.getByRole("button", { name: "Freeze C1" }).click();
  await expect.poll(async () => (await lab.fetch(CONTROL_PLANE)).body.spec.cache.replicas).toEqual([
    { lagSeconds: 0, frozen: false },
    { lagSeconds: 0, frozen: true },
    { lagSeconds: 3600, frozen: false },
  ]);
  await page.keyboard.press("Escape");
  await create(lab, "new");
  await expect
    .poll(async () => {
      const at = await caches(timeline);
      return at.C0 === (await timeline.revision()) && at.C1 < at.C0 && at.C2 <= at.C1;
    })
    .toBe(true);
  await expect(timeline.words("C0")).toHaveAccessibleName(/^API server C0, its watch cache is at \d+$/);
  await expect(timeline.row("C1")).toContainText("frozen");
  await expect(timeline.row("C2")).toContainText("3600 s late");

  await expect(server).toBeVisible();
  await server.selectOption("C1");
  await lab.request("GET", configMaps + "?resourceVersion=0");
  await expect(lab.response).toContainText("C1, from its watch cache");
  await expect(lab.response).toContainText(/As the cache has it: .* behind/);
  await expect(lab.answer).not.toContainText('"new"');
  await server.selectOption("C0");
  await lab.request("GET", configMaps + "?resourceVersion=0");
  await expect(lab.response).toContainText("C0, from its watch cache");
  await expect(lab.answer).toContainText("new");
  // What was read stands at the server's row, where it lay when it was read.
  await expect(timeline.row("C0")).toContainText(/as of \d+, now/);
  await expect(timeline.row("C1")).toContainText(/as of \d+, .* old/);

  const row = lab.requests.getByRole("row").filter({ hasText: configMaps }).nth(1);
  await expect(row).toContainText("C1");
  await row.getByRole("button").first().click();
  const copied = async (as) => {
    await page.getByRole("button", { name: as, exact: true }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await expect.poll(() => copied("curl")).toContain("tabernetes-replica: 1");
  await expect.poll(() => copied("kubectl")).toMatch(/^# .*\nkubectl (?!.*replica)/);
  await page.getByRole("button", { name: "Open in console", exact: true }).click();
  await expect(server).toHaveValue("1");
  await server.selectOption("round robin");
  const seen = new Set();
  for (let i = 0; i < 3; i++) {
    await lab.send.click();
    await expect(lab.requests.getByRole("row").filter({ hasText: configMaps })).toHaveCount(3 + i);
    const newest = lab.requests.getByRole("row").filter({ hasText: configMaps }).first();
    await expect(newest).toContainText(/C[012]/);
    seen.add((await newest.innerText()).match(/C[012]/)[0]);
  }
  // The page's own requests take their turns too.
  expect(seen.size).toBeGreaterThan(1);
});

test("a watch is opened at the API server that its form names", { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  const server = timeline.add.getByLabel("API server to watch at");
  await expect(server).toBeHidden();
  await create(lab, "before");
  const settings = (...replicas) =>
    lab.fetch(CONTROL_PLANE,
      { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
        body: { spec: { cache: { replicas } } } });
  await settings({}, { frozen: true });
  await create(lab, "after");
  await expect(server).toBeVisible();
  await timeline.showTables();
  for (const choice of ["C1", "C0"]) {
    await server.selectOption(choice);
    await timeline.watch(configMaps, "any");
  }
  const seen = async (watch) =>
    (await timeline.events()).filter((e) => e.watch === watch).map((e) => e.object).join(" ");
  await expect.poll(() => seen("w2")).toContain("after");
  await expect.poll(() => seen("w1")).toContain("before");
  expect(await seen("w1")).not.toContain("after");
  await expect(timeline.lane("w1")).toContainText("via C1");
  await settings({});
  await expect(server).toBeHidden();
});

test("the clock stands, and moves on", { tag: "@long" }, async ({ lab, page }) => {
  const opener = page.getByRole("button", { name: /^The cluster’s clock/ });
  const menu = await lab.openMenu("Clock");
  const pause = menu.getByRole("button", { name: "Pause the cluster's clock" });
  await pause.click();
  await expect(pause).toHaveAttribute("aria-pressed", "true");
  await expect(opener).toContainText("paused");
  const now = async () => Date.parse((await lab.fetch(CONTROL_PLANE)).body.status.clock.now);
  const before = await now();
  expect(await now()).toBe(before);
  await menu.getByRole("button", { name: "+5 min", exact: true }).click();
  await expect.poll(now).toBe(before + 300_000);
  await menu.getByLabel(/^Advance by: a span/).fill("soon");
  await page.keyboard.press("Enter");
  await lab.says("Advance by a span of time");
  await menu.getByLabel(/^Advance by: a span/).fill("1h30m");
  await page.keyboard.press("Enter");
  await expect.poll(now).toBe(before + 300_000 + 5_400_000);
  await pause.click();
  await expect(pause).toHaveAttribute("aria-pressed", "false");
  await expect(opener).toContainText(/\+1 h 3\d min/);
});

test("resourceVersionMatch is ignored where the lever says so", { tag: "@long" }, async ({ lab, page }) => {
  const exact = configMaps + "?resourceVersion=1&resourceVersionMatch=Exact";
  expect((await lab.fetch(exact + "&limit=bad")).status).toBe(400);
  await lab.openMenu("Levers");
  await page.getByRole("radio", { name: "Ignore" }).click();
  await expect.poll(async () => (await lab.fetch(CONTROL_PLANE)).body.spec.compatibility.resourceVersionMatch).toBe(
    "Ignore");
  await page.keyboard.press("Escape");
  await create(lab, "newer");
  // As a server that knows no match: not older than 1 is what it was asked for.
  expect((await lab.fetch(exact)).body.items.map((o) => o.metadata.name)).toContain("newer");
  await page.reload();
  await lab.ready();
  await lab.openMenu("Levers");
  await expect(page.getByRole("radio", { name: "Ignore" })).toBeChecked();
});

test("a lane that ended with 410 lists again, and goes on from the list", { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await timeline.showTables();
  await timeline.watch(configMaps);
  await create(lab, "seen");
  await expect.poll(async () => (await timeline.events()).length).toBeGreaterThanOrEqual(1);
  await lab.lever("Cut the watches");
  await create(lab, "missed");
  await lab.lever("Compact now");
  const w1 = timeline.lane("w1");
  await w1.getByRole("button", { name: /^Resume watch w1/ }).click();
  await expect(w1).toContainText("410");
  await expect(w1.getByRole("button", { name: /^Resume/ })).toHaveCount(0);
  await w1.getByRole("button", { name: /^List again/ }).click();
  // A client that lists again starts again: it gets its own lane.
  await expect(timeline.words("w2")).toHaveAccessibleName(/^w2, default\/configmaps, open/);
  await expect(lab.requests.getByRole("row").filter({ hasText: configMaps }).nth(1).getByRole("button",
    { name: /, list$/ })).toBeVisible();
  await create(lab, "at-last");
  await expect.poll(async () =>
    (await timeline.events()).filter((e) => e.watch === "w2").map((e) => e.object).join(" ")).toContain("at-last");
  expect((await timeline.events()).filter((e) => e.watch === "w2").map((e) => e.object).join(" ")).not.toContain(
    "missed");
});
