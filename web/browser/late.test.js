import assert from "node:assert/strict";
import { test } from "node:test";
import { isGone, late, watchVersion } from "./late.js";

const answer = (status, type = "text/plain") => async () =>
  new Response(null, { status, headers: { "content-type": type } });

test("whether a script is gone", async () => {
  assert.equal(await isGone(answer(404), "/app.js"), true);
  assert.equal(await isGone(answer(410), "/app.js"), true);
  assert.equal(await isGone(answer(200, "text/html; charset=utf-8"), "/app.js"), true);
  assert.equal(await isGone(answer(200, "text/javascript"), "/app.js"), false);
  assert.equal(await isGone(answer(503, "text/html"), "/app.js"), false);
  assert.equal(await isGone(() => Promise.reject(new TypeError("offline")), "/app.js"), false);
});

test("a page is told when what it loads late is of a build that is gone", async () => {
  const target = new EventTarget();
  Object.assign(globalThis, {
    addEventListener: target.addEventListener.bind(target), dispatchEvent: target.dispatchEvent.bind(target),
  });
  const asked = [];
  let answers = answer(200, "text/javascript");
  let told;
  const telling = new Promise((resolve) => (told = resolve));
  const once = new Promise((resolve) => {
    watchVersion(async (...of) => {
      asked.push(of);
      resolve();
      return answers();
    }, "/build/1/app.js", () => told(asked.length));
  });
  assert.equal(await late(Promise.resolve(1)), 1);
  assert.equal(asked.length, 0);
  await assert.rejects(late(Promise.reject(new Error("of its own"))), /of its own/);
  await once;
  assert.deepEqual(asked, [["/build/1/app.js", { method: "HEAD", cache: "no-store" }]]);
  answers = answer(404);
  await assert.rejects(late(Promise.reject(new Error("gone"))), /gone/);
  assert.equal(await telling, 2);
});
