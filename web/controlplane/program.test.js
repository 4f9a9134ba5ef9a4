import assert from "node:assert/strict";
import { test } from "node:test";
import { Program } from "./program.js";

/** A program in workers that the test plays, and a clock that it moves. */
function fixture({ here = true, ...more } = {}) {
  const workers = [];
  const timers = [];
  const told = [];
  const program = new Program({
    argv: ["kube-scheduler", "--flag"],
    module: "the module",
    wasmExec: "wasm_exec.js",
    makeWorker: () => {
      const worker = {
        posted: [], ended: false,
        postMessage: (m) => worker.posted.push(m),
        terminate: () => (worker.ended = true),
        say: (data) => worker.onmessage({ data }),
      };
      workers.push(worker);
      return worker;
    },
    connect: () => (here ? "a port" : null),
    tell: (problem) => told.push(problem),
    ...more,
    later: (run, milliseconds) => timers.push({ run, milliseconds }),
  });
  return { program, workers, timers, told };
}

test("a program runs in a worker, with a connection to the cluster", () => {
  const { workers, told } = fixture();
  assert.deepEqual(workers[0].posted, [{
    type: "run", wasmExec: "wasm_exec.js", module: "the module", argv: ["kube-scheduler", "--flag"], port: "a port",
  }]);
  assert.deepEqual(told, [""]);
});

test("without a server in the tab there is no worker", () => {
  const { workers, told } = fixture({ here: false });
  assert.deepEqual([workers, told], [[], []]);
});

test("one that ends is started again, later each time, with its last words", () => {
  const { workers, timers, told } = fixture();
  workers[0].say({ type: "printed", lines: ["panic: it broke", "goroutine 1"] });
  workers[0].say({ type: "ended", text: "exit status 2" });
  assert.ok(workers[0].ended);
  assert.equal(told.at(-1), "kube-scheduler has ended: panic: it broke. It is started again in 1 s.");
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const { run, milliseconds } = timers.pop();
    assert.equal(milliseconds, seconds * 1000);
    run();
    assert.equal(told.at(-1), "");
    workers.at(-1).onerror({ message: "no memory" });
  }
});

test("one that has run for long is started again as one that ends for the first time", () => {
  let time = 0;
  const { workers, timers } = fixture({ now: () => time });
  const waits = [1, 60_000, 119_999, 120_000].map((ran) => {
    time += ran;
    workers.at(-1).say({ type: "ended", text: "" });
    const { run, milliseconds } = timers.pop();
    run();
    return milliseconds;
  });
  assert.deepEqual(waits, [1000, 2000, 4000, 1000]);
});

test("one that is stopped is asked to end, and is not started again", async () => {
  const { program, workers, timers } = fixture();
  const stopped = program.stop();
  assert.deepEqual(workers[0].posted.at(-1), { type: "stop" });
  workers[0].say({ type: "ended", text: "" });
  await stopped;
  assert.ok(workers[0].ended);
  assert.equal(workers.length, 1);
  for (const { run } of timers) run();
  assert.equal(workers.length, 1);
});

test("one that does not end is ended", async () => {
  const { program, workers, timers } = fixture();
  const stopped = program.stop();
  timers.pop().run();
  await stopped;
  assert.ok(workers[0].ended);
});

test("one whose cluster is gone ends at once, also while it waits to be started again", () => {
  const { program, workers, timers } = fixture();
  workers[0].say({ type: "ended", text: "exit status 1" });
  program.kill();
  timers.pop().run();
  assert.equal(workers.length, 1);
});

test("where a program can be asked is known, and when it has ended", () => {
  const seen = [];
  const { workers, timers, program } = fixture({ listens: (port) => seen.push(port), ended: () => seen.push("ended") });
  workers[0].say({ type: "listens", port: 1 });
  workers[0].say({ type: "ended", text: "exit status 1" });
  timers.pop().run();
  program.kill();
  program.kill();
  assert.deepEqual(seen, [1, "ended", "ended"]);
});

test("one that is killed is started again, and one that is paused stays so", () => {
  const { program, workers, timers } = fixture();
  program.pause(true);
  assert.deepEqual(workers[0].posted.at(-1), { type: "pause", on: true });
  program.restart();
  assert.ok(workers[0].ended);
  timers.pop().run();
  assert.equal(workers.length, 2);
  assert.deepEqual(workers[1].posted.at(-1), { type: "pause", on: true });
  program.pause(false);
  assert.deepEqual(workers[1].posted.at(-1), { type: "pause", on: false });
});
