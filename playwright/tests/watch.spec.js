// Watch streams: cut and resumed, compacted and recovered.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** What happened to the config maps after a version, asked of the API itself. */
async function story(lab, version) {
  return lab.page.evaluate(
    async ([path, version]) => {
      const r = await fetch(`${path}?watch=1&resourceVersion=${version}&timeoutSeconds=1`,
        { tabernetes: { quiet: true } });
      const lines = (await r.text()).split("\n").filter(Boolean);
      return lines.map((l) => JSON.parse(l)).filter((e) => e.type !== "BOOKMARK").map(
        (e) => ({ revision: Number(e.object.metadata.resourceVersion), event: e.type,
          object: e.object.metadata.name }));
    },
    [configMaps, version],
  );
}

const create = (lab, name) => lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });
/** The names of objects that a lane received. */
const told = async (timeline, watch) =>
  (await timeline.events()).filter((e) => e.watch === watch).map((e) => e.object).join(" ");

test("cut, and resumed without a lost or repeated event", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await timeline.showTables();
  const begin = (await lab.fetch(configMaps)).body.metadata.resourceVersion;

  await timeline.watch(configMaps);
  const w1 = timeline.lane("w1");
  await expect(timeline.words("w1")).toHaveAccessibleName(/^w1, default\/configmaps, (open|initial state), /);
  await create(lab, "before-1");
  await create(lab, "before-2");
  await lab.fetch(configMaps + "/before-1", { method: "DELETE" });
  await expect.poll(async () => (await timeline.events()).length).toBeGreaterThanOrEqual(3);

  await lab.lever("Cut the watches");
  const resume = w1.getByRole("button", { name: /^Resume watch w1 from \d+$/ });
  await expect(resume).toBeVisible();
  await expect(timeline.words("w1")).toHaveAccessibleName(/, (ended|broken off), .*resume after \d+;/);
  for (let i = 1; i <= 5; i++) await create(lab, "meanwhile-" + i);
  await lab.fetch(configMaps + "/before-2", { method: "DELETE" });
  expect(await told(timeline, "w1")).not.toContain("meanwhile");
  // The same client continues: its lane does, and what it catches up on stands in it.
  await resume.click();
  await expect(timeline.words("w1")).toHaveAccessibleName(/, open, .*, cut after \d+, resume after \d+;/);
  await create(lab, "after");

  const truth = await story(lab, begin);
  expect(truth).toHaveLength(10);
  await expect
    .poll(async () => (await timeline.events()).filter(
      (e) => e.revision > Number(begin) && /ADDED|MODIFIED|DELETED/i.test(e.event)).map(
        (e) => `${e.revision} ${e.event.toUpperCase().match(/ADDED|MODIFIED|DELETED/)[0]}`))
    .toEqual(truth.map((e) => `${e.revision} ${e.event}`));
  expect(new Set((await timeline.events()).map((e) => e.watch))).toEqual(new Set(["w1"]));
});

test("a watch from a version that no lane ended at is another client", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await timeline.watch(configMaps, "head");
  await create(lab, "seen");
  await expect(timeline.words("w1")).toHaveAccessibleName(/, 1 event, /);
  await timeline.watch(configMaps, "head");
  await expect(timeline.words("w2")).toHaveAccessibleName(/^w2, default\/configmaps, open, 0 events/);
  await create(lab, "both");
  await expect(timeline.words("w1")).toHaveAccessibleName(/, 2 events, /);
  await expect(timeline.words("w2")).toHaveAccessibleName(/, 1 event, /);
});

test("after compaction a resume shows 410, and a new list recovers", { tag: "@long" }, async ({ lab, page }) => {
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
  await expect(w1).toContainText(/\d+ is gone/);
  await expect(timeline.head).toContainText(/etcd from \d+/);

  await w1.getByRole("button", { name: /^Resume watch w1/ }).click();
  await expect(w1).toContainText(/410: \d+ gone/);
  await expect(timeline.words("w1")).toHaveAccessibleName(/error 410, .*which is gone;/);
  // Nothing is left to resume from: a new list, as a stream, is the way back.
  await timeline.watch(configMaps, "stream");
  await expect(timeline.words("w2")).toBeVisible();
  await create(lab, "at-last");
  await expect.poll(() => told(timeline, "w2")).toContain("at-last");
  const seen = await told(timeline, "w2");
  for (const name of ["seen", "missed-1", "missed-2"]) expect(seen).toContain(name);
  await expect(timeline.tables.getByRole("row").filter({ hasText: "end of the initial" }).or(
    timeline.tables.getByRole("row").filter({ hasText: "(initial state)" })).first()).toBeVisible();
});

test("every watch of the page has a lane, also one that a script makes", async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await expect(timeline.rows).toContainText("How to read a lane");
  await page.evaluate(async (path) => {
    window.abortWatch = new AbortController();
    await fetch(path + "?watch=1&resourceVersion=0&allowWatchBookmarks=true", { signal: window.abortWatch.signal });
  }, configMaps);
  await expect(timeline.lane("w1")).toContainText("configmaps");
  await expect(timeline.rows).not.toContainText("How to read a lane");
  await page.evaluate(() => window.abortWatch.abort());
  await expect(timeline.words("w1")).toHaveAccessibleName(/^w1, default\/configmaps, closed, /);
  await expect(timeline.lane("w1").getByRole("button", { name: /^(Resume|Open) watch w1/ })).toBeVisible();
});

test("what is no collection is not watched, and the form says why", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await timeline.watch("pods");
  await expect(timeline.add.getByRole("alert")).toContainText("Not the path of a collection");
  await timeline.watch(configMaps + "/kube-root-ca.crt");
  await expect(timeline.add.getByRole("alert")).toContainText("fieldSelector=metadata.name=kube-root-ca.crt");
  await timeline.watch(configMaps, "head");
  await expect(timeline.words("w1")).toBeVisible();
  await expect(timeline.add.getByRole("alert")).toBeHidden();
  await timeline.lane("w1").getByRole("button", { name: "Close watch w1" }).click();
  await expect(timeline.words("w1")).toHaveAccessibleName(/^w1, default\/configmaps, closed, /);
});
