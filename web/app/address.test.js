// The address and what is looked at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { divide, followView, fragment } from "./address.js";

test("a fragment is a place and a view", () => {
  for (const [hash, place, view] of [
    ["", "", {}],
    ["#lesson-paging-2", "lesson-paging-2", {}],
    ["#at=31", "", { revision: 31 }],
    ["#lesson-paging-2&at=31&see=pods/default/web", "lesson-paging-2", { revision: 31, selected: "pods/default/web" }],
    ["#scene=gone&present&see=rev-7", "scene=gone&present", { selected: "rev-7" }],
    ["#see=configmaps/a%26b/c", "", { selected: "configmaps/a&b/c" }],
  ]) {
    assert.deepEqual(divide(hash), { place, view }, hash);
    assert.equal(fragment(place, view), hash);
  }
  assert.equal(fragment("", { revision: 7, selected: "rev-7" }), "#at=7");
  for (const hash of ["#at=", "#at=-1", "#at=0", "#at=1e9", "#at=1234567890123456", "#see=%", "#&&at=x"]) {
    assert.equal(divide(hash).view.revision, undefined, hash);
    assert.ok(!divide(hash).view.selected, hash);
  }
});

/** A window with a history, whose clock and timers the test moves. */
function browser(hash = "") {
  const listeners = {};
  const entries = [{ state: null, hash }];
  const b = {
    at: 0, time: 0, due: [], shown: [], entries, view: { revision: 0, selected: "" },
    location: { pathname: "/", search: "", get hash() { return entries[b.at].hash; } },
    history: {
      pushState(state, _, url) {
        entries.length = ++b.at;
        entries.push({ state, hash: url.startsWith("#") ? url : "" });
      },
      replaceState: (state, _, url) => void (entries[b.at] = { state, hash: url.startsWith("#") ? url : "" }),
    },
    addEventListener: (type, f) => (listeners[type] = f),
    setTimeout: (f) => b.due.push(f),
    go(n) {
      b.at += n;
      listeners.popstate({ state: entries[b.at].state });
    },
    follow(hash) {
      entries.length = ++b.at;
      entries.push({ state: null, hash });
      listeners.popstate({ state: null });
    },
    look(view, address) {
      b.view = view;
      address.changed();
      b.due.splice(0).forEach((f) => f());
    },
    hashes: () => entries.map((e) => e.hash),
  };
  b.address = followView(b, () => b.view, (view) => {
    b.shown.push(view);
    b.view = view;
  }, () => b.time);
  return b;
}

test("what is looked at is in the address, and back leads to what was", () => {
  const b = browser("#lesson-paging");
  b.look({ revision: 31 }, b.address);
  b.time += 5000;
  b.look({ revision: 31, selected: "pods/default/web" }, b.address);
  assert.deepEqual(b.hashes(), ["#lesson-paging", "#lesson-paging&at=31", "#lesson-paging&at=31&see=pods/default/web"]);
  b.go(-1);
  assert.deepEqual(b.view, { revision: 31 });
  b.go(-1);
  assert.deepEqual(b.view, {});
  b.go(2);
  assert.deepEqual(b.view, { revision: 31, selected: "pods/default/web" });
  b.look(b.view, b.address); // what showing it reports
  assert.equal(b.entries.length, 3);
});

test("revisions that are passed by are no places to come back to", () => {
  const b = browser();
  for (const revision of [9, 8, 7]) {
    b.time += 300;
    b.look({ revision }, b.address);
  }
  b.time += 5000;
  b.look({ revision: 3 }, b.address);
  b.look({ revision: 0 }, b.address);
  assert.deepEqual(b.hashes(), ["", "#at=7", "#at=3", ""]);
});

test("a link to a place leaves the view as it is, one with a view shows it", () => {
  const b = browser();
  b.look({ revision: 5 }, b.address);
  b.follow("#lesson-verbs-2");
  assert.deepEqual(b.shown, []);
  assert.equal(b.location.hash, "#lesson-verbs-2&at=5");
  b.follow("#see=rev-4");
  assert.deepEqual(b.shown, [{ selected: "rev-4" }]);
  b.address.setPlace("#lesson-verbs");
  assert.equal(b.location.hash, "#lesson-verbs&see=rev-4");
});

test("an address with a view is shown at the start; a cluster that it cannot name changes nothing", () => {
  const b = browser("#at=12");
  assert.deepEqual(b.shown, [{ revision: 12 }]);
  b.look(null, b.address);
  assert.deepEqual(b.hashes(), ["#at=12"]);
  assert.deepEqual(browser("#at=x").shown, []);
});

test("a browser that refuses more entries is tried again", () => {
  const b = browser();
  const { pushState } = b.history;
  b.history.pushState = () => { throw new Error("too often"); };
  b.look({ revision: 5 }, b.address);
  b.history.pushState = pushState;
  b.look({ revision: 4 }, b.address);
  assert.deepEqual(b.hashes(), ["", "#at=4"]);
});
