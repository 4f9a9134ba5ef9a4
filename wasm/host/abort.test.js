// An answer whose request is aborted, by a port that is scripted: each read of its body gives the reason, until the
// body has been read, whichever of the answer's end and the abort came first. Node's own fetch is the measure.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Client } from "./client.js";

const bytes = (/** @type {string} */ s) => new TextEncoder().encode(s).buffer;
const reason = new DOMException("enough", "AbortError");
const head = { type: "head", status: 200, headers: "" };
const chunk = { type: "chunk", data: "{}" };
const end = { type: "end" };
const whole = { type: "whole", status: 200, headers: "", body: "{}" };
const fail = { type: "fail", message: "gone" };

/** Asks with a signal, and returns what the script's messages and aborts make of the answer. */
async function answered(script, signal = new AbortController(), observer = null) {
  const port = { postMessage() {}, close() {} };
  const client = new Client(/** @type {any} */ (port));
  const url = "http://tab.example/api";
  const ask = { method: "GET", url, headers: "", body: null, signal: signal.signal, observer };
  const response = client.fetch(ask);
  response.catch(() => {});
  for (const step of script) {
    if (step === "abort") signal.abort(reason);
    else port.onmessage({ data: { id: 1, ...step, ...(step.data && { data: bytes(step.data) }),
      ...(step.body && { body: bytes(step.body) }) } });
    await null; // reads and streams continue
  }
  return response;
}

const READS = {
  text: (r) => r.text(),
  json: (r) => r.json(),
  arrayBuffer: (r) => r.arrayBuffer(),
  blob: (r) => r.blob(),
  getReader: (r) => r.body.getReader().read(),
  clone: (r) => r.clone().text(),
  "clone's reader": (r) => r.clone().body.getReader().read(),
};
const ABORTED = {
  "a whole answer, then the abort": [whole, "abort"],
  "the end, then the abort": [head, chunk, end, "abort"],
  "the abort, then the end": [head, chunk, "abort", end],
  "the abort, then more": [head, "abort", chunk, end],
  "the abort, then a failure": [head, chunk, "abort", fail],
};
for (const [name, script] of Object.entries(ABORTED)) {
  for (const [read, by] of Object.entries(READS)) {
    test(`${name}: ${read}`, async () => {
      const response = await answered(script);
      await assert.rejects(async () => by(response), (error) => error === reason);
    });
  }
}

test("a clone that was made before the abort", async () => {
  const stop = new AbortController();
  const response = await answered([whole], stop);
  const clone = response.clone();
  stop.abort(reason);
  await assert.rejects(clone.text(), (error) => error === reason);
  await assert.rejects(response.text(), (error) => error === reason);
});

test("a failure, then the abort: it failed", async () => {
  const response = await answered([head, chunk, fail, "abort"]);
  await assert.rejects(response.text(), TypeError);
});

test("the abort before the answer", async () => {
  await assert.rejects(answered(["abort", whole]), (error) => error === reason);
  await assert.rejects(answered(["abort", head, end]), (error) => error === reason);
});

for (const script of [[whole], [head, chunk, end]]) {
  test(`what was read stays read: ${script[0].type}`, async () => {
    const stop = new AbortController();
    const response = await answered(script, stop);
    const reader = response.body.getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), "{}");
    assert.equal((await reader.read()).done, true);
    await reader.closed;
    stop.abort(reason);
    assert.equal((await reader.read()).done, true);
  });
}

test("an observer keeps the whole of an answer that is read", async () => {
  let kept = new Uint8Array();
  const observer = { head() {}, chunk() {}, whole: (bytes) => (kept = bytes), end() {}, fail() {} };
  const response = await answered([whole], new AbortController(), observer);
  assert.equal(await response.text(), "{}");
  assert.equal(new TextDecoder().decode(kept), "{}");
});

test("an empty body has nothing to break", async () => {
  for (const script of [[head, end, "abort"], [{ ...whole, body: undefined, status: 204 }, "abort"]]) {
    assert.equal(await (await answered(script)).text(), "");
  }
});

test("Node's fetch does the same", async (t) => {
  const server = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const stop = new AbortController();
  const at = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/`;
  const unread = await fetch(at, { signal: stop.signal });
  const reader = (await fetch(at, { signal: stop.signal })).body.getReader();
  const read = await fetch(at, { signal: stop.signal });
  assert.equal(await read.text(), "{}");
  stop.abort(reason);
  await assert.rejects(unread.text(), { name: "AbortError" });
  await assert.rejects(reader.read(), { name: "AbortError" });
});
