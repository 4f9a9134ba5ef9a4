// What the learner's side says of the code: where it fails, and what it prints.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Guest, lineOf, shown } from "./guest.js";

test("the line of the code in which something was thrown, as engines say it", () => {
  for (const [stack, line] of [
    ["Error: no\n    at reflect (data:text/javascript;charset=utf-8,export%20async:3:9)\n    at Guest.run (x.js:1:2)",
      3],
    ["Error: no\n    at async data:text/javascript,abc:12:1", 12],
    ["reflect@data:text/javascript;charset=utf-8,x:7:15\nrun@https://host/x.js:100:3", 7],
    ["Error: no\n    at x (https://host/x.js:4:5)", 0], ["", 0],
  ]) assert.equal(lineOf(stack), line, stack);
});

test("values are shown as consoles show them", () => {
  const loop = {};
  loop.self = loop;
  assert.deepEqual(["a", { a: [1, null] }, undefined, new Error("no"), 7, loop].map(shown),
    ["a", '{"a":[1,null]}', "undefined", "Error: no", "7", "[object Object]"]);
});

test("what throws is said with its line, and what is printed in short", async () => {
  const said = [];
  const guest = new Guest((m) => said.push(m), async () => {});
  const code = 'export async function reflect() {\n  await null;\n  throw new Error("oh no");\n}';
  const { reflect } = await import("data:text/javascript," + encodeURIComponent(code));
  await guest.run(reflect, "/x");
  guest.print(["got", { items: [] }, "y".repeat(1000)]);
  assert.equal(said[0].error.line, 3);
  assert.equal(said[1].text.slice(0, 17), 'got {"items":[]} ');
  assert.equal(said[1].text.length, 500);
});
