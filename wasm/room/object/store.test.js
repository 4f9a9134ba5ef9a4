import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeRows } from "./fakerows.js";
import { PIECE, RoomStore } from "./store.js";

/** A store on rows, opened. */
function open(rows = new FakeRows()) {
  const store = new RoomStore(rows);
  store.open();
  return store;
}

/** All that a store has saved, read as Go reads it. */
function readAll(store) {
  const pieces = [];
  for (let at = 0; ; at += pieces.at(-1).length) {
    const piece = store.read(at);
    if (piece.length === 0) return Buffer.concat(pieces).toString();
    pieces.push(piece);
  }
}

const bytes = (text) => new TextEncoder().encode(text);

test("a room exists once it is created, and asking leaves nothing", async () => {
  const rows = new FakeRows();
  const store = new RoomStore(rows);
  assert.equal(store.exists(), false);
  assert.equal(rows.exist(), false);
  store.open();
  assert.equal(store.exists(), false);
  await store.created();
  rows.crash();
  assert.equal(new RoomStore(rows).exists(), true);
});

test("what was appended is there after a crash", async () => {
  const rows = new FakeRows();
  const store = open(rows);
  await store.append(bytes("one "));
  await store.append(bytes("two "));
  rows.crash();
  const again = open(rows);
  assert.equal(readAll(again), "one two ");
  await again.append(bytes("three"));
  assert.equal(readAll(again), "one two three");
});

test("long writes are cut into pieces", async () => {
  const rows = new FakeRows();
  const store = open(rows);
  const long = "x".repeat(2 * PIECE + 5);
  await store.append(bytes(long));
  assert.deepEqual(rows.sizes, [PIECE, PIECE, 5]);
  assert.equal(readAll(store), long);
  store.begin();
  store.write(bytes(long));
  store.write(bytes("y"));
  await store.commit();
  assert.equal(readAll(store), long + "y");
});

test("an append that fails leaves the log as it was", async () => {
  const rows = new FakeRows();
  const store = open(rows);
  await store.append(bytes("one "));
  rows.space = 1;
  await assert.rejects(store.append(bytes("x".repeat(PIECE + 1))), /full/);
  rows.space = Infinity;
  assert.equal(readAll(store), "one ");
  await store.append(bytes("two"));
  assert.equal(readAll(open(rows)), "one two");
});

test("a replacement takes the log's place, or does not", async () => {
  const rows = new FakeRows();
  const store = open(rows);
  await store.append(bytes("old"));

  store.begin();
  store.write(bytes("half"));
  rows.crash();
  const second = open(rows);
  assert.equal(readAll(second), "old", "a crash half-way");

  second.begin();
  second.write(bytes("other"));
  second.abort();
  await assert.rejects(async () => second.commit(), /no replacement/);
  assert.equal(readAll(second), "old", "given up");

  second.begin();
  second.write(bytes("ne"));
  second.write(bytes("w"));
  await second.append(bytes(" and more"));
  assert.equal(readAll(second), "old and more", "not yet");
  await second.commit();
  rows.crash();
  const third = open(rows);
  assert.equal(readAll(third), "new");
  await third.append(bytes("er"));
  assert.equal(readAll(third), "newer");
});

test("the head record and copies that were set aside survive", async () => {
  const rows = new FakeRows();
  const store = open(rows);
  assert.equal(store.head().length, 0);
  await store.append(bytes("log"));
  await store.saveHead(bytes("head"));
  const first = await store.setAside();
  const second = await store.setAside();
  assert.notEqual(first, second);
  rows.crash();
  assert.deepEqual(rows.listAside(), [first, second]);
  assert.equal(Buffer.from(open(rows).head()).toString(), "head");
  assert.equal(readAll(open(rows)), "log");
});
