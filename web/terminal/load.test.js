// The download of the binary: what is kept, what is asked for again, and what cannot be had.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadBinary } from "./load.js";

/** A module of WebAssembly that is large enough for three parts: a section that means nothing. */
const binary = (() => {
  const all = new Uint8Array(8 + 3 + 300);
  all.set([0, 97, 115, 109, 1, 0, 0, 0, 0, 0xac, 0x02, 0]);
  return all;
})();
const base = "http://tab.example/kubectl/";
const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");

function partsOf(bytes) {
  return [0, 1, 2].map((i) => {
    const content = bytes.slice(i * 128, (i + 1) * 128);
    const sha256 = sha(content);
    const name = `kubectl-${i}-${sha256.slice(0, 12)}.wasm`;
    return { part: { name, sha256, bytes: content.length, brotli: 10 }, content };
  });
}

/** The browser's caches. */
function fakeCaches(stores = new Map()) {
  return {
    stores,
    open: async (name) => {
      if (!stores.has(name)) stores.set(name, new Map());
      const store = stores.get(name);
      const key = (asked) => asked.url ?? asked.href;
      return {
        match: async (asked) => store.get(key(asked))?.clone(),
        put: async (asked, response) => void store.set(key(asked), response),
        delete: async (asked) => store.delete(key(asked)),
        keys: async () => [...store.keys()].map((url) => ({ url })),
      };
    },
  };
}

/** A server with the parts; faults are answers that it gives first, by a part's number. */
function server({ faults = {}, list } = {}) {
  const all = partsOf(binary);
  const asked = [];
  const fetch = async (url, init = {}) => {
    const name = new URL(url).pathname.split("/").at(-1);
    asked.push(init.cache ? `${name} ${init.cache}` : name);
    if (name === "kubectl.json") return list?.shift() ?? Response.json({ parts: all.map(({ part }) => part) });
    const i = all.findIndex(({ part }) => part.name === name);
    const fault = faults[i]?.shift();
    if (fault) return fault(all[i].content);
    return i < 0 ? new Response("", { status: 404 }) : new Response(all[i].content);
  };
  return { fetch, asked, names: all.map(({ part }) => part.name) };
}

const noWait = async () => {};
const cutOff = (content) => new Response(new ReadableStream({
  start: (c) => c.enqueue(content.slice(0, 50)),
  pull: (c) => c.error(new TypeError("network error")),
}));
const shorter = (content) => new Response(content.slice(0, 50));
const damaged = (content) => new Response(content.map((b, i) => (i === 60 ? b ^ 1 : b)));
const longer = (content) => new Response(new Uint8Array(content.length + 1));

test("parts are downloaded with progress, compiled and kept; the next time nothing is downloaded", async () => {
  const { fetch, asked, names } = server();
  const caches = fakeCaches();
  const seen = [];
  const module = await loadBinary({ base, fetch, caches, progress: (p) => seen.push(p) });
  assert.ok(module instanceof WebAssembly.Module);
  assert.deepEqual(asked, ["kubectl.json", ...names]);
  assert.deepEqual(seen[0], { loaded: 0, total: binary.length, download: 30, kept: true, building: false });
  assert.equal(seen.at(-1).loaded, binary.length);
  assert.equal(seen.at(-1).kept, false);
  assert.ok(seen.every(({ loaded }, i) => i === 0 || loaded >= seen[i - 1].loaded));
  asked.length = 0;
  await loadBinary({ base, fetch, caches, progress: (p) => seen.push(p) });
  assert.deepEqual(asked, ["kubectl.json"]);
  assert.equal(seen.at(-1).kept, true);
});

for (const [name, fault] of Object.entries({ cutOff, shorter, damaged, longer })) {
  test(`a part that came otherwise (${name}) is asked for again, and no other`, async () => {
    const { fetch, asked, names } = server({ faults: { 1: [fault, fault] } });
    await loadBinary({ base, fetch, caches: fakeCaches(), sleep: noWait });
    assert.deepEqual(asked, ["kubectl.json", names[0], names[1], `${names[1]} reload`, `${names[1]} reload`, names[2]]);
  });
}

test("a download that was given up goes on with the part that is missing", async () => {
  const caches = fakeCaches();
  const broken = server({ faults: { 1: Array(4).fill(cutOff) } });
  await assert.rejects(loadBinary({ base, fetch: broken.fetch, caches, sleep: noWait }),
    { kind: "network", message: /cut off.*kept/ });
  const { fetch, asked, names } = server();
  await loadBinary({ base, fetch, caches });
  assert.deepEqual(asked, ["kubectl.json", names[1], names[2]]);
});

test("what is kept and damaged is downloaded again", async () => {
  const caches = fakeCaches();
  const { fetch, asked, names } = server();
  await loadBinary({ base, fetch, caches });
  const store = caches.stores.get("tabernetes-kubectl");
  store.set(base + names[2], new Response(new Uint8Array(55).fill(1)));
  asked.length = 0;
  await loadBinary({ base, fetch, caches });
  assert.deepEqual(asked, ["kubectl.json", names[2]]);
});

test("a site that was built without it is not asked", async () => {
  const { fetch, asked } = server();
  await assert.rejects(loadBinary({ base, fetch, caches: fakeCaches(), isAbsent: true, absent: "There is none." }),
    { kind: "missing", message: "There is none." });
  assert.deepEqual(asked, []);
});

test("parts of another binary are removed", async () => {
  const old = new Map([[base + "kubectl-0-old.wasm", new Response("")]]);
  const caches = fakeCaches(new Map([["tabernetes-kubectl", old]]));
  const { fetch, names } = server();
  await loadBinary({ base, fetch, caches });
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([...caches.stores.get("tabernetes-kubectl").keys()], names.map((name) => base + name));
});

test("without caches, or with full ones, it works and keeps nothing", async () => {
  const full = { open: async () => ({ match: async () => {}, keys: async () => [], put: async () => {
    throw new DOMException("full", "QuotaExceededError");
  } }) };
  const refused = { open: () => Promise.reject(new DOMException("no", "SecurityError")) };
  for (const caches of [undefined, full, refused]) {
    const { fetch } = server();
    const errors = console.error;
    console.error = () => {};
    assert.ok(await loadBinary({ base, fetch, caches }));
    console.error = errors;
  }
});

test("without crypto.subtle the size is compared", async () => {
  const { fetch, asked } = server({ faults: { 0: [shorter] } });
  assert.ok(await loadBinary({ base, fetch, caches: fakeCaches(), subtle: null, sleep: noWait }));
  assert.equal(asked.length, 5);
});

test("a server that builds is asked again", async () => {
  const building = () => new Response("kubectl is being built", { status: 503, headers: { "Retry-After": "3" } });
  const { fetch, asked } = server({ list: [building(), building()] });
  const seen = [];
  await loadBinary({ base, fetch, caches: fakeCaches(), sleep: noWait, progress: (p) => seen.push(p.building) });
  assert.equal(asked.filter((name) => name === "kubectl.json").length, 3);
  assert.deepEqual(seen.slice(0, 3), [true, true, false]);
});

for (const [name, answer, error] of [
  ["a site without it", () => new Response("", { status: 404 }), { kind: "missing", message: /^This site was built/ }],
  ["a host that answers with its page", () => new Response("<html>"), { kind: "missing", message: /^This site/ }],
  ["a build that failed", () => new Response("kubectl could not be built.", { status: 500 }),
    { kind: "missing", message: "kubectl could not be built." }],
  ["no connection", () => Promise.reject(new TypeError("Failed")), { kind: "network", message: /no connection/ }],
  ["what is no module", () => Response.json({ parts: [partsOf(new Uint8Array(99))[0].part] }), { kind: "engine" }],
]) {
  test(`${name} is said in a sentence`, async () => {
    const content = partsOf(new Uint8Array(99))[0].content;
    const fetch = async (url) => (String(url).endsWith(".json") ? answer() : new Response(content));
    await assert.rejects(loadBinary({ base, fetch, caches: fakeCaches(), sleep: noWait }), error);
  });
}

test("a part that stays damaged is said so, and a part that is gone, too", async () => {
  const options = { base, caches: fakeCaches(), sleep: noWait };
  await assert.rejects(loadBinary({ ...options, fetch: server({ faults: { 0: Array(4).fill(damaged) } }).fetch }),
    { kind: "damaged" });
  const gone = () => new Response("", { status: 404 });
  await assert.rejects(loadBinary({ ...options, fetch: server({ faults: { 1: Array(4).fill(gone) } }).fetch }),
    { kind: "missing", message: /reload the page/ });
});

test("from a host that does not compress, packed parts are downloaded", async () => {
  const all = partsOf(binary);
  const list = [Response.json({ parts: all.map(({ part }) => ({ ...part, gzip: 20 })) })];
  const plain = server({ list });
  const packed = new Map(all.map(({ part, content }) => [part.name + ".gz", gzipSync(content)]));
  const asked = [];
  const fetch = async (url, init) => {
    const name = new URL(url).pathname.split("/").at(-1);
    asked.push(name);
    return packed.has(name) ? new Response(packed.get(name)) : plain.fetch(url, init);
  };
  await loadBinary({ base, fetch, caches: fakeCaches(), sleep: noWait });
  assert.deepEqual(asked, ["kubectl.json", ...plain.names.flatMap((name) => [name, name + ".gz"])]);
});
