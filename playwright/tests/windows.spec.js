// What ends the past, and what does not: a test for each cause of a 410, as the lanes show it.
import { CONTROL_PLANE, REPLICA_HEADER } from "../../core/wellknown/wellknown.js";
import { test, expect, results } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const secrets = "/api/v1/namespaces/default/secrets";
const events = "/api/v1/namespaces/default/events";

/** Writes, and returns the revision. */
async function write(lab, path, body, method = "POST") {
  const type = method === "PATCH" ? { "Content-Type": "application/merge-patch+json" } : {};
  const { status, body: object } = await lab.fetch(path, { method, body, headers: type });
  expect([200, 201]).toContain(status);
  return Number(object.metadata.resourceVersion);
}

const map = (lab, name) => write(lab, configMaps, lab.configMap(name));
const secret = (lab, name) => write(lab, secrets, { metadata: { name } });
const event = (lab, name) => write(lab, events, { metadata: { name }, reason: "Tested", message: "once",
  involvedObject: { namespace: "default", kind: "ConfigMap", name: "a" } });
const act = async (lab, name, body = {}) =>
  expect((await lab.fetch(`${CONTROL_PLANE}/${name}`, { method: "POST", body })).status).toBe(201);

/** Why a watch from a version is refused, as the server says; "" if it is not. */
async function refused(lab, path, version, server = 0) {
  const answer = await lab.fetch(`${path}?watch=1&timeoutSeconds=1&resourceVersion=${version}`,
    { headers: { "Tabernetes-Explain": "1", [REPLICA_HEADER]: String(server) } });
  const gone = /gone=(\w+)/.exec(answer.headers["tabernetes-source"] ?? "")?.[1] ?? "";
  expect(answer.text.includes('"code":410')).toBe(gone !== "");
  return gone;
}

/** Waits until a lane says where its past begins, checks that the server has it so, and returns the revision. */
async function edge(lab, timeline, lane, words, path, why, server = 0) {
  let start = 0;
  await expect(async () => { // what is drawn may be behind what the server has
    await expect(timeline.words(lane)).toHaveAccessibleName(words);
    start = Number(/starts at (\d+)/.exec(await timeline.words(lane).getAttribute("aria-label"))[1]);
    // A cache can continue from the version before the first event that it has, etcd only from one that it has.
    const oldest = why === "compacted" ? start : start - 1;
    expect(await refused(lab, path, oldest, server)).toBe("");
    expect(await refused(lab, path, oldest - 1, server)).toBe(why);
  }).toPass();
  return start;
}

/** Has lanes' clients continue, and waits for how it went. */
async function resume(timeline, lane, words) {
  await timeline.resume(lane);
  await expect(timeline.words(lane)).toHaveAccessibleName(words);
}

/** Sets the capacity of buffers in their menu. */
async function capacity(lab, page, least, most) {
  const menu = await lab.openMenu("Buffers");
  await expect(menu.getByLabel("room for at least")).not.toHaveValue("");
  await menu.getByLabel("room for at least").fill(String(least));
  await menu.getByLabel("at most").fill(String(most));
  await menu.getByRole("button", { name: "Set", exact: true }).click();
  await lab.says(`Set: room for at least ${least}, at most ${most} events`);
  await page.keyboard.press("Escape");
}

test.beforeEach(async ({ lab }) => {
  await lab.open();
  await lab.settled();
});

test("a quiet hour, and a compaction of etcd, take nothing from a type that is cached",
  { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await timeline.watch(configMaps, "head");
  await timeline.watch(events, "head");
  const last = await map(lab, "a");
  const told = await event(lab, "a");
  const whole = /buffer has all, \d+ of 100$/;
  await expect(timeline.words("w1")).toHaveAccessibleName(whole);
  await expect(timeline.words("w2")).toHaveAccessibleName(/no buffer, etcd has all$/);

  await act(lab, "advance", { seconds: 3600 });
  await expect(timeline.head).toContainText(/etcd from \d+/);
  await expect(timeline.words("w1")).toHaveAccessibleName(whole);
  await expect(timeline.words("w1")).not.toHaveAccessibleName(/gone/);
  await resume(timeline, "w1", new RegExp(`open, .*resume after ${last};`));

  await lab.lever("Compact etcd");
  await expect(timeline.head).toContainText(`etcd from ${told}`);
  await map(lab, "b");
  await expect(timeline.words("w1")).toHaveAccessibleName(whole);
  expect(await refused(lab, configMaps, last - 1)).toBe("");
  // Events are in no cache: they end at etcd's wall.
  await event(lab, "b");
  const start = await edge(lab, timeline, "w2", /no buffer, starts at \d+, etcd’s wall$/, events, "compacted");
  expect(start).toBe(told);
});

test("later events of a busy type push out what a client that was away needs",
  { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await capacity(lab, page, 4, 4);
  await timeline.watch(configMaps, "head");
  await timeline.watch(secrets, "head");
  const seen = await map(lab, "a");
  await secret(lab, "a");
  await expect(timeline.words("w1")).toHaveAccessibleName(new RegExp(`resume after ${seen};`));
  await lab.lever("Cut the watches");
  for (const name of ["b", "c", "d", "e", "f"]) await map(lab, name);
  await edge(lab, timeline, "w1", /which is gone; buffer starts at \d+, 4 of 4, each event pushes one out$/, configMaps,
    "busy");
  await expect(timeline.words("w2")).not.toHaveAccessibleName(/gone/);
  await resume(timeline, "w1", /error 410/);
  await expect(timeline.lane("w1")).toContainText("410: pushed out");
  await resume(timeline, "w2", /^w2, default\/secrets, open/);
  // The menu has the same as a table.
  const menu = await lab.openMenu("Buffers");
  const row = menu.getByRole("row").filter({ hasText: /^configmaps/ });
  await expect(row).toContainText(/4 of 4.*events have pushed others out/);
});

test("a restart, a server that was started later, and caches that forgot", { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await timeline.watch(configMaps, "head");
  await map(lab, "a");
  await secret(lab, "a");
  const menu = await lab.openMenu("Servers");
  await menu.getByRole("button", { name: "Restart cache" }).click();
  await lab.says("The API server was restarted");
  await map(lab, "b");
  const again = await edge(lab, timeline, "w1",
    /ended, .*which is gone; buffer starts at \d+, 1 of 100, the server restarted$/, configMaps, "restarted");
  await menu.getByLabel("Number of API servers").selectOption("2");
  await expect(timeline.add.getByLabel("API server to watch at")).toBeVisible();
  await page.keyboard.press("Escape");
  await timeline.add.getByLabel("API server to watch at").selectOption("C1");
  await timeline.watch(configMaps, "head");
  await map(lab, "c");
  const later = await edge(lab, timeline, "w2", /open, .*buffer starts at \d+, with C1, 1 of 100$/, configMaps,
    "started", 1);
  expect(later).toBeGreaterThan(again);
  expect(await refused(lab, configMaps, again)).toBe(""); // C0 has it

  await lab.lever("Drop the caches’ history");
  await map(lab, "d");
  for (const [lane, server] of [["w1", 0], ["w2", 1]]) {
    const words = /buffer starts at \d+, 1 of 100, history was dropped$/;
    await edge(lab, timeline, lane, words, configMaps, "forgotten", server);
  }
  await expect(timeline.head).toContainText("all history kept");
});

test("a changed definition begins a new cache", { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const lamps = "/apis/example.com/v1/namespaces/default/lamps";
  await write(lab, definitions, { metadata: { name: "lamps.example.com" }, spec: {
    group: "example.com", scope: "Namespaced", names: { plural: "lamps", kind: "Lamp" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }] } });
  await expect.poll(async () => (await lab.fetch(lamps)).status).toBe(200);
  const lamp = (name) => write(lab, lamps, { apiVersion: "example.com/v1", kind: "Lamp", metadata: { name } });
  const first = await lamp("a");
  await timeline.watch(lamps, "head");
  await expect(timeline.words("w1")).toHaveAccessibleName(/open, .*1 of 100, its definition changed$/);
  const second = await lamp("b");
  await expect(timeline.words("w1")).toHaveAccessibleName(new RegExp(`resume after ${second};`));
  expect(await refused(lab, lamps, first)).toBe("");
  await write(lab, definitions + "/lamps.example.com", { spec: { names: { shortNames: ["la"] } } }, "PATCH");
  await edge(lab, timeline, "w1", /which is gone; buffer starts at \d+, 0 of 100, its definition changed$/, lamps,
    "defined");
  expect(await refused(lab, lamps, first)).toBe("defined");
});

test("a cache that was too late for what etcd compacted is listed again", { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await timeline.watch(configMaps, "head");
  const seen = await map(lab, "a");
  await expect(timeline.words("w1")).toHaveAccessibleName(new RegExp(`resume after ${seen};`));
  const menu = await lab.openMenu("Servers");
  await menu.getByRole("button", { name: "Freeze cache" }).click();
  await expect(timeline.row("cache")).toContainText("frozen");
  await page.keyboard.press("Escape");
  for (const name of ["b", "c", "d"]) await map(lab, name);
  await expect(timeline.lane("w1")).toContainText("not yet cached");
  await lab.lever("Compact etcd"); // with what the cache has not read
  await timeline.row("cache").getByRole("button", { name: "Thaw cache" }).click();
  await edge(lab, timeline, "w1", /which is gone; buffer starts at \d+, \d of 100, too late for etcd, listed again$/,
    configMaps, "relisted");
  await timeline.settled();
  await page.screenshot({ path: results + "lane-relisted.png" });
  await resume(timeline, "w1", /error 410/);
  await expect(timeline.lane("w1")).toContainText(`410: ${seen} gone`);
});
