// Pipes and terminals: what waits, what ends it, and what it gets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, text } from "./fake.js";
import { CAPACITY, pipe } from "./pipes.js";
import { Terminal } from "./tty.js";

const me = {};

function open() {
  const [reads, writes] = pipe();
  return [reads.retain(), writes.retain()];
}

/** Whether a promise is settled by what has happened. */
async function settled(promise) {
  const not = {};
  for (let i = 0; i < 10; i++) await null;
  return (await Promise.race([promise.catch(() => {}), Promise.resolve(not)])) !== not;
}

test("a read is answered as soon as there is something", async () => {
  const [reads, writes] = open();
  const read = reads.read(10, null, me);
  assert.equal(await settled(read), false);
  assert.equal(await writes.write(bytes("abc"), null, me), 3);
  assert.equal(text(await read), "abc");
  await writes.write(bytes("defg"), null, me);
  await writes.write(bytes("h"), null, me);
  assert.equal(text(await reads.read(2, null, me)), "de");
  assert.equal(text(await reads.read(9, null, me)), "fgh");
});

test("who writes more than fits waits until it is read", async () => {
  const [reads, writes] = open();
  const much = new Uint8Array(CAPACITY + 10).fill(1);
  const write = writes.write(much, null, me);
  assert.equal(await settled(write), false);
  assert.equal((await reads.read(9, null, me)).length, 9);
  assert.equal(await settled(write), false);
  assert.equal((await reads.read(1, null, me)).length, 1);
  assert.equal(await write, CAPACITY + 10);
  assert.equal((await reads.read(2 * CAPACITY, null, me)).length, CAPACITY);
});

test("the end comes when the last who can write has closed, after what was written", async () => {
  const [reads, writes] = open();
  writes.retain();
  await writes.write(bytes("abc"), null, me);
  writes.release();
  assert.equal(text(await reads.read(9, null, me)), "abc");
  const read = reads.read(9, null, me);
  assert.equal(await settled(read), false);
  writes.release();
  assert.equal((await read).length, 0);
  assert.equal((await reads.read(9, null, me)).length, 0);
});

test("nobody can read: EPIPE, also for who waits", async () => {
  const [reads, writes] = open();
  const write = writes.write(new Uint8Array(CAPACITY + 1), null, me);
  reads.release();
  await assert.rejects(write, { code: "EPIPE" });
  await assert.rejects(writes.write(bytes("x"), null, me), { code: "EPIPE" });
});

test("a descriptor that is closed waits no more, and takes nothing", async () => {
  const [reads, writes] = open();
  const [other, full] = [{}, {}];
  const read = reads.read(9, null, other);
  reads.forget(other);
  assert.equal((await read).length, 0);
  await writes.write(new Uint8Array(CAPACITY), null, me);
  const write = writes.write(bytes("lost"), null, full);
  writes.forget(full);
  await assert.rejects(write, { code: "EBADF" });
  assert.equal((await reads.read(2 * CAPACITY, null, me)).length, CAPACITY);
});

test("a terminal gives a line to each read, and its end once", async () => {
  const terminal = new Terminal();
  const reading = [];
  terminal.onReading((r) => reading.push(r));
  const first = terminal.stdin.read(100, null, me);
  terminal.input("one");
  terminal.input("two");
  assert.equal(text(await first), "one\n");
  assert.equal(text(await terminal.stdin.read(2, null, me)), "tw");
  assert.equal(text(await terminal.stdin.read(100, null, me)), "o\n");
  const last = terminal.stdin.read(100, null, me);
  terminal.endInput();
  assert.equal((await last).length, 0);
  assert.equal(await settled(terminal.stdin.read(100, null, me)), false, "the end was read");
  assert.deepEqual(reading, [true, false, true, false, true]);
});

test("an interrupt ends reads, and another input begins without what was typed", async () => {
  const terminal = new Terminal();
  const read = terminal.stdin.read(100, null, me);
  terminal.interrupt();
  assert.equal((await read).length, 0);
  terminal.input("for the command before");
  terminal.endInput();
  terminal.reset();
  assert.equal(await settled(terminal.stdin.read(100, null, me)), false);
});

test("what is written to a terminal keeps its order, and who writes much waits for the page", async () => {
  const terminal = new Terminal();
  const seen = [];
  terminal.onOutput((b, stream) => seen.push(stream + b.length));
  assert.equal(terminal.stdout.write(new Uint8Array(3), null, me), 3);
  assert.equal(terminal.stderr.write(new Uint8Array(4), null, me), 4);
  const much = terminal.stdout.write(new Uint8Array(64 << 10), null, me);
  assert.equal(await settled(Promise.resolve(much)), false);
  assert.equal(await much, 64 << 10);
  assert.deepEqual(seen, ["stdout3", "stderr4", "stdout65536"]);
});
