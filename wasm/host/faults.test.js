// A fault at any point of an exchange fails that exchange, and nothing else: every
// promise settles, the server stops its work, and the next request is answered.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Client } from "./client.js";
import { servePort } from "./serve.js";

const bytes = (s) => new TextEncoder().encode(s);
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
const broken = () => {
  throw new Error("a fault");
};

/** Stands in for bytes that no message can take. */
const unpostable = { buffer: Symbol("no buffer") };

/** Bytes that have been given away: they cannot be posted again. */
function detached() {
  const gone = bytes("gone");
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  return gone;
}

/** A port to a server; /next is always answered. @param {import("node:test").TestContext} t */
function connect(t, serve) {
  const errors = mock.method(console, "error", () => {});
  const { port1, port2 } = new MessageChannel();
  t.after(() => {
    port1.close();
    errors.mock.restore();
  });
  const server = { cancelled: 0, sink: null };
  servePort(port2, (_method, url, _headers, _body, sink) => {
    sink.pull = () => {};
    if (url.endsWith("/next")) return sink.whole(200, "", bytes("answered"));
    sink.cancel = () => server.cancelled++;
    server.sink = sink;
    serve(sink);
  });
  return { client: new Client(port1), server, errors, port1, port2 };
}

const ask = (more = {}) => ({ method: "GET", url: "http://tab.example/api", headers: "", body: null, ...more });

/** What happens to a request and its body. */
async function outcome(client, more) {
  try {
    return await (await client.fetch(ask(more))).text();
  } catch (error) {
    return error instanceof TypeError ? "TypeError" : String(error);
  }
}

/** A stream with one part, and then what is given. */
const streamed = (then) => (sink) => {
  sink.head(200, "");
  sink.chunk(bytes("half"));
  then(sink);
};

// Each is a fault of the server's side; true says that Go has to give the request up.
const atTheServer = {
  "serve throws": [broken, true],
  "serve throws after the head": [streamed(broken), true],
  "the whole answer cannot be posted": [(sink) => sink.whole(200, "", unpostable), true],
  "a part cannot be posted": [streamed((sink) => sink.chunk(unpostable)), true],
  "the head cannot be posted": [(sink) => sink.head(200, Symbol("no header block")), true],
  "the handler fails": [streamed((sink) => sink.fail("it panicked")), false],
};
for (const [name, [serve, cancelled]] of Object.entries(atTheServer)) {
  test(`at the server: ${name}`, async (t) => {
    const { client, server, errors } = connect(t, serve);
    assert.equal(await outcome(client), "TypeError");
    await turn();
    assert.equal(server.cancelled, cancelled ? 1 : 0);
    assert.equal(errors.mock.callCount() > 0, cancelled, "a fault must be loud");
    assert.equal(client.calls.size, 0);
    server.sink.chunk(bytes("late")); // what comes after the end goes nowhere
    server.sink.end();
    assert.equal(await outcome(client, { url: "http://tab.example/next" }), "answered");
  });
}

test("at the server: credit that Go cannot take", async (t) => {
  const { client, server } = connect(t, (sink) => {
    sink.head(200, "");
    sink.pull = broken;
    for (let i = 0; i < 8; i++) sink.chunk(new Uint8Array(32 * 1024));
  });
  assert.equal(await outcome(client), "TypeError");
  assert.equal(server.cancelled, 1);
  assert.equal(await outcome(client, { url: "http://tab.example/next" }), "answered");
});

// Each is a fault of the page's side.
const atThePage = {
  "a status that no Response can have": [(sink) => sink.whole(999, "", bytes("")), false],
  "a header that no Response can have": [(sink) => sink.head(200, "a b: c\n"), true],
  "no stream can be made": [streamed(() => {}), true, () => replace(globalThis, "ReadableStream", broken)],
  "no Response can be made": [streamed(() => {}), true, () => replace(globalThis, "Response", broken)],
};
for (const [name, [serve, cancelled, prepare]] of Object.entries(atThePage)) {
  test(`at the page: ${name}`, async (t) => {
    const { client, server, errors } = connect(t, serve);
    const restore = prepare?.();
    assert.equal(await outcome(client), "TypeError");
    restore?.();
    await turn();
    assert.equal(server.cancelled, cancelled ? 1 : 0);
    assert.ok(errors.mock.callCount() > 0);
    assert.equal(client.calls.size, 0);
    assert.equal(await outcome(client, { url: "http://tab.example/next" }), "answered");
  });
}

function replace(object, name, value) {
  const was = object[name];
  object[name] = value;
  return () => (object[name] = was);
}

test("at the page: a body that was given away before", async (t) => {
  const { client } = connect(t, () => assert.fail("it was sent"));
  assert.equal(await outcome(client, { method: "POST", body: detached().buffer }), "TypeError");
  assert.equal(client.calls.size, 0);
  assert.equal(await outcome(client, { url: "http://tab.example/next" }), "answered");
});

for (const at of ["head", "chunk", "whole", "end", "fail"]) {
  test(`at the page: an observer that throws at ${at} does not touch the answer`, async (t) => {
    const quiet = { head() {}, chunk() {}, whole() {}, end() {}, fail() {} };
    const observer = () => ({ ...quiet, [at]: broken });
    const { client, errors } = connect(t, streamed((sink) => (at === "fail" ? sink.fail("no") : sink.end())));
    assert.equal(await outcome(client, { observer: observer() }), at === "fail" ? "TypeError" : "half");
    const next = outcome(client, { url: "http://tab.example/next", observer: observer() });
    assert.equal(await next, "answered");
    assert.ok(errors.mock.callCount() > 0);
  });
}

test("at the page: a reader that has gone while a part is under way", async (t) => {
  const { client, server } = connect(t, streamed(() => {}));
  const response = await client.fetch(ask());
  server.sink.chunk(bytes("under way"));
  await response.body.cancel();
  await turn();
  assert.equal(server.cancelled, 1);
  assert.equal(await outcome(client, { url: "http://tab.example/next" }), "answered");
});

test("at the page: a message that cannot be read fails all that is open", async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  let lost = "";
  const client = new Client(port1, (why) => (lost = why));
  servePort(port2, () => {});
  const waiting = outcome(client);
  port1.onmessageerror(new Event("messageerror"));
  assert.equal(await waiting, "TypeError");
  assert.match(lost, /could not be read/);
  assert.equal(await outcome(client), "TypeError");
});

test("at the server: a request that cannot be read ends the worker, rather than being forgotten", () => {
  const { port1, port2 } = new MessageChannel();
  servePort(port2, () => {});
  assert.throws(() => port2.onmessageerror(new Event("messageerror")), /could not be read/);
  port1.close();
});
