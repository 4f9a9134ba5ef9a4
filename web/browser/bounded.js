// @ts-check
/** Reads what somebody else sends, up to a bound. */

/** How much is given to a decompressor at once, in bytes: a kilobyte may become a megabyte. */
const PIECE = 1 << 10;

/** How large a file may be, and what it holds, in bytes. */
export const FILE_MOST = 256 << 20;

/** There is more than the bound. */
export class TooLarge extends Error {
  message = "it is larger than anything that this page would have made";
}

/** The bytes of a file. @param {Blob} file @throws {TooLarge} before anything is read */
export async function bytesOf(file) {
  if (file.size > FILE_MOST) throw new TooLarge();
  return new Uint8Array(await file.arrayBuffer());
}

/**
 * Bytes, piece by piece, each when the one before has been read. A decompressor unpacks what it is given at once,
 * however large that becomes.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
 */
export function inPieces(bytes) {
  let at = 0;
  const pull = (/** @type {ReadableStreamDefaultController} */ controller) => {
    if (at < bytes.length) controller.enqueue(bytes.subarray(at, (at += PIECE)));
    else controller.close();
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/**
 * All bytes of a stream.
 *
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream
 * @param {number} most how many there may be
 * @throws {TooLarge} when there are more, of which the rest is not read
 */
export async function gathered(stream, most) {
  const reader = stream.getReader();
  const pieces = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    if ((size += value.length) > most) {
      reader.cancel().catch(() => {});
      throw new TooLarge();
    }
    pieces.push(value);
  }
}
