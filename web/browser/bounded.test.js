import assert from "node:assert/strict";
import { test } from "node:test";
import { bombOf, countUnpacked } from "./bomb.js";
import { FILE_MOST, TooLarge, bytesOf, gathered, inPieces } from "./bounded.js";

test("what is unpacked is read while it is unpacked", async (t) => {
  const counted = countUnpacked(t);
  const unpacked = (bomb, most) => gathered(inPieces(bomb).pipeThrough(new DecompressionStream("deflate-raw")), most);
  await assert.rejects(unpacked(bombOf(600), 8 << 20), TooLarge);
  assert.ok(counted.bytes <= 11 << 20, `${counted.bytes} bytes`);
  assert.equal((await unpacked(bombOf(8), 8 << 20)).length, 8 << 20);
});

test("a stream is read up to its bound, and left then", async () => {
  let [sent, left] = [0, false];
  const endless = () => new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(100).fill(sent++)),
    cancel: () => void (left = true),
  }, { highWaterMark: 0 });
  await assert.rejects(gathered(endless(), 1000), TooLarge);
  assert.deepEqual([sent, left], [11, true]);
  assert.deepEqual(await gathered(inPieces(new Uint8Array(5000).fill(7)), 5000), new Uint8Array(5000).fill(7));
  assert.deepEqual(await gathered(inPieces(new Uint8Array()), 0), new Uint8Array());
});

test("a file that is too large is not read", async () => {
  const file = { size: FILE_MOST + 1, arrayBuffer: () => assert.fail("it is read") };
  await assert.rejects(bytesOf(/** @type {any} */ (file)), /larger/);
  assert.deepEqual(await bytesOf(new Blob(["ab"])), new Uint8Array([97, 98]));
});
