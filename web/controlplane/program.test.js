import assert from "node:assert/strict";
import { test } from "node:test";
import { logged, Program } from "./program.js";

/** A program in workers that the test plays, and a clock that it moves. */
function fixture({ here = true, ...more } = {}) {
  const workers = [];
  const timers = [];
  const told = [];
  const program = new Program({
    argv: ["kube-scheduler", "--flag"],
    module: "the module",
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
    type: "run", module: "the module", argv: ["kube-scheduler", "--flag"], label: "kube-scheduler", port: "a port",
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

test("one that stops by itself before a write is paused, until it may run on", () => {
  const { program, workers } = fixture({ label: "kube-scheduler-2" });
  let stopped = 0;
  program.onstopped = () => stopped++;
  program.stopBefore("pods");
  assert.equal(program.name, "kube-scheduler-2");
  assert.deepEqual(workers[0].posted.at(-1), { type: "stop-before", resource: "pods" });
  assert.ok(!program.paused);
  workers[0].say({ type: "stopped" });
  assert.ok(program.paused);
  assert.equal(stopped, 1);
  program.pause(false);
  assert.deepEqual(workers[0].posted.at(-1), { type: "pause", on: false });
});

test("a line of a log says which part has logged it", () => {
  assert.deepEqual(logged('I1129 21:45:00.123456       1 replica_set.go:644] "Too few replicas" ' +
    'logger="replicaset-controller" replicaSet="default/web" need=3 creating=3'), {
    logger: "replicaset-controller", text: '"Too few replicas" replicaSet="default/web" need=3 creating=3',
    time: "21:45:00",
  });
  assert.deepEqual(logged('E1129 21:45:00.123456         x.go:1] "Unhandled Error" err="sync failed"'),
    { logger: "", text: '"Unhandled Error" err="sync failed"', time: "21:45:00" });
  assert.equal(logged("panic: it broke"), null);
});

test("the last that each part has logged is kept, and how much is logged, also when it is started again", () => {
  const { program, workers, timers } = fixture();
  const line = (n, text) => `I1129 21:45:00.123456       1 a.go:1] "${text}" logger="part-${n}"`;
  workers[0].say({ type: "printed", lines: [line(0, "first"), line(1, "other"), line(0, "second")] });
  assert.deepEqual([...program.logged.values()].map(({ logger, text }) => `${logger} ${text}`),
    ['part-1 "other"', 'part-0 "second"']);
  for (let n = 0; n < 100; n++) workers[0].say({ type: "printed", lines: [line(n, "x".repeat(1000))] });
  assert.equal(program.logged.size, 40);
  assert.equal(program.logged.get("part-99").text.length, 300);
  program.ask(2);
  program.ask();
  assert.deepEqual(workers[0].posted.slice(-2), [{ type: "ask", level: 2 }, { type: "ask", level: null }]);
  workers[0].say({ type: "ended", text: "exit status 1" });
  timers.pop().run();
  assert.deepEqual(workers[1].posted.at(-1), { type: "ask", level: 2 });
  let got = "";
  program.oninside = (text) => (got = text);
  workers[1].say({ type: "inside", text: "{}" });
  assert.equal(got, "{}");
});
