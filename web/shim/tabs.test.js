// Several tabs of one cluster: one leads, the others reach its server, and one of them takes over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ServedChannel } from "../../wasm/host/channel.js";
import { servePort } from "../../wasm/host/serve.js";
import { Boot } from "./boot.js";
import { follow } from "./follow.js";
import { Tabs } from "./tabs.js";

const EMPTY = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]); // the smallest program
const turn = () => new Promise((resolve) => setTimeout(resolve, 2));
async function until(what) {
  while (!what()) await turn();
}

/** Web Locks: each is held by one at a time, and granted in the order of the requests. */
class Locks {
  queues = new Map();
  request(name, ...rest) {
    const body = rest.pop();
    const { signal } = rest[0] ?? {};
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(name) ?? this.queues.set(name, []).get(name);
      const entry = { body, resolve, reject, signal };
      queue.push(entry);
      signal?.addEventListener("abort", () => {
        if (queue[0] === entry && entry.granted) return;
        queue.splice(queue.indexOf(entry), 1);
        reject(signal.reason);
        this.#next(name);
      });
      this.#next(name);
    });
  }
  async #next(name) {
    const queue = this.queues.get(name);
    const entry = queue[0];
    if (!entry || entry.granted) return;
    entry.granted = true;
    await turn();
    entry.resolve(await entry.body({ name }));
    queue.splice(queue.indexOf(entry), 1);
    this.#next(name);
  }
  async query() {
    return { held: [...this.queues].filter(([, q]) => q[0]?.granted).map(([name]) => ({ name })), pending: [] };
  }
}

/** What has been written, as a storage would have it: all tabs of a browser share it. */
function browser(t) {
  const locks = new Locks();
  const saved = [];
  const cluster = "c" + Math.random();
  const open = new Set();
  t.after(() => open.forEach((close) => close()));
  let last = 0;
  function tab(more = {}) {
    const page = "p" + ++last;
    const workers = [];
    class FakeWorker {
      terminated = false;
      channels = new Map();
      constructor() {
        workers.push(this);
      }
      postMessage(m) {
        if (m.type === "start") this.port = m.port;
        if (m.type === "module") queueMicrotask(() => this.ready());
        if (m.type !== "channel") return;
        this.channels.get(m.name)?.close();
        this.channels.delete(m.name);
        if (!m.on) return;
        const channel = new ServedChannel(new BroadcastChannel(m.name));
        this.channels.set(m.name, channel);
        servePort(channel, this.serve);
        channel.open();
      }
      /** POST keeps the path, GET lists what is kept, /watch streams and stays open. */
      serve = (method, url, _headers, _body, sink) => {
        if (this.terminated) return;
        const path = new URL(url).pathname;
        if (method === "POST") saved.push(path);
        if (path === "/watch") {
          this.watching = true;
          sink.cancel = () => (this.cancelled = true);
          sink.head(200, "");
          return sink.chunk(new TextEncoder().encode("begun"));
        }
        sink.whole(200, "", new TextEncoder().encode(`${page}: ${saved.join(" ")}`));
      };
      ready() {
        if (this.terminated) return;
        servePort(this.port, this.serve);
        // Its clients in other tabs may be served before the page knows that.
        setTimeout(() => this.terminated ||
          this.onmessage({ data: { type: "ready", persistent: true, setAside: "", problem: "" } }), 10);
      }
      terminate() {
        this.terminated = true;
        this.port?.close();
        for (const channel of this.channels.values()) channel.close();
      }
    }
    const boot = new Boot({
      fetch: async () => new Response(EMPTY, { headers: { "content-length": String(EMPTY.length) } }),
      createWorker: () => new FakeWorker(), wasm: "w", wasmExec: "e", size: 0, locks, cluster, patience: 5,
      webhooks: new Map(), page, leaderSilence: 60_000,
      tabs: (named) => new Tabs({ cluster, page, locks, channel: (name) => new BroadcastChannel(name), named }),
      ...more,
    });
    const close = () => {
      open.delete(close);
      boot.leave();
    };
    open.add(close);
    const ask = async (path, method = "GET") =>
      (await boot.client.fetch({ method, url: `http://tab.example${path}`, headers: "", body: null })).text();
    return { boot, page, workers, close, ask };
  }
  return { tab, saved, locks };
}

test("a second tab reaches the server of the first, and both know their names", async (t) => {
  const { tab } = browser(t);
  const first = tab();
  await first.boot.ready;
  const second = tab();
  const early = second.ask("/early", "POST"); // before it is known who leads
  await second.boot.ready;
  assert.equal(await early, "p1: /early");
  assert.equal(await first.ask("/"), "p1: /early");
  assert.equal(second.workers[0].terminated, true, "it has no server of its own");
  await until(() => first.boot.status.tabs === 2 && second.boot.status.tabs === 2);
  assert.deepEqual([first.boot.status.tab, second.boot.status.tab], ["tab 1", "tab 2"]);
  const { persistent, secondTab } = second.boot.status;
  assert.deepEqual({ persistent, secondTab }, { persistent: true, secondTab: false });
  const third = tab();
  await third.boot.ready;
  await until(() => third.boot.status.tab === "tab 3" && second.boot.status.tabs === 3);
  second.close();
  await until(() => first.boot.status.tabs === 2 && third.boot.status.tabs === 2);
  assert.equal(third.boot.status.tab, "tab 3", "names stay");
});

test("when the first is closed another one has all that was answered; what was open fails", async (t) => {
  const { tab, saved } = browser(t);
  let tabs = [tab()];
  await tabs[0].boot.ready;
  for (let round = 0; round < 10; round++) {
    tabs.push(tab(), tab());
    for (const { boot } of tabs) await until(() => boot.status.state === "ready");
    const [leader, ...others] = tabs;
    const watch = others[0].ask("/watch");
    watch.catch(() => {});
    await others[1].ask(`/round-${round}`, "POST");
    leader.close();
    await assert.rejects(watch, TypeError);
    const settled = ({ boot: { status } }) => status.state === "ready" && status.persistent &&
      status.tabs === others.length;
    for (const other of others) await until(() => settled(other));
    const leads = others.find(({ boot }) => boot.status.tab === "tab 1");
    for (const other of others) {
      const answer = await other.ask("/");
      assert.equal(answer, `${leads.page}: ${saved.join(" ")}`);
      assert.ok(answer.endsWith(`/round-${round}`));
    }
    tabs = [leads, ...others.filter((o) => o !== leads)];
    while (tabs.length > 2) tabs.pop().close();
    await until(() => leads.boot.status.tabs === tabs.length);
  }
});

test("a tab that is gone wants nothing any longer", async (t) => {
  const { tab } = browser(t);
  const first = tab();
  await first.boot.ready;
  const second = tab();
  await second.boot.ready;
  const watch = second.ask("/watch");
  watch.catch(() => {});
  await until(() => first.workers[0].watching);
  second.close();
  await until(() => first.workers[0].cancelled && first.workers[0].channels.size === 0);
  await assert.rejects(watch, TypeError);
});

test("a tab that follows has no storage to ask, and goes on", async (t) => {
  const { tab } = browser(t);
  const first = tab();
  await first.boot.ready;
  const second = tab();
  await second.boot.ready;
  await assert.rejects(second.boot.storage("listAside"), /another tab has the saved cluster/);
  assert.equal(await second.ask("/"), "p1: ");
  assert.equal(second.boot.status.state, "ready");
});

test("a tab that follows is ready once it knows whether what is written is kept", async (t) => {
  const channel = { postMessage() {}, close() {} };
  const { port1, port2 } = new MessageChannel();
  t.after(() => (port1.close(), port2.close()));
  let following;
  const tabs = { follow: async (it) => ((following = it), channel) };
  const told = [];
  const end = follow({ tabs, locks: new Locks(), cluster: "c", port: port1, silence: 60_000 }, {
    open: (persistent) => told.push(persistent), lead() {},
  });
  t.after(end);
  await until(() => channel.onmessage);
  channel.onmessage({ data: { type: "open" } }); // the server answers first
  assert.deepEqual(told, []);
  following.here(true);
  assert.deepEqual(told, [true]);
  following.here(false);
  assert.deepEqual(told, [true, false]);
});

test("a server that has crashed is told of, and can be started again from any tab", async (t) => {
  const { tab } = browser(t);
  const first = tab();
  await first.boot.ready;
  const second = tab();
  await second.boot.ready;
  first.workers[0].onmessage({ data: { type: "crashed", reason: "panic: asked" } });
  await until(() => second.boot.status.state === "crashed");
  assert.match(second.boot.status.reason, /^panic: asked \(in the tab/);
  await second.boot.restart();
  assert.equal(await second.ask("/"), "p1: ");
  await until(() => first.boot.status.state === "ready"); // its page may learn of that later
});

test("a tab can work on a copy, and share again", async (t) => {
  const { tab } = browser(t);
  const first = tab();
  await first.boot.ready;
  const second = tab({ alone: true });
  await second.boot.ready;
  assert.equal(second.boot.status.secondTab, true);
  assert.equal(await second.ask("/"), "p2: ");
  await second.boot.setAlone(false);
  assert.equal(second.boot.status.secondTab, false);
  assert.equal(await second.ask("/"), "p1: ");
  await second.boot.setAlone(true);
  assert.equal(await second.ask("/"), "p2: ");
  assert.equal(await first.ask("/"), "p1: ");
});

test("where nobody says that it leads, as an older version does not, a tab works on a copy", async (t) => {
  const { tab, locks } = browser(t);
  const other = tab({ tabs: null });
  await other.boot.ready;
  const second = tab({ leaderSilence: 10 });
  await second.boot.ready;
  assert.equal(second.boot.status.secondTab, true);
  assert.equal(await second.ask("/"), "p2: ");
  assert.ok(locks);
});
