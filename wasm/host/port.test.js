// The two ends of a port, with a server that is a plain function.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WINDOW } from "../../core/wellknown/wellknown.js";
import { Client } from "./client.js";
import { readBlock, writeBlock } from "./headers.js";
import { servePort } from "./serve.js";
import { hasByteStreams } from "./stream.js";

/** @typedef {import("../protocol").Sink & {pulled: number, cancelled: number}} FakeSink */

/**
 * @param {import("node:test").TestContext} t
 * @param {(
 *   request: {method: string, url: string, headers: string, body: Uint8Array | null},
 *   sink: any,
 * ) => void} handler
 */
function connect(t, handler) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  servePort(port2, (method, url, headers, body, sink) => {
    Object.assign(sink, { pulled: 0, cancelled: 0 });
    sink.pull = (n) => (sink.pulled += n);
    sink.cancel = () => sink.cancelled++;
    handler({ method, url, headers, body }, sink);
  });
  return new Client(port1);
}

const bytes = (s) => new TextEncoder().encode(s);
const ask = (more = {}) => ({ method: "GET", url: "http://tab.example/api", headers: "", body: null, ...more });
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Waits until what is true; fails by the test's own timeout. */
async function until(what) {
  while (!what()) await turn();
}

/** @returns {{seen: any[], observer: import("./client.js").Observer}} */
function observe() {
  const seen = [];
  const text = (b) => new TextDecoder().decode(b);
  return {
    seen,
    observer: {
      head: (status, headers) => seen.push(`head ${status} ${headers}`.trim()),
      chunk: (b) => seen.push(`chunk ${text(b)}`),
      whole: (b) => seen.push(`whole ${text(b)}`),
      end: () => seen.push("end"),
      fail: (error, aborted) => seen.push(`fail ${error}${aborted ? " aborted" : ""}`),
    },
  };
}

test("a whole reply", async (t) => {
  let asked;
  const client = connect(t, (request, sink) => {
    asked = { ...request, body: new TextDecoder().decode(request.body) };
    sink.whole(201, "Content-Type: application/json\nA: 1\nA: 2\n", bytes('{"a":1}'));
  });
  const { seen, observer } = observe();
  const body = bytes("hello").buffer;
  const url = "http://tab.example/api#frag";
  const response = await client.fetch(ask({ method: "POST", headers: "x: y\n", body, observer, url }));
  assert.deepEqual(asked, { method: "POST", url: "http://tab.example/api#frag", headers: "x: y\n", body: "hello" });
  assert.equal(body.byteLength, 0, "the body was copied, not given away");
  assert.equal(response.status, 201);
  assert.equal(response.url, "http://tab.example/api");
  assert.equal(response.type, "basic");
  assert.equal(response.headers.get("a"), "1, 2");
  assert.equal(response.clone().url, response.url);
  assert.deepEqual(await response.json(), { a: 1 });
  assert.deepEqual(seen, ['head 201 Content-Type: application/json\nA: 1\nA: 2', 'whole {"a":1}', "end"]);
  assert.equal(client.calls.size, 0);
});

for (const [name, method, status] of [["204", "DELETE", 204], ["304", "GET", 304], ["HEAD", "HEAD", 200]]) {
  test(`no body: ${name}`, async (t) => {
    const client = connect(t, (_, sink) => sink.whole(status, "Content-Length: 9\n", bytes("")));
    const response = await client.fetch(ask({ method }));
    assert.equal(response.status, status);
    assert.equal(response.body, null);
    assert.equal(await response.text(), "");
  });
}

test("a status that no Response can have is a network failure", async (t) => {
  const client = connect(t, (_, sink) => sink.whole(999, "", bytes("")));
  await assert.rejects(client.fetch(ask()), TypeError);
});

test("a stream: the head comes before any chunk", async (t) => {
  let sink;
  const client = connect(t, (_, s) => ((sink = s), s.head(200, "")));
  const { seen, observer } = observe();
  const response = await client.fetch(ask({ observer }));
  assert.deepEqual(seen, ["head 200"]);
  const reader = response.body.getReader();
  sink.chunk(bytes("one"));
  assert.equal(new TextDecoder().decode((await reader.read()).value), "one");
  sink.chunk(bytes("two"));
  sink.end();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "two");
  assert.equal((await reader.read()).done, true);
  assert.deepEqual(seen, ["head 200", "chunk one", "chunk two", "end"]);
});

test("a stream's reader may bring its own buffer", { skip: !hasByteStreams() }, async (t) => {
  let sink;
  const client = connect(t, (_, s) => ((sink = s), s.head(200, "")));
  const response = await client.fetch(ask());
  const reader = response.body.getReader({ mode: "byob" });
  const first = reader.read(new Uint8Array(10));
  sink.chunk(bytes("one"));
  assert.equal(new TextDecoder().decode((await first).value), "one");
  const last = reader.read(new Uint8Array(10));
  sink.end();
  assert.equal((await last).done, true);
});

test("credit follows the reader", async (t) => {
  let sink;
  const client = connect(t, (_, s) => ((sink = s), s.head(200, "")));
  const response = await client.fetch(ask());
  const piece = WINDOW / 8;
  for (let i = 0; i < 8; i++) sink.chunk(new Uint8Array(piece));
  await turn();
  assert.equal(sink.pulled, 0, "credit for what nobody has read");
  const reader = response.body.getReader();
  let read = 0;
  for (let i = 0; i < 8; i++) read += (await reader.read()).value.length;
  await until(() => sink.pulled > 0);
  assert.equal(read, WINDOW);
  assert.ok(sink.pulled >= WINDOW / 2 && sink.pulled <= WINDOW, `${sink.pulled} bytes of credit`);
  // However it is cut, a stream never starves.
  let granted = WINDOW + sink.pulled - WINDOW;
  let sent = 0;
  for (let round = 0; round < 40; round++) {
    const size = Math.min(1 + round * 7919, granted - sent);
    if (size > 0) sink.chunk(new Uint8Array(size));
    sent += size;
    for (let got = 0; got < size; ) got += (await reader.read()).value.length;
    const before = sink.pulled;
    if (sent === granted) await until(() => sink.pulled > before || sink.pulled > granted);
    granted = sink.pulled;
  }
  assert.ok(sent > WINDOW);
  await reader.cancel();
});

test("abort before the head", async (t) => {
  let sink;
  const client = connect(t, (_, s) => (sink = s));
  const { seen, observer } = observe();
  const controller = new AbortController();
  const answer = client.fetch(ask({ signal: controller.signal, observer }));
  await until(() => sink);
  controller.abort(new Error("changed my mind"));
  await assert.rejects(answer, /changed my mind/);
  await until(() => sink.cancelled === 1);
  sink.fail("cancelled"); // late, and heard by nobody
  await turn();
  assert.deepEqual(seen, ["fail changed my mind aborted"]);
});

test("abort in the middle of a stream", async (t) => {
  let sink;
  const client = connect(t, (_, s) => ((sink = s), s.head(200, ""), s.chunk(bytes("half"))));
  const controller = new AbortController();
  const response = await client.fetch(ask({ signal: controller.signal }));
  const other = response.clone();
  const text = response.text();
  const otherText = other.text();
  setTimeout(() => controller.abort(), 5);
  await assert.rejects(text, { name: "AbortError" });
  await assert.rejects(otherText, { name: "AbortError" });
  await until(() => sink.cancelled === 1);
});

test("abort through the observer", async (t) => {
  let sink;
  const client = connect(t, (_, s) => ((sink = s), s.head(200, "")));
  const { seen, observer } = observe();
  const response = await client.fetch(ask({ observer }));
  observer.abort(new DOMException("from the lab", "AbortError"));
  await assert.rejects(response.text(), { name: "AbortError" });
  await until(() => sink.cancelled === 1);
  observer.abort(new Error("again"));
  assert.deepEqual(seen, ["head 200", "fail from the lab aborted"]);
});

test("a signal that was aborted before sends nothing", async (t) => {
  let asked = 0;
  const client = connect(t, () => asked++);
  await assert.rejects(client.fetch(ask({ signal: AbortSignal.abort() })), { name: "AbortError" });
  await turn();
  assert.equal(asked, 0);
});

test("the reader cancels", async (t) => {
  let sink;
  const client = connect(t, (_, s) => ((sink = s), s.head(200, ""), s.chunk(bytes("x"))));
  const { seen, observer } = observe();
  const response = await client.fetch(ask({ observer }));
  await response.body.cancel("enough");
  await until(() => sink.cancelled === 1);
  sink.chunk(bytes("late"));
  await turn();
  assert.equal(seen.at(-1), "fail enough aborted");
  assert.equal(client.calls.size, 0);
});

test("the server fails before and after the head", async (t) => {
  const client = connect(t, (request, sink) => {
    if (request.url.endsWith("after")) {
      sink.head(200, "");
      sink.chunk(bytes("half"));
    }
    sink.fail("it panicked");
  });
  const { seen, observer } = observe();
  await assert.rejects(client.fetch(ask({ observer })), { name: "TypeError", message: "Failed to fetch" });
  const response = await client.fetch(ask({ observer, url: "http://tab.example/after" }));
  await assert.rejects(response.text(), TypeError);
  assert.deepEqual(seen, ["fail it panicked", "head 200", "chunk half", "fail it panicked"]);
});

test("close fails everything, now and later", async (t) => {
  const client = connect(t, (request, sink) => request.url.endsWith("stream") && sink.head(200, ""));
  const { seen, observer } = observe();
  const waiting = client.fetch(ask({ observer }));
  const stream = await client.fetch(ask({ url: "http://tab.example/stream" }));
  const text = stream.text();
  client.close("it crashed");
  await assert.rejects(waiting, TypeError);
  await assert.rejects(text, TypeError);
  await assert.rejects(client.fetch(ask()), TypeError);
  assert.deepEqual(seen, ["fail it crashed"]);
});

test("requests wait in the port for their server", async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const client = new Client(port1);
  const controller = new AbortController();
  const early = client.fetch(ask());
  const given = client.fetch(ask({ signal: controller.signal }));
  controller.abort();
  await assert.rejects(given, { name: "AbortError" });
  await turn();
  servePort(port2, (_m, _u, _h, _b, sink) => sink.whole(200, "", bytes("at last")));
  assert.equal(await (await early).text(), "at last");
});

test("a client that goes away cancels what it asked", async (t) => {
  let sink;
  const client = connect(t, (_, s) => ((sink = s), s.head(200, "")));
  await client.fetch(ask());
  client.port.close();
  await until(() => sink.cancelled === 1);
});

test("header blocks", () => {
  const headers = [["A", "1"], ["A", "2: 3"], ["Empty", ""]];
  const block = writeBlock(headers);
  assert.equal(block, "A: 1\nA: 2: 3\nEmpty: \n");
  assert.deepEqual(readBlock(block), headers);
  assert.deepEqual(readBlock(""), []);
});

test("small chunks of several replies share a message, and stay in order", async (t) => {
  const sinks = [];
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const sent = [];
  const post = port2.postMessage;
  port2.postMessage = (m, transfer) => {
    sent.push(m.type);
    post.call(port2, m, transfer);
  };
  servePort(port2, (_method, _url, _headers, _body, sink) => void sinks.push(sink));
  const client = new Client(port1);
  const seen = [];
  const asked = Array.from({ length: 3 }, () => {
    const { seen: own, observer } = observe();
    seen.push(own);
    return client.fetch(ask({ observer }));
  });
  await until(() => sinks.length === 3);
  for (const sink of sinks) sink.head(200, "");
  const responses = await Promise.all(asked);
  sent.length = 0;
  for (const round of [1, 2]) for (const [i, sink] of sinks.entries()) sink.chunk(bytes(`${i}${round} `));
  sinks[2].chunk(bytes("x".repeat(10_000))); // too large to wait: what waits of it goes first
  sinks[2].end();
  sinks[0].chunk(bytes("alone"));
  await until(() => seen[2].at(-1) === "end" && seen[0].at(-1) === "chunk alone");
  assert.deepEqual(sent, ["chunks", "chunk", "end", "chunk"]);
  assert.deepEqual(seen[1], ["head 200", "chunk 11 ", "chunk 12 "]);
  assert.equal(await responses[2].text(), "21 22 " + "x".repeat(10_000));
  sinks[0].chunk(bytes("a"));
  sinks[1].chunk(bytes("b"));
  sinks[0].fail("over");
  await until(() => seen[0].at(-1).startsWith("fail") && seen[1].at(-1) === "chunk b");
  assert.deepEqual(seen[0].slice(-2), ["chunk a", "fail over"]);
});
