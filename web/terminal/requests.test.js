// Requests of processes, from the fetch of an instance to that of the page.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { WINDOW } from "../../core/wellknown/wellknown.js";
import { portFetch } from "./worker/fetch.js";
import { bytes, until } from "./kernel/fake.js";
import { Process } from "./kernel/process.js";
import { Requests } from "./kernel/requests.js";

/** A process whose requests a page's fetch answers. */
function connect(fetch) {
  const told = [];
  const requests = new Requests(fetch, (asked) => told.push(asked));
  const process = new Process(7, { argv: [], env: ["TABERNETES_SESSION=1", "TABERNETES_COMMAND=2"], dir: "/" });
  const { port1, port2 } = new MessageChannel();
  after(() => (port1.close(), port2.close()));
  requests.serve(port1, process);
  return { requests, process, told, fetch: portFetch(port2) };
}

test("a request is the page's, with its headers, and is told with the number that the log gives it", async () => {
  let asked;
  const { fetch, told } = connect(async (url, init) => {
    init.tabernetes.id = 42;
    asked = { url, ...init, body: new TextDecoder().decode(init.body) };
    return new Response("made", { status: 201, headers: { A: "1" } });
  });
  const headers = new Headers({ "User-Agent": "kubectl/v1.36.3", "Content-Type": "application/json" });
  const response = await fetch("http://tab.example/api/v1/pods", { method: "POST", headers, body: bytes("{}") });
  assert.deepEqual([response.status, response.headers.get("a"), await response.text()], [201, "1", "made"]);
  assert.deepEqual([asked.method, asked.body, asked.tabernetes.origin], ["POST", "{}", "terminal"]);
  assert.equal(new Headers(asked.headers).get("user-agent"), "kubectl/v1.36.3");
  assert.deepEqual(told,
    [{ pid: 7, session: 1, command: 2, id: 42, method: "POST", url: "http://tab.example/api/v1/pods" }]);
});

test("the shell says what command a request is for, and nobody else hears of it", async () => {
  let seen;
  const { fetch, told } = connect(async (_, init) => {
    seen = new Headers(init.headers);
    return new Response("");
  });
  await fetch("http://tab.example/samples/a.yaml", { headers: { "Tabernetes-Command": "3/9", Accept: "*/*" } });
  assert.deepEqual([...seen.keys()], ["accept"]);
  const [{ session, command, id }] = told;
  assert.deepEqual([session, command, id], [3, 9, 0], "a file of the site has no number in the log");
});

/** A body that a test writes, and which says what happened to it. */
function body() {
  const it = { cancelled: false, pulled: 0, controller: null };
  it.stream = new ReadableStream({
    start: (c) => (it.controller = c),
    pull: () => void it.pulled++,
    cancel: () => void (it.cancelled = true),
  }, { highWaterMark: 0 });
  return it;
}

test("a stream comes piece by piece, and its end", async () => {
  const watch = body();
  const { fetch } = connect(async () => new Response(watch.stream));
  const reader = (await fetch("http://tab.example/api")).body.getReader();
  watch.controller.enqueue(bytes("one"));
  assert.equal(new TextDecoder().decode((await reader.read()).value), "one");
  watch.controller.close();
  assert.equal((await reader.read()).done, true);
});

test("what the process does not read is not asked of the server", async () => {
  let sent = 0;
  const piece = WINDOW / 4;
  const { fetch } = connect(async () => new Response(new ReadableStream({
    pull: (c) => (sent++, c.enqueue(new Uint8Array(piece))),
  }, { highWaterMark: 0 })));
  const reader = (await fetch("http://tab.example/api")).body.getReader();
  await until(() => sent >= 4);
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(sent, 4);
  for (let read = 0; read < 2 * WINDOW; ) read += (await reader.read()).value.length;
  assert.ok(sent >= 8 && sent <= 12, `${sent} pieces`);
});

for (const [name, act] of [
  ["the process does not want it", ({ reader }) => reader.cancel()],
  ["the process aborts it", ({ stop }) => stop.abort()],
  ["the process has ended", ({ process }) => process.exit(130)],
  ["its command is interrupted", ({ requests }) => requests.interrupt(1)],
]) {
  test(`a watch is aborted when ${name}`, async () => {
    const watch = body();
    let signal;
    const it = connect(async (_, init) => {
      ({ signal } = init);
      return new Response(watch.stream);
    });
    const stop = new AbortController();
    const response = await it.fetch("http://tab.example/api", { signal: stop.signal });
    const reader = response.body.getReader();
    const read = reader.read().then(() => "ended", () => "failed");
    await act({ ...it, reader, stop });
    await until(() => signal.aborted);
    if (!name.includes("has ended")) await read; // of a process that is gone nothing is heard
    assert.equal(signal.aborted, true);
  });
}

test("interrupting a session leaves the requests of others, and of jobs of its own", async () => {
  const signals = {};
  const { fetch, requests } = connect((url, init) => {
    signals[url] = init.signal;
    return new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)));
  });
  const failed = fetch("http://tab.example/a", { headers: { "Tabernetes-Command": "5/1" } }).catch((e) => e.message);
  fetch("http://tab.example/b").catch(() => {});
  const job = fetch("http://tab.example/c", { headers: { "Tabernetes-Command": "5/2" } }).catch((e) => e.message);
  await until(() => Object.keys(signals).length === 3);
  requests.interrupt(5, 1);
  assert.equal(await failed, "Failed to fetch");
  assert.equal(signals["http://tab.example/c"].aborted, false);
  requests.interrupt(5);
  assert.equal(await job, "Failed to fetch");
  assert.equal(signals["http://tab.example/b"].aborted, false);
});
