import assert from "node:assert/strict";
import { test } from "node:test";
import { WINDOW } from "../../../core/wellknown/wellknown.js";
import { FakeSocket } from "./fakesockets.js";
import { SLOW, LastingStream } from "./lasting.js";

const bytes = (text) => new TextEncoder().encode(text);
const JSON_STREAM = "Content-Type: application/json\n";
const URL = "http://host/relay?beats=false";

/** A stream for a request; with a socket, one that continues. */
function begin({ kept = { url: URL, hash: "h", unread: 0 }, socket } = {}) {
  const told = { ended: 0, rested: 0, pulled: 0, cancelled: 0 };
  const made = socket ?? new FakeSocket();
  const stream = new LastingStream({
    kept,
    socket,
    ended: () => told.ended++,
    rest: () => told.rested++,
    accept: () => ({ socket: made, response: "101" }),
  });
  stream.pull = (n) => void (told.pulled += n);
  stream.cancel = () => void told.cancelled++;
  return { stream, told, socket: made };
}

/** A stream that has begun. */
function begun() {
  const all = begin();
  all.stream.head(200, JSON_STREAM);
  return all;
}

test("the lines that come at once are one message", async () => {
  const { stream, told, socket } = begun();
  assert.equal(await stream.response, "101");
  assert.deepEqual(told, { ended: 0, rested: 1, pulled: 0, cancelled: 0 });
  stream.chunk(bytes('{"a":1}\n{"b":"'));
  assert.deepEqual(socket.sent, ['{"a":1}\n']);
  const [head, tail] = [bytes("ä").subarray(0, 1), bytes("ä").subarray(1)];
  stream.chunk(head);
  stream.chunk(tail);
  stream.chunk(bytes('"}\n{"c":1}\n'));
  assert.deepEqual(socket.sent, ['{"a":1}\n', '{"b":"ä"}\n{"c":1}\n']);
  stream.end();
  assert.equal(socket.closed, "1000 ");
  assert.equal(socket.deserializeAttachment(), null, "what has ended does not go on");
  assert.equal(told.ended, 1);
});

test("what is no stream is answered as HTTP", async () => {
  const refused = begin().stream;
  refused.whole(403, JSON_STREAM, bytes('{"kind":"Status"}'));
  assert.equal((await refused.response).status, 403);
  const list = begin();
  list.stream.head(200, JSON_STREAM + "Content-Length: 7\n");
  list.stream.chunk(bytes('{"a":1}'));
  list.stream.end();
  assert.equal(await (await list.stream.response).text(), '{"a":1}');
  const lost = begin().stream;
  lost.lost();
  assert.equal((await lost.response).status, 503);
  const gone = begin();
  gone.stream.abort();
  assert.deepEqual(gone.told, { ended: 1, rested: 0, pulled: 0, cancelled: 1 });
});

test("how it ends", () => {
  for (const [end, closed, cancelled] of [
    [(s) => s.lost(), "1012 the room is restarting", 0],
    [(s) => s.fail("a pänic"), "1011 a p?nic", 0],
    [(s) => s.fail("x".repeat(500)), "1011 " + "x".repeat(120), 0],
    [(s) => s.left(), "", 1],
    [(s) => s.abort(), "", 0],
  ]) {
    const { stream, socket, told } = begun();
    end(stream);
    assert.equal(socket.closed, closed);
    assert.equal(told.cancelled, cancelled);
    if (!stream.done) continue;
    stream.chunk(bytes("{}\n"));
    stream.fail("context canceled");
    assert.deepEqual([socket.sent, told.ended], [[], 1]);
  }
});

test("a socket that fails ends the stream, not Go", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { stream, told, socket } = begun();
  socket.send = () => assert.fail("it is closed");
  stream.chunk(bytes("{}\n{}\n"));
  assert.deepEqual([told.ended, told.cancelled], [1, 0], "Go is not called back while it calls");
  t.mock.timers.tick(0);
  assert.equal(told.cancelled, 1);
  const none = begin();
  none.stream.accept = () => assert.fail("there are too many");
  none.stream.head(200, JSON_STREAM);
  assert.equal((await none.stream.response).status, 500);
});

test("a client has a window, and credit for what it takes", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { stream, told, socket } = begun();
  const line = bytes("x".repeat((64 << 10) - 1) + "\n");
  for (let sent = 0; sent < WINDOW; sent += line.length) stream.chunk(line);
  t.mock.timers.tick(SLOW - 1);
  stream.taken(1);
  assert.equal(told.pulled, 1);
  stream.taken(-1);
  stream.taken(NaN);
  stream.taken(WINDOW * 2);
  assert.equal(told.pulled, WINDOW, "not more than was sent");
  t.mock.timers.tick(SLOW);
  assert.equal(socket.closed, "", "it is in time");
  for (let sent = 0; sent < WINDOW; sent += line.length) stream.chunk(line);
  t.mock.timers.tick(SLOW);
  assert.match(socket.closed, /^1013 nothing of 262144 bytes was taken for 30 s/);
  assert.deepEqual([told.cancelled, told.ended], [1, 1]);
});

test("what is held back adds a line to the window, not one for each chunk", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { stream, socket } = begun();
  let sent = 0;
  const chunk = bytes("y\n" + "x".repeat((64 << 10) - 2));
  for (; sent < WINDOW + 2 * chunk.length; sent += chunk.length) {
    stream.chunk(chunk);
  }
  t.mock.timers.tick(SLOW);
  assert.match(socket.closed, /^1013/);
});

test("a line may be longer than the window", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { stream, told, socket } = begun();
  const piece = bytes("x".repeat(64 << 10));
  for (let i = 0; i < 8; i++) stream.chunk(piece);
  await null;
  assert.equal(told.pulled, 8 * piece.length, "what cannot be sent yet is no burden of the client's");
  t.mock.timers.tick(SLOW);
  assert.equal(socket.closed, "");
  stream.chunk(bytes("\n"));
  assert.equal(socket.sent[0].length, 8 * piece.length + 1);
  stream.taken(8 * piece.length + 1);
  assert.equal(told.pulled, 8 * piece.length + 1, "the credit is given once");
  stream.chunk(bytes("{}\n{"));
  stream.taken(3);
  assert.equal(told.pulled, 8 * piece.length + 4);
  await null;
  assert.equal(told.pulled, 8 * piece.length + 5, "for what is held back");
  stream.chunk(bytes("}\n"));
  stream.taken(3);
  assert.equal(told.pulled, 8 * piece.length + 7, "all of it, and no more");
});

test("the position is that of the last line", () => {
  const { stream, socket } = begun();
  const at = () => socket.deserializeAttachment().at;
  stream.chunk(bytes('{"type":"HELLO","cluster":"c","rights":"r","grants":{}}\n'));
  assert.deepEqual(at(), { cluster: "c", rights: "r", since: 0 });
  stream.chunk(bytes('{"type":"COMMIT","revision":7,"created":7}\n'));
  assert.equal(at().since, 0, "a snapshot has no order");
  stream.chunk(bytes('{"type":"SYNCED","revision":9,"compacted":2}\n{"type":"CLOCK","clock":{}}\n'));
  assert.equal(at().since, 9);
  stream.chunk(bytes('{"type":"COMMIT","revision":10,"created":3}\n{"type":"HIDDEN","revision":12}\n'));
  stream.chunk(bytes('{"type":"COMMIT","rev'));
  assert.equal(at().since, 12);
  stream.chunk(bytes('ision":13,"created":13}\n'));
  assert.equal(at().since, 13);
  stream.chunk(bytes('{"type":"HELLO","cluster":"c","rights":"r","since":5}\n'));
  assert.equal(at().since, 5);
  stream.chunk(bytes('{"type":"HELLO","cluster":"c","rights":"r"}\n{"type":"COMMIT","revision":7,"created":7}\n'));
  assert.equal(at().since, 0);
  const commit = (revision) => `{"type":"COMMIT","revision":${revision},"created":7}\n`;
  stream.chunk(bytes(commit(9) + '{"type":"SYNCED","revision":10,"compacted":2}\n' + commit(11) + commit(12)));
  assert.equal(at().since, 12);
  const [one, other, shared] = [begun(), begun(), bytes(commit(20) + commit(21))];
  other.stream.chunk(bytes('{"type":"HELLO","cluster":"c","rights":"r","since":5}\n'));
  for (const { stream } of [one, other]) stream.chunk(shared);
  for (const { socket } of [one, other]) assert.equal(socket.sent.at(-1), commit(20) + commit(21));
  assert.deepEqual([one, other].map(({ socket }) => socket.deserializeAttachment().at?.since), [undefined, 21]);
  const follow = begun();
  follow.stream.chunk(bytes('{"type":"HELLO","epoch":"e","you":"ada"}\n'));
  assert.equal(follow.socket.deserializeAttachment().at, undefined);
});

test("what a member shows and reports is kept with its own socket", () => {
  const { stream, socket } = begun();
  const live = () => socket.deserializeAttachment()?.live;
  const hello = '{"type":"HELLO","epoch":"e","you":"ada","role":"learner"}\n';
  const progress = '{"type":"PROGRESS","member":"ada","progress":{"step":3}}\n';
  const show = (by, view) => `{"type":"SHOW","show":{"by":"${by}","view":{"panel":"${view}"}}}\n`;
  stream.chunk(bytes(hello + '{"type":"PROGRESS","member":"grace","progress":{"step":1}}\n' + progress));
  assert.deepEqual(live(), { you: "ada", hello, progress });
  stream.chunk(bytes(show("ada", "stage")));
  assert.equal(live().show, show("ada", "stage"));
  stream.chunk(bytes(show("ada", "x".repeat(2000))));
  assert.deepEqual(live(), { you: "ada", hello, progress }, "there is no space for that");
  stream.chunk(bytes(show("teacher", "stage") + '{"type":"PROGRESS","member":"ada","progress":null}\n'));
  assert.deepEqual(live(), { you: "ada", hello });
});

test("one that goes on", () => {
  const kept = () => ({ url: URL, hash: "h", unread: 100 });
  const { stream, told, socket } = begin({ kept: kept(), socket: new FakeSocket() });
  stream.head(200, JSON_STREAM);
  stream.chunk(bytes("{}\n"));
  assert.deepEqual(socket.sent, ["{}\n"]);
  stream.taken(103);
  assert.equal(told.pulled, 3, "Go knows nothing of what was sent before");
  for (const [status, closed] of [[401, "1008 "], [403, "1008 "], [404, "1008 "], [429, "1012 "], [500, "1012 "]]) {
    const { stream, socket } = begin({ kept: kept(), socket: new FakeSocket() });
    stream.whole(status, JSON_STREAM, bytes('{"message":"why"}'));
    assert.equal(socket.closed, closed + "why");
  }
});
