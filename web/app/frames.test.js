// How drawing is delayed while much happens, with a clock that only the tests move.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pacer } from "./frames.js";

/** A page whose frames cost something; frames come every 16 ms. */
function page({ cost = 0 } = {}) {
  const it = { now: 0, hidden: false, drawn: [], queue: [], cost };
  const at = (time, f) => {
    const entry = { time, f };
    it.queue.push(entry);
    return entry;
  };
  const p = pacer({
    now: () => it.now,
    frame: (f) => it.hidden || at((Math.floor(it.now / 16) + 1) * 16, () => f(it.now)),
    painted: (f) => ((it.now += it.cost), f()),
    later: (f, ms) => at(it.now + ms, f),
    cancel: (entry) => (it.queue = it.queue.filter((e) => e !== entry)),
    hidden: () => it.hidden,
  });
  /** Lets time pass. */
  it.pass = (ms) => {
    const end = it.now + ms;
    for (;;) {
      it.queue.sort((a, b) => a.time - b.time);
      const next = it.queue[0];
      if (!next || next.time > end) break;
      it.queue.shift();
      it.now = Math.max(it.now, next.time);
      next.f();
    }
    it.now = Math.max(it.now, end);
  };
  /** Something to draw at once, and again after every drawing. */
  it.stream = () => p.soon(() => (it.drawn.push(it.now), it.stream()));
  return Object.assign(it, p);
}

test("what is scheduled between two frames is drawn together", () => {
  const it = page();
  const drawn = [];
  it.soon(() => drawn.push("a"));
  it.soon(() => drawn.push("b"));
  assert.deepEqual(drawn, []);
  it.pass(16);
  assert.deepEqual(drawn, ["a", "b"]);
  it.soon(() => drawn.push("c"));
  it.pass(16);
  assert.deepEqual(drawn, ["a", "b", "c"]);
});

test("cheap frames come at the screen's pace for as long as there is something to draw", () => {
  const it = page({ cost: 1 });
  it.stream();
  it.pass(10_000);
  assert.ok(it.drawn.length > 580, `${it.drawn.length} frames in 10 s`);
});

test("a short motion is not put off, a long stream is", () => {
  const it = page({ cost: 8 });
  it.stream();
  it.pass(200);
  assert.ok(it.drawn.length >= 12, `${it.drawn.length} frames in the first 200 ms`);
  it.pass(9800);
  const spent = it.drawn.length * 8;
  assert.ok(spent < 10_000 / 10 + 250, `${spent} ms of 10 s were spent on drawing`);
  const gaps = it.drawn.slice(1).map((t, i) => t - it.drawn[i]);
  assert.ok(Math.max(...gaps) <= 400 + 32, `nothing was drawn for ${Math.max(...gaps)} ms`);
  assert.ok(it.drawn.length > 60, `${it.drawn.length} frames in 10 s`);
});

test("what a person does is drawn at once", () => {
  const it = page({ cost: 40 });
  it.stream();
  it.pass(5000);
  const before = it.drawn.length;
  it.attend();
  it.pass(400);
  assert.ok(it.drawn.length - before >= 6, `${it.drawn.length - before} frames in 400 ms of dragging`);
});

test("a hidden page has no frames, and goes on all the same", () => {
  const it = page();
  const drawn = [];
  it.soon(() => drawn.push("scheduled before"));
  it.hidden = true;
  it.queue = []; // the frame never comes
  it.turn();
  it.pass(50);
  assert.deepEqual(drawn, ["scheduled before"]);
  it.soon(() => drawn.push("hidden"));
  it.hidden = false;
  it.turn();
  it.pass(16);
  assert.deepEqual(drawn, ["scheduled before", "hidden"]);
});

test("one that fails does not keep the others from being drawn", (t) => {
  t.mock.method(console, "error", () => {});
  const it = page();
  const drawn = [];
  it.soon(() => {
    throw new Error("a fault");
  });
  it.soon(() => drawn.push("drawn"));
  it.pass(16);
  assert.deepEqual(drawn, ["drawn"]);
});

/** A page whose budget is spent. */
function tired() {
  const it = page({ cost: 30 });
  for (let i = 0; i < 12; i++) {
    it.soon(() => {});
    it.pass(16 + it.cost);
  }
  return it;
}

/** Reads something before a frame, and draws it; when each was done. */
function readAndDraw(it) {
  const seen = { began: it.now, read: 0, drawn: 0 };
  it.before(() => {
    seen.read = it.now;
    it.soon(() => (seen.drawn = it.now));
  });
  it.pass(1000);
  return seen;
}

test("what comes before a frame is drawn in it", () => {
  const { read, drawn } = readAndDraw(page());
  assert.ok(read > 0 && drawn === read, `read at ${read}, drawn at ${drawn}`);
});

test("what comes before a frame that is put off is read in a separate task, and drawn at once", () => {
  const { began, read, drawn } = readAndDraw(tired());
  assert.ok(read - began > 100, `read after ${read - began} ms`);
  assert.ok(drawn > read && drawn - read <= 16, `read at ${read}, drawn at ${drawn}`);
});

test("what comes last in a frame has what others ask for in it, and its rest comes in the next", () => {
  const it = tired();
  const done = [];
  const at = (what) => done.push(`${what} in frame ${Math.floor(it.now / 16)}`);
  it.after(() => {
    at("last");
    it.rest(() => at("rest"));
  });
  it.soon(() => {
    at("drawn");
    it.after(() => at("asked for"));
  });
  it.pass(1000);
  const first = Number(/\d+/.exec(done[0]));
  assert.deepEqual(done, [`drawn in frame ${first}`, `last in frame ${first}`, `asked for in frame ${first}`,
    `rest in frame ${first + 1}`]);
});

test("a stream that is read and drawn stays within the budget", () => {
  const it = page({ cost: 8 });
  let reads = 0;
  const more = () => it.before(() => {
    reads++;
    it.now += 4;
    it.soon(() => it.drawn.push(it.now));
    more();
  });
  more();
  it.pass(10_000);
  assert.ok(Math.abs(reads - it.drawn.length) <= 1, `${reads} reads, ${it.drawn.length} frames`);
  const spent = it.drawn.length * 12;
  assert.ok(spent < 10_000 / 10 + 250, `${spent} ms of 10 s were spent on drawing`);
  const gaps = it.drawn.slice(1).map((t, i) => t - it.drawn[i]);
  assert.ok(Math.max(...gaps) <= 400 + 48, `nothing was drawn for ${Math.max(...gaps)} ms`);
});

test("what is read and due is drawn at once when a person acts, and in a hidden page", () => {
  const it = page({ cost: 40 });
  it.stream();
  it.pass(5000);
  const order = [];
  it.before(() => {
    order.push("read");
    it.soon(() => order.push("drawn"));
  });
  it.attend();
  it.pass(16 + 2 * it.cost + 16);
  assert.deepEqual(order, ["read", "drawn"]);
  it.hidden = true;
  it.queue = [];
  it.turn();
  it.before(() => it.soon(() => order.push("hidden")));
  it.pass(60);
  assert.deepEqual(order, ["read", "drawn", "hidden"]);
});
