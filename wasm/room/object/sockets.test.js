import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeSocket, FakeState } from "./fakesockets.js";
import { Sockets, wanted } from "./sockets.js";

Object.assign(globalThis, {
  WebSocketRequestResponsePair: class {
    constructor(...pair) {
      this.pair = pair;
    }
  },
});

/** A program that is asked to continue with streams. */
class FakeProgram {
  asked = [];
  streams = [];
  resume(hash, url, make) {
    this.asked.push(`${hash} ${url}`);
    this.streams.push(make(() => {}));
  }
}

const FOLLOW = "http://host/follow?beats=false";
const RELAY = "http://host/relay?beats=false";
const at = { cluster: "c", rights: "r", since: 7 };

/** A room with a socket for each of these attachments. */
function woken(...kept) {
  const state = new FakeState();
  for (const one of kept) {
    const socket = new FakeSocket();
    socket.serializeAttachment(one);
    state.acceptWebSocket(socket);
  }
  return { state, sockets: new Sockets(state), program: new FakeProgram() };
}

test("each socket is attached once", () => {
  const { state, sockets, program } = woken(
    { url: FOLLOW, hash: "a", unread: 0 },
    { url: RELAY, hash: "b", unread: 9, at },
  );
  assert.deepEqual(state.answers.pair, ["ping", "pong"]);
  sockets.attach(program);
  sockets.attach(program);
  assert.deepEqual(program.asked, [`a ${FOLLOW}`, `b ${RELAY}&cluster=c&rights=r&since=7`]);
  for (const stream of program.streams) stream.lost();
  assert.deepEqual(state.sockets.map((s) => s.closed), Array(2).fill("1012 the room is restarting"));
  const next = new FakeProgram();
  sockets.attach(next);
  assert.deepEqual(next.asked, [], "what is closed does not go on");
});

test("what is not certain is closed", () => {
  const { state, sockets, program } = woken(
    null,
    { url: "", hash: "a", unread: 0 },
    { url: RELAY, hash: "a", unread: 0 },
    { url: RELAY, hash: "a", unread: 0, at: { ...at, since: 0 } },
    { url: FOLLOW, hash: "a", unread: 1 << 18 },
    { url: FOLLOW, hash: "gone", unread: 0 },
    { url: FOLLOW, hash: "here", unread: 0 },
  );
  state.sockets[5].pinged = new Date(Date.now() - 200_000);
  state.sockets[6].pinged = new Date();
  sockets.attach(program);
  assert.deepEqual(program.asked, [`here ${FOLLOW}`]);
  for (const socket of state.sockets.slice(0, 6)) assert.match(socket.closed, /^1012 /);
  sockets.closeIdle();
  assert.equal(state.sockets[6].closed, "");
});

test("messages are credit, also while there is no program", () => {
  const { state, sockets, program } = woken({ url: FOLLOW, hash: "a", unread: 50 });
  const [socket] = state.sockets;
  const unread = () => socket.deserializeAttachment().unread;
  for (const message of ["20", "ping", "-5", "1e3", new ArrayBuffer(2), ""]) sockets.message(socket, message);
  assert.equal(unread(), 30);
  sockets.attach(program);
  sockets.message(socket, "10");
  assert.equal(unread(), 20);
});

test("when a follower leaves while the room sleeps, the others are to be told", () => {
  const follower = { url: FOLLOW, hash: "a", unread: 0 };
  const relay = { url: RELAY, hash: "a", unread: 0, at };
  const left = (...kept) => {
    const { state, sockets } = woken(...kept);
    return sockets.closed(state.sockets[0]);
  };
  assert.equal(left(follower, relay), true);
  assert.equal(left(follower), false, "there is nobody");
  assert.equal(left(relay, follower), false, "that concerns nobody");
  const { state, sockets, program } = woken(follower, follower);
  sockets.attach(program);
  let cancelled = 0;
  program.streams[0].cancel = () => cancelled++;
  assert.equal(sockets.closed(state.sockets[0]), false, "Go tells them");
  assert.equal(cancelled, 1);
  assert.match(state.sockets[0].closed, /^1000/, "the closing is answered");
});

test("a program learns what members show and report", () => {
  const live = (you, show, progress) => ({ you, hello: "hello\n", show, progress });
  const { state, sockets } = woken(
    { url: FOLLOW, hash: "a", unread: 0, live: live("teacher", "shown\n") },
    { url: FOLLOW, hash: "b", unread: 0, live: live("ada", undefined, "ada's\n") },
    { url: FOLLOW, hash: "b", unread: 0, live: live("ada", undefined, "ada's\n") },
    { url: FOLLOW, hash: "c", unread: 0, live: live("grace", undefined, "grace's\n") },
    { url: RELAY, hash: "c", unread: 0, at },
    null,
  );
  state.sockets[3].readyState = 3;
  assert.equal(sockets.live(), "hello\nshown\nada's\n");
});

test("which requests want a WebSocket", async () => {
  const path = "/apis/sandbox.tabernetes.dev/v1/rooms/default/relay?since=5";
  const ask = (path, headers, method = "GET") => {
    const all = { Upgrade: "websocket", "Sec-WebSocket-Protocol": "tabernetes.dev, x", Authorization: "Bearer abc" };
    return wanted({ method, headers: new Headers({ ...all, ...headers }) }, "http://h" + path);
  };
  const { url, kept } = await ask(path, {});
  assert.equal(url, "http://h" + path + "&beats=false");
  assert.deepEqual(kept, {
    url: "http://h/apis/sandbox.tabernetes.dev/v1/rooms/default/relay?beats=false",
    hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    unread: 0,
  });
  assert.equal((await ask(path, { "Impersonate-User": "x" })).kept.url, "", "headers are not kept");
  assert.equal((await ask(path, { Authorization: "" })).kept.url, "");
  assert.equal((await ask("/api/v1/pods?watch=1", {})).kept.url, "");
  assert.equal((await ask("/api/v1/pods?watch=1", {})).url, "http://h/api/v1/pods?watch=1");
  assert.equal(await ask(path, { Upgrade: "h2c" }), null);
  assert.equal(await ask(path, { "Sec-WebSocket-Protocol": "v4.channel.k8s.io" }), null);
  assert.equal(await ask(path, {}, "POST"), null);
});
