// @ts-check
/**
 * Streams of bytes in every engine. Where byte streams are missing, as in
 * WebKitGTK 2.50, an ordinary stream takes their place: its queue is counted in
 * bytes too, so credit, cancellation and errors are the same. What is lost is
 * reading into a buffer of one's own: getReader({mode: "byob"}).
 */

/** @typedef {ReadableByteStreamController | ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>} Controller */

/**
 * @typedef {object} Source
 * @property {(controller: Controller) => void} [start]
 * @property {(controller: Controller) => void | Promise<void>} [pull]
 * @property {(reason: unknown) => void | Promise<void>} [cancel]
 */

/** Reports whether this engine has byte streams. */
export function hasByteStreams() {
  try {
    new ReadableStream({ type: "bytes" });
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {Source} source
 * @param {number} highWaterMark in bytes: how much may be queued before pull is no longer called
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
 */
export function byteStream(source, highWaterMark) {
  if (hasByteStreams()) return new ReadableStream({ type: "bytes", ...source }, { highWaterMark });
  return new ReadableStream(source, { highWaterMark, size: (chunk) => chunk?.byteLength ?? 0 });
}

/** Ends a stream, and a read that waits for bytes with it. @param {Controller} controller */
export function closeStream(controller) {
  controller.close();
  if ("byobRequest" in controller) controller.byobRequest?.respond(0);
}
