// The cluster of a run: its time, and that a seed repeats it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "./cluster.js";
import { nodeCluster } from "./node.js";

const text = (answer) => new TextDecoder().decode(answer.body);
const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
const SECRETS = "/api/v1/namespaces/default/secrets";

/** A watch that is open. */
function watch(cluster, path) {
  const seen = { status: 0, text: "", ended: false };
  const sink = {
    whole: (status, _, body) => Object.assign(seen, { status, text: new TextDecoder().decode(body), ended: true }),
    head: (status) => (seen.status = status),
    chunk: (b) => (seen.text += new TextDecoder().decode(b)),
    end: () => (seen.ended = true),
    fail: () => (seen.ended = true),
  };
  cluster.serve("GET", path, "", null, sink);
  return { seen, sink };
}

test("time passes only when it is let, and then timers fire", async () => {
  const cluster = await nodeCluster(1);
  const { seen } = watch(cluster, SECRETS + "?watch=1&timeoutSeconds=90");
  assert.deepEqual([seen.status, seen.ended], [200, false]);
  assert.equal(ask(cluster, "POST", SECRETS, { body: bytes({ metadata: { name: "a" } }) }).status, 201);
  assert.match(seen.text, /"type":"ADDED".*"name":"a"/);
  cluster.pass(89_000);
  assert.equal(seen.ended, false);
  cluster.pass(91_000);
  assert.equal(seen.ended, true);
});

test("a read that waits is answered when its time has come", async () => {
  const cluster = await nodeCluster(1);
  const { seen } = watch(cluster, SECRETS + "?resourceVersion=4000000000&resourceVersionMatch=NotOlderThan");
  assert.equal(seen.status, 0);
  assert.ok(cluster.due() <= 3000);
  cluster.pass(3000);
  assert.equal(seen.status, 504);
});

test("a request can be cancelled", async () => {
  const cluster = await nodeCluster(1);
  const { seen, sink } = watch(cluster, SECRETS + "?watch=1");
  sink.cancel();
  ask(cluster, "POST", SECRETS, { body: bytes({ metadata: { name: "a" } }) });
  assert.equal(seen.text, "");
});

test("a seed decides on uids and times", async () => {
  const run = async (seed) => {
    const cluster = await nodeCluster(seed);
    cluster.pass(5000);
    for (const name of ["a", "b"]) ask(cluster, "POST", SECRETS, { body: bytes({ metadata: { name } }) });
    return text(ask(cluster, "GET", SECRETS));
  };
  const first = await run(7);
  assert.equal(await run(7), first);
  assert.notEqual(await run(8), first);
  assert.match(first, /2030-01-01T00:00:05Z/);
});
