// The built package, which TABERNETES_NPM names, in Node: with plain fetch, and with @kubernetes/client-node.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const folder = process.env.TABERNETES_NPM;
const skip = folder ? false : "TABERNETES_NPM names no package: make test-npm";
/** @type {typeof import("./index")} */
const { createCluster, StatusError } = folder ? await import(pathToFileURL(resolve(folder, "node.js")).href) : {};

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

/** @param {import("./index").Cluster} cluster @param {object} metadata */
async function create(cluster, metadata) {
  const headers = { "Content-Type": "application/json" };
  const answer = await cluster.fetch(CONFIG_MAPS, { method: "POST", headers, body: JSON.stringify({ metadata }) });
  assert.equal(answer.status, 201);
  return answer.json();
}

/** @param {import("./index").Cluster} cluster */
async function names(cluster) {
  const { items } = await (await cluster.fetch(CONFIG_MAPS)).json();
  const all = items.map((/** @type {any} */ item) => item.metadata.name);
  return all.filter((/** @type {string} */ name) => !name.startsWith("kube-"));
}

/** Starts a cluster that ends with the test. @param {import("node:test").TestContext} t @param {object} [options] */
async function open(t, options) {
  const cluster = await createCluster(options);
  t.after(() => cluster.close());
  return cluster;
}

/** Reads a watch to its next event. @param {ReadableStreamDefaultReader<Uint8Array>} reader */
async function next(reader) {
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) return null;
    text += new TextDecoder().decode(value);
  }
  return JSON.parse(text.split("\n")[0]);
}

test("fetch, a watch, an abort, and what is no path of the API", { skip }, async (t) => {
  const begun = performance.now();
  const cluster = await open(t);
  assert.equal((await cluster.fetch("/api/v1/namespaces/default")).status, 200);
  const took = performance.now() - begun;
  const { rss } = process.memoryUsage();
  t.diagnostic(`start to first answer ${Math.round(took)} ms; memory of the process ${Math.round(rss / 1e6)} MB`);

  const stop = new AbortController();
  const { metadata } = await (await cluster.fetch(CONFIG_MAPS)).json();
  const watch = await cluster.fetch(new Request(
    `${cluster.url}${CONFIG_MAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`, { signal: stop.signal }));
  const reader = /** @type {ReadableStream} */ (watch.body).getReader();
  await create(cluster, { name: "a" });
  const event = await next(reader);
  assert.equal(event.type, "ADDED");
  assert.equal(event.object.metadata.name, "a");
  stop.abort();
  await assert.rejects(reader.read(), { name: "AbortError" });
  await assert.rejects(cluster.fetch("/elsewhere"), /no path of the API/);
  assert.match(await (await cluster.fetch("/openapi/v3/api/v1")).text(), /"description"/);
});

test("a seed repeats, the clock stands, and levers make a 410", { skip }, async (t) => {
  const [one, two] = await Promise.all([1, 2].map(() => open(t, { seed: 7, clock: "paused" })));
  const made = await Promise.all([one, two].map((cluster) => create(cluster, { generateName: "x-" })));
  assert.equal(made[0].metadata.uid, made[1].metadata.uid);
  assert.equal(made[0].metadata.name, made[1].metadata.name);
  const time = (await create(one, { name: "later" })).metadata.creationTimestamp;
  await one.levers.advance(3600);
  const later = (await create(one, { name: "an-hour-later" })).metadata.creationTimestamp;
  assert.equal(Date.parse(later) - Date.parse(time), 3_600_000);

  const old = made[0].metadata.resourceVersion;
  await one.levers.compact();
  const answer = await one.fetch(`${CONFIG_MAPS}?resourceVersion=${old}&resourceVersionMatch=Exact`);
  assert.equal(answer.status, 410);
  await assert.rejects(one.levers.act("nothing"), (/** @type {any} */ error) =>
    error instanceof StatusError && error.code === 404);
  assert.equal((await one.levers.set({ cache: { bookmarkSeconds: 5 } })).spec.cache.bookmarkSeconds, 5);
  assert.equal((await one.levers.get()).spec.clock.paused, true);
});

test("forks and snapshots have what the first had, and go their own way", { skip }, async (t) => {
  const cluster = await open(t);
  await create(cluster, { name: "both" });
  const fork = await cluster.fork();
  t.after(() => fork.close());
  await create(fork, { name: "fork" });
  assert.deepEqual(await names(fork), ["both", "fork"]);
  assert.deepEqual(await names(cluster), ["both"]);
  const again = await open(t, { snapshot: await fork.levers.snapshot() });
  assert.deepEqual(await names(again), ["both", "fork"]);
  await assert.rejects(createCluster({ snapshot: new Uint8Array(100) }), StatusError);
  await assert.rejects(createCluster({ snapshot: new Uint8Array(1), seed: 1 }), TypeError);
  await cluster.close();
  await assert.rejects(cluster.fetch(CONFIG_MAPS), TypeError);
});

test("what is kept is there again, and belongs to one at a time", { skip }, async (t) => {
  const persistence = mkdtempSync(join(tmpdir(), "tabernetes-npm-"));
  t.after(() => rmSync(persistence, { recursive: true }));
  const first = await createCluster({ persistence });
  await create(first, { name: "kept" });
  await assert.rejects(createCluster({ persistence }), /another cluster of this one/);
  await first.close();
  writeFileSync(join(persistence, "lock"), "999999999"); // a process that has ended without letting go
  const second = await createCluster({ persistence });
  assert.deepEqual(await names(second), ["kept"]);
  await second.close();
  assert.equal(existsSync(join(persistence, "lock")), false);
});

test("levers work whatever the settings say", { skip }, async (t) => {
  const cluster = await open(t);
  await cluster.levers.set({ authorization: { mode: "RBAC" }, authentication: { withoutCredentials: "Unauthorized" } });
  assert.equal((await cluster.fetch(CONFIG_MAPS)).status, 401);
  const again = await open(t, { snapshot: await cluster.levers.snapshot() });
  assert.equal((await again.fetch(CONFIG_MAPS)).status, 401);
  await again.levers.set({ authentication: { withoutCredentials: "Admin" } });
  assert.equal((await again.fetch(CONFIG_MAPS)).status, 200);
  await cluster.levers.reset();
  assert.equal((await cluster.fetch(CONFIG_MAPS)).status, 200);
});

test("webhooks are functions", { skip }, async (t) => {
  const cluster = await open(t);
  cluster.webhooks.set("https://webhook.example/no", () => ({ allowed: false, status: { message: "not today" } }));
  const headers = { "Content-Type": "application/json" };
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const body = JSON.stringify({ metadata: { name: "no" }, webhooks: [{ name: "no.example.com", sideEffects: "None",
    admissionReviewVersions: ["v1"], clientConfig: { url: "https://webhook.example/no" },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }] }] });
  assert.equal((await cluster.fetch(path, { method: "POST", headers, body })).status, 201);
  const answer = await cluster.fetch(CONFIG_MAPS, { method: "POST", headers, body: '{"metadata":{"name":"x"}}' });
  assert.match((await answer.json()).message, /not today/);
});

test("rules and policies are evaluated, and tables say how an answer differs", { skip }, async (t) => {
  /** @type {typeof import("./tables")} */
  const { runTable } = await import(pathToFileURL(resolve(folder ?? "", "tables.js")).href);
  const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition",
    metadata: { name: "ranges.example.com" }, spec: { group: "example.com", scope: "Cluster",
      names: { plural: "ranges", kind: "Range" }, versions: [{ name: "v1", served: true, storage: true, schema: {
        openAPIV3Schema: { type: "object", properties: { least: { type: "integer" }, most: { type: "integer" } },
          "x-kubernetes-validations": [{ rule: "self.least <= self.most", message: "least is more than most" }] },
      } }] } };
  const range = { apiVersion: "example.com/v1", kind: "Range", metadata: { name: "r" }, least: 1, most: 2 };
  const wrong = { least: 3 };
  const { tests, close } = runTable({
    given: { objects: [definition], object: range },
    tests: [
      { name: "created", when: { create: {} }, then: { allowed: true, object: { most: 2, spec: null } } },
      { name: "refused", when: { apply: wrong }, then: { refused: { message: "least is more", reason: "Invalid" } } },
      { name: "updated", given: { objects: [range] }, when: { update: { most: 3 } },
        then: { allowed: true, warnings: [] } },
      { name: "deleted", given: { objects: [range] }, when: { delete: {}, as: { user: "jane" } },
        then: { allowed: true } },
      { name: "not allowed", when: { create: wrong }, then: { allowed: true } },
      { name: "not refused", when: { create: {} }, then: { refused: "" } },
      { name: "another message", when: { create: wrong }, then: { refused: "most is less" } },
      { name: "another value", when: { create: {} }, then: { allowed: true, object: { most: 3 } } },
      { name: "another warning", when: { create: {} }, then: { allowed: true, warnings: ["old"] } },
      { name: "two verbs", when: { create: {}, apply: {} }, then: { allowed: true } },
      { name: "nothing expected", when: { create: {} }, then: {} },
      { name: "a file", when: { create: "r.yaml" }, then: { allowed: true } },
    ],
  }, { createCluster });
  t.after(close);
  const results = [];
  for (const { name, run } of tests) {
    results.push(await run().then(() => `${name}: passed`, (error) => `${name}: ${error.message}`));
  }
  const refusal = 'it is refused with 422 Invalid: Range.example.com "r" is invalid: <nil>: Invalid value: ' +
    "least is more than most";
  assert.deepEqual(results, ["created: passed", "refused: passed", "updated: passed", "deleted: passed",
    `not allowed: ${refusal}`, "not refused: it is allowed",
    `another message: ${refusal}; not with 422 Invalid: most is less`, "another value: most: it is 2, not 3",
    'another warning: the warnings are [], not ["old"]',
    "two verbs: when has to have one of create, update, patch, apply, delete, evaluate",
    "nothing expected: then has to say either allowed: true or refused",
    "a file: r.yaml: the option manifests has to read it"]);
});

test("the expression of a table is evaluated, and tests say how its value differs", { skip }, async (t) => {
  /** @type {typeof import("./tables")} */
  const { runTable } = await import(pathToFileURL(resolve(folder ?? "", "tables.js")).href);
  const evaluate = { params: { most: 5 } };
  const { tests, close } = runTable({
    expression: "params.most > 3",
    tests: [
      { name: "its value", when: { evaluate }, then: { value: true } },
      { name: "another value", when: { evaluate }, then: { value: false } },
      { name: "an error", when: { evaluate: { params: { most: "x" } } }, then: { error: "no such overload" } },
    ],
  }, { createCluster });
  t.after(close);
  const results = [];
  for (const { name, run } of tests) {
    results.push(await run().then(() => `${name}: passed`, (error) => `${name}: ${error.message}`));
  }
  assert.deepEqual(results, ["its value: passed", "another value: it is true, not false", "an error: passed"]);
});

test("an informer of @kubernetes/client-node lists again after a 410", { skip }, async (t) => {
  const { CoreV1Api, KubeConfig, makeInformer } = await import("@kubernetes/client-node");
  const cluster = await open(t);
  const { url } = await cluster.listen();
  const config = new KubeConfig();
  config.loadFromOptions({ clusters: [{ name: "test", server: url, skipTLSVerify: true }], users: [{ name: "me" }],
    contexts: [{ name: "test", cluster: "test", user: "me" }], currentContext: "test" });
  const api = config.makeApiClient(CoreV1Api);
  let lists = 0;
  const list = () => {
    lists++;
    return api.listNamespacedConfigMap({ namespace: "default" });
  };
  const informer = makeInformer(config, CONFIG_MAPS, list);
  /** @type {Map<string, () => void>} */
  const waiting = new Map();
  const seen = new Set();
  const sees = (/** @type {string} */ name) =>
    new Promise((/** @type {(v?: undefined) => void} */ resolve) =>
      seen.has(name) ? resolve() : waiting.set(name, resolve));
  informer.on("add", ({ metadata }) => {
    seen.add(metadata?.name);
    waiting.get(metadata?.name ?? "")?.();
  });
  let over = false;
  // What ends its watch at the end is no reason to begin another one.
  informer.on("error", () => void (over || informer.start().catch(() => {})));
  await informer.start();
  await api.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "a" } } });
  await sees("a");
  const before = lists;
  // A reset ends its watch with a 410, and what it knows is of another cluster.
  await cluster.levers.reset();
  await create(cluster, { name: "b" });
  await sees("b");
  assert.ok(lists > before, "it has listed again");
  over = true;
  await informer.stop();
});

test("wrong options are refused, and hold no directory", { skip }, async (t) => {
  const persistence = mkdtempSync(join(tmpdir(), "tabernetes-"));
  t.after(() => rmSync(persistence, { recursive: true }));
  const options = /** @type {any[]} */ ([{ seed: Infinity }, { seed: NaN }, { clock: "stopped" },
    { snapshot: new Uint8Array(1), seed: 1 }]);
  for (const wrong of options) await assert.rejects(createCluster({ persistence, ...wrong }), TypeError);
  for (const snapshot of [new Uint8Array(0), new Uint8Array(1000), new TextEncoder().encode("not a cluster")]) {
    await assert.rejects(createCluster({ persistence, snapshot }), { name: "StatusError", code: 400 });
  }
  assert.equal(existsSync(join(persistence, "lock")), false);
});
