// What the page's fetch does with all that fetch takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { API_ROOTS, CONTROL_PLANE, EXPLAIN_HEADER } from "../../core/wellknown/wellknown.js";
import { Client } from "../../wasm/host/client.js";
import { servePort } from "../../wasm/host/serve.js";
import { apiURL, createFetch } from "./shim.js";
import { Tap } from "./tap.js";

/** What the shim adds to the headers of a request: see explain.test.js. */
const EXPLAIN = (/** @type {number} */ id) => `${EXPLAIN_HEADER.toLowerCase()}: ?1;id=page.${id}\n`;
const BASE = "https://tab.example/lab/index.html?x";
const encode = (s) => new TextEncoder().encode(s);
const decode = (b) => new TextDecoder().decode(b ?? new Uint8Array());

/** A page whose cluster answers with what it was asked. @param {import("node:test").TestContext} t */
function page(t, networkFetch = async () => new Response("from the network")) {
  const { port1, port2 } = new MessageChannel();
  const tap = new Tap("page");
  t.after(() => {
    port1.close();
    tap.close();
  });
  servePort(port2, (method, url, headers, body, sink) => {
    const path = new URL(url).pathname;
    if (path.endsWith("/hold")) {
      sink.cancel = () => {};
      return;
    }
    sink.whole(200, "content-type: application/json\n",
      encode(JSON.stringify({ method, url, headers, body: body && decode(body) })));
  });
  const client = new Client(port1);
  const network = [];
  let target = "tab";
  /** @type {Client | null} */ let scene = null;
  const fetch = createFetch({
    networkFetch: (...args) => {
      network.push(args);
      return networkFetch(...args);
    },
    client: () => client,
    target: () => target,
    scene: () => scene,
    tap,
    base: () => BASE,
  });
  return { fetch, network, tap, asked: async (...args) => (await fetch(...args)).json(),
    toDevserver: () => (target = "devserver"), toScene: (/** @type {Client | null} */ to) => {
      target = "scene";
      scene = to;
    } };
}

test("which requests are the API's", () => {
  const below = ["/api/", "/apis/apps/v1?limit=1", "/openapi/v3", "/healthz/ping", "/readyz#x", "/metrics?x",
    "../api/v1"];
  const ours = [...API_ROOTS, ...below, "https://tab.example/api", new URL("https://tab.example/apis")];
  const elsewhere = ["//other.example/api", "http://tab.example/api", "https://tab.example:444/api", "http://",
    "data:,api"];
  const others = ["/", "/apix", "/ap", "api", "/versions", "/metrics2", "/lab/api", ...elsewhere];
  for (const input of ours) assert.ok(apiURL(input, BASE), `${input}`);
  for (const input of others) assert.equal(apiURL(input, BASE), null, `${input}`);
  assert.equal(apiURL(new Request("https://tab.example/api/v1"), BASE)?.pathname, "/api/v1");
});

test("the root is the API's for who asks for it, where a cluster of the page answers", async (t) => {
  const { fetch, asked, network, toDevserver } = page(t);
  const root = { tabernetes: { root: true } };
  for (const input of ["/", "https://tab.example/", new Request("https://tab.example/?x=1")])
    assert.match((await asked(input, root)).url, /^https:\/\/tab\.example\/(\?x=1)?$/);
  await asked("/api", root);
  assert.equal(network.length, 0);
  for (const [input, init] of [["/", {}], ["/lab/", root], ["https://other.example/", root]]) await fetch(input, init);
  toDevserver();
  await fetch("/", root);
  assert.equal(network.length, 4);
});

test("which requests are the API's in a page from a disk", () => {
  const disks = ["file:///home/me/tabernetes.html", "file:///C:/Users/me/tabernetes.html"];
  for (const base of disks) {
    for (const input of ["/api/v1/pods?watch=1", new URL("/api/v1/pods?watch=1", base), new Request(
      new URL("/api/v1/pods?watch=1", base)), "http://localhost/api/v1/pods?watch=1"]) {
      assert.equal(apiURL(input, base)?.href, "http://localhost/api/v1/pods?watch=1", `${input} in ${base}`);
    }
    for (const input of ["style.css", "/", "https://other.example/api", "data:,api", "blob:null/api"]) {
      assert.equal(apiURL(input, base), null, `${input} in ${base}`);
    }
  }
  assert.equal(apiURL("file:///api", BASE), null);
});

test("everything else goes to the network as it came", async (t) => {
  const { fetch, network } = page(t);
  const init = { method: "POST" };
  assert.equal(await (await fetch("/style.css", init)).text(), "from the network");
  await fetch("http://");
  assert.deepEqual(network, [["/style.css", init], ["http://", {}]]);
});

const bodies = {
  "a string": ["hello", "hello", "text/plain;charset=UTF-8"],
  "an empty string": ["", "", "text/plain;charset=UTF-8"],
  bytes: [encode("hello"), "hello", null],
  "a view into a buffer": [encode("-hello-").subarray(1, 6), "hello", null],
  "a buffer": [encode("hello").buffer, "hello", null],
  "a blob": [new Blob(["he", "llo"], { type: "text/x" }), "hello", "text/x"],
  "a form": [new URLSearchParams({ a: "1", b: "2 3" }), "a=1&b=2+3", "application/x-www-form-urlencoded;charset=UTF-8"],
  nothing: [undefined, null, null],
  null: [null, null, null],
};
for (const [name, [body, arrives, type]] of Object.entries(bodies)) {
  test(`a body: ${name}`, async (t) => {
    const { asked } = page(t);
    for (const args of [["/api", { method: "POST", body }],
      [new Request("https://tab.example/api", { method: "POST", body })]]) {
      const got = await asked(...args);
      assert.equal(got.body, arrives);
      assert.equal(got.headers.match(/content-type: (.*)\n/)?.[1] ?? null, type);
    }
    if (body instanceof Uint8Array) assert.equal(decode(body), "hello", "the page's own bytes were taken");
  });
}

test("a body: multipart and stream", async (t) => {
  const { asked } = page(t);
  const form = new FormData();
  form.append("a", new Blob(["hello"]), "a.txt");
  const got = await asked("/api", { method: "POST", body: form });
  assert.match(got.headers, /content-type: multipart\/form-data; boundary=/);
  assert.match(got.body, /filename="a.txt"/);
  const stream = new Blob(["str", "eam"]).stream();
  assert.equal((await asked("/api", { method: "PUT", body: stream, duplex: "half" })).body, "stream");
});

test("methods, headers and URLs", async (t) => {
  const { asked } = page(t);
  const got = await asked("../apis/apps/v1?limit=1#frag",
    { method: "delete", headers: { "X-A": "1", "User-Agent": "lesson/1" } });
  assert.equal(got.method, "DELETE");
  assert.equal(got.url, "https://tab.example/apis/apps/v1?limit=1#frag");
  assert.equal(got.headers, `${EXPLAIN(1)}user-agent: lesson/1\nx-a: 1\n`);
  assert.match((await asked("/api", { headers: { "User-Agent": "" } })).headers, /^user-agent: $/m);
  assert.equal((await asked("/api", { method: "patch" })).method, "patch");
  const request = new Request("https://tab.example/api", { method: "POST", headers: { a: "1" }, body: "old" });
  const changed = await asked(request, { method: "PUT", body: "new", headers: { b: "2" } });
  assert.deepEqual([changed.method, changed.body, changed.headers],
    ["PUT", "new", `b: 2\ncontent-type: text/plain;charset=UTF-8\n${EXPLAIN(4)}`]);
});

test("what fetch refuses is refused in the same way", async (t) => {
  const { fetch } = page(t);
  const used = new Request("https://tab.example/api", { method: "POST", body: "once" });
  await fetch(used);
  for (const [input, init] of [["/api", { body: "x" }], ["/api", { method: "TRACE" }],
    ["/api", { headers: { "a b": "c" } }], [used]]) {
    await assert.rejects(fetch(input, init), TypeError);
  }
});

test("signals: of init, of the request, and none", async (t) => {
  const { fetch } = page(t);
  await assert.rejects(fetch("/api", { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(fetch("/api/hold", { signal: AbortSignal.timeout(5) }), { name: "TimeoutError" });
  const controller = new AbortController();
  const held = fetch(new Request("https://tab.example/api/hold", { signal: controller.signal }));
  controller.abort();
  await assert.rejects(held, { name: "AbortError" });
  const free = new Request("https://tab.example/api", { signal: controller.signal });
  assert.equal((await fetch(free, { signal: null })).status, 200);
});

test("the tap sees what init says, and not what is quiet", async (t) => {
  const { fetch, tap } = page(t);
  const note = { origin: "console" };
  const asked = fetch("/api?a=1", { method: "POST", body: encode("hello"), headers: { a: "b" }, tabernetes: note });
  await (await asked).text();
  await (await fetch("/api", { tabernetes: { quiet: true } })).text();
  await fetch("/api").then((r) => r.text());
  const seen = [];
  tap.subscribe((e) => seen.push(e));
  const { time, ...first } = seen[0];
  assert.ok(Math.abs(time - Date.now()) < 60_000);
  assert.deepEqual(first,
    { type: "request", id: 1, method: "POST", url: "/api?a=1", headers: [["a", "b"]], body: "hello",
      sent: encode("hello"), origin: "console", place: "tab" });
  assert.equal(note.id, 1);
  assert.deepEqual(seen.map((e) => `${e.type}${e.id}`),
    ["request1", "head1", "chunk1", "end1", "request2", "head2", "chunk2", "end2"]);
  assert.equal(seen[4].origin, "page");
  assert.match(seen[2].text, /"method":"POST"/);
});

test("the other target: over the network, and tapped as it passes", async (t) => {
  let controller;
  const { fetch, network, tap, toDevserver } = page(t, async (request, init) => {
    init?.signal?.addEventListener("abort", () => controller.error(init.signal.reason));
    const body = new ReadableStream({ start: (c) => (controller = c) });
    return new Response(body, { status: 202, headers: { a: "1" } });
  });
  toDevserver();
  const response = await fetch("/api", { method: "POST", body: encode("hello") });
  assert.equal(await network[0][0].text(), "hello");
  assert.deepEqual([response.status, response.headers.get("a")], [202, "1"]);
  const reader = response.body.getReader();
  controller.enqueue(encode("one"));
  assert.equal(decode((await reader.read()).value), "one");
  const seen = [];
  tap.subscribe((e) => seen.push(e.type + (e.text ?? e.error ?? "")));
  assert.deepEqual(seen, ["request", "head", "chunkone"]);
  controller.close();
  assert.equal((await reader.read()).done, true);

  const second = await fetch("/api");
  const text = second.text();
  assert.equal(tap.abort(2), true);
  await assert.rejects(text, { name: "AbortError" });
  assert.equal(tap.abort(2), false);

  const third = await fetch("/api");
  await third.body.cancel("enough");
  while (seen.length < 10) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(seen.slice(3),
    ["end", "request", "head", "failThe request was aborted from the lab.", "request", "head", "failenough"]);
});

test("the other target is down", async (t) => {
  const { fetch, tap, toDevserver } = page(t, async () => {
    throw new TypeError("Failed to fetch");
  });
  toDevserver();
  await assert.rejects(fetch("/api"), TypeError);
  const seen = [];
  tap.subscribe((e) => seen.push([e.type, e.aborted]));
  assert.deepEqual(seen, [["request", undefined], ["fail", false]]);
});

test("a scene's cluster: asked in the place of the tab's, and nobody when it is gone", async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  servePort(port2, (method, url, headers, body, sink) => sink.whole(200, "", encode("the scene's")));
  const { fetch, network, toScene } = page(t);
  toScene(new Client(port1));
  assert.equal(await (await fetch("/api")).text(), "the scene's");
  assert.match(await (await fetch("/api", { tabernetes: { target: "tab" } })).text(), /"method":"GET"/);
  toScene(null);
  await assert.rejects(fetch("/api"), TypeError);
  assert.deepEqual(network, []);
});

test("a connection that is cut: for its page it failed, and nobody has aborted it", async (t) => {
  const { fetch, tap } = page(t);
  const seen = [];
  tap.subscribe((e) => seen.push([e.type, e.aborted]));
  const held = fetch("/api/hold");
  while (seen.length < 1) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(tap.cut(1), true);
  await assert.rejects(held, { name: "TypeError", message: "Failed to fetch" });
  while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(seen, [["request", undefined], ["fail", false]]);
  assert.equal(tap.cut(1), false);
});

test("only the page's own levers are of whoever has it", async (t) => {
  const { port1, port2 } = new MessageChannel();
  const tap = new Tap("page");
  t.after(() => {
    port1.close();
    tap.close();
  });
  const as = (/** @type {string} */ who) => (/** @type {any} */ ...args) => args[4].whole(200, "", encode(who));
  servePort(port2, as("anyone"), as("owner"));
  const networkFetch = async () => new Response("network");
  let target = "tab";
  const fetch = createFetch({ networkFetch, client: () => new Client(port1), target: () => target, tap,
    base: () => BASE });
  const who = async (path, tabernetes, init = {}) => (await fetch(path, { ...init, tabernetes })).text();
  const owner = { owner: true };
  assert.equal(await who(CONTROL_PLANE, owner), "owner");
  assert.equal(await who(CONTROL_PLANE + "/reset?dryRun=All", owner, { method: "POST" }), "owner");
  for (const path of ["/api/v1/secrets", CONTROL_PLANE + "s", CONTROL_PLANE + "/../other", "/version"]) {
    assert.equal(await who(path, owner), "anyone", path);
  }
  for (const note of [undefined, {}, { origin: "lever" }, { quiet: true }]) {
    assert.equal(await who(CONTROL_PLANE, note), "anyone");
  }
  // Nothing that a request has says it.
  for (const headers of [{ owner: "true" }, { "Tabernetes-Owner": "1" }, { Authorization: "Bearer owner" }]) {
    assert.equal(await who(CONTROL_PLANE + "?owner=true", {}, { headers }), "anyone");
  }
  target = "devserver";
  assert.equal(await who(CONTROL_PLANE, owner), "network");
});
