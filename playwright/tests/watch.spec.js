// Watch streams: cut and resumed, compacted and recovered.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** What happened to the config maps after a version, asked of the API itself. */
async function story(lab, version) {
  return lab.page.evaluate(
    async ([path, version]) => {
      const r = await fetch(`${path}?watch=1&resourceVersion=${version}&timeoutSeconds=1`, { tabernetes: { quiet: true } });
      const lines = (await r.text()).split("\n").filter(Boolean);
      return lines.map((l) => JSON.parse(l)).filter((e) => e.type !== "BOOKMARK").map((e) => ({ revision: Number(e.object.metadata.resourceVersion), event: e.type, object: e.object.metadata.name }));
    },
    [configMaps, version],
  );
}

const create = (lab, name) => lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });

test("cut, and resumed without a lost or repeated event", async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await timeline.showTables();
  const begin = (await lab.fetch(configMaps)).body.metadata.resourceVersion;

  await timeline.watch(configMaps);
  const w1 = timeline.lane("w1");
  await expect(w1).toContainText(/open|initial state/);
  await create(lab, "before-1");
  await create(lab, "before-2");
  await lab.fetch(configMaps + "/before-1", { method: "DELETE" });
  await expect.poll(async () => (await timeline.events()).length).toBeGreaterThanOrEqual(3);

  await lab.lever("Cut the watches");
  const resume = w1.getByRole("button", { name: /^Resume watch w1 from \d+$/ });
  await expect(resume).toBeVisible();
  for (let i = 1; i <= 5; i++) await create(lab, "meanwhile-" + i);
  await lab.fetch(configMaps + "/before-2", { method: "DELETE" });
  await resume.click();
  await expect(timeline.lane("w2")).toBeVisible();
  await create(lab, "after");

  const truth = await story(lab, begin);
  expect(truth).toHaveLength(10);
  await expect
    .poll(async () => (await timeline.events()).filter((e) => e.revision > Number(begin) && /ADDED|MODIFIED|DELETED/i.test(e.event)).map((e) => `${e.revision} ${e.event.toUpperCase().match(/ADDED|MODIFIED|DELETED/)[0]}`))
    .toEqual(truth.map((e) => `${e.revision} ${e.event}`));
  const received = await timeline.events();
  expect(new Set(received.map((e) => e.watch)).size).toBe(2);
});

test("after compaction a resume shows 410, and a new list recovers", async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await timeline.showTables();
  await timeline.watch(configMaps);
  await create(lab, "seen");
  const w1 = timeline.lane("w1");
  await expect.poll(async () => (await timeline.events()).length).toBeGreaterThanOrEqual(1);
  await lab.lever("Cut the watches");
  await create(lab, "missed-1");
  await create(lab, "missed-2");
  await lab.lever("Compact now");
  await expect(w1).toContainText("behind the wall");

  await w1.getByRole("button", { name: /^Resume watch w1/ }).click();
  const w2 = timeline.lane("w2");
  await expect(w2).toContainText("410");
  // Nothing is left to resume from: a new list, as a stream, is the way back.
  await timeline.watch(configMaps, "stream");
  const w3 = timeline.lane("w3");
  await expect(w3).toBeVisible();
  await create(lab, "at-last");
  await expect.poll(async () => (await timeline.events()).filter((e) => e.watch === "w3").map((e) => e.object).join(" ")).toContain("at-last");
  const seen = (await timeline.events()).filter((e) => e.watch === "w3").map((e) => e.object).join(" ");
  for (const name of ["seen", "missed-1", "missed-2"]) expect(seen).toContain(name);
});

test("every watch of the page has a lane, also one that a script makes", async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await page.evaluate(async (path) => {
    window.abortWatch = new AbortController();
    await fetch(path + "?watch=1&resourceVersion=0&allowWatchBookmarks=true", { signal: window.abortWatch.signal });
  }, configMaps);
  await expect(timeline.lane("w1")).toContainText("configmaps");
  await page.evaluate(() => window.abortWatch.abort());
  await expect(timeline.lane("w1").getByRole("button", { name: /watch w1/ })).toBeVisible();
});
