// The parts that a run is made of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agenda } from "./agenda.js";
import { Disguise } from "./disguise.js";
import { LEVELS, plan } from "./levels.js";
import { Random } from "./random.js";
import { ORDER, RULES } from "./rules.js";
import { Mirror, Truth, observed } from "./truth.js";

test("an agenda is kept in the order of time, then of putting down", () => {
  const agenda = new Agenda();
  const draw = new Random(1);
  const times = Array.from({ length: 200 }, () => draw.int(0, 20));
  const happened = [];
  times.forEach((at, i) => agenda.put(at, () => happened.push([at, i])));
  assert.equal(agenda.due(), Math.min(...times));
  assert.equal(agenda.take(-1), undefined);
  for (let act = agenda.take(20); act; act = agenda.take(20)) act();
  assert.deepEqual(
    happened,
    times.map((at, i) => [at, i]).sort(([a, i], [b, j]) => a - b || i - j),
  );
  assert.equal(agenda.due(), Infinity);
});

test("a seed always draws the same, and its parts do not disturb each other", () => {
  const some = (draw) => Array.from({ length: 5 }, () => draw.int(1, 1000));
  assert.deepEqual(some(new Random("a")), some(new Random("a")));
  assert.notDeepEqual(some(new Random("a")), some(new Random("b")));
  const one = new Random("a");
  const part = one.part("x");
  some(one);
  assert.deepEqual(some(part), some(new Random("a").part("x")));
  // The first numbers of seeds that follow one another are spread.
  let low = 0;
  for (let seed = 0; seed < 1000; seed++) low += new Random(seed).float() < 0.5 ? 1 : 0;
  assert.ok(low > 440 && low < 560, `${low}`);
  // Known numbers: saved seeds mean the same in later versions.
  assert.deepEqual(some(new Random("capstone")), KNOWN);
});

const KNOWN = [99, 27, 22, 549, 956];

const object = (name, uid, version, note = "") =>
  ({ metadata: { name, uid, resourceVersion: String(version), annotations: { note } } });
const seen = (...args) => observed(object(...args), Number);

test("the collection is known at every revision, before and after a restore", () => {
  const truth = new Truth();
  truth.begin(10, [seen("a", "1", 3), seen("b", "2", 4)]);
  truth.record({ rev: 12, key: "a", observed: seen("a", "1", 12) });
  truth.record({ rev: 15, key: "b", observed: null });
  truth.record({ rev: 16, key: "b", observed: seen("b", "9", 16) });
  const at = (epoch, rev) => [...truth.at({ epoch, rev })].map(([key, s]) => `${key}@${s.rev}`).join();
  const states = [10, 11, 12, 15, 16, 99].map((rev) => at(0, rev));
  assert.deepEqual(states, ["a@3,b@4", "a@3,b@4", "a@12,b@4", "a@12", "a@12,b@16", "a@12,b@16"]);
  truth.begin(12, truth.at({ epoch: 0, rev: 12 }).values());
  truth.record({ rev: 13, key: "a", observed: null });
  assert.deepEqual([at(1, 12), at(1, 13), at(0, 13)], ["a@12,b@4", "b@4", "a@12,b@4"]);
});

test("a store is compared at the place that it claims, forwards and backwards", () => {
  const truth = new Truth();
  truth.begin(1, [seen("a", "1", 1)]);
  for (let rev = 2; rev < 6; rev++) truth.record({ rev, key: "a", observed: seen("a", "1", rev) });
  const mirror = new Mirror(truth);
  const differs = (rev) =>
    (mirror.moveTo({ epoch: 0, rev }), mirror.differences().map((d) => `${d.key}: ${d.have?.rev} ${d.want?.rev}`));
  assert.deepEqual(differs(1), ["a: undefined 1"]);
  mirror.replace([seen("a", "1", 3)]);
  assert.deepEqual([differs(3), differs(4), differs(2), differs(3)], [[], ["a: 3 4"], ["a: 3 2"], []]);
  mirror.put(seen("b", "2", 3));
  assert.deepEqual(differs(3), ["b: 3 undefined"]);
  mirror.remove("b");
  assert.deepEqual(differs(3), []);
});

test("objects are compared without their kind, and with all else", () => {
  const one = { kind: "Secret", apiVersion: "v1", ...object("a", "1", 5, "x"), data: { b: "1", a: "2" } };
  const item = { data: { a: "2", b: "1" }, ...object("a", "1", 5, "x") };
  assert.equal(observed(one, Number).text, observed(item, Number).text);
  const others = [object("a", "1", 6, "x"), object("a", "2", 5, "x"), object("a", "1", 5, "y"), { ...one, extra: 1 }];
  for (const other of others) {
    assert.notEqual(observed(one, Number).text, observed(other, Number).text);
  }
  for (const junk of [null, undefined, 7, "a", {}, { metadata: null }, { metadata: { resourceVersion: "5" } }]) {
    assert.match(observed(junk, Number).key, /^\?/);
  }
});

test("in disguise versions are texts, and lead back", () => {
  const disguise = new Disguise(new Random(1), true, false);
  const list = { metadata: { resourceVersion: "12", continue: "abc" },
    items: [object("a", "1", 12), object("b", "2", 7)] };
  disguise.cover(list);
  const { resourceVersion: version, continue: token } = list.metadata;
  assert.equal(list.items[0].metadata.resourceVersion, version);
  assert.match(version, /^[a-z][a-z0-9]{11}$/);
  assert.deepEqual([disguise.real(version), disguise.real(token), disguise.revision(version)], ["12", "abc", 12]);
  assert.deepEqual([disguise.real(""), disguise.real("0"), disguise.version("0")], ["", "0", "0"]);
  assert.deepEqual([disguise.knows(version), disguise.knows("12"), disguise.knows("NaN")], [true, false, false]);
  const plain = new Disguise(new Random(1), false, false);
  assert.deepEqual([plain.version("12"), plain.knows("12"), plain.knows("NaN"), plain.changes],
    ["12", true, false, false]);
});

test("a plan is drawn from its seed, and ends with a calm minute", () => {
  const what = (p) => JSON.stringify({ ...p, actions: p.actions.map((a) => a.at) });
  for (const { level } of LEVELS) {
    for (let seed = 1; seed <= 50; seed++) {
      const drawn = plan(level, seed);
      assert.equal(what(plan(level, seed)), what(drawn));
      assert.ok(drawn.actions.every((a) => a.at < drawn.calm && a.at >= 0 && Number.isInteger(a.at)));
      assert.ok(drawn.stop > drawn.calm + 60_000);
    }
    assert.notEqual(what(plan(level, 1)), what(plan(level, 2)));
  }
});

test("every rule is asked at each moment that it looks at", () => {
  for (const [id, rule] of Object.entries(RULES)) {
    assert.ok(rule.from <= rule.level && rule.level <= 6, id);
    for (const moment of Object.keys(rule.on)) assert.ok(ORDER[moment].includes(id), `${id} at ${moment}`);
  }
  for (const [moment, ids] of Object.entries(ORDER)) {
    for (const id of ids) assert.ok(RULES[id].on[moment], `${id} at ${moment}`);
  }
});
