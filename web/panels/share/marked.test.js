// The form of clusters that are shared, and the difference to what all have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, difference } from "./delta.js";
import { bytes, numbers, sound } from "./fixture.js";
import { derivedUID, put, zigzag } from "./frames.js";
import { markedSnapshot, snapshotOfMarked } from "./marked.js";
import { snapshotOf } from "./plain.js";

const uid = "ac452fd4-89ec-47d2-be0f-2eaebcd9be04";

test("any bytes in the frames of a snapshot come as they were", () => {
  const random = numbers(13);
  const text = () => Array.from({ length: random(9) }, () => [
    ..."\0\x01\x02\x03\x04\x05\x06", uid, derivedUID("v1/namespaces/default", uid), "2026-11-26T21:53:20",
    '"resourceVersion":"7"', '"resourceVersion":"8"', "é", `{"uid":"${uid}"}`][random(14)]).join("");
  const number = (/** @type {bigint} */ n) => {
    const out = [];
    put(out, n);
    return out;
  };
  for (let i = 0; i < 300; i++) {
    const time = [1795730000n * 10n ** 9n, -5n, 1795730000123n * 10n ** 6n, 1n << 62n][random(4)];
    const frames = Array.from({ length: random(4) }, () => Buffer.concat([
      Buffer.from([..."VDWEXYB"][random(7)]), Buffer.from([7 + random(2), 7, ...number(zigzag(time))]),
      Buffer.from([13]), Buffer.from("v1/namespaces"), Buffer.from([7]), Buffer.from(["default", "another"][random(2)]),
      Buffer.from(text(), "latin1"),
    ]));
    const snapshot = sound(frames);
    const form = markedSnapshot(snapshot, [bytes]);
    assert.ok(form, Buffer.from(snapshot).toString("latin1"));
    assert.deepEqual(snapshotOfMarked(form, snapshot.length), snapshot);
  }
});

test("differences are what they were made of", () => {
  const random = numbers(7);
  for (let i = 0; i < 300; i++) {
    const ref = Uint8Array.from({ length: random(400) }, () => random(4));
    /** @type {number[][]} */
    const pieces = [];
    for (let n = random(6); n > 0; n--) {
      const from = random(ref.length + 1);
      pieces.push(random(2) ? [...ref.subarray(from, from + random(80))]
        : random(3) ? Array.from({ length: random(30) }, () => random(256)) : pieces[random(pieces.length)] ?? []);
    }
    const want = Uint8Array.from(pieces.flat());
    assert.deepEqual(apply(ref, difference(ref, want), want.length), want);
  }
});

test("no bytes are a form that does harm", () => {
  const random = numbers(11);
  for (const made of [snapshotOf, snapshotOfMarked]) {
    let read = 0;
    for (let i = 0; i < 5000; i++) {
      const form = Uint8Array.from({ length: random(40) }, () => (random(3) ? random(8) : random(256)));
      try {
        assert.ok(made(form, 300).length <= 300);
        read++;
      } catch (error) {
        assert.match(error.message, /damaged|too large|Invalid time/);
      }
    }
    assert.ok(read > 0, made.name);
  }
  const many = Uint8Array.from([1, ...[0x87, 0x80, 0x40], 86, 2, 0, 1, 97, 1, 98, ...Array(1 << 20).fill(0), 1, 0]);
  assert.throws(() => snapshotOfMarked(many, 1 << 21), /too large/, "a mark of one byte stands for 19");
});

test("no bytes are a difference that does harm", () => {
  const random = numbers(3);
  let read = 0;
  for (let i = 0; i < 5000; i++) {
    const delta = Uint8Array.from({ length: random(40) }, () => (random(3) ? random(8) : random(256)));
    try {
      assert.ok(apply(bytes, delta, 1 << 20).length <= 1 << 20);
      read++;
    } catch (error) {
      assert.match(error.message, /damaged/);
    }
  }
  assert.ok(read > 0);
});
