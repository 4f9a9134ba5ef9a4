import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { fetchProgram, loadProgram, takesPacked, unpackerOf } from "./program.js";

const PROGRAM = "the program";
const IN_LZMA = Buffer.from("XQAAgAALAAAAAAAAAAA6GgjOdr7U6azrkmuQS6U=", "base64");
const UNPACKER = new URL("../unpack/main.js", import.meta.url).href;
const packedPage = /** @type {any} */ ({ dataset: { packed: "" } });
const saved = Object.getOwnPropertyDescriptor(globalThis, "navigator");

afterEach(() => {
  if (saved) Object.defineProperty(globalThis, "navigator", saved);
});

/** A host: what it answers for the program and for the packed file, and what it was asked. */
function host({ encoding = "", lzma = () => new Response(IN_LZMA), packed = () => new Response(gzipSync(PROGRAM)),
  status = 200 } = {}) {
  const asked = [];
  const fetch = async (url, { signal } = {}) => {
    asked.push({ url, signal });
    if (url.endsWith(".gz")) return packed();
    if (url.endsWith(".lzma")) return lzma();
    return new Response(PROGRAM, { status, headers: encoding ? { "content-encoding": encoding } : {} });
  };
  return { fetch, asked, urls: () => asked.map(({ url }) => url) };
}

const encoded = () => new Response(PROGRAM, { headers: { "content-encoding": "gzip" } });
const none = () => new Response("", { status: 404 });
const fails = () => Promise.reject(new TypeError("failed to fetch"));

for (const { name, of = {}, page = packedPage, controller, unpacker = UNPACKER, want, status = 200 } of [
  { name: "a host that compresses", of: { encoding: "br" }, want: ["/p.wasm"] },
  { name: "a host that does not", want: ["/p.wasm", "/p.wasm.lzma"] },
  { name: "one that has no file in LZMA", of: { lzma: none }, want: ["/p.wasm", "/p.wasm.lzma", "/p.wasm.gz"] },
  { name: "one that breaks off", of: { lzma: fails }, want: ["/p.wasm", "/p.wasm.lzma", "/p.wasm.gz"] },
  { name: "one that has not what unpacks it", unpacker: UNPACKER + ".none",
    want: ["/p.wasm", "/p.wasm.lzma", "/p.wasm.gz"] },
  { name: "one with files in gzip only", unpacker: "", want: ["/p.wasm", "/p.wasm.gz"] },
  { name: "one that says the packed file is compressed", of: { lzma: none, packed: encoded },
    want: ["/p.wasm", "/p.wasm.lzma", "/p.wasm.gz"] },
  { name: "one that has no packed file", of: { lzma: none, packed: none },
    want: ["/p.wasm", "/p.wasm.lzma", "/p.wasm.gz", "/p.wasm"] },
  { name: "a page that has none", page: { dataset: {} }, want: ["/p.wasm"] },
  { name: "a service worker", controller: {}, want: ["/p.wasm"] },
  { name: "a host without the program", of: { status: 404 }, status: 404, want: ["/p.wasm"] },
]) {
  test(`the program of ${name}`, async () => {
    Object.defineProperty(globalThis, "navigator", { value: { serviceWorker: { controller } }, configurable: true });
    const there = host(of);
    const response = await fetchProgram(there.fetch, "/p.wasm", takesPacked(page), unpacker);
    assert.equal(response.status, status);
    assert.equal(await response.text(), PROGRAM);
    assert.deepEqual(there.urls(), want);
    assert.equal(there.asked[0].signal.aborted, want.length > 1, "what is not used is not downloaded");
  });
}

const MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
/** As fetched, which has a URL; what was unpacked has none. */
const plain = (content = MODULE) => Object.defineProperty(new Response(content), "url", { value: "http://host/p" });
const cut = () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error("cut")) }));

for (const { name, first, calls, fails: expected } of [
  { name: "a packed program", first: () => new Response(MODULE), calls: [""] },
  { name: "a packed one that becomes another", first: () => new Response("another"), calls: ["", "reload"] },
  { name: "a packed one that ends too early", first: cut, calls: ["", "reload"] },
  { name: "a plain one that is damaged", first: () => plain(new Uint8Array(9)), calls: [""], fails: /magic/ },
  { name: "one that is not there", first: none, calls: [""], fails: /p\.wasm: 404/ },
]) {
  test(`${name} ${expected ? "fails" : "is compiled"}`, async () => {
    const asked = [];
    const module = loadProgram(async (_url, cache = "") => {
      asked.push(cache);
      return cache ? plain() : first();
    }, "/p.wasm", () => {});
    if (expected) await assert.rejects(module, expected);
    else assert.ok((await module) instanceof WebAssembly.Module);
    assert.deepEqual(asked, calls);
  });
}

test("the URL of what unpacks is that of the page's build", () => {
  globalThis.document = /** @type {any} */ ({ baseURI: "https://host/lab/?x" });
  const page = /** @type {any} */ ({ dataset: { packed: "build/1/unlzma.js" } });
  assert.equal(unpackerOf(page), "https://host/lab/build/1/unlzma.js");
  delete globalThis.document;
});

test("the engine gets what has come as it is, and how much of it has come is reported", async (t) => {
  const given = [];
  t.mock.method(WebAssembly, "compileStreaming", async (response) => {
    given.push(response);
    return new WebAssembly.Module(await response.arrayBuffer());
  });
  const response = new Response(MODULE, { headers: { "content-type": "application/wasm" } });
  const reports = [];
  await loadProgram(async () => response, "/p.wasm", (...report) => reports.push(report), 8);
  assert.equal(given[0], response, "a browser keeps what it compiles of a response, not of a stream");
  while (!reports.length) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(reports.at(-1), [8, 8]);
});
