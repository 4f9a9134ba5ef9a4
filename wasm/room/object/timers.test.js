import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { REST, ROUND, SOON, Timers } from "./timers.js";

/** Go's end: schedules a timer as the runtime does. */
class FakeGo {
  mem = new DataView(new ArrayBuffer(64));
  importObject = { gojs: {} };
  resumed = 0;
  id = 0;
  again = 0; // the delay of the timer that is scheduled each time

  _resume() {
    this.resumed++;
    this.clear();
    if (this.again) this.schedule(this.again);
  }

  schedule(delay) {
    this.mem.setBigInt64(8, BigInt(delay), true);
    this.importObject.gojs["runtime.scheduleTimeoutEvent"](0);
    this.id = this.mem.getInt32(16, true);
  }

  clear() {
    this.mem.setInt32(8, this.id, true);
    this.importObject.gojs["runtime.clearTimeoutEvent"](0);
  }
}

let go, alarms, timers;
beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1e9 });
  go = new FakeGo();
  alarms = [];
  timers = new Timers(go, (at) => alarms.push(at - Date.now()));
});

test("timers run while a request is open", () => {
  go.again = 10_000;
  timers.begin();
  go.schedule(10_000);
  mock.timers.tick(9_999);
  assert.equal(go.resumed, 0);
  mock.timers.tick(1);
  assert.equal(go.resumed, 1);
  mock.timers.tick(10_000);
  mock.timers.tick(10_000);
  assert.equal(go.resumed, 3);
  assert.deepEqual(alarms, []);
});

test("an idle room waits for soon ones only", () => {
  go.schedule(SOON - 1);
  mock.timers.tick(SOON);
  assert.equal(go.resumed, 1);
  go.schedule(SOON + 1);
  mock.timers.tick(10 * SOON);
  assert.equal(go.resumed, 1);
  timers.begin(); // it is overdue
  mock.timers.tick(1);
  assert.equal(go.resumed, 2);
});

test("a timer that was cleared does not run", () => {
  timers.begin();
  go.schedule(100);
  go.clear();
  mock.timers.tick(1000);
  assert.equal(go.resumed, 0);
});

test("a timer becomes none when the last request ends", () => {
  timers.begin();
  timers.begin();
  go.schedule(10_000);
  timers.end();
  timers.end();
  mock.timers.tick(60_000);
  assert.equal(go.resumed, 0);
});

test("one alarm follows the last request", () => {
  go.again = 10_000;
  timers.begin();
  go.schedule(10_000);
  timers.end();
  assert.deepEqual(alarms, [REST]);
  mock.timers.tick(REST / 2);
  timers.begin();
  timers.end();
  assert.deepEqual(alarms, [REST], "no row for each request");
  mock.timers.tick(REST / 2);
  timers.fire();
  assert.deepEqual(alarms, [REST, REST / 2], "it was used meanwhile");
  const before = go.resumed;
  mock.timers.tick(REST / 2);
  timers.fire();
  mock.timers.tick(ROUND);
  assert.ok(go.resumed > before, "what is due is done");
  const after = go.resumed;
  mock.timers.tick(100 * REST);
  assert.equal(go.resumed, after, "and nothing more");
  assert.equal(alarms.length, 2);
});

test("a program that has ended has no timers", () => {
  timers.begin();
  go.schedule(100);
  timers.stop();
  timers.end();
  mock.timers.tick(1000);
  assert.equal(go.resumed, 0);
  assert.deepEqual(alarms, []);
});
