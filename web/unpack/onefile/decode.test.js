import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "./decode.js";

test("all bytes come back from a page's text", () => {
  const bytes = Uint8Array.from({ length: 512 }, (_, i) => (i * 7) % 256);
  const written = [];
  for (const b of bytes) written.push(...([0x00, 0x0d, 0x3c, 0x3d].includes(b) ? [0x3d, b + 0x40] : [b]));
  const text = new TextDecoder("windows-1252").decode(Uint8Array.from(written));
  assert.deepEqual(decode(text), bytes);
});
