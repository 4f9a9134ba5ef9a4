// A level as text and as fields: each comes back from the other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KINDS, freeName, fresh, levelOf, textOf } from "./text.js";

const all = {
  title: "Paint it", story: "Somebody has painted `paint` red.\n\nIt was blue.", namespaces: "level, level-b",
  requires: "retention: 5m\nservers: 2",
  start: 'POST /api/v1/namespaces/level/configmaps\n\n{"metadata": {"name": "paint"}}\n\n' +
    "###\n# @name b\nGET /api/v1/pods",
  goal: "The ConfigMap `paint` is blue.\nNothing else has changed.", fewest: 2, after: "made",
  levers: ["compact"],
  picture: "writes: 1 modified configmaps",
  rows: [
    { name: "made", text: "It was painted", kind: "changed", path: "/api/v1/namespaces/level/configmaps/paint",
      more: "response.body.data.color = blue" },
    { name: "r2", text: "It was read", kind: "read", path: "/api/v1/namespaces/level/configmaps/paint",
      more: "" },
    { name: "r7", text: "A watch ended", kind: "gone", path: "/api/v1/pods", more: "" },
    { name: "w2", text: "One goes on", kind: "watch", path: "/api/v1/pods", more: "response.ended != true" },
    { name: "r5", text: "An event came", kind: "other", path: "ADDED in w2",
      more: "object.metadata.name = a\nafter made" },
    { name: "r6", text: "", kind: "kept", path: "/api/v1/namespaces/level/configmaps/*", more: "" },
  ],
  hints: ["Look.", "`PATCH`"],
  solutions: [{ way: "one", text: "GET /api/v1/pods\n\n###\nPOST /apis/g/v1/controlplanes/default/compact\n\n{}" },
    { way: "two", text: "GET /api/v1/nodes" }],
};

test("a level comes back from its text", () => {
  for (const level of [all, { ...all, levers: null, picture: "", story: "", requires: "" }, { ...all, levers: [] }]) {
    assert.deepEqual(levelOf(textOf(level).text), level);
  }
  assert.deepEqual(levelOf(textOf(fresh()).text), fresh());
  assert.deepEqual(levelOf(textOf(all).text.replaceAll("\n", "\r\n")), all);
});

test("the lines of a goal may have any order", () => {
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 2, 0]]) {
    const goal = order.map((i) => ["fewest 3", "after made", "levers none"][i]).join("\n");
    const level = levelOf("```goal\nBlue.\n\n" + goal + "\n```\n");
    assert.deepEqual([level.goal, level.fewest, level.after, level.levers], ["Blue.", 3, "made", []]);
  }
});

test("rows keep their names", () => {
  const level = structuredClone(all);
  assert.equal(freeName(level), "r1");
  level.rows.splice(1, 1);
  assert.deepEqual(levelOf(textOf(level).text).rows.map((row) => row.name), ["made", "r7", "w2", "r5", "r6"]);
  assert.equal(freeName(fresh()), "r2");
});

test("each line has its field", () => {
  const { text, fields } = textOf(all);
  const lines = text.split("\n");
  assert.equal(lines.length, fields.length);
  const field = (/** @type {string} */ part) => fields[lines.findIndex((line) => line.includes(part))];
  assert.equal(field("servers: 2"), "requires");
  assert.equal(field("painted `paint`"), "story");
  assert.equal(field("fewest 2"), "goal");
  assert.equal(field("after made"), "goal");
  assert.equal(field("ADDED in w2"), "row-4");
  assert.equal(field("`PATCH`"), "hint-1");
  assert.equal(field("/api/v1/nodes"), "solution-1");
});

test("what is no level is read as far as it is one", () => {
  for (const text of ["", "---", "# A\n```goal", "```check\n- a\n```", "---\nnamespaces: a\n---\n"]) {
    assert.equal(typeof textOf(levelOf(text)).text, "string");
  }
  assert.equal(levelOf("# A\nstory\n## The goal\n").story, "story");
});

test("a kind of row says what it looks for", () => {
  for (const [kind, { says, before, after }] of Object.entries(KINDS)) {
    if (kind === "watch" || kind === "gone") continue; // GET, and 200 when it begins
    for (const word of [...(before.match(/[A-Z]+|no/g) ?? []), ...(after.match(/\d+/g) ?? [])]) {
      assert.ok(says.split(/\W+/).includes(word), `${kind}: ${says} of ${word}`);
    }
  }
});
