import assert from "node:assert/strict";
import { test } from "node:test";
import { YAMLError, documents, find, lineAt, pathAt, placeIn, placeOf, read, stepsOf, valueOf, write } from "./yaml.js";

test("values are those that the server reads", () => {
  for (const [text, want] of [
    ["a: 1\nb: [x, 'y', {c: \"d\\n\\u00e9\"}]\n", { a: 1, b: ["x", "y", { c: "d\né" }] }],
    ["- a\n-   b: c\n    d:\n    - e\n- - f\n  - g\n", ["a", { b: "c", d: ["e"] }, ["f", "g"]]],
    ["a:\n- b\n-\n  c: d\n", { a: ["b", { c: "d" }] }],
    ["a: |\n  x\n   y\n\n  z\nb: >-\n  one\n  two\n\n  three\nc: |+\n  k\n\n", { a: "x\n y\n\nz\n", b: "one two\nthree",
      c: "k\n\n" }],
    ["a: one\n  two\n\n  three\nb: 'it''s\n  here'\n", { a: "one two\nthree", b: "it's here" }],
    ["a: yes\nb: 'yes'\nc: ~\nd:\ne: 0x1F\nf: 010\ng: 1e3\nh: 1_000\ni: 1.2.3\nj: -.5\n",
      { a: true, b: "yes", c: null, d: null, e: 31, f: 8, g: 1000, h: 1000, i: "1.2.3", j: -0.5 }],
    ["a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n", { a: { b: 1 }, c: { b: 1 }, d: { b: 1, e: 2 } }],
    ["a: x # no\nb: 'x' # no\nc: x#yes\nd: http://e/f:1\n", { a: "x", b: "x", c: "x#yes", d: "http://e/f:1" }],
    ["{a: b, c: [], d: {}, e: , f: 'g: h'}", { a: "b", c: [], d: {}, e: null, f: "g: h" }],
    ["a: constructor\nb: \"c\\ \n  d  \n  e\"\n", { a: "constructor", b: "c  d e" }],
    ["__proto__: {a: 1}\n", JSON.parse('{"__proto__": {"a": 1}}')],
    ["y: 1\n'y': 2\n0x10: 3\n{n: {on: 4}}: x", null],
    ["y: 1\n'y': 2\n0x10: {n: 4, \"n\": 5}\n", { true: 1, y: 2, 16: { false: 4, n: 5 } }],
    ["\"a b\": c\n'd': e\n? f\n", null],
  ]) {
    if (want === null) assert.throws(() => read(text), YAMLError, text);
    else assert.deepEqual(valueOf(read(text)), want, text);
  }
});

test("no text takes minutes to read, nor more memory than there is", () => {
  const n = 200_000;
  const spaces = " ".repeat(n);
  assert.throws(() => read(`a${spaces}b`) && read(`a:\n  b${spaces}c: d: e`), YAMLError);
  assert.equal(valueOf(read(`a: "${spaces}b"`)).a.length, n + 1);
  assert.equal(valueOf(read(`a: "b${spaces}\n${spaces}c"`)).a, "b c");
  const keys = Array.from({ length: n / 6 }, (_, i) => `k${i}:\n`).join("");
  assert.equal(Object.keys(valueOf(read(keys))).length, Math.floor(n / 6));
  const doubled = Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join("");
  assert.throws(() => read(`a0: &a0 [x]\n${doubled}`), /aliases repeat too much/);
  assert.throws(() => read(`a: ${"&a ".repeat(n / 3)}`), /nested too deeply/);
});

test("what is wrong has a line", () => {
  for (const [text, line] of [["a: b\n c: d\n", 2], ["a: b: c", 1], ["a: [b\n", 1], ["a: 'b\n", 1], ["a\nb: c\n", 2],
    ["a: 1\na: 2\n", 2], ["a: *b", 1], ["- a\nb: c\n", 2], ["a: " + "[".repeat(300), 1]]) {
    assert.throws(() => read(text), (error) => error instanceof YAMLError && error.line === line, text);
  }
});

test("documents are told apart", () => {
  const text = "# first\n---\na: 1\n---\n# nothing\n--- # more\nb: 2\n...\n";
  assert.deepEqual(documents(text).map((part) => valueOf(read(text, part))), [{ a: 1 }, { b: 2 }]);
});

test("values have places", () => {
  const text = "spec:\n  list:\n  - name: x\n    expression: |\n      a &&\n      b\n  - name: \"y\\tz\"\n";
  const node = read(text);
  const at = find(node, stepsOf("spec.list[0].expression"));
  assert.equal(lineAt(text, at.from), 4);
  assert.equal(at.node.text, "a &&\nb\n");
  assert.equal(text[placeOf(at.node, 5)], "b");
  assert.equal(placeIn(at.node, placeOf(at.node, 5)), 5);
  assert.deepEqual(pathAt(node, placeOf(at.node, 5)).path, ["spec", "list", 0, "expression"]);
  const quoted = find(node, ["spec", "list", 1, "name"]).node;
  assert.equal(text[placeOf(quoted, 2)], "z");
  assert.equal(find(node, ["spec", "none"]), null);
  assert.deepEqual(stepsOf('spec.properties[a.b].items[2].labels["c.d"]'),
    ["spec", "properties", "a.b", "items", 2, "labels", "c.d"]);
});

test("what is written is read as it was", () => {
  for (const value of [{ a: "", b: "yes", c: "1", d: "a: b", e: "x\ny\n", f: "x\n\ny", g: [], h: {},
    i: [{ j: [1, [2]] }],
    k: null, l: " x", m: "#", n: "- a", o: "a\n b", p: "\n", q: true, r: 1.5, s: "é\u0007", t: "x:", "a b": "null" },
  [], "text", ["-", { "": 1 }]]) {
    assert.deepEqual(valueOf(read(write(value))), value, write(value));
  }
});
