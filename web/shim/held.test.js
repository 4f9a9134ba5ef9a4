import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { HeldFetch } from "./held.js";

const BASE = "http://page.test/lab/";

function newHeld() {
  const network = mock.fn(async () => new Response("of the network"));
  const shim = mock.fn(async (/** @type {any} */ asked) => {
    const request = asked instanceof Request ? asked : new Request(new URL(asked, BASE));
    return new Response(`${request.method} ${request.url} ${await request.text()}`);
  });
  return { network, shim, held: new HeldFetch(network, () => BASE) };
}

test("requests of the API wait for the shim, in their order", async () => {
  const { held, network, shim } = newHeld();
  const asked = [
    held.fetch("/api/v1/pods"),
    held.fetch("../version?x=1"),
    held.fetch(new URL("http://page.test/apis"), { method: "POST", body: "text", headers: { "X-Mine": "1" } }),
    held.fetch(new Request("http://page.test/readyz", { method: "PUT", body: "bytes" })),
    held.fetch(new Request("http://page.test/livez", { method: "PUT", body: "old" }), { body: "new" }),
  ];
  assert.equal(await (await held.fetch("/app.css")).text(), "of the network");
  assert.equal(await (await held.fetch("http://other.test/api")).text(), "of the network");
  assert.equal(network.mock.callCount(), 2);
  assert.equal(shim.mock.callCount(), 0);
  held.take(shim);
  assert.deepEqual(await Promise.all(asked.map(async (a) => (await a).text())), [
    "GET http://page.test/api/v1/pods ",
    "GET http://page.test/version?x=1 ",
    "POST http://page.test/apis text",
    "PUT http://page.test/readyz bytes",
    "PUT http://page.test/livez new",
  ]);
  assert.equal(shim.mock.calls[2].arguments[0].headers.get("x-mine"), "1");
  held.fetch("/app.css");
  assert.equal(shim.mock.calls[5].arguments[0], "/app.css", "from then on the shim has all");
});

test("a request is what it was when it was made", async () => {
  const { held, shim } = newHeld();
  const request = new Request("http://page.test/api", { method: "POST", body: "b" });
  const init = { headers: { "user-agent": "me", "x-a": "1" }, tabernetes: { quiet: true } };
  const nameless = { headers: { "user-agent": "" } };
  const answers = [held.fetch(request), held.fetch("/api", init), held.fetch("/api", nameless)];
  assert.equal(request.bodyUsed, true);
  init.headers["x-a"] = "2";
  held.take(shim);
  await Promise.all(answers);
  const [asked, kept] = shim.mock.calls[1].arguments;
  assert.equal(asked.headers.get("x-a"), "1");
  assert.equal(new Headers(kept.headers).get("user-agent"), "me");
  assert.equal(new Headers(shim.mock.calls[2].arguments[1].headers).get("user-agent"), "");
  assert.equal(kept.tabernetes, init.tabernetes, "where the id is to be written");
});

test("what is aborted is not asked", async () => {
  const { held, shim } = newHeld();
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  first.abort(new Error("before"));
  const before = held.fetch("/api", { signal: first.signal });
  const meanwhile = held.fetch("/api", { signal: second.signal });
  const request = held.fetch(new Request("http://page.test/api", { signal: third.signal }));
  const later = held.fetch("/api", { signal: AbortSignal.any([]) });
  second.abort(new Error("meanwhile"));
  third.abort();
  await assert.rejects(before, /before/);
  await assert.rejects(meanwhile, /meanwhile/);
  await assert.rejects(request, { name: "AbortError" });
  held.take(shim);
  assert.equal((await later).status, 200);
  assert.equal(shim.mock.callCount(), 1);
});

test("what fetch refuses is refused", async () => {
  const { held } = newHeld();
  await assert.rejects(held.fetch("/api", { method: "GET", body: "x" }), TypeError);
  await assert.rejects(held.fetch("/api", { method: "a b" }), TypeError);
});

test("without a shim requests fail, and those of the network do not", async () => {
  const { held, shim } = newHeld();
  const waiting = held.fetch("/api");
  held.fail("it does not start");
  await assert.rejects(waiting, { name: "TypeError", message: "it does not start" });
  await assert.rejects(held.fetch("/api"), /does not start/);
  assert.equal(await (await held.fetch("/app.css")).text(), "of the network");
  held.take(shim); // it came after all
  assert.equal((await held.fetch(new Request("http://page.test/api"))).status, 200);
  held.fail("too late");
  assert.equal((await held.fetch(new Request("http://page.test/api"))).status, 200);
});
