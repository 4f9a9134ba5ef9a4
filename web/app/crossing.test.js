// How the tap's events are passed to Go, with a clock that only the tests move.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crossing, packFields } from "./crossing.js";

/** A page in which each batch takes Go some time. */
function page({ cost = 0 } = {}) {
  const it = { now: 0, frames: [], turns: [], tasks: [], longest: 0 };
  it.batches = [];
  const host = { before: (f) => it.frames.push(f), turn: (f) => it.turns.push(f), now: () => it.now };
  Object.assign(it, crossing(host, (batch, bodies) => {
    it.batches.push({ batch, bodies });
    it.now += cost;
  }));
  const task = (f) => {
    const began = it.now;
    f();
    it.tasks.push(it.now - began);
  };
  it.frame = () => it.frames.splice(0).forEach(task);
  it.turn = () => it.turns.splice(0).forEach(task);
  it.finish = () => {
    it.frame();
    while (it.turns.length > 0) it.turn();
  };
  /** The fields of each event, with its body in the place of the body's length. */
  it.events = () => it.batches.flatMap(({ batch, bodies }) => {
    let at = 0;
    const events = batch.split("\x1e").map((e) => e.split("\x1f")).map((e) => {
      const field = { request: 6, chunk: 3 }[e[0]];
      if (field) e[field] = bodies.subarray(at, (at += Number(e[field])));
      return e;
    });
    assert.equal(at, bodies.length);
    return events;
  });
  return it;
}

const encode = (text) => new TextEncoder().encode(text);
const chunk = (id, text) => ({ type: "chunk", id, time: 1.5, bytes: encode(text) });

test("each event has its own fields", () => {
  const it = page();
  it.take({ type: "request", id: 1, time: 1000.0015, method: "GET", url: "/api",
    headers: [["Accept", "a\x1fb"], ["B", ""]], body: "{}", origin: "page", place: "tab" });
  it.take({ type: "head", id: 1, time: 2, status: 200, headers: [], source: "server=0" });
  it.take(chunk(1, "a\x1eb"));
  it.take({ type: "end", id: 1, time: 2 });
  it.take({ type: "fail", id: 2, time: 2, error: "gone", aborted: true });
  it.take({ type: "request", id: 3, time: 2, method: "PUT", url: "/", body: "?", sent: new Uint8Array([255, 0]) });
  assert.deepEqual(it.batches, [], "nothing crosses before there is time");
  it.finish();
  assert.deepEqual(it.events(), [
    ["request", "1", "1000002", "GET", "/api", "Accept\x1ca\ufffdb\x1dB\x1c", encode("{}"), "page", "tab"],
    ["head", "1", "2000", "200", "", "server=0"],
    ["chunk", "1", "1500", encode("a\x1eb")],
    ["end", "1", "2000"],
    ["fail", "2", "2000", "gone", "1"],
    ["request", "3", "2000", "PUT", "/", "", new Uint8Array([255, 0]), "", ""],
  ]);
  assert.equal(it.batches.length, 1);
  assert.equal(packFields(undefined), "");
});

test("many events hold the page up for a moment only, and stay in order", () => {
  const it = page({ cost: 2 });
  for (let i = 0; i < 2000; i++) it.take(chunk(i, "x".repeat(400)));
  it.frame();
  it.take(chunk(2000, "late"));
  it.finish();
  assert.deepEqual(it.events().map((e) => Number(e[1])), Array.from({ length: 2001 }, (_, i) => i));
  assert.ok(Math.max(...it.tasks) <= 8, `a task of ${Math.max(...it.tasks)} ms`);
  assert.equal(it.frames.length, 0);
  it.take(chunk(2001, "again"));
  it.finish();
  assert.equal(it.events().length, 2002);
});

test("a long body crosses in pieces", () => {
  const it = page({ cost: 5 });
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const body = new Uint8Array(300_000);
  for (let at = 0; at < body.length; at += bytes.length) body.set(bytes, at);
  it.take({ type: "chunk", id: 1, time: 1.5, bytes: body });
  it.take({ type: "end", id: 1, time: 2 });
  it.finish();
  const all = it.events();
  assert.equal(all.at(-1)[0], "end");
  const pieces = all.slice(0, -1).map((e) => e[3]);
  assert.ok(pieces.length > 3 && pieces.every((p) => p.length <= 64 << 10));
  assert.deepEqual(Buffer.concat(pieces), Buffer.from(body));
  assert.ok(Math.max(...it.tasks) <= 10, `a task of ${Math.max(...it.tasks)} ms`);
});

test("what is too much to wait for a frame does not", () => {
  const it = page();
  for (let i = 0; i < 40; i++) it.take(chunk(i, "x".repeat(32 << 10)));
  while (it.turns.length > 0) it.turn();
  assert.equal(it.events().length, 40);
  it.frame(); // finds nothing to do
  assert.equal(it.events().length, 40);
});

test("who cannot wait for a frame has all of it cross, and learns when it has", async () => {
  const it = page({ cost: 5 });
  for (let i = 0; i < 200; i++) it.take(chunk(i, "x".repeat(400)));
  let known = 0;
  const all = it.caughtUp().then(() => (known = it.events().length));
  it.turn();
  await null;
  assert.equal(known, 0, "it is more than one task's work");
  while (it.turns.length > 0) it.turn();
  await all;
  assert.equal(known, 200);
  it.frame(); // finds nothing to do
  const none = it.caughtUp();
  it.turn();
  await none;
  assert.equal(it.events().length, 200);
});
