import assert from "node:assert/strict";
import { test } from "node:test";
import { LineWriter, asksForSocket, plainHeaders, protocolOf, streamsLines } from "./socket.js";

/** A WebSocket that keeps what is sent. */
class FakeSocket extends EventTarget {
  sent = [];
  send(text) {
    this.sent.push(text);
  }
  close(code) {
    this.sent.push(code);
  }
}

const bytes = (text) => new TextEncoder().encode(text);

test("each line is a message, however the bytes come", async () => {
  const whole = bytes('{"a":"größer"}\n{"b":1}\n{"c":"🚢"}\n');
  for (let size = 1; size <= whole.length; size++) {
    const socket = new FakeSocket();
    const writer = new LineWriter(socket);
    for (let at = 0; at < whole.length; at += size) await writer.write(whole.subarray(at, at + size));
    await writer.close();
    assert.deepEqual(socket.sent, ['{"a":"größer"}\n', '{"b":1}\n', '{"c":"🚢"}\n', 1000], `in pieces of ${size}`);
  }
});

test("a client that leaves", async () => {
  for (const type of ["close", "error"]) {
    const socket = new FakeSocket();
    const writer = new LineWriter(socket);
    socket.dispatchEvent(new Event(type));
    await assert.rejects(writer.closed, /gone/);
  }
  const socket = new FakeSocket();
  await new LineWriter(socket).abort();
  assert.deepEqual(socket.sent, [1011]);
});

test("which requests become WebSockets, and which answers", () => {
  const request = (headers, method = "GET") => ({ method, headers: new Headers(headers) });
  assert.ok(asksForSocket(request({ Upgrade: "WebSocket" })));
  assert.ok(!asksForSocket(request({ Upgrade: "h2c" })));
  assert.ok(!asksForSocket(request({ Upgrade: "websocket" }, "POST")));
  assert.ok(!asksForSocket(request({})));
  const offered = request({ "Sec-WebSocket-Protocol": "base64url.bearer.authorization.k8s.io.eA, lines", A: "b" });
  assert.equal(protocolOf(offered), "lines");
  assert.equal(protocolOf(request({})), undefined);
  assert.deepEqual(plainHeaders(offered), [["a", "b"]]);
  const json = { "Content-Type": "application/json" };
  assert.ok(streamsLines(200, new Headers(json)));
  assert.ok(!streamsLines(403, new Headers(json)));
  assert.ok(!streamsLines(200, new Headers({ ...json, "Content-Length": "2" })));
  assert.ok(!streamsLines(200, new Headers({ "Content-Type": "text/plain" })));
});
