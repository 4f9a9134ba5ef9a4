// A storage that fails while many write at once: what is answered is what is kept, and what is watched.
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Stands before the worker's script: the next steps of a file fail as the page says, until it says otherwise. */
const inWorker = `{
  let fault = "";
  const channel = new BroadcastChannel("faults");
  channel.onmessage = ({ data }) => {
    fault = data;
    channel.postMessage("heard");
  };
  const { write, flush } = FileSystemSyncAccessHandle.prototype;
  const full = () => new DOMException("The quota has been exceeded.", "QuotaExceededError");
  FileSystemSyncAccessHandle.prototype.write = function (bytes, at) {
    if (fault === "write") throw full();
    return write.call(this, fault === "short write" ? bytes.subarray(0, bytes.length >> 1) : bytes, at);
  };
  FileSystemSyncAccessHandle.prototype.flush = function () {
    flush.call(this); // so that what is refused is there, unless it is removed
    if (fault === "flush") throw full();
  };
}`;

/** Stands before the worker's script: a browser without a private file system that can be appended to. */
const withoutFiles = "delete FileSystemFileHandle.prototype.createSyncAccessHandle;";

/** Runs in the page, which keeps the log in IndexedDB then. */
function inPage() {
  const full = () => new DOMException("The quota has been exceeded.", "QuotaExceededError");
  let fault = "";
  self.setFault = (/** @type {string} */ kind) => void (fault = kind);
  const { add } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.add = function (...args) {
    if (fault === "add") throw full();
    return add.apply(this, args);
  };
  const { commit } = IDBTransaction.prototype;
  IDBTransaction.prototype.commit = function () {
    if (fault !== "commit") return commit.call(this);
    Object.defineProperty(this, "error", { value: full() });
    this.abort();
  };
}

/** The same for a worker: resolves when it has heard. */
function overChannel() {
  self.setFault = (/** @type {string} */ kind) => {
    const channel = new BroadcastChannel("faults");
    return new Promise((resolve) => {
      channel.onmessage = () => resolve(channel.close());
      channel.postMessage(kind);
    });
  };
}

/**
 * Creates 20 ConfigMaps at once: ten, and ten more as soon as the first is answered, when the storage begins to fail.
 * Returns what each was answered.
 */
function burst(page, prefix, fault) {
  return page.evaluate(
    async ([path, prefix, fault]) => {
      const create = async (i) => {
        const name = `${prefix}-${i}`;
        const body = JSON.stringify({ metadata: { name }, data: { of: "x".repeat(500) } });
        const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
        const got = await response.json();
        return { name, status: response.status, version: got.metadata.resourceVersion, message: got.message };
      };
      const before = Array.from({ length: 10 }, (_, i) => create(i));
      await Promise.race(before);
      await self.setFault(fault);
      return Promise.all([...before, ...Array.from({ length: 10 }, (_, i) => create(10 + i))]);
    },
    [configMaps, prefix, fault],
  );
}

/** Collects what a watch tells, from a version on. */
function watch(page, version) {
  return page.evaluate(
    async ([path, version]) => {
      self.told = [];
      const response = await fetch(`${path}?watch=1&resourceVersion=${version}`);
      const lines = response.body.pipeThrough(new TextDecoderStream());
      void (async () => {
        let rest = "";
        for await (const part of lines) {
          const complete = (rest + part).split("\n");
          rest = complete.pop();
          for (const { type, object } of complete.map((line) => JSON.parse(line))) {
            self.told.push([type, object.metadata.name, object.metadata.resourceVersion]);
          }
        }
      })().catch(() => {}); // the page is left
    },
    [configMaps, version],
  );
}

const ready = (page) => page.evaluate(() => fetch("/readyz").then((r) => r.status));
const named = (answers) => answers.map((a) => a.name).sort();

/** Holds that those which were answered 201 are there, and of the others none. */
async function holds(lab, answers) {
  const { items } = (await lab.fetch(configMaps)).body;
  const there = new Map(items.map((o) => [o.metadata.name, o.metadata.resourceVersion]));
  for (const { name, status, version } of answers) {
    expect(there.get(name), name).toBe(status === 201 ? version : undefined);
  }
  return items;
}

const storages = {
  "the private file system": { script: inWorker, init: overChannel, kinds: ["short write", "write", "flush"] },
  IndexedDB: { script: withoutFiles, init: inPage, kinds: ["add", "commit"] },
};

for (const [where, { script, init, kinds }] of Object.entries(storages)) {
  for (const kind of kinds) {
    test(`${where}: ${kind} fails amid a burst`, { tag: "@long" }, async ({ lab, page, context }) => {
      await context.route("**/*worker*.js", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: script + (await response.text()) });
      });
      await context.addInitScript(init);
      await lab.open("/?nosw");
      expect(await page.evaluate(async () => (await indexedDB.databases()).length)).toBe(where === "IndexedDB" ? 1 : 0);
      await lab.settled();
      const { resourceVersion: start } = (await lab.fetch(configMaps)).body.metadata;
      await watch(page, start);

      const answers = await burst(page, "burst", kind);
      const refused = answers.filter((a) => a.status === 500);
      const taken = answers.filter((a) => a.status === 201);
      expect(refused.length + taken.length).toBe(20);
      expect(refused.length).toBeGreaterThanOrEqual(10);
      expect(taken.length).toBeGreaterThan(0);
      expect(refused[0].message).toMatch(/quota|full/);
      expect(await ready(page)).toBe(500);
      await holds(lab, answers);
      expect((await lab.fetch(`${configMaps}/${refused[0].name}`)).status).toBe(404);

      // Nobody writes, and nobody asks: the journal tries again by itself.
      await expect(page.getByRole("banner")).toContainText("not saved");
      await page.evaluate(() => self.setFault(""));
      await expect(page.getByRole("banner")).not.toContainText("not saved");
      expect(await ready(page)).toBe(200);
      const last = await lab.fetch(configMaps, { method: "POST", body: lab.configMap("last") });
      taken.push({ name: "last", status: last.status, version: last.body.metadata.resourceVersion });

      const versions = taken.map((a) => Number(a.version)).sort((a, b) => a - b);
      expect(versions).toEqual(versions.map((_, i) => Number(start) + 1 + i));
      await page.waitForFunction(() => self.told.some(([, name]) => name === "last"));
      const told = await page.evaluate(() => self.told);
      expect(told.map(([type]) => type)).toEqual(told.map(() => "ADDED"));
      expect(told.map(([, name, version]) => `${version} ${name}`)).toEqual(
        taken.sort((a, b) => Number(a.version) - Number(b.version)).map((a) => `${a.version} ${a.name}`),
      );

      // Again, and the page is left while the storage fails.
      const more = await burst(page, "more", kind);
      expect(named(more.filter((a) => a.status === 500)).length).toBeGreaterThanOrEqual(10);
      const before = await holds(lab, [...refused, ...taken, ...more]);
      await page.reload();
      await lab.ready();
      expect(await holds(lab, [...refused, ...taken, ...more])).toEqual(before);
    });
  }
}
