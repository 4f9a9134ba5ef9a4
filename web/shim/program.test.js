import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { fetchProgram, takesPacked } from "./program.js";

const PROGRAM = "the program";
const packedPage = /** @type {any} */ ({ dataset: { packed: "" } });
const saved = Object.getOwnPropertyDescriptor(globalThis, "navigator");

afterEach(() => {
  if (saved) Object.defineProperty(globalThis, "navigator", saved);
});

/** A host: what it answers for the program and for the packed file, and what it was asked. */
function host({ encoding = "", packed = () => new Response(gzipSync(PROGRAM)), status = 200 } = {}) {
  const asked = [];
  const fetch = async (url, { signal } = {}) => {
    asked.push({ url, signal });
    if (url.endsWith(".gz")) return packed();
    return new Response(PROGRAM, { status, headers: encoding ? { "content-encoding": encoding } : {} });
  };
  return { fetch, asked, urls: () => asked.map(({ url }) => url) };
}

const encoded = () => new Response(PROGRAM, { headers: { "content-encoding": "gzip" } });

for (const { name, of = {}, page = packedPage, controller, want, status = 200 } of [
  { name: "a host that compresses", of: { encoding: "br" }, want: ["/p.wasm"] },
  { name: "a host that does not", want: ["/p.wasm", "/p.wasm.gz"] },
  { name: "one that says the packed file is compressed", of: { packed: encoded }, want: ["/p.wasm", "/p.wasm.gz"] },
  { name: "one that has no packed file", of: { packed: () => new Response("", { status: 404 }) },
    want: ["/p.wasm", "/p.wasm.gz", "/p.wasm"] },
  { name: "a page that has none", page: { dataset: {} }, want: ["/p.wasm"] },
  { name: "a service worker", controller: {}, want: ["/p.wasm"] },
  { name: "a host without the program", of: { status: 404 }, status: 404, want: ["/p.wasm"] },
]) {
  test(`the program of ${name}`, async () => {
    Object.defineProperty(globalThis, "navigator", { value: { serviceWorker: { controller } }, configurable: true });
    const there = host(of);
    const response = await fetchProgram(there.fetch, "/p.wasm", takesPacked(page));
    assert.equal(response.status, status);
    assert.equal(await response.text(), PROGRAM);
    assert.deepEqual(there.urls(), want);
    assert.equal(there.asked[0].signal.aborted, want.length > 1, "what is not used is not downloaded");
  });
}
