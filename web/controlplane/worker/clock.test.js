import assert from "node:assert/strict";
import { test } from "node:test";
import { AS_HOST } from "../../../wasm/host/clock.js";
import { Clock, follow, install } from "./clock.js";

/** A host whose time the test moves, with its timers. */
function fakeHost() {
  const timers = new Set();
  const host = {
    time: 1000,
    now: () => host.time,
    setTimeout(run, milliseconds) {
      const timer = { run, at: host.time + milliseconds };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer) => timers.delete(timer),
    pass(milliseconds) {
      const end = host.time + milliseconds;
      for (;;) {
        const [first] = [...timers].sort((a, b) => a.at - b.at);
        if (!first || first.at > end) break;
        timers.delete(first);
        host.time = first.at;
        first.run();
      }
      host.time = end;
    },
  };
  return host;
}

test("a clock runs with the host's, stands, is moved, and never goes back by the monotonic time", () => {
  const host = fakeHost();
  const clock = new Clock(host);
  const start = clock.mono();
  const expect = (now, passed) => assert.deepEqual([clock.now(), clock.mono() - start], [now, passed]);
  host.pass(10);
  expect(1010, 10);
  clock.set({ ...AS_HOST, offset: 5000 });
  expect(6010, 5010);
  clock.set({ ...AS_HOST, at: 6010 });
  host.pass(100);
  expect(6010, 5010);
  clock.set({ ...AS_HOST, at: 7010 });
  expect(7010, 6010);
  clock.set({ ...AS_HOST, offset: 7010 - 1110 });
  host.pass(1);
  expect(7011, 6011);
  clock.set({ ...AS_HOST, offset: -100 }); // another cluster
  expect(1011, 6011);
  host.pass(1);
  expect(1012, 6012);
});

test("timers fire by it", () => {
  const host = fakeHost();
  const clock = new Clock(host);
  const fired = [];
  const start = (id, delay) => clock.start(id, delay, () => fired.push(id));
  start(1, 10);
  start(2, 20);
  start(3, 30);
  assert.equal(clock.next(), 1010);
  host.pass(10);
  assert.deepEqual(fired, [1]);
  clock.set({ ...AS_HOST, at: 1010 });
  host.pass(1000);
  assert.deepEqual(fired, [1], "while it stands none does");
  assert.equal(clock.next(), 1020);
  clock.set({ ...AS_HOST, at: 1020 });
  assert.deepEqual(fired, [1, 2], "when it is moved there");
  clock.stop(3);
  start(4, 5);
  clock.set({ ...AS_HOST, offset: 1020 - 2010 });
  host.pass(4);
  assert.deepEqual(fired, [1, 2]);
  host.pass(1);
  assert.deepEqual(fired, [1, 2, 4]);
  assert.equal(clock.next(), null);
});

test("it is faster than the host's, with its timers", () => {
  const host = fakeHost();
  const clock = new Clock(host);
  const start = clock.mono();
  const expect = (now, passed) => assert.deepEqual([clock.now(), clock.mono() - start], [now, passed]);
  const fired = [];
  clock.start(1, 100, () => fired.push(clock.now()));
  clock.start(2, 5000, () => fired.push(clock.now()));
  clock.set({ offset: 0, at: null, rate: 60, since: 1000 });
  assert.equal(clock.next(), 1100);
  host.pass(1);
  expect(1060, 60);
  assert.deepEqual(fired, []);
  host.pass(1);
  assert.deepEqual(fired, [1120], "not before its time");
  clock.set({ offset: 500, at: null, rate: 60, since: 1000 }); // it was moved
  expect(1620, 620);
  clock.set({ ...AS_HOST, at: 1620, rate: 60 });
  host.pass(1000);
  expect(1620, 620);
  clock.set({ offset: 1620 - 2002, at: null, rate: 10, since: 2002 });
  host.pass(10);
  expect(1720, 720);
  clock.set({ offset: 1720 - 2012, at: null, rate: 1, since: 2012 });
  host.pass(4279);
  assert.equal(fired.length, 1);
  host.pass(1);
  assert.deepEqual(fired, [1120, 6000]);
});

test("while they are held no timer fires, and then those that are due", () => {
  const host = fakeHost();
  const clock = new Clock(host);
  const fired = [];
  const start = (id, delay) => clock.start(id, delay, () => fired.push(id));
  start(1, 10);
  start(2, 30);
  clock.hold(true);
  start(3, 5);
  host.pass(10);
  assert.equal(clock.next(), null, "nothing is waited for");
  clock.set({ ...AS_HOST, offset: 1000 });
  clock.set(AS_HOST);
  assert.deepEqual(fired, []);
  assert.equal(clock.mono() > 1010, true, "time has passed");
  clock.hold(false);
  host.pass(0);
  assert.deepEqual(fired.sort(), [1, 2, 3]);
});

test("a timer may start another one, also one that is due", () => {
  const host = fakeHost();
  const clock = new Clock(host);
  const fired = [];
  clock.start(1, 10, () => clock.start(2, 0, () => fired.push(clock.now())));
  clock.set({ ...AS_HOST, at: 2000 });
  host.pass(0);
  assert.deepEqual(fired, [2000]);
});

test("Go's runtime has its time from it", () => {
  const host = fakeHost();
  const clock = new Clock(host);
  let resumed = 0;
  const go = { importObject: { gojs: {} }, mem: new DataView(new ArrayBuffer(64)), exited: false,
    _resume: () => resumed++ };
  install(go, clock);
  const { gojs } = go.importObject;
  clock.set({ ...AS_HOST, offset: 1_790_000_000_250.5 - host.time });
  gojs["runtime.walltime"](0);
  const wall = () => [go.mem.getBigInt64(8, true), go.mem.getInt32(16, true)];
  assert.deepEqual(wall(), [1_790_000_000n, 250_500_000]);
  gojs["runtime.walltime"](0);
  assert.deepEqual(wall(), [1_790_000_000n, 250_500_001], "Events of a moment would have the same name");
  gojs["runtime.nanotime1"](0);
  assert.equal(go.mem.getBigInt64(8, true), BigInt(clock.mono() * 1e6));
  go.mem.setBigInt64(8, 20n, true);
  gojs["runtime.scheduleTimeoutEvent"](0);
  const id = go.mem.getInt32(16, true);
  gojs["runtime.scheduleTimeoutEvent"](0);
  go.mem.setInt32(8, id, true);
  gojs["runtime.clearTimeoutEvent"](0);
  host.pass(20);
  assert.equal(resumed, 1);
  clock.set({ ...AS_HOST, at: 1_790_000_000_999.9995 });
  for (let i = 0; i < 2000; i++) gojs["runtime.walltime"](0);
  assert.deepEqual(wall(), [1_790_000_001n, 999], "while the clock stands, too");
});

test("a program says when it waits, after what has come before is handled", async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const host = fakeHost();
  const clock = new Clock(host);
  let busy = true;
  t.after(follow(port2, clock, () => busy));
  port2.start();
  const said = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  clock.start(1, 70, () => Promise.resolve().then(() => {
    busy = false;
    clock.start(2, 40, () => {});
  }));
  port1.postMessage({ type: "whole", id: 1 });
  port1.postMessage({ type: "clock", ...AS_HOST, at: 5000, ask: true });
  assert.deepEqual(await said, { type: "settled", id: 0, next: 5040, busy: false });
});
