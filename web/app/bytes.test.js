import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { joined, zipped } from "./bytes.js";

test("the size with gzip is that of the bytes", async () => {
  const bytes = Buffer.from([0, 255, ...Array(500).fill(7), 1, 16]);
  const near = (size, want) => assert.ok(Math.abs(size - want) < 12, `${size}, want about ${want}`);
  near(await zipped(bytes), gzipSync(bytes).length);
  near(await zipped(new Uint8Array()), gzipSync("").length);
});

test("a browser without gzip does not tell", async () => {
  const { CompressionStream } = globalThis;
  delete globalThis.CompressionStream;
  try {
    assert.equal(await zipped(new Uint8Array([1])), 0);
  } finally {
    globalThis.CompressionStream = CompressionStream;
  }
});

test("pieces are joined", () => {
  const of = (...bytes) => new Uint8Array(bytes);
  assert.deepEqual(joined([]), of());
  assert.deepEqual(joined([of(1), of(), of(2, 3)]), of(1, 2, 3));
});
