// @ts-check
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { CACHE, Cel } from "./cel.js";

/** The smallest program there is. */
const program = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const base = "https://lab.example/build/1/worker.js";
const about = (packed = false) =>
  ({ sha256: createHash("sha256").update(program).digest("hex"), bytes: program.length, packed });

/** A cache, as far as it is used. */
function fakeCaches() {
  /** @type {Map<string, Response>} */ const kept = new Map();
  const cache = {
    match: async (/** @type {string} */ url) => kept.get(url)?.clone(),
    put: async (/** @type {string} */ url, /** @type {Response} */ response) => void kept.set(url, response),
    keys: async () => [...kept.keys()].map((url) => ({ url })),
    delete: async (/** @type {{url: string}} */ { url }) => kept.delete(url),
  };
  const open = async (/** @type {string} */ name) => (assert.equal(name, CACHE), cache);
  return { kept, caches: /** @type {CacheStorage} */ (/** @type {unknown} */ ({ open })) };
}

/**
 * An evaluator on a host, whose files are functions that make an answer, or nothing.
 *
 * @param {Record<string, () => Response>} files
 * @param {CacheStorage} [caches]
 */
function on(files, caches = fakeCaches().caches) {
  /** @type {string[]} */ const asked = [];
  /** @type {string[]} */ const told = [];
  /** @type {{end: () => void}[]} */ const runs = [];
  const cel = new Cel({
    base,
    caches,
    fetch: async (url, init) => {
      const name = String(url).split("/").at(-1) ?? "";
      asked.push(name + (init?.cache ? ` ${init.cache}` : ""));
      if (!files[name]) throw new TypeError("Failed to fetch");
      return files[name]();
    },
    run: (argv) => {
      const found = Object.getOwnPropertyDescriptor(globalThis, argv[1]);
      found?.value.ready((/** @type {Uint8Array} */ message) => message);
      return new Promise((end) => runs.push({ end }));
    },
    progress: ({ loaded, total, problem }) => told.push(problem || `${loaded}/${total}`),
  });
  return { cel, asked, told, runs, files };
}

const json = (/** @type {unknown} */ o) => () => new Response(JSON.stringify(o));
const wasm = (bytes = program) => () => new Response(bytes);
const none = () => new Response("none", { status: 404 });

test("it is loaded once, kept by its hash, and what is kept of others is removed", async () => {
  const { kept, caches } = fakeCaches();
  kept.set("https://lab.example/tabernetes-cel/other.wasm", new Response("other"));
  const first = on({ "cel.json": json(about()), "cel.wasm": wasm() }, caches);
  const message = new Uint8Array([1, 2]);
  assert.equal((await first.cel.get())(message), message);
  await first.cel.get();
  assert.deepEqual(first.asked, ["cel.json", "cel.wasm"]);
  assert.deepEqual(first.told, ["8/8", "0/0"]);
  assert.deepEqual([...kept.keys()], [`https://lab.example/tabernetes-cel/${about().sha256}.wasm`]);

  const later = on({ "cel.json": json(about()) }, caches);
  await later.cel.get();
  assert.deepEqual(later.asked, ["cel.json"]);
});

test("what is kept and damaged is downloaded again", async () => {
  const { kept, caches } = fakeCaches();
  kept.set(`https://lab.example/tabernetes-cel/${about().sha256}.wasm`, new Response(new Uint8Array(8)));
  const { cel, asked } = on({ "cel.json": json(about()), "cel.wasm": wasm() }, caches);
  await cel.get();
  assert.deepEqual(asked, ["cel.json", "cel.wasm"]);
});

test("from a host that does not compress the packed file is taken, and the other if that is damaged", async () => {
  const small = new Uint8Array(gzipSync(program));
  const well = on({ "cel.json": json(about(true)), "cel.wasm": wasm(), "cel.wasm.gz": wasm(small) });
  await well.cel.get();
  assert.deepEqual(well.asked, ["cel.json", "cel.wasm", "cel.wasm.gz"]);

  const bad = small.slice();
  bad[12] ^= 0x55;
  const damaged = on({ "cel.json": json(about(true)), "cel.wasm": wasm(), "cel.wasm.gz": wasm(bad) });
  await damaged.cel.get();
  assert.deepEqual(damaged.asked, ["cel.json", "cel.wasm", "cel.wasm.gz", "cel.wasm reload"]);
});

const cutOff = () => new Response(new ReadableStream({ pull: (c) => c.error(new TypeError("network error")) }));

/** @type {[string, Record<string, () => Response>, string][]} */
const failures = [
  ["no connection", {}, "there is no connection to the page's server"],
  ["a site without it", { "cel.json": none }, "this site was built without it"],
  ["another file in its place", { "cel.json": wasm() }, "this site was built without it"],
  ["a missing program", { "cel.json": json(about()), "cel.wasm": none }, "the page's server has no cel.wasm (404)"],
  ["a damaged program", { "cel.json": json(about()), "cel.wasm": wasm(program.map((b) => b ^ 1)) },
    "cel.wasm was damaged on its way from the page's server"],
  ["a larger program", { "cel.json": json(about()), "cel.wasm": wasm(new Uint8Array(9)) },
    "cel.wasm was damaged on its way from the page's server"],
  ["a network that fails", { "cel.json": json(about()), "cel.wasm": cutOff }, "the download of cel.wasm was cut off"],
];
for (const [what, files, problem] of failures) {
  test(`${what} is told, and it is asked for again`, async () => {
    const { cel, told, files: host } = on(files);
    await assert.rejects(cel.get(), { message: problem });
    assert.equal(told.at(-1), problem);
    Object.assign(host, { "cel.json": json(about()), "cel.wasm": wasm() });
    await cel.get();
    assert.equal(told.at(-1), "0/0");
  });
}

test("a program that has ended answers null, and is started again", async () => {
  const { cel, runs } = on({ "cel.json": json(about()), "cel.wasm": wasm() });
  const run = await cel.get();
  runs[0].end();
  await new Promise(setImmediate);
  assert.equal(run(new Uint8Array(1)), null);
  await cel.get();
  assert.equal(runs.length, 2);
});
