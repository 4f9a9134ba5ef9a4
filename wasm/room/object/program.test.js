// Rooms with the server itself, in this process: `make test-js` compiles it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { runInThisContext } from "node:vm";
import { FakeRows } from "./fakerows.js";
import { FakeSocket, FakeState } from "./fakesockets.js";
import { LastingStream } from "./lasting.js";
import { Program } from "./program.js";
import { Sockets } from "./sockets.js";
import { RoomStore } from "./store.js";

const TOKEN = "AAAAAAAAAAAAAAAAAAAAAA";
const MAPS = "/api/v1/namespaces/default/configmaps";
const skip = process.env.TABERNETES_WASM ? false : "TABERNETES_WASM names no compiled server";

// A port with a listener keeps the process: the servers' are closed in the end.
const ports = [];
globalThis.MessageChannel = class extends MessageChannel {
  constructor() {
    super();
    ports.push(this.port1);
  }
};
after(() => ports.forEach((port) => port.close()));

let module;
before(async () => {
  if (skip) return;
  const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
  runInThisContext(readFileSync(`${goroot}/lib/wasm/wasm_exec.js`, "utf8"));
  module = await WebAssembly.compile(readFileSync(process.env.TABERNETES_WASM));
});

/** Starts a room on rows. */
async function start(rows, token = TOKEN, live = "") {
  const store = new RoomStore(rows);
  store.open();
  const died = [];
  const program = new Program(module, {
    host: { storage: store, onDamage: "salvage", room: { token, live, quota: 16 << 20, memory: 72 << 20 } },
    setAlarm() {},
    died: (reason) => died.push(reason),
  });
  await program.start();
  return { program, store, died };
}

/** Asks a room as its teacher, or as who has another token. */
function ask(program, method, path, body, token = TOKEN) {
  const request = new Request(`https://room.invalid${path}`);
  const content = body ? new TextEncoder().encode(JSON.stringify(body)) : null;
  const headers = `authorization: Bearer ${token}\ncontent-type: application/json\n`;
  return program.serve([method, `http://host${path}`, headers, content], request);
}

test("two rooms in one scope, and what one has after a crash", { skip }, async () => {
  const rows = new FakeRows();
  const [one, other] = await Promise.all([start(rows), start(new FakeRows(), "B".repeat(22))]);
  assert.deepEqual(Object.keys(globalThis).filter((name) => name.startsWith("tabernetesHost")), []);

  const made = await ask(one.program, "POST", MAPS, { metadata: { name: "a" } });
  assert.equal(made.status, 201);
  const { metadata } = await made.json();
  assert.equal((await ask(other.program, "GET", `${MAPS}/a`, null, "B".repeat(22))).status, 404);
  assert.equal((await ask(other.program, "GET", MAPS)).status, 401, "the token of another room");

  rows.crash(); // what was acknowledged was written
  const again = await start(rows, "");
  const found = await ask(again.program, "GET", `${MAPS}/a`);
  assert.equal(found.status, 200);
  assert.equal((await found.json()).metadata.resourceVersion, metadata.resourceVersion);
  for (const { program, died } of [one, other, again]) {
    await program.close();
    assert.deepEqual(died, []);
  }
});

test("a watch gets events, and ends with the room", { skip }, async () => {
  const { program } = await start(new FakeRows());
  const watch = await ask(program, "GET", `${MAPS}?watch=1`);
  assert.equal(watch.headers.get("Content-Encoding"), "identity");
  const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
  await ask(program, "POST", MAPS, { metadata: { name: "a" } });
  let text = "";
  while (!text.includes('"name":"a"')) text += (await reader.read()).value;
  const closed = program.close();
  for (let last; !last?.done; ) last = await reader.read();
  await closed;
});

test("a program that ends is not entered again", { skip }, async () => {
  const { program, died } = await start(new FakeRows());
  const watch = await ask(program, "GET", `${MAPS}?watch=1`);
  const { error } = console;
  console.error = () => {}; // Go says what it was
  try {
    program.crash();
    await assert.rejects(async () => {
      for await (const _ of watch.body);
    }, /is restarting/);
  } finally {
    console.error = error;
  }
  assert.equal(died.length, 1);
  const late = await ask(program, "GET", MAPS);
  assert.equal(late.status, 503);
  assert.equal(late.headers.get("Retry-After"), "1");
});

test("a room that has slept goes on with its sockets", { skip }, async () => {
  globalThis.WebSocketRequestResponsePair = class {};
  const rows = new FakeRows();
  const { program } = await start(rows);
  const state = new FakeState();
  const hash = createHash("sha256").update(TOKEN).digest("hex");
  const room = "/apis/sandbox.tabernetes.dev/v1/rooms/default";
  const open = async (what, hash) => {
    const socket = new FakeSocket();
    const kept = { url: `http://host${room}/${what}?beats=false`, hash, unread: 0 };
    const call = ["GET", kept.url, `authorization: Bearer ${TOKEN}\n`, null];
    const accept = () => ({ socket, response: "101" });
    /** @type {LastingStream | undefined} */
    let stream;
    const made = program.serve(call, {}, (ended, rest) => (stream = new LastingStream({ kept, ended, rest, accept })));
    assert.equal(await made, "101");
    state.acceptWebSocket(socket);
    await until(socket, "SYNCED", () => stream?.taken(kept.unread)); // a snapshot may be longer than the window
    stream?.taken(kept.unread);
    return socket;
  };
  const until = async (socket, text, meanwhile = () => {}) => {
    while (!socket.sent.some((line) => line.includes(text))) {
      meanwhile();
      await new Promise(setImmediate);
    }
  };
  // Lines that come together are one message.
  const lines = (socket) => socket.sent.flatMap((message) => message.split("\n"));
  const commits = (socket) =>
    lines(socket).filter((line) => line.includes('"COMMIT"')).map((line) => JSON.parse(line).revision);
  const relay = await open("relay", hash);
  const follow = await open("follow", hash);
  const gone = await open("follow", "0".repeat(64)); // as if the token were deleted
  assert.equal((await ask(program, "POST", `${room}/show`, { view: { panel: "stage" } })).status, 201);
  await until(follow, '"panel":"stage"');
  const told = [...new Set(lines(follow))].filter(
    (line) => /"type":"(HELLO|SHOW)"/.test(line) && !line.includes("null"));

  // The object's memory is gone, and the program with it.
  const before = commits(relay);
  for (const socket of state.sockets) socket.sent = [];
  const sockets = new Sockets(state);
  const next = await start(rows, "", sockets.live());
  sockets.attach(next.program);
  await ask(next.program, "POST", MAPS, { metadata: { name: "late" } });
  await until(relay, '"key":"default/late"');
  assert.match(relay.sent[0], /"type":"HELLO".*"since":/);
  const after = commits(relay);
  assert.ok(after.every((revision) => revision > Math.max(...before)), `${after} after ${before}`);
  assert.equal(new Set(after).size, after.length, "no commit comes twice");
  await until(follow, "SYNCED");
  for (const line of told) assert.ok(lines(follow).includes(line), line);
  assert.match(gone.closed, /^1008 Unauthorized/);

  const { error } = console;
  console.error = () => {};
  next.program.crash();
  while (next.died.length === 0) await new Promise(setImmediate);
  console.error = error;
  assert.deepEqual([relay.closed, follow.closed], Array(2).fill("1012 the room is restarting"));
  await program.close();
});

test("a room that does not start says why", { skip }, async () => {
  const broken = new FakeRows();
  broken.space = 0;
  await assert.rejects(start(broken));
});
