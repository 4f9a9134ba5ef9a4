import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight, partner } from "./editor.js";

const plain = (html) =>
  html.replace(/<[^>]*>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
const classes = (html) =>
  [...html.matchAll(/<span class="(\w)">([^<]*)<\/span>/g)].map((m) => m[1] + ":" + m[2].trim()).filter(
    (s) => s.length > 2);

test("JSON tokens", () => {
  assert.deepEqual(classes(highlight('{"a": "b\\"c", "n": -1.5e3, "t": true}')[0]),
    ["p:{", "k:\"a\"", "p::", 's:"b\\"c"', "p:,", 'k:"n"', "p::", "n:-1.5e3", "p:,", 'k:"t"', "p::", "l:true", "p:}"]);
});

test("YAML tokens", () => {
  const lines = highlight(
    "# note\nmetadata: {name: x, n: 3}\nlist:\n  - a: 1 # one\n  - image: nginx:1.27\n" +
      "text: |\n  not: a key\nnext: 'q'\n---");
  assert.deepEqual(lines.map(classes), [
    ["c:# note"],
    ["k:metadata", "p::", "p:{", "k:name", "p::", "s:x", "p:,", "k:n", "p::", "n:3", "p:}"],
    ["k:list", "p::"],
    ["p:-", "k:a", "p::", "n:1", "c:# one"],
    ["p:-", "k:image", "p::", "s:nginx:1.27"],
    ["k:text", "p::", "p:|"],
    ["s:not: a key"],
    ["k:next", "p::", "s:'q'"],
    ["p:---"],
  ]);
});

test("colouring keeps the text, whatever it is", () => {
  const samples = ["", "<script>&amp;", '{"a', "a: [1, {b: 'c'}]\n\t- x", "- - - a: b", "k: &x !y z", "\u{1f600}: é",
    "a:b", "'", '"', "{".repeat(50), "x: >-\n   y\n z"];
  let seed = 1;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const alphabet = "ab:-{}[]\"'#|>,\n \\<&1t";
  for (let i = 0; i < 500; i++) {
    samples.push(Array.from({ length: random(40) }, () => alphabet[random(alphabet.length)]).join(""));
  }
  for (const s of samples) assert.equal(highlight(s).map(plain).join("\n"), s);
});

test("brackets find their partners, not those inside of strings", () => {
  const text = '{"a": ["}", {}], "b": "["}';
  assert.equal(partner(text, 0), text.length - 1);
  assert.equal(partner(text, text.length - 1), 0);
  assert.equal(partner(text, 6), 14);
  assert.equal(partner(text, 8), -1);
  assert.equal(partner(text, 1), -1);
  assert.equal(partner("}{", 0), -1);
});

test("JavaScript is coloured, comments and texts over several lines", () => {
  const text = 'const a = "x // no"; // yes\n/* one\ntwo */ let b = `c\n${d}` + 12;\nconstant';
  const lines = highlight(text, "javascript");
  assert.equal(lines.map(plain).join("\n"), text);
  assert.deepEqual(lines.map(classes), [["k:const", 's:"x // no"', "c:// yes"], ["c:/* one"],
    ["c:two */", "k:let", "s:`c"], ["s:${d}`", "n:12"], []]);
});
