import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isWatch, parse, resolve } from "./http.js";

const cases = JSON.parse(readFileSync(new URL("testdata/requests.json", import.meta.url), "utf8"));

test("blocks are read as lessons read them", () => {
  for (const { text, requests, error } of cases) {
    if (error) {
      assert.throws(() => parse(text), new RegExp(error), text);
      continue;
    }
    const got = parse(text).map(({ source: _, ...request }) => request);
    assert.deepEqual(got, requests.map((want) => ({ name: "", headers: [], body: "", repeat: 1, ...want })), text);
  }
  assert.deepEqual(parse("# nothing\n"), []);
});

test("references are filled in, in targets as text of a URL", () => {
  const answers = { list: { response: { status: 200, headers: {}, events: [{ type: "ADDED" }, { type: "BOOKMARK" }],
    body: { metadata: { continue: "a/b=", resourceVersion: "7" }, items: [{ "x.y/z": "one" }, { n: 2 }] } } } };
  const answer = (name) => answers[name];
  const [request] = parse(`# @repeat 12
PUT /api/{{$index}}?continue={{list.response.body.$.metadata.continue}}&v={{ list.response.status }}
X-Last: {{list.response.events[-1].type}}

{{list.response.body.items[0]["x.y/z"]}} {{$index}} {{list.response.body.items[1]}}`);
  assert.deepEqual(resolve(request, 3, answer), { method: "PUT", target: "/api/03?continue=a%2Fb%3D&v=200",
    headers: [["X-Last", "BOOKMARK"], ["Content-Type", "application/json"]], body: 'one 03 {"n":2}' });
  for (const [reference, error] of [["none.response.body", /run "none" first/], ["list", /not of the form/],
    ["list.response.body.items[9]", /no such value/], ["list.response.body.items[*]", /not known in snippets/]]) {
    assert.throws(() => resolve(parse(`GET /api/{{${reference}}}`)[0], 1, answer), error);
  }
});

test("a watch is one by its query", () => {
  for (const [target, want] of [["/a?watch=1", true], ["/a?x=y&watch=true", true], ["/a?watch=0", false], ["/a", false],
    ["/a?watch", false]]) assert.equal(isWatch(target), want, target);
});
