import assert from "node:assert/strict";
import { test } from "node:test";
import { AS_HOST } from "../../../wasm/host/clock.js";
import { clientOf, Line, programFetch } from "./client.js";
import { Clock } from "./clock.js";
import { eventReader, metadataOf } from "./events.js";
import { parsePath, Seen } from "./seen.js";

const encoder = new TextEncoder();

/** A message of protobuf: each field's number and value, which is a message, text, or a number. */
function message(...fields) {
  const bytes = [];
  const varint = (n) => {
    for (; n >= 128; n = Math.floor(n / 128)) bytes.push((n % 128) + 128);
    bytes.push(n);
  };
  for (const [field, value] of fields) {
    if (typeof value === "number") {
      varint(field * 8);
      varint(value);
      continue;
    }
    const data = typeof value === "string" ? encoder.encode(value) : value;
    varint(field * 8 + 2);
    varint(data.length);
    bytes.push(...data);
  }
  return new Uint8Array(bytes);
}

/** An object as it is sent; owners are uids. */
function object({ namespace = "default", name = "", uid = "", revision = 0, owners = [] }) {
  const references = owners.map((owner) => [13, message([1, "ReplicaSet"], [3, "web"], [4, owner], [6, 1])]);
  const metadata = message([1, name], [2, ""], [3, namespace], [5, uid], [6, revision ? String(revision) : ""], [7, 3],
    ...references, [17, message([1, "someone"], [7, "x".repeat(300)])]);
  const known = message([1, message([1, "v1"], [2, "Pod"])], [2, message([1, metadata], [2, message([1, "spec"])])],
    [3, ""], [4, ""]);
  return new Uint8Array([...encoder.encode("k8s\0"), ...known]);
}

function frame(type, shown) {
  const event = message([1, type], [2, message([1, shown])]);
  return new Uint8Array([0, 0, event.length >> 8, event.length & 255, ...event]);
}

test("events are read from a stream that is cut anywhere", () => {
  const stream = new Uint8Array([
    ...frame("ADDED", object({ name: "a", uid: "u1", revision: 7, owners: ["o1", "o2"] })),
    ...frame("BOOKMARK", object({ revision: 8 })),
    ...frame("DELETED", object({ name: "b", uid: "u2", revision: 1234567, namespace: "" })),
  ]);
  for (const size of [1, 3, 64, stream.length]) {
    const got = [];
    const read = eventReader((m) => got.push(m));
    for (let at = 0; at < stream.length; at += size) read(stream.subarray(at, at + size));
    assert.deepEqual(got, [
      { namespace: "default", name: "a", uid: "u1", revision: 7, owners: ["o1", "o2"] },
      { namespace: "", name: "b", uid: "u2", revision: 1234567, owners: [] },
    ]);
  }
});

test("what is damaged ends, and says nothing", () => {
  const whole = object({ name: "a", uid: "u1", revision: 7 });
  for (let n = 0; n < whole.length; n++) metadataOf(whole.subarray(0, n));
  for (let at = 4; at < whole.length; at++) metadataOf(whole.with(at, 255));
  assert.equal(metadataOf(encoder.encode('{"kind":"Pod"}')), null);
});

test("paths name types, namespaces and objects", () => {
  for (const [path, ...want] of [
    ["/api/v1/pods", "/pods", "", "", ""],
    ["/api/v1/namespaces/a/pods/b/status", "/pods", "a", "b", "status"],
    ["/apis/apps/v1/namespaces/a/deployments", "apps/deployments", "a", "", ""],
    ["/api/v1/nodes/n/status", "/nodes", "", "n", "status"],
    ["/api/v1/namespaces/a", "/namespaces", "", "a", ""],
    ["/api/v1/namespaces/a/finalize", "/namespaces", "", "a", "finalize"],
  ]) assert.deepEqual(Object.values(parsePath(path)), want, path);
});

test("a write came after the newest event about its object, an owner of it, or one that it owns", () => {
  const seen = new Seen();
  const event = (path, m) => seen.event(path, { namespace: "default", owners: [], ...m });
  const at = (path, body = null) => seen.before(`/api/v1/namespaces/default/${path}`, body);
  event("/api/v1/namespaces", { namespace: "", name: "default", uid: "ns", revision: 3 });
  event("/api/v1/sets", { name: "web", uid: "rs", revision: 42 });
  assert.equal(at("pods", object({ owners: ["rs"] })), 42, "a Pod that is made: after its owner");
  event("/api/v1/pods", { name: "web-1", uid: "p1", revision: 45, owners: ["rs"] });
  event("/api/v1/pods", { name: "web-2", uid: "p2", revision: 46, owners: ["rs"] });
  assert.equal(at("pods", object({ owners: ["rs"] })), 42, "not after the other Pods of its owner");
  assert.equal(at("pods/web-1/binding"), 45, "after itself");
  assert.equal(at("sets/web/status"), 46, "after one that it owns");
  event("/api/v1/sets", { name: "web", uid: "rs", revision: 50 });
  assert.equal(at("pods/web-1"), 50, "after its owner");
  assert.equal(at("configmaps"), 3, "after its namespace");
  assert.equal(seen.before("/api/v1/nodes/n", null), 0, "after nothing");
});

test("clients are called as their User-Agents say", () => {
  for (const [agent, want] of [
    ["kube-controller-manager/v1.36.3 (js/wasm) kubernetes/$Format/deployment-controller", "deployment"],
    ["kube-controller-manager/v1.36.3 (js/wasm) x/system:serviceaccount:kube-system:job-controller", "job"],
    ["kube-scheduler/v1.36.3 (js/wasm) kubernetes/$Format/scheduler", "scheduler"],
  ]) assert.equal(clientOf(agent), want);
});

test("a program’s writes say who made them after what; paused, it gets and sends nothing", async () => {
  const asked = [];
  let stream;
  const fetch = async (url, { method = "GET", headers }) => {
    asked.push([method, new URL(url).pathname, headers.get("tabernetes-explain")]);
    const body = new ReadableStream({ start: (controller) => void (stream = controller) });
    return new Response(body, { headers: { "content-type": "application/vnd.kubernetes.protobuf;stream=watch" } });
  };
  const line = new Line();
  const program = programFetch(fetch, "kube-controller-manager", line);
  const agent = { "User-Agent": "kube-controller-manager/v1 (js/wasm) kubernetes/x/replicaset-controller" };
  const watch = await program("http://h/apis/apps/v1/replicasets?watch=true", { headers: agent });
  const reader = watch.body.getReader();
  line.pause(true);
  let got = false;
  const event = reader.read().then(() => (got = true));
  stream.enqueue(frame("ADDED", object({ name: "web", uid: "rs", revision: 42 })));
  const body = object({ owners: ["rs"] });
  const create = () => program("http://h/api/v1/namespaces/default/pods", { method: "POST", headers: agent, body });
  const write = create();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(got, false);
  assert.equal(asked.length, 1);
  line.pause(false);
  await Promise.all([event, write]);
  await create();
  await program("http://h/apis/apps/v1/namespaces/default/replicasets/web/status", { method: "PUT", headers: agent });
  assert.deepEqual(asked.slice(1).map(([, , header]) => header), [
    "?1;id=kube-controller-manager/replicaset~0", "?1;id=kube-controller-manager/replicaset~42",
    "?1;id=kube-controller-manager/replicaset~42~status",
  ]);
});

/** A watch of a program, whose time stands: what it gets is noted. */
async function watching(line) {
  let stream;
  const end = { cancelled: false };
  const body = new ReadableStream({
    start: (controller) => void (stream = controller), cancel: () => void (end.cancelled = true),
  });
  const program = programFetch(async () => new Response(body), "kube-scheduler", line);
  const watch = await program("http://h/api/v1/pods?watch=true");
  return Object.assign(end, { reader: watch.body.getReader(), send: (n) => stream.enqueue(new Uint8Array([n])) });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("all that a watch brings comes later by the lag, by the cluster’s clock", async () => {
  const clock = new Clock();
  let at = 1000;
  const to = (ms) => {
    clock.set({ ...AS_HOST, at: (at += ms) });
    return turn();
  };
  clock.set({ ...AS_HOST, at });
  const line = new Line(clock);
  const { reader, send } = await watching(line);
  line.lag(5000);
  const got = [];
  (async () => {
    for (;;) got.push((await reader.read()).value[0]);
  })();
  for (const n of [1, 2, 3]) {
    send(n);
    await turn();
    assert.equal(clock.next(), 6000, "an advance stops when the first is due");
    await to(1000);
  }
  await to(1999);
  assert.deepEqual(got, []);
  await to(1);
  assert.deepEqual(got, [1]);
  await to(1000);
  assert.deepEqual(got, [1, 2]);
  line.pause(true);
  await to(1000);
  assert.deepEqual(got, [1, 2]);
  line.pause(false);
  await turn();
  assert.deepEqual(got, [1, 2, 3]);
  line.lag(0);
  send(4);
  await turn();
  await turn();
  assert.deepEqual(got, [1, 2, 3, 4]);
  assert.equal(clock.next(), null);
});

test("a watch that is cut fails as on a network", async () => {
  const line = new Line();
  const watch = await watching(line);
  const read = watch.reader.read();
  line.cut();
  await assert.rejects(read, TypeError);
  assert.ok(watch.cancelled);
});

test("a program that is paused is not asked, unless who asks has left", async () => {
  const line = new Line();
  const asked = [];
  const serve = line.served((method, url) => asked.push(`${method} ${url}`));
  const sink = () => ({ failed: "", fail(message) { this.failed = message; } });
  serve("GET", "/one", "", null, sink());
  line.pause(true);
  const left = sink();
  serve("GET", "/two", "", null, left);
  serve("GET", "/three", "", null, sink());
  left.cancel();
  await Promise.resolve();
  assert.deepEqual(asked, ["GET /one"]);
  line.pause(false);
  await new Promise(setImmediate);
  assert.deepEqual(asked, ["GET /one", "GET /three"]);
  assert.equal(left.failed, "canceled");
});

test("only what watches of one resource bring comes later", async () => {
  const clock = new Clock();
  clock.set({ ...AS_HOST, at: 1000 });
  const line = new Line(clock);
  line.lag(5000, "nodes");
  const { reader, send } = await watching(line); // of Pods
  send(1);
  assert.equal((await reader.read()).value[0], 1);
  line.lag(5000, "pods");
  send(2);
  const read = reader.read();
  await turn();
  assert.equal(clock.next(), 6000);
  line.lag(0);
  assert.equal((await read).value[0], 2, "what waits comes when the lag ends");
  assert.equal(clock.next(), null);
});

test("a program stops before a write of a resource, with all that it does, and writes when it runs on", async () => {
  const clock = new Clock();
  const line = new Line(clock);
  const asked = [];
  const fetch = async (url, { method = "GET", headers }) => {
    asked.push(`${method} ${new URL(url).pathname} ${headers.get("tabernetes-explain")}`);
    return new Response("{}");
  };
  const program = programFetch(fetch, "kube-controller-manager", line, "kube-controller-manager-2");
  const agent = { "User-Agent": "kube-controller-manager/v1 (js/wasm) kubernetes/x/replicaset-controller" };
  const post = (path) => program(`http://h${path}`, { method: "POST", headers: agent });
  let stopped = 0;
  let fired = 0;
  line.stopBefore("pods", () => stopped++);
  await post("/apis/apps/v1/namespaces/default/replicasets");
  await program("http://h/api/v1/namespaces/default/pods");
  assert.equal(stopped, 0);
  clock.start(1, 0, () => fired++);
  const first = post("/api/v1/namespaces/default/pods");
  const later = program("http://h/api/v1/namespaces/default/configmaps");
  assert.equal(stopped, 1);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(asked.length, 2, "it sends nothing");
  assert.equal(fired, 0, "its time stands");
  const timer = new Promise((resolve) => clock.start(2, 0, () => resolve(asked.length)));
  line.proceed();
  await Promise.all([first, later]);
  assert.equal(await timer, 4, "it sends what it was about to send, then its timers fire");
  assert.equal(fired, 1);
  assert.equal(asked[2], "POST /api/v1/namespaces/default/pods ?1;id=kube-controller-manager-2/replicaset~0");
  await post("/api/v1/namespaces/default/pods");
  assert.equal(stopped, 1, "once");
});
