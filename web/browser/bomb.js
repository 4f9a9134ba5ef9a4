// @ts-check
/** For tests: what is small and unpacks to much, and how much of it is unpacked. */
import { constants, createInflateRaw, deflateRawSync } from "node:zlib";

/** Bytes that unpack to so many megabytes of nothing. @param {number} megabytes */
export function bombOf(megabytes) {
  const one = deflateRawSync(Buffer.alloc(1 << 20), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([...Array(megabytes).fill(one), deflateRawSync(Buffer.alloc(0))]);
}

/**
 * Counts what is unpacked during a test, by a DecompressionStream that unpacks each chunk whole, as those of browsers
 * do.
 *
 * @param {import("node:test").TestContext} t
 */
export function countUnpacked(t) {
  const counted = { bytes: 0 };
  class Counting extends TransformStream {
    constructor() {
      const inflate = createInflateRaw();
      /** @type {Buffer[]} */
      let pieces = [];
      inflate.on("data", (piece) => pieces.push(piece));
      inflate.on("error", () => {}); // the write fails
      super({
        async transform(chunk, controller) {
          await new Promise((resolve, reject) =>
            inflate.write(chunk, (error) => (error ? reject(new TypeError(error.message)) : resolve(undefined))));
          const piece = Buffer.concat(pieces);
          pieces = [];
          counted.bytes += piece.length;
          controller.enqueue(new Uint8Array(piece));
        },
      });
    }
  }
  const { DecompressionStream } = globalThis;
  t.after(() => Object.assign(globalThis, { DecompressionStream }));
  Object.assign(globalThis, { DecompressionStream: Counting });
  return counted;
}
