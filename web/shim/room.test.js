// Requests of a page that is in a room.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EARLY_HEADER, EXPLAIN_HEADER } from "../../core/wellknown/wellknown.js";
import { createFetch } from "./shim.js";
import { Tap } from "./tap.js";

const ORIGIN = "https://tab.example";
const TOKEN = "lI4l3_iX095IIwSb8-dfog";
const HERE = `${ORIGIN}/rooms/0adf8397dd/`;

/** A page in a room. @param {import("node:test").TestContext} t */
function page(t, base = HERE) {
  const tap = new Tap("page");
  t.after(() => tap.close());
  /** @type {Request[]} */
  const sent = [];
  const events = [];
  tap.subscribe((e) => events.push(e));
  /** What was to come over a WebSocket. @type {string[]} */
  const asked = [];
  let room = { base, token: TOKEN, name: "ada-x" };
  const fetch = createFetch({
    networkFetch: async (request) => {
      sent.push(request);
      return new Response("{}", { status: 200 });
    },
    client: () => {
      throw new Error("the tab was asked");
    },
    target: () => "room",
    room: () => room,
    socket: async (room, path) => {
      asked.push(room.base + path);
      if (path.endsWith("broken")) throw new Error("a bug");
      return path.includes("beats") ? null : new Response("streamed");
    },
    tap,
    base: () => `${ORIGIN}/lab/index.html`,
  });
  return { fetch, sent, events, asked, leave: () => (room = null) };
}

test("requests go to the room with the member's token, which is not reported", async (t) => {
  const { fetch, sent, events } = page(t);
  await (await fetch("/api/v1/pods?limit=1", { headers: { "X-A": "b" } })).text();
  await (await fetch(new Request(`${ORIGIN}/apis/apps/v1/x`, { method: "POST", body: "{}" }))).text();
  await (await fetch("/api/v1/x", { method: "PUT", body: "two", tabernetes: { quiet: true } })).text();
  assert.deepEqual(sent.map((r) => [r.method, r.url]), [
    ["GET", HERE + "api/v1/pods?limit=1"], ["POST", HERE + "apis/apps/v1/x"], ["PUT", HERE + "api/v1/x"],
  ]);
  assert.deepEqual(sent.map((r) => r.headers.get("authorization")), Array(3).fill(`Bearer ${TOKEN}`));
  assert.deepEqual([sent[0].headers.get("x-a"), sent[0].headers.get(EXPLAIN_HEADER)], ["b", "?1;id=page.1"]);
  assert.deepEqual([await sent[1].text(), await sent[2].text()], ["{}", "two"]);
  assert.deepEqual([sent[0].credentials, sent[0].cache], ["omit", "no-store"]);
  while (events.filter((e) => e.type === "end").length < 2) await new Promise(setImmediate);
  const told = JSON.stringify(events);
  assert.match(told, /"url":"\/api\/v1\/pods\?limit=1"/);
  assert.ok(!told.includes(TOKEN) && !told.includes("0adf8397dd"), told);
});

test("what the page follows comes over a WebSocket, unless there is none", async (t) => {
  const { fetch, sent, asked } = page(t);
  const path = "/apis/sandbox.tabernetes.dev/v1/rooms/default/follow";
  const quiet = { tabernetes: { quiet: true, target: "room" } };
  assert.equal(await (await fetch(path, quiet)).text(), "streamed");
  for (const query of ["?beats=false", "?broken"]) assert.equal(await (await fetch(path + query, quiet)).text(), "{}");
  assert.deepEqual(asked.map((url) => url.slice(HERE.length - 1)), [path, path + "?beats=false", path + "?broken"]);
  assert.equal(sent.length, 2);
  await fetch(path);
  await fetch(path, { ...quiet, headers: { Authorization: "Bearer other" } });
  await fetch("/apis/sandbox.tabernetes.dev/v1/rooms/default", quiet);
  assert.equal(asked.length, 3, "what is reported, other users' and other requests are not asked for so");
});

test("who names another user is that user", async (t) => {
  const { fetch, sent } = page(t);
  await fetch("/api", { headers: { Authorization: "Bearer other" } });
  assert.equal(sent[0].headers.get("authorization"), "Bearer other");
});

test("a room of another origin is asked for nothing that it may not know", async (t) => {
  const { fetch, sent } = page(t, "https://other.example/");
  await fetch("/api/v1/pods");
  assert.equal(sent[0].url, "https://other.example/api/v1/pods");
  assert.equal(sent[0].headers.get(EXPLAIN_HEADER), null);
});

test("an abort reaches the room, and without a room there is no request", async (t) => {
  const { fetch, sent, leave } = page(t);
  const stop = new AbortController();
  await fetch("/api/v1/pods", { signal: stop.signal, tabernetes: { quiet: true } });
  stop.abort();
  assert.equal(sent[0].signal.aborted, true);
  leave();
  await assert.rejects(fetch("/api/v1/pods"), /not in a room/);
});

/** A replica that the test decides about. */
function replicaOf(answers) {
  /** @type {number[]} */ const asked = [];
  return {
    asked,
    cluster: "",
    client: { fetch: async ({ url }) => new Response("replica: " + new URL(url).pathname) },
    reached: async (revision) => {
      asked.push(revision);
      return answers.shift() ?? true;
    },
  };
}

test("the page's own reads are answered by the replica, from what the page has seen on", async (t) => {
  const base = "https://page.example/rooms/0123456789/";
  const replica = replicaOf([true, false]);
  const tap = new Tap("page");
  t.after(() => tap.close());
  /** @type {string[]} */ const sent = [];
  const fetch = createFetch({
    networkFetch: async (request) => {
      sent.push(`${request.method} ${new URL(request.url).pathname}`);
      const headers = { "Tabernetes-Source": "server=0, from=etcd, head=31, rule=write, wrote=(31)" };
      return new Response("room", { headers });
    },
    client: () => assert.fail("the tab is not asked"),
    target: () => "room",
    room: () => ({ base, token: "t", name: "ada" }),
    replica: async () => replica,
    tap,
    base: () => "https://page.example/",
  });
  const quiet = { tabernetes: { quiet: true } };
  const read = async (path, init) => (await fetch(path, init)).text();
  assert.equal(await read("/api/v1/pods", quiet), "replica: /api/v1/pods");
  assert.equal(await read("/api/v1/namespaces", { method: "POST", body: "{}" }), "room", "what a person does");
  assert.equal(await read("/api/v1/pods", quiet), "room", "a replica that is behind");
  assert.deepEqual(replica.asked, [0, 31]);
  for (replica.cluster of ["known at last", "of a room that was reset"]) await read("/api/v1/pods", quiet);
  assert.deepEqual(replica.asked, [0, 31, 31, 0]);
  assert.equal(await read("/api/v1/pods"), "room", "what a person asks");
  assert.equal(await read("/api/v1/pods", { tabernetes: { quiet: true, target: "room" } }), "room");
  assert.deepEqual(sent.map((line) => line.replace("/rooms/0123456789", "")), [
    "POST /api/v1/namespaces", "GET /api/v1/pods", "GET /api/v1/pods", "GET /api/v1/pods",
  ]);
});

test("a stream that begins with a line feed, for the browser's sake, is the page's without it", async (t) => {
  const tap = new Tap("page");
  t.after(() => tap.close());
  /** @type {string[]} */ const asked = [];
  let wake = () => {};
  const later = new Promise((resolve) => (wake = () => resolve(undefined)));
  const fetch = createFetch({
    networkFetch: async (request) => {
      asked.push(request.headers.get(EARLY_HEADER));
      const bytes = (text) => new TextEncoder().encode(text);
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(bytes("\n"));
          await later;
          controller.enqueue(bytes("{}\n"));
          controller.close();
        },
      });
      return new Response(body, { headers: { [EARLY_HEADER]: "1", "X-A": "b" } });
    },
    client: () => assert.fail("the tab is not asked"),
    target: () => "devserver",
    tap,
    base: () => "https://page.example/",
  });
  const response = await fetch("/api/v1/pods?watch=1");
  assert.deepEqual([...response.headers], [["x-a", "b"]]);
  const text = response.text();
  wake();
  assert.equal(await text, "{}\n");
  await (await fetch("/api/v1/pods", { method: "DELETE" })).body?.cancel();
  assert.deepEqual(asked, ["1", null]);
});
