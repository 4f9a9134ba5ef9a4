// @ts-check
// Every fault is found in a history that has it, and none in one that has none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Follower, Ledger } from "./ledger.js";

const version = (key, revision, uid, token, more = {}) =>
  ({ key, revision, uid, token, hash: `h${revision}`, ...more });
const a8 = version("a", 8, "A", "1");
const b11 = version("b", 11, "B", "2");
const a12 = version("a", 12, "A", "3");
const b14 = version("b", 14, "B", "2", { deleted: true });

/** A ledger that has received all of these. */
function past() {
  const ledger = new Ledger();
  ledger.begin(10, { a: a8 });
  ledger.show("reader", a8);
  ledger.show("writer", b11, true);
  ledger.show("writer", a12, true);
  ledger.show("follower", b11);
  ledger.showList("lister", 13, [a12, b11]);
  ledger.show("follower", b14);
  ledger.acknowledgeDeletion("b", "B");
  ledger.refuse("no");
  return ledger;
}

const told = (events, more = {}) =>
  ({ head: 14, shown: 14, from: 10, state: { a: a8 }, events, end: events.at(-1).revision, ...more });

test("a sound history is accepted", () => {
  for (const more of [[], [version("c", 15, "C", "unanswered")]]) {
    const ledger = past();
    const end = ledger.check(told([b11, a12, b14, ...more]));
    assert.deepEqual(ledger.texts, []);
    assert.equal(end.a, a12);
    assert.equal(ledger.base, 14 + more.length);
  }
});

const other = { ...a12, hash: "other" };
for (const [name, history, fault] of /** @type {[string, any, string][]} */ ([
  ["a lost creation", told([a12, b14]), "lost"],
  ["a lost update", told([b11, b14]), "lost"],
  ["a lost deletion", told([b11, a12]), "lost"],
  ["a deletion that was shown", told([b11, a12]), "shown and gone"],
  ["a head that went back", told([b11, a12, b14], { head: 13 }), "shown and gone"],
  ["another event", told([b11, other, b14]), "reused"],
  ["a write that is lost by it", told([b11, other, b14]), "lost"],
  ["a base that changed", told([b11, a12, b14], { state: {} }), "diverged"],
  ["a list of what never was", told([b11, a12, version("b", 13, "B", "x"), b14]), "diverged"],
  ["a write done twice", told([b11, a12, b14, version("a", 15, "A", "3")]), "diverged"],
  ["a write that was refused", told([b11, a12, b14, version("c", 15, "C", "no")]), "diverged"],
])) {
  test(name, () => {
    const ledger = past();
    ledger.check(history);
    assert.ok(ledger.counts[fault] > 0, ledger.texts.join("\n"));
  });
}

test("what contradicts what was shown before is found at once", () => {
  for (const v of [other, { ...a8, hash: "other" }]) {
    const ledger = past();
    ledger.show("reader", v);
    assert.equal(ledger.counts.reused, 1);
  }
});

test("followers are compared with the history and with a list", () => {
  const follow = (/** @type {[string, any][]} */ ...events) => {
    const follower = new Follower("follower", past());
    follower.begin(10, { a: a8 });
    for (const [type, v] of events) follower.take(type, v);
    const told = follower.ledger.findings;
    follower.check({ head: 14, shown: 14, from: 10, state: { a: a8 }, events: [b11, a12, b14], end: 14 }, { a: a12 });
    return { told, checked: follower.ledger.findings - told };
  };
  const bookmark = { revision: 13 };
  assert.deepEqual(follow(["ADDED", b11], ["MODIFIED", a12], ["BOOKMARK", bookmark], ["DELETED", b14]),
    { told: 0, checked: 0 });
  assert.deepEqual(follow(["MODIFIED", a12]), { told: 0, checked: 1 }); // one is missing
  assert.deepEqual(follow(["ADDED", b11], ["MODIFIED", a12]), { told: 0, checked: 2 }); // it has what nobody has
  assert.equal(follow(["ADDED", b11], ["ADDED", b11]).told, 1);
  assert.equal(follow(["MODIFIED", a12], ["ADDED", b11]).told, 1);
  assert.equal(follow(["ADDED", a12]).told, 1);
  assert.equal(follow(["MODIFIED", a12], ["BOOKMARK", { revision: 11 }]).told, 1);
});
