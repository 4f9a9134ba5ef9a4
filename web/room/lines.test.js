import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, linesOf } from "./lines.js";

const room = { base: "https://host.example/rooms/0123456789/", token: "se-cret_0" };

/** A WebSocket that the test plays the server of. */
class Socket {
  /** @type {Socket} */ static last;
  /** Whether the server takes it. */ static opens = true;
  closed = false;
  readyState = 1; // open
  /** @type {string[]} */ sent = [];
  constructor(url, protocols) {
    Object.assign(this, { url, protocols });
    Socket.last = this;
    queueMicrotask(() => (Socket.opens ? this.onopen() : this.onclose()));
  }
  say(text) {
    this.onmessage({ data: text });
  }
  send(message) {
    this.sent.push(message);
  }
  close() {
    if (this.closed) return;
    this.closed = true;
    queueMicrotask(() => this.onclose());
  }
}

const never = async () => assert.fail("nothing is fetched");

test("lines come over a WebSocket, with the token beside the protocol", async () => {
  Socket.opens = true;
  const lines = linesOf(room, "relay?since=3", new AbortController().signal, Socket, never);
  const first = lines.next();
  await new Promise(setImmediate);
  const socket = Socket.last;
  assert.equal(socket.url, "wss://host.example/rooms/0123456789/relay?since=3");
  assert.deepEqual(socket.protocols, ["tabernetes.dev", "base64url.bearer.authorization.k8s.io.c2UtY3JldF8w"]);
  socket.say("{1}\n");
  assert.equal((await first).value, "{1}\n");
  socket.say("{2}\n");
  socket.say("{3}");
  assert.equal((await lines.next()).value, "{2}\n{3}\n", "what has come is joined, and each message is a line");
  const end = lines.next();
  socket.onclose();
  assert.equal((await end).done, true);
});

test("what came before the end is not lost", async () => {
  Socket.opens = true;
  const lines = linesOf(room, "relay", new AbortController().signal, Socket, never);
  const first = lines.next();
  await new Promise(setImmediate);
  Socket.last.say("{1}\n");
  Socket.last.onclose();
  assert.equal((await first).value, "{1}\n");
  assert.equal((await lines.next()).done, true);
});

test("it ends when it is not wanted any longer", async () => {
  Socket.opens = true;
  const stop = new AbortController();
  const lines = linesOf(room, "relay", stop.signal, Socket, never);
  const first = lines.next();
  await new Promise(setImmediate);
  stop.abort();
  assert.equal((await first).done, true);
  assert.equal(Socket.last.closed, true);
});

test("without WebSockets it is fetched; a refusal is an error", async () => {
  Socket.opens = false;
  /** @type {any[]} */ const asked = [];
  const get = async (url, init) => {
    asked.push([url, init.headers.Authorization]);
    return new Response(new Blob(["{1}\n{2", "}\n"]).stream());
  };
  let text = "";
  for await (const piece of linesOf(room, "relay", new AbortController().signal, Socket, get)) text += piece;
  assert.equal(text, "{1}\n{2}\n");
  assert.deepEqual(asked, [["https://host.example/rooms/0123456789/relay", "Bearer se-cret_0"]]);
  const refuses = async () => new Response("no", { status: 401 });
  await assert.rejects(linesOf(room, "relay", new AbortController().signal, Socket, refuses).next(), /answered 401/);
});

/** Opens a stream; its first reading is pending. */
async function opened() {
  Socket.opens = true;
  const lines = linesOf(room, "relay", new AbortController().signal, Socket, never);
  const first = lines.next();
  await new Promise(setImmediate);
  return { lines, first, socket: Socket.last };
}

test("it says how much it has taken: soon, or when it is much", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const { lines, first, socket } = await opened();
  socket.say('{"a":"ä"}\n');
  await first;
  assert.deepEqual(socket.sent, []);
  t.mock.timers.tick(2000);
  assert.deepEqual(socket.sent, ["11"], "in bytes");
  const long = `{"b":"${"x".repeat(32 << 10)}"}\n`;
  const next = lines.next();
  socket.say(long);
  await next;
  assert.deepEqual(socket.sent, ["11", String(long.length)]);
  socket.say(long);
  t.mock.timers.tick(5000);
  assert.equal(socket.sent.length, 2, "what waits is not taken yet");
  socket.close();
  await lines.return();
});

test("it pings, a pong is a beat, and a silent connection is lost", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const { lines, first, socket } = await opened();
  t.mock.timers.tick(15_000);
  assert.deepEqual(socket.sent, ["ping"]);
  socket.say("pong");
  assert.equal((await first).value, '{"type":"BEAT"}\n');
  const next = lines.next();
  t.mock.timers.tick(15_000);
  t.mock.timers.tick(15_000);
  socket.say("{1}\n");
  assert.equal((await next).value, "{1}\n", "anything that comes is a sign of life");
  const last = lines.next();
  socket.readyState = 2; // the connection ends, which is not reported yet
  const { length } = socket.sent;
  t.mock.timers.tick(15_000);
  assert.equal(socket.sent.length, length, "nothing is sent into a connection that ends");
  for (let i = 0; i < 2; i++) t.mock.timers.tick(15_000);
  assert.equal(socket.closed, true);
  assert.equal((await last).done, true);
});

test("an answer has the lines, until it is not wanted or the connection is lost", async () => {
  Socket.opens = true;
  const open = async (signal) => {
    const response = await answerOf(room, "follow", signal, Socket);
    const reader = response.body.getReader();
    return { reader, socket: Socket.last };
  };
  const { reader, socket } = await open();
  const first = reader.read();
  await new Promise(setImmediate);
  socket.say("{1}\n");
  assert.equal(Buffer.from((await first).value).toString(), "{1}\n");
  const second = reader.read();
  socket.onclose();
  assert.equal((await second).done, true);

  const cancelled = await open();
  await cancelled.reader.cancel();
  assert.equal(cancelled.socket.closed, true);

  const stop = new AbortController();
  const aborted = await open(stop.signal);
  const next = aborted.reader.read();
  stop.abort();
  assert.equal((await next).done, true);
  assert.equal(aborted.socket.closed, true);

  Socket.opens = false;
  assert.equal(await answerOf(room, "follow", null, Socket), null);
});
