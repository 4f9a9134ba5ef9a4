import assert from "node:assert/strict";
import { test } from "node:test";
import { Tap } from "./tap.js";

const encode = (s) => new TextEncoder().encode(s);
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
/** Waits until seen has count events; fails by the test's own timeout. */
async function heard(seen, count) {
  while (seen.length < count) await turn();
}
const asks = (more = {}) => ({ method: "GET", url: "/api", headers: [], body: "", origin: "page", ...more });

/** @param {import("node:test").TestContext} t */
function open(t) {
  const tap = new Tap();
  t.after(() => tap.close());
  const seen = [];
  return { tap, seen, listener: (e) => seen.push(`${e.type}${e.id}${e.text ? ` ${e.text}` : ""}`) };
}

test("events come in a task of their own, in order", async (t) => {
  const { tap, seen, listener } = open(t);
  const off = tap.subscribe(listener);
  const a = tap.request(asks());
  const b = tap.request(asks());
  b.head(200, "");
  a.head(200, "");
  a.end();
  assert.deepEqual(seen, [], "a listener was called in the way of the page");
  await heard(seen, 5);
  assert.deepEqual(seen, ["request1", "request2", "head2", "head1", "end1"]);
  off();
  const others = [];
  tap.subscribe((e) => others.push(e));
  others.length = 0;
  b.end();
  await heard(others, 1);
  assert.equal(seen.length, 5);
});

test("who comes late gets what was, once", async (t) => {
  const { tap, seen, listener } = open(t);
  const early = [];
  tap.subscribe((e) => early.push(`${e.type}${e.id}`));
  const a = tap.request(asks());
  a.head(200, "");
  tap.subscribe(listener);
  a.end();
  await heard(seen, 3);
  assert.deepEqual(seen, ["request1", "head1", "end1"]);
  assert.deepEqual(early, ["request1", "head1", "end1"]);
});

test("text that is cut in the middle of a letter", async (t) => {
  const { tap } = open(t);
  const pieces = [[], []];
  tap.subscribe((e) => e.bytes && pieces[e.id - 1].push(e.bytes));
  const a = tap.request(asks());
  const bytes = encode("a€b");
  a.chunk(bytes.subarray(0, 2));
  a.chunk(bytes.subarray(2, 3));
  a.chunk(bytes.subarray(3));
  const b = tap.request(asks());
  b.chunk(bytes.subarray(0, 3));
  b.end();
  await heard(pieces[1], 1);
  assert.deepEqual(pieces.map((all) => Buffer.concat(all).toString()), ["a€b", "a\ufffd"]);
});

test("a whole body is decoded for the first who asks", async (t) => {
  const { tap } = open(t);
  const events = [];
  tap.subscribe((e) => events.push(e));
  tap.request(asks()).whole(encode("whole"));
  await heard(events, 2);
  assert.equal(events[1].text, "whole");
  assert.equal(events[1].text, "whole");
  assert.deepEqual([events[1].type, events[1].id], ["chunk", 1]);
});

test("bytes are passed on as they are, and kept when the server takes them back", async (t) => {
  const { tap } = open(t);
  const got = [];
  tap.subscribe((e) => e.bytes && got.push([...e.bytes]));
  const a = tap.request(asks());
  a.head(200, "Content-Type: application/vnd.kubernetes.protobuf;stream=watch\n");
  const lent = new Uint8Array([0x6b, 0x38, 0x73, 0x00]);
  a.chunk(lent);
  lent.fill(0);
  a.chunk(new Uint8Array());
  a.chunk(new Uint8Array([0xff]));
  a.end();
  tap.request(asks()).whole(new Uint8Array([0xd9, 0x0a]));
  await heard(got, 3);
  assert.deepEqual(got, [[0x6b, 0x38, 0x73, 0x00], [0xff], [0xd9, 0x0a]]);
});

test("what is kept is bounded, by whole requests", async (t) => {
  const { tap, seen, listener } = open(t);
  for (let i = 0; i < 600; i++) {
    const r = tap.request(asks());
    r.head(200, "");
    r.end();
  }
  tap.subscribe(listener);
  assert.equal(seen.length, 1500);
  assert.equal(seen[0], "request101");

  const stream = tap.request(asks());
  for (let i = 0; i < 20; i++) stream.chunk(encode("x".repeat(1 << 20)));
  const live = seen.length;
  await heard(seen, live + 21);
  assert.equal(seen.length, live + 21, "the stream is heard in full");
  const late = [];
  tap.subscribe((e) => late.push(e.id));
  assert.ok(!late.includes(601), "one big stream is kept");
  assert.ok(late.length > 1400, "one big stream pushed the others out");
});

test("a listener that fails hurts nobody", async (t) => {
  const { tap, seen, listener } = open(t);
  const error = t.mock.method(console, "error", () => {});
  tap.subscribe(() => {
    throw new Error("listener");
  });
  tap.subscribe(listener);
  tap.request(asks()).end();
  await heard(seen, 2);
  assert.deepEqual(seen, ["request1", "end1"]);
  assert.equal(error.mock.callCount(), 2);
});

test("abort reaches the open request only", (t) => {
  const { tap } = open(t);
  const a = tap.request(asks());
  assert.equal(tap.abort(1), false, "nothing can abort it yet");
  const reasons = [];
  a.abort = (reason) => reasons.push(reason);
  assert.equal(tap.abort(1), true);
  assert.equal(reasons[0].name, "AbortError");
  a.end();
  assert.equal(tap.abort(1), false);
  assert.equal(tap.abort(77), false);
});
