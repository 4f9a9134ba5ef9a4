// The line to code that is not trusted, over a port to a separate thread.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeCluster } from "./node.js";
import { play } from "./play.js";
import { PATIENCE, PortClient, Silent } from "./portclient.js";
import { threadClient } from "./thread.js";

/** Time that a test lets pass. */
function stillTimer() {
  const waiting = new Map();
  let told = () => {};
  let last = 0;
  return {
    waiting,
    set: (f, ms) => (waiting.set(++last, { f, ms }), told(), last),
    clear: (id) => void waiting.delete(id),
    changed: () => new Promise((resolve) => (told = resolve)),
  };
}

test("what the code sees of time and chance is the run's", async (t) => {
  const { client } = threadClient(t);
  await client.load(
    `export async function reflect({ store, sleep, signal }) {
      await new Promise((resolve) => setTimeout(resolve, 2500));
      const time = [Date.now(), new Date().toISOString(), performance.now()];
      store.progress(JSON.stringify([...time, typeof fetch, Math.random() < 1]));
      await sleep(1e6);
    }`,
    1,
  );
  const heard = [];
  client.onmessage = (m) => heard.push(m);
  client.post({ type: "begin", path: "/api" });
  await client.idle(0);
  assert.deepEqual(heard, [{ type: "sleep", id: 1, seconds: 2.5 }]);
  client.post({ type: "turn", n: -1, now: 2500 });
  client.post({ type: "wake", id: 1 });
  await client.idle(2500);
  const at = Date.UTC(2030, 0, 1) + 2500;
  assert.equal(heard[1]?.type, "store", JSON.stringify(heard));
  assert.deepEqual(JSON.parse(heard[1].version), [at, new Date(at).toISOString(), 2500, "undefined", true]);
});

test("bodies come as they are sent, and what came before a break can be read", async (t) => {
  const { client } = threadClient(t);
  await client.load(
    `export async function reflect({ fetch, store, signal }) {
      const got = [];
      try {
        for await (const chunk of (await fetch("/a")).body) got.push(chunk.length);
      } catch (e) { got.push(e.name + ": " + e.message); }
      store.progress(got.join());
      store.progress(await (await fetch("/b")).text());
      await fetch("/c", { signal }).catch((e) => store.progress(e.name));
    }`,
    1,
  );
  const heard = [];
  client.onmessage = (m) => heard.push(m);
  client.post({ type: "begin", path: "/api" });
  await client.idle(0);
  assert.deepEqual(heard.splice(0), [{ type: "fetch", id: 1, method: "GET", url: "/a", headers: [] }]);
  client.post({ type: "head", id: 1, status: 200, headers: [] });
  client.post({ type: "chunk", id: 1, bytes: new Uint8Array(3) });
  client.post({ type: "chunk", id: 1, bytes: new Uint8Array(2) });
  client.post({ type: "fail", id: 1, message: "network error" });
  await client.idle(0);
  assert.deepEqual(heard.splice(0).map((m) => m.version ?? m.url), ["3,2,TypeError: network error", "/b"]);
  client.post({ type: "head", id: 2, status: 200, headers: [] });
  client.post({ type: "chunk", id: 2, bytes: new TextEncoder().encode("grö") });
  client.post({ type: "end", id: 2 });
  await client.idle(0);
  assert.deepEqual(heard.splice(0).map((m) => m.version ?? m.url), ["grö", "/c"]);
  client.post({ type: "abort" });
  await client.idle(0);
  assert.deepEqual(heard.splice(0), [
    { type: "cancel", id: 3 },
    { type: "store", call: "progress", version: "AbortError" },
    { type: "settled", error: null },
  ]);
});

test("code that loops for ever is ended", async (t) => {
  const timer = stillTimer();
  const { client, exited } = threadClient(t, { timer });
  await client.load(`export async function reflect({ fetch, path }) { await fetch(path); for (;;); }`, 1);
  const running = play({ newCluster: nodeCluster, client, level: 1, seed: 1 });
  // The turn that is not answered is the one after the answer to the list.
  let answered = false;
  const { post } = client;
  client.post = (m) => ((answered ||= m.type === "head"), post.call(client, m));
  while (!(answered && timer.waiting.size > 0)) await timer.changed();
  const [{ f, ms }] = timer.waiting.values();
  assert.equal(ms, PATIENCE);
  f();
  const { verdict, passed } = await running;
  assert.deepEqual([passed, verdict.rule, verdict.text],
    [false, "R16", "Your code did not respond for 5 s and was stopped."]);
  await exited;
  await assert.rejects(client.idle(0), Silent);
});

test("code that cannot be imported says why", async (t) => {
  for (const [code, why] of [
    ["export async function reflect( {", /SyntaxError/],
    ["export const reflex = 1;", /exports no function reflect/],
  ]) {
    await assert.rejects(threadClient(t).client.load(code, 1), why);
  }
});

test("what is no message of the line is ignored", () => {
  /** @type {{onmessage: (event: any) => void, postMessage: () => void, close: () => void}} */
  const port = { onmessage: () => {}, postMessage() {}, close() {} };
  const client = new PortClient(/** @type {any} */ (port), { timer: stillTimer() });
  const heard = [];
  client.onmessage = (m) => heard.push(m);
  for (const data of [null, undefined, 0, "fetch", true]) port.onmessage({ data });
  port.onmessage({ data: { type: "print", text: "x" } });
  assert.deepEqual(heard, [{ type: "print", text: "x" }]);
});
