import assert from "node:assert/strict";
import { test } from "node:test";
import { Exchange, MAX_BODY, callOf } from "./exchange.js";

/** An exchange, how often it ended, and what Go got. */
function begin() {
  const told = { ended: 0, pulled: 0, cancelled: 0 };
  const exchange = new Exchange(() => told.ended++);
  exchange.pull = (n) => void (told.pulled += n);
  exchange.cancel = () => void told.cancelled++;
  return { exchange, told };
}

const bytes = (text) => new TextEncoder().encode(text);
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a whole answer", async () => {
  const { exchange, told } = begin();
  exchange.whole(201, "A: 1\nA: 2\n", bytes("text"));
  const response = await exchange.response;
  assert.equal(response.status, 201);
  assert.equal(response.headers.get("A"), "1, 2");
  assert.equal(await response.text(), "text");
  assert.deepEqual(told, { ended: 1, pulled: 0, cancelled: 0 });
});

test("an answer without a body", async () => {
  for (const status of [204, 304]) {
    const { exchange } = begin();
    exchange.whole(status, "", new Uint8Array());
    assert.equal((await exchange.response).body, null);
  }
});

test("a stream gives credit for what is read", async () => {
  const { exchange, told } = begin();
  exchange.head(200, "Content-Type: application/json\n");
  const response = await exchange.response;
  assert.equal(response.headers.get("Content-Encoding"), "identity");
  exchange.chunk(bytes("one"));
  exchange.chunk(bytes("three"));
  await turn();
  assert.ok(told.pulled < 8, "nobody has read it all");
  const reader = response.body.getReader();
  assert.equal(Buffer.from((await reader.read()).value).toString(), "one");
  assert.equal(Buffer.from((await reader.read()).value).toString(), "three");
  exchange.end();
  assert.equal((await reader.read()).done, true);
  await turn();
  assert.equal(told.ended, 1);
  assert.equal(told.cancelled, 0);
});

test("a client that leaves cancels the request", async () => {
  const { exchange, told } = begin();
  exchange.head(200, "");
  await (await exchange.response).body.cancel();
  exchange.chunk(bytes("event"));
  await turn();
  assert.deepEqual(told, { ended: 1, pulled: 0, cancelled: 1 });
  exchange.fail("context canceled"); // as Go answers that
  assert.equal(told.ended, 1);
});

test("failures", async () => {
  const whole = begin().exchange;
  whole.fail("it broke");
  assert.equal((await whole.response).status, 500);
  assert.equal((await (await whole.response).json()).kind, "Status");

  const lost = begin().exchange;
  lost.lost();
  assert.equal((await lost.response).status, 503);
  assert.equal((await lost.response).headers.get("Retry-After"), "1");

  const { exchange } = begin();
  exchange.head(200, "");
  const { body } = await exchange.response;
  exchange.lost();
  await assert.rejects(body.getReader().read(), /is restarting/);
  await exchange.over;
});

test("a request's parts", async () => {
  const request = new Request("https://room.invalid/api", { method: "POST", body: "{}", headers: { A: "b" } });
  const [method, url, headers, body] = await callOf(request, "http://host/api");
  assert.deepEqual([method, url, Buffer.from(body).toString()], ["POST", "http://host/api", "{}"]);
  assert.match(headers, /^a: b\n/m);
  assert.equal((await callOf(new Request("https://room.invalid/"), "http://host/"))[3], null);

  const chunk = new Uint8Array(1 << 20);
  let sent = 0;
  const endless = new ReadableStream({ pull: (c) => (sent++, c.enqueue(chunk)) });
  const long = new Request("https://room.invalid/", { method: "POST", body: endless, duplex: "half" });
  assert.equal(await callOf(long, "http://host/"), null);
  assert.ok(sent * chunk.length < MAX_BODY + 4 * chunk.length, "it is not read to its end");
});
