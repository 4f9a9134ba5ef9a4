import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { zipped } from "./bytes.js";

test("the size with gzip is that of the bytes, not of their digits", async () => {
  const bytes = Buffer.from([0, 255, ...Array(500).fill(7), 1, 16]);
  const near = (size, want) => assert.ok(Math.abs(size - want) < 12, `${size}, want about ${want}`);
  near(await zipped(bytes.toString("hex"), true), gzipSync(bytes).length);
  const text = "käse ".repeat(100) + "end";
  near(await zipped(text, false), gzipSync(text).length);
  near(await zipped("", true), gzipSync("").length);
});

test("a browser without gzip does not tell", async () => {
  const { CompressionStream } = globalThis;
  delete globalThis.CompressionStream;
  try {
    assert.equal(await zipped("abc", false), 0);
  } finally {
    globalThis.CompressionStream = CompressionStream;
  }
});
