import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { merge } from "../npm/manifests.js";
import { difference } from "./diff.js";
import { linesOf } from "./expression.js";
import { expressions } from "./fields.js";
import { TableError, fromTable, parts, toTable } from "./model.js";
import { CHAT_LENGTH, fromLink, linkOf } from "./share.js";
import { asExpected, skipped, target, verdict } from "./words.js";
import { read, valueOf } from "./yaml.js";

const folder = new URL("examples/", import.meta.url);
const examples = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")]);
const asGiven = ({ then }) => then;

test("tables keep their meaning, and fit into links", async () => {
  assert.ok(examples.length >= 20);
  for (const [name, text] of examples) {
    const bench = fromTable(text);
    const written = toTable(bench, asGiven);
    const [before, after] = [valueOf(read(text)), valueOf(read(written))];
    const objects = (table) => (table.given?.objects ?? []).map((o) => JSON.stringify(o)).sort();
    assert.deepEqual(objects(after), objects(before), name);
    assert.equal(after.given?.authorization, before.given?.authorization, name);
    before.tests.forEach(({ name: called, given, when, then }, i) => {
      const got = after.tests[i];
      assert.equal(got.name, called);
      assert.deepEqual(got.given, given, called);
      assert.deepEqual(got.then, then, called);
      const verb = Object.keys(when)[0];
      const into = before.given?.object;
      assert.deepEqual(got.when[verb], into ? merge(into, when[verb]) : when[verb], called);
      assert.deepEqual(got.when.as, when.as, called);
    });
    assert.equal(toTable(fromTable(written), asGiven), written, name);
    const link = await linkOf(written);
    assert.equal(await fromLink(link), written);
    assert.ok(link.length < CHAT_LENGTH, `${name}: ${link.length} characters`);
  }
});

test("nothing is expected of what nobody said it of", () => {
  const bench = fromTable("tests: [{name: a, when: {delete: {kind: Pod}}}]");
  const again = fromTable(toTable(bench, asGiven));
  assert.deepEqual([bench, again].map(({ requests: [{ then }] }) => then), [null, null]);
});

test("what is no table is refused, with a reason", async () => {
  for (const [text, reason] of [["", /nothing/], ["a: b", /“tests” is missing/],
    ["tests: [{when: {create: {}, delete: {}}}]", /one of/],
    ["tests: [{when: {create: x.yaml}}]", /has to be an object/], ["given: {files: [a]}\ntests: []", /names files/],
    ["given: {objects: [a]}\ntests: []", /no object/], ["tests: [\n", /line 1/], ["tests: []\n---\ntests: []\n",
      /several/]]) {
    assert.throws(() => fromTable(text), (error) => error instanceof TableError && reason.test(error.message), text);
  }
  for (const hash of ["#bench=", "#bench=1.", "#bench=9.abc", "#bench=1.!!", "#bench=1.AAAA",
    `#bench=1.${"A".repeat(9000)}`]) {
    await assert.rejects(fromLink(hash), TableError, hash);
  }
  const bomb = await linkOf("a".repeat((1 << 18) - 1));
  assert.ok((await fromLink(bomb)).length > 200_000);
});

test("lines of an expression are what an operator joins", () => {
  const text = "has(a.b) &&\n(c || d) && e < 5";
  const part = (start, end, parts) => ({ start, end, parts });
  const tree = part(0, text.length, [part(0, 20, [part(0, 8), part(13, 19, [part(13, 14), part(18, 19)])]),
    part(24, 29, [part(24, 25), part(28, 29)])]);
  assert.deepEqual(linesOf(text, tree).map(({ from, to }) => text.slice(from, to).trim()),
    ["has(a.b) &&", "(c || d) &&", "e < 5"]);
  assert.deepEqual(linesOf("a < 5", part(0, 5, [part(0, 1), part(4, 5)])).length, 1);
});

test("expressions are found by the names of their fields", () => {
  const fields = (name) =>
    expressions(read(fromTable(examples.find(([n]) => n.startsWith(name))[1]).tabs[name === "bounds" ? "definition"
    : "policy"]
    .split("---\n")[0])).map(({ field }) => field);
  assert.deepEqual(fields("replicas"), ["spec.validations[0].expression", "spec.validations[0].messageExpression"]);
  assert.deepEqual(fields("bounds"), [0, 1].map((i) =>
    `spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[${i}].rule`));
});

test("differences have what they are in around them", () => {
  const text = (lines) => lines.join("\n") + "\n";
  assert.deepEqual(difference(text(["a:", "  b: 1", "c: 2"]), text(["a:", "  b: 1", "  d: 3", "c: 2"])).map(
    ({ sign, text }) => sign + text),
    [" a:", "   b: 1", "+  d: 3", " c: 2"]);
  const long = ["a:", ...Array.from({ length: 20 }, (_, i) => `  k${i}: 1`)];
  const shown = difference(text(long), text([...long.slice(0, -1), "  k19: 2"]));
  assert.deepEqual(shown.map(({ sign, text }) => sign + text), [" a:", "…", "   k17: 1", "   k18: 1", "-  k19: 1",
    "+  k19: 2"]);
  assert.deepEqual(difference("a\n", "a\n"), []);
});

test("outcomes are said in sentences", () => {
  const [request] = fromTable(examples.find(([name]) => name.startsWith("replicas"))[1]).requests;
  const step = { kind: "ValidatingAdmissionPolicy", name: "max", outcome: "refused",
    message: "at most 3 replicas, not 5" };
  const outcome = (code, steps, answer = {}) => ({ problem: "", trial: { code, steps, warnings: [], annotations: {} },
    answer });
  assert.equal(target(request), "deployment/web");
  const refused = outcome(422, [step], { message: "… at most 3 replicas, not 5" });
  assert.deepEqual(verdict(request, refused), { bad: true, chip: "422", line: "refused by max",
    title: "Refused by the policy max.",
    more: "“At most 3 replicas, not 5.” Nothing is stored." });
  assert.equal(asExpected(request, refused), true);
  const stored = outcome(201, [{ ...step, outcome: "skipped", reason: "binding.namespaceSelector" }],
    { metadata: { resourceVersion: "52" } });
  assert.deepEqual(verdict(request, stored), { bad: false, chip: "→ 52", line: "its binding selects other Namespaces",
    title: "Allowed.",
    more: "Its binding selects other Namespaces." });
  assert.equal(asExpected(request, stored), false);
  assert.equal(skipped({ reason: "binding.resourceRules" }), "its binding’s resourceRules are for others");
  assert.equal(verdict(request,
    outcome(409, [], { reason: "Conflict", details: { causes: [{ reason: "FieldManagerConflict" }] } })).title,
    "A conflict: another manager owns this.");
  assert.equal(verdict(request, { problem: "line 3" }).title, "This cannot be sent.");
});

test("parts of a text are its objects", () => {
  assert.deepEqual(parts("a: 1\n---\n\n---\nb: 2"), ["a: 1\n", "b: 2\n"]);
});
