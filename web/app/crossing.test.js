// How the tap's events cross to Go, with a clock that only moves when told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crossing, packFields } from "./crossing.js";

/** A page in which each batch takes Go some time. */
function page({ cost = 0 } = {}) {
  const it = { now: 0, frames: [], turns: [], tasks: [], longest: 0 };
  it.batches = [];
  it.take = crossing({ soon: (f) => it.frames.push(f), turn: (f) => it.turns.push(f), now: () => it.now }, (batch) => {
    it.batches.push(batch);
    it.now += cost;
  });
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
  it.events = () => it.batches.flatMap((b) => b.split("\x1e")).map((e) => e.split("\x1f"));
  return it;
}

const chunk = (id, text) => ({ type: "chunk", id, time: 1.5, text });

test("each event has its own fields", () => {
  const it = page();
  it.take({ type: "request", id: 1, time: 1000.0015, method: "GET", url: "/api",
    headers: [["Accept", "a\x1fb"], ["B", ""]], body: "{}", origin: "page" });
  it.take({ type: "head", id: 1, time: 2, status: 200, headers: [], source: "server=0" });
  it.take(chunk(1, "a\x1eb"));
  it.take({ type: "end", id: 1, time: 2 });
  it.take({ type: "fail", id: 2, time: 2, error: "gone", aborted: true });
  assert.deepEqual(it.batches, [], "nothing crosses before there is time");
  it.finish();
  assert.deepEqual(it.events(), [
    ["request", "1", "1000002", "GET", "/api", "Accept\x1ca\ufffdb\x1dB\x1c", "{}", "page"],
    ["head", "1", "2000", "200", "", "server=0"],
    ["chunk", "1", "1500", "a\ufffdb"],
    ["end", "1", "2000"],
    ["fail", "2", "2000", "gone", "1"],
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

test("a long text crosses in pieces that cut no character", () => {
  const it = page({ cost: 5 });
  const text = "x" + "\u{1f600}".repeat(100_000);
  it.take(chunk(1, text));
  it.take({ type: "end", id: 1, time: 2 });
  it.finish();
  const all = it.events();
  assert.equal(all.at(-1)[0], "end");
  assert.ok(all.length > 3);
  for (const [type, , , piece] of all.slice(0, -1)) {
    assert.equal(type, "chunk");
    assert.ok(piece.isWellFormed?.() ?? true);
    assert.ok(piece.length <= 64 << 10);
  }
  assert.equal(all.slice(0, -1).map((e) => e[3]).join(""), text);
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
