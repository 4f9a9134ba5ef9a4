// Bringing the cluster up and noticing its end, with a worker that is an object.
import assert from "node:assert/strict";
import { test } from "node:test";
import { servePort } from "../../wasm/host/serve.js";
import { Boot } from "./boot.js";

const EMPTY = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]); // the smallest program
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
async function until(what) {
  while (!what()) await turn();
}

/** Web Locks, as far as they are used here. */
class Locks {
  held = new Map();
  async request(name, { signal }, body) {
    while (this.held.has(name)) {
      await Promise.race([this.held.get(name), new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      signal.throwIfAborted();
    }
    const holding = Promise.resolve(body({ name })).then(() => this.held.delete(name));
    this.held.set(name, holding);
    return holding;
  }
  async query() {
    return { held: [...this.held.keys()].map((name) => ({ name })), pending: [] };
  }
}

/** @param {import("node:test").TestContext} t */
function setUp(t, config = {}) {
  const workers = [];
  class FakeWorker {
    heard = [];
    terminated = false;
    stopped = false; // the browser has stopped it, without a word
    constructor() {
      workers.push(this);
    }
    postMessage(m) {
      this.heard.push(m);
      if (m.type === "start") {
        t.after(() => m.port.close());
        this.port = m.port;
      }
      if (m.type === "ping" && !this.stopped) queueMicrotask(() => this.onmessage({ data: { type: "pong" } }));
      if (m.type === "crash") this.onmessage({ data: { type: "crashed", reason: "panic: asked" } });
    }
    terminate() {
      this.terminated = true;
    }
    ready(more = {}) {
      servePort(this.port,
        (_m, url, _h, _b, sink) => url.endsWith("/hold") || sink.whole(200, "", new TextEncoder().encode("hi")));
      this.onmessage({ data: { type: "ready", persistent: true, setAside: "", problem: "", ...more } });
    }
    types() {
      return this.heard.map((m) => m.type).join(" ");
    }
  }
  const boot = new Boot({
    fetch: async () => new Response(EMPTY, { headers: { "content-length": String(EMPTY.length) } }),
    createWorker: () => new FakeWorker(),
    wasm: "tabernetes.wasm",
    wasmExec: "wasm_exec.js",
    size: 0,
    locks: new Locks(),
    cluster: "default",
    patience: 20,
    webhooks: new Map(),
    ...config,
  });
  t.after(() => boot.leave());
  const states = [];
  boot.onState((s) => states.at(-1) === s.state || states.push(s.state));
  return { boot, workers, states };
}

const ask = (path) => ({ method: "GET", url: `http://tab.example${path}`, headers: "", body: null });

test("from loading to ready, and requests wait", async (t) => {
  const { boot, workers, states } = setUp(t);
  const early = boot.client.fetch(ask("/api"));
  assert.equal(boot.status.phase, "download");
  await until(() => workers[0].types() === "start module");
  assert.deepEqual([boot.status.phase, boot.status.loaded, boot.status.total], ["start", 8, 8]);
  const [start, { module }] = workers[0].heard;
  assert.deepEqual([start.owner, start.cluster, start.wasmExec], [true, "default", "wasm_exec.js"]);
  assert.ok(module instanceof WebAssembly.Module);
  workers[0].ready();
  await boot.ready;
  assert.equal(await (await early).text(), "hi");
  const { persistent, secondTab, phase } = boot.status;
  assert.deepEqual({ persistent, secondTab, phase }, { persistent: true, secondTab: false, phase: "" });
  assert.deepEqual(states, ["loading", "ready"]);
});

test("progress is measured against the size that was built, not the one on the wire", async (t) => {
  const seen = [];
  const sizes = async (size, headers) => {
    const { boot, workers } = setUp(t, { size, fetch: async () => new Response(EMPTY, { headers }) });
    boot.onState((s) => seen.push(s));
    await until(() => workers[0].types() === "start module");
    return seen.filter((s) => s.loaded < s.total || s.total === 0).length;
  };
  await sizes(0, { "content-length": "3", "content-encoding": "br" });
  assert.ok(seen.every((s) => s.total === 0 || s.total === 8), "the wire's size was taken for the program's");
  seen.length = 0;
  await sizes(8, { "content-length": "3", "content-encoding": "br" });
  assert.ok(seen.every((s) => s.total === 0 || s.total === 8));
});

for (const [name, kill] of Object.entries({
  "it reports a crash": (w) => w.onmessage({ data: { type: "crashed", reason: "panic: it broke" } }),
  "the worker fails": (w) => w.onerror({ message: "panic: it broke", preventDefault() {} }),
})) {
  test(`a crash fails what is open, and restart brings it back: ${name}`, async (t) => {
    const { boot, workers, states } = setUp(t);
    await until(() => workers[0].types() === "start module");
    workers[0].ready();
    await boot.ready;
    const held = boot.client.fetch(ask("/hold"));
    await turn();
    kill(workers[0]);
    await assert.rejects(held, { name: "TypeError", message: "Failed to fetch" });
    await assert.rejects(boot.client.fetch(ask("/api")), TypeError);
    assert.deepEqual([boot.status.state, boot.status.reason], ["crashed", "panic: it broke"]);
    assert.equal(workers[0].terminated, true);
    kill(workers[0]); // what comes from the dead changes nothing

    const again = boot.restart();
    const waiting = boot.client.fetch(ask("/api"));
    await until(() => workers[1]?.types() === "start module");
    assert.equal(workers[1].heard[0].owner, true, "the saved cluster was lost to a restart");
    workers[1].ready();
    await again;
    assert.equal(await (await waiting).text(), "hi");
    assert.equal(boot.status.reason, "");
    assert.deepEqual(states, ["loading", "ready", "crashed", "loading", "ready"]);
  });
}

test("crash, the test's own", async (t) => {
  const { boot, workers } = setUp(t);
  await until(() => workers[0].types() === "start module");
  boot.crash();
  assert.equal(boot.status.reason, "panic: asked");
});

test("a restart that fails says so", async (t) => {
  const { boot, workers } = setUp(t);
  await until(() => workers[0].types() === "start module");
  const again = boot.restart();
  await until(() => workers[1]?.types() === "start module");
  workers[1].onerror({ message: "no memory", preventDefault() {} });
  await assert.rejects(again, /no memory/);
});

test("a program that cannot be had is asked for again", async (t) => {
  let broken = true;
  const fetch = async () => (broken ? new Response("", { status: 404, statusText: "Not Found" }) : new Response(EMPTY));
  const { boot, workers } = setUp(t, { fetch });
  await until(() => boot.status.state === "crashed");
  assert.match(boot.status.reason, /tabernetes\.wasm: 404 Not Found/);
  broken = false;
  const again = boot.restart();
  await until(() => workers[1]?.types() === "start module");
  workers[1].ready();
  await again;
});

test("a second tab works on a copy, and becomes the owner when it restarts later", async (t) => {
  const locks = new Locks();
  const first = setUp(t, { locks });
  await until(() => first.workers[0].types() === "start module");
  const second = setUp(t, { locks });
  await until(() => second.workers[0].types() === "start module");
  assert.deepEqual([first.workers[0].heard[0].owner, second.workers[0].heard[0].owner], [true, false]);
  second.workers[0].ready({ persistent: false });
  await second.boot.ready;
  assert.equal(second.boot.status.secondTab, true);

  first.boot.leave();
  const again = second.boot.restart();
  await until(() => second.workers[1]?.types() === "start module");
  assert.equal(second.workers[1].heard[0].owner, true);
  second.workers[1].ready();
  await again;
  assert.equal(second.boot.status.secondTab, false);
});

for (const [name, broken] of Object.entries({
  "cannot be asked for": {
    request: async () => { throw new DOMException("The operation is insecure.", "SecurityError"); } },
  "cannot be had, and whose holder is not known": {
    request: (_name, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        query: async () => { throw new Error("no"); } },
})) {
  test(`a lock that ${name} does not leave the page waiting`, async (t) => {
    const { boot, workers } = setUp(t, { locks: Object.assign(new Locks(), broken), patience: 1 });
    await until(() => workers[0].types() === "start module");
    assert.equal(workers[0].heard[0].owner, false);
    workers[0].ready({ persistent: false });
    await boot.ready;
    const { problem, secondTab } = boot.status;
    if (secondTab) assert.equal(problem, "");
    else assert.match(problem, /cannot keep tabs apart \(The operation is insecure\.\)/);
  });
}

test("a worker that was stopped without a word is noticed when the page is looked at again", async (t) => {
  const { boot, workers } = setUp(t, { silence: 20 });
  boot.check(); // while it loads, nothing is asked
  await until(() => workers[0].types() === "start module");
  workers[0].ready();
  await boot.ready;
  boot.check();
  boot.check();
  await turn();
  assert.equal(workers[0].types(), "start module ping", "asked twice at a time");
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.equal(boot.status.state, "ready", "a worker that answered was taken for dead");
  workers[0].stopped = true;
  const held = boot.client.fetch(ask("/hold"));
  boot.check();
  await assert.rejects(held, TypeError);
  assert.equal(boot.status.state, "crashed");
  assert.match(boot.status.reason, /browser has ended the worker/);
});

test("a page that the browser kept and comes back to has its cluster again", async (t) => {
  const locks = new Locks();
  const first = setUp(t, { locks });
  await until(() => first.workers[0].types() === "start module");
  first.workers[0].ready();
  await first.boot.ready;
  first.boot.leave();
  const other = setUp(t, { locks });
  await until(() => other.workers[0].types() === "start module");
  assert.equal(other.workers[0].heard[0].owner, true, "the page that was left still holds the cluster");
  other.boot.leave();
  const again = first.boot.restart();
  await until(() => first.workers[1]?.types() === "start module");
  assert.equal(first.workers[1].heard[0].owner, true);
  first.workers[1].ready();
  await again;
});

test("an answer that cannot be read is a crash, not a wait", async (t) => {
  const { boot, workers } = setUp(t);
  await until(() => workers[0].types() === "start module");
  workers[0].ready();
  await boot.ready;
  const held = boot.client.fetch(ask("/hold"));
  boot.client.port.onmessageerror(new Event("messageerror"));
  await assert.rejects(held, TypeError);
  assert.deepEqual([boot.status.state, boot.status.reason], ["crashed", "an answer of the server could not be read"]);
});

test("a slow lock that nobody has is waited for", async (t) => {
  const locks = new Locks();
  const request = locks.request.bind(locks);
  let grant = () => {};
  locks.request = (name, options, body) =>
    new Promise((resolve) => (grant = () => resolve(request(name, options, body))));
  let asked = 0;
  const query = locks.query.bind(locks);
  locks.query = () => (asked++, query());
  const { workers } = setUp(t, { locks, patience: 1 });
  await until(() => asked > 2);
  grant();
  await until(() => workers[0].types() === "start module");
  assert.equal(workers[0].heard[0].owner, true);
});

test("a reload gets the cluster of the page that is leaving", async (t) => {
  const locks = new Locks();
  const first = setUp(t, { locks });
  await until(() => first.workers[0].types() === "start module");
  const second = setUp(t, { locks, patience: 5000 });
  await turn();
  first.boot.leave();
  assert.equal(first.workers[0].terminated, true);
  await until(() => second.workers[0].types() === "start module");
  assert.equal(second.workers[0].heard[0].owner, true);
});

test("without locks nothing is saved, and that is said", async (t) => {
  const { boot, workers } = setUp(t, { locks: undefined });
  await until(() => workers[0].types() === "start module");
  assert.equal(workers[0].heard[0].owner, false);
  workers[0].ready({ persistent: false, problem: "And more." });
  await boot.ready;
  assert.match(boot.status.problem, /not saved\. And more\.$/);
  assert.equal(boot.status.secondTab, false);
});

test("the storage is asked through the worker, and through one of its own when there is no cluster", async (t) => {
  const { boot, workers } = setUp(t);
  await until(() => workers[0].types() === "start module");
  const answer = (worker, value, error = "") => {
    const { id } = worker.heard.at(-1);
    worker.onmessage({ data: { type: "storage", id, value, error } });
  };
  const asked = boot.storage("readAside", "x.log");
  await until(() => workers[0].types() === "start module storage");
  assert.equal(workers[0].heard.at(-1).name, "x.log");
  answer(workers[0], EMPTY.buffer);
  assert.equal(await asked, EMPTY.buffer);
  const refused = boot.storage("erase");
  await until(() => workers[0].heard.length === 4);
  answer(workers[0], null, "no");
  await assert.rejects(refused, /no/);

  const lost = boot.storage("listAside");
  workers[0].onmessage({ data: { type: "crashed", reason: "gone" } });
  await assert.rejects(lost, /gone/);
  const saved = boot.storage("log");
  await until(() => workers[1]?.types() === "start storage"); // the program is not run
  answer(workers[1], "a file");
  assert.equal(await saved, "a file");
  assert.equal(boot.status.state, "crashed");
  const list = boot.storage("listAside");
  await until(() => workers[1].types() === "start storage storage");
  workers[1].onmessage({ data: { type: "crashed", reason: "the storage does not answer" } });
  await assert.rejects(list, /does not answer/);
  assert.equal(boot.status.reason, "gone");

  const erased = boot.erase();
  await until(() => workers[2]?.types() === "start storage");
  assert.equal(workers[2].heard.at(-1).what, "erase");
  answer(workers[2], undefined);
  await until(() => workers[3]?.types() === "start module");
  workers[3].ready();
  await erased;
  assert.equal(boot.status.state, "ready");
});

test("a damaged cluster is opened in the way that was chosen, once", async (t) => {
  const { boot, workers } = setUp(t);
  await until(() => workers[0].types() === "start module");
  assert.equal(workers[0].heard[0].onDamage, "refuse");
  const request = boot.client.fetch(ask("/"));
  workers[0].onmessage({ data: { type: "damaged", reason: "it ends at 5", sound: "sound are 9 bytes" } });
  await assert.rejects(request, TypeError);
  const { state, reason, sound } = boot.status;
  assert.deepEqual({ state, reason, sound }, { state: "damaged", reason: "it ends at 5", sound: "sound are 9 bytes" });
  assert.equal(workers[0].terminated, false); // the storage can be asked
  const started = boot.restart("salvage");
  await until(() => workers[1]?.types() === "start module");
  assert.equal(workers[1].heard[0].onDamage, "salvage");
  workers[1].ready({ setAside: "set-aside-1.log", problem: "a part is missing" });
  await started;
  assert.equal(boot.status.setAside, "set-aside-1.log");
  const again = boot.restart();
  await until(() => workers[2]?.types() === "start module");
  assert.equal(workers[2].heard[0].onDamage, "refuse");
  workers[2].ready();
  await again;
});

test("the server learns where kubelets are, and that they have ended", async (t) => {
  const { boot, workers } = setUp(t);
  await until(() => workers[0]?.types() === "start module");
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  boot.setKubelets(port2);
  boot.setKubelets(null);
  assert.deepEqual(workers[0].heard.slice(-2),
    [{ type: "kubelets", port: port2 }, { type: "kubelets", port: null }]);
});

test("webhooks are answered by functions of the page", async (t) => {
  const webhooks = new Map([["https://hooks.example/v", ({ request }) => ({ allowed: request.name === "x" })]]);
  const { workers } = setUp(t, { webhooks });
  await until(() => workers[0].types() === "start module");
  const body = new TextEncoder().encode(JSON.stringify({ request: { uid: "u", name: "x" } })).buffer;
  workers[0].onmessage({ data: { type: "webhook", id: 7, url: "https://hooks.example/v?timeout=10s", body } });
  await until(() => workers[0].types() === "start module answered");
  const { id, status, error, body: said } = workers[0].heard.at(-1);
  assert.deepEqual([id, status, error], [7, 200, ""]);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(said)).response, { uid: "u", allowed: true });
});
