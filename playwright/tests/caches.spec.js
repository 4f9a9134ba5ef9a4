// The levers of the watch caches, the clock and old clients' servers.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const controlPlane = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default";

const create = (lab, name) => lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });

/** The header's read-outs, by name: {rev, cache, …} or {rev, C0, C1, …}. */
const readouts = (page) =>
  page.locator("#readouts > div").evaluateAll((all) => Object.fromEntries(all.map((d) => [d.querySelector("dt").textContent, d.querySelector("dd").textContent])));

test.beforeEach(async ({ lab }) => lab.open());

test("a frozen cache: the ruler, the read-outs and a lane tell what it holds back", async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await timeline.watch(configMaps);
  await create(lab, "seen");
  await expect(timeline.lane("w1")).toContainText("resumable");
  await lab.openMenu("Levers");
  const freeze = page.getByRole("button", { name: "Freeze cache" });
  await freeze.click();
  await expect(freeze).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Escape");

  const at = Number((await readouts(page)).cache);
  await create(lab, "held-1");
  await create(lab, "held-2");
  await expect.poll(async () => (await readouts(page)).rev - (await readouts(page)).cache).toBeGreaterThanOrEqual(2);
  await expect(timeline.ruler.locator(".tl-pending")).toHaveCount(1);
  await expect(timeline.ruler.locator("svg")).toContainText(`${(await readouts(page)).cache}, `);
  await expect(timeline.lane("w1")).toContainText("not yet cached");
  expect(at).toBeGreaterThan(0);
  await timeline.showTables();
  expect((await timeline.events()).map((e) => e.object).join(" ")).not.toContain("held");
  const stale = (await lab.fetch(configMaps + "?resourceVersion=0")).body.items.map((o) => o.metadata.name);
  expect(stale).not.toContain("held-1");

  await lab.openMenu("Levers");
  await freeze.click();
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await timeline.events()).map((e) => e.object).join(" ")).toMatch(/held-2.*held-1|held-1.*held-2/);
  await expect(timeline.ruler.locator(".tl-pending")).toHaveCount(0);
  await expect(timeline.lane("w1")).toContainText("resumable");
});

test("three API servers: the console asks one of them, and its copies keep that", async ({ lab, page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const server = page.getByLabel("API server", { exact: true });
  await expect(server).toBeHidden();
  await lab.openMenu("Levers");
  await page.getByLabel("Number of API servers").selectOption("3");
  await page.getByLabel("Lag of C2 in seconds").fill("3600");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await lab.fetch(controlPlane)).body.spec.cache.replicas.map((r) => r.lagSeconds)).toEqual([0, 0, 3600]);
  await page.getByRole("button", { name: "Freeze C1" }).click();
  await expect.poll(async () => (await lab.fetch(controlPlane)).body.spec.cache.replicas).toEqual([
    { lagSeconds: 0, frozen: false },
    { lagSeconds: 0, frozen: true },
    { lagSeconds: 3600, frozen: false },
  ]);
  await page.keyboard.press("Escape");
  await create(lab, "new");
  await expect.poll(async () => { const r = await readouts(page); return r.rev === r.C0 && Number(r.C1) < Number(r.C0) && Number(r.C2) <= Number(r.C1); }).toBe(true);
  const ruler = new Timeline(page).ruler;
  await expect(ruler).toContainText("etcd = C0");
  await ruler.getByRole("button", { name: "Fit" }).click();
  await expect(ruler.locator(".tl-pole.cache")).not.toHaveCount(0);

  await expect(server).toBeVisible();
  await server.selectOption("C1");
  await lab.request("GET", configMaps + "?resourceVersion=0");
  await expect(lab.response).toContainText("from C1");
  await expect(lab.answer).not.toContainText('"new"');
  await server.selectOption("C0");
  await lab.request("GET", configMaps + "?resourceVersion=0");
  await expect(lab.response).toContainText("from C0");
  await expect(lab.answer).toContainText("new");

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

test("a watch is opened at the API server that its form names", async ({ lab, page }) => {
  const timeline = new Timeline(page);
  const server = timeline.lanes.getByLabel("API server to watch at");
  await expect(server).toBeHidden();
  await create(lab, "before");
  const caches = (...replicas) =>
    lab.fetch(controlPlane, { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" }, body: { spec: { cache: { replicas } } } });
  await caches({}, { frozen: true });
  await create(lab, "after");
  await expect(server).toBeVisible();
  await timeline.showTables();
  for (const choice of ["C1", "C0"]) {
    await server.selectOption(choice);
    await timeline.watch(configMaps, "any");
  }
  const seen = async (watch) => (await timeline.events()).filter((e) => e.watch === watch).map((e) => e.object).join(" ");
  await expect.poll(() => seen("w2")).toContain("after");
  await expect.poll(() => seen("w1")).toContain("before");
  expect(await seen("w1")).not.toContain("after");
  await expect(timeline.lane("w1")).toContainText("C1");
  await caches({});
  await expect(server).toBeHidden();
});

test("the clock stands, and moves on", async ({ lab, page }) => {
  await lab.openMenu("Levers");
  const pause = page.getByRole("button", { name: "Pause the cluster's clock" });
  await pause.click();
  await expect(pause).toHaveAttribute("aria-pressed", "true");
  expect((await readouts(page)).clock).toBe("paused");
  const now = async () => Date.parse((await lab.fetch(controlPlane)).body.status.clock.now);
  const before = await now();
  expect(await now()).toBe(before);
  await page.getByRole("button", { name: "+5 min", exact: true }).click();
  await expect.poll(now).toBe(before + 300_000);
  await page.getByLabel(/^Advance by: a span/).fill("soon");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Levers" })).toContainText("Advance by a span of time");
  await page.getByLabel(/^Advance by: a span/).fill("1h30m");
  await page.keyboard.press("Enter");
  await expect.poll(now).toBe(before + 300_000 + 5_400_000);
  await pause.click();
  await expect(pause).toHaveAttribute("aria-pressed", "false");
  await expect.poll(async () => (await readouts(page)).clock).toMatch(/^\+1 h 3\d min$/);
});

test("resourceVersionMatch is ignored where the lever says so", async ({ lab, page }) => {
  const exact = configMaps + "?resourceVersion=1&resourceVersionMatch=Exact";
  expect((await lab.fetch(exact + "&limit=bad")).status).toBe(400);
  await lab.openMenu("Levers");
  await page.getByRole("radio", { name: "Ignore" }).click();
  await expect.poll(async () => (await lab.fetch(controlPlane)).body.spec.compatibility.resourceVersionMatch).toBe("Ignore");
  await page.keyboard.press("Escape");
  await create(lab, "newer");
  // As a server that knows no match: not older than 1 is what it was asked for.
  expect((await lab.fetch(exact)).body.items.map((o) => o.metadata.name)).toContain("newer");
  await page.reload();
  await lab.ready();
  await lab.openMenu("Levers");
  await expect(page.getByRole("radio", { name: "Ignore" })).toBeChecked();
});

test("a lane that ended with 410 lists again, and goes on from the list", async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await timeline.showTables();
  await timeline.watch(configMaps);
  await create(lab, "seen");
  await expect.poll(async () => (await timeline.events()).length).toBeGreaterThanOrEqual(1);
  await lab.lever("Cut the watches");
  await create(lab, "missed");
  await lab.lever("Compact now");
  await timeline.lane("w1").getByRole("button", { name: /^Resume watch w1/ }).click();
  const w2 = timeline.lane("w2");
  await expect(w2).toContainText("410");
  await expect(w2.getByRole("button", { name: /^Resume/ })).toHaveCount(0);
  await w2.getByRole("button", { name: /^List again/ }).click();
  await expect(timeline.lane("w3")).toContainText("open");
  await expect(lab.requests.getByRole("row").filter({ hasText: configMaps }).nth(1).getByRole("button", { name: /, list$/ })).toBeVisible();
  await create(lab, "at-last");
  await expect.poll(async () => (await timeline.events()).filter((e) => e.watch === "w3").map((e) => e.object).join(" ")).toContain("at-last");
  expect((await timeline.events()).filter((e) => e.watch === "w3").map((e) => e.object).join(" ")).not.toContain("missed");
});
