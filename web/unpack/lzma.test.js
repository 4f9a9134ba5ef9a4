// The project's license, which does not change, in LZMA: as the build packs it, and damaged.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { unpacked, unpacker } from "./lzma.js";

const read = (name) => new Uint8Array(readFileSync(new URL(name, import.meta.url)));
const content = Buffer.from(read("../../LICENSE"));
const packed = read("testdata/license.lzma");

/** Unpacks a file that comes in chunks of a size. @param {Uint8Array} file @param {number} size */
function unpack(file, size) {
  const take = unpacker();
  const parts = [];
  for (let at = 0; at < file.length; at += size) parts.push(take(file.subarray(at, at + size)));
  return Buffer.concat([...parts, take(null)]);
}

for (const size of [1, 7, 23, 24, 25, 1000, packed.length]) {
  test(`in chunks of ${size} bytes`, () => assert.ok(unpack(packed, size).equals(content)));
}

test("what has come is unpacked before the rest is there", () => {
  assert.ok(unpacker()(packed.subarray(0, packed.length / 2)).length > content.length / 4);
});

const changed = (at, to) => packed.with(at, to);
for (const [name, file] of /** @type {[string, Uint8Array][]} */ ([
  ["an empty file", packed.subarray(0, 0)],
  ["one without its last bytes", packed.subarray(0, -8)],
  ["half of one", packed.subarray(0, packed.length / 2)],
  ["only a header", packed.subarray(0, 13)],
  ["settings that there are not", changed(0, 255)],
  ["a size that is not told", changed(12, 255)],
  ["a first byte that is not 0", changed(13, 1)],
  ["another file", new Uint8Array(Buffer.from("\x1f\x8b\x08 in gzip, which is another format"))],
])) {
  test(`${name} fails`, () => assert.throws(() => unpack(file, 1000)));
}

test("bytes that are changed never bring more than the file says", () => {
  for (let at = 13; at < packed.length; at += 97) {
    try {
      assert.equal(unpack(changed(at, packed[at] ^ 0x55), 500).length, content.length);
    } catch (error) {
      assert.match(String(error), /a packed file is damaged/);
    }
  }
});

test("as a stream", async () => {
  const stream = unpacked(new Blob([packed]).stream());
  assert.ok(Buffer.from(await new Response(stream).arrayBuffer()).equals(content));
  await assert.rejects(new Response(unpacked(new Blob([packed.subarray(0, 999)]).stream())).arrayBuffer(), /damaged/);
});

test("a stream that nobody reads any more ends its source", async () => {
  let ended = false;
  const source = new ReadableStream({
    pull: (controller) => controller.enqueue(packed.subarray(0, 500)),
    cancel: () => void (ended = true),
  });
  await unpacked(source).cancel();
  assert.ok(ended);
});
