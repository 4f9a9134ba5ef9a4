// @ts-check
/**
 * One request of a room: its body to Go, and what Go tells the sink to a Response. See ../../PROTOCOL.md.
 *
 * A stream has as many bytes waiting as Go's credit allows; what the client reads gives credit back. That a client has
 * gone shows when the next bytes are written, which cancels the request in Go: a watch without events or bookmarks
 * stays open until its time is over.
 *
 * @import { HeaderBlock, Sink } from "../../protocol"
 * @import { Writer } from "./socket.js"
 */
import { readBlock, writeBlock } from "../../host/headers.js";
import { join } from "./rows.js";
import { LineWriter, asksForSocket, plainHeaders, protocolOf, streamsLines } from "./socket.js";
import { refuse } from "./status.js";

/** How long a body may be that is read into memory, in bytes: a saved cluster is the longest. */
export const MAX_BODY = 16 << 20;

/** Answers that have no body. */
const EMPTY = [101, 204, 205, 304];

/** @implements {Sink} */
export class Exchange {
  /** @type {((bytes: number) => void) | undefined} */ pull = undefined;
  /** @type {(() => void) | undefined} */ cancel = undefined;
  /** @type {(response: Response) => void} */ #answer = () => {};
  /** @type {() => void} */ #given = () => {};
  /** @type {Writer | null} */ #writer = null;
  /** Whether nothing more comes from Go. */ done = false;

  /**
   * @param {() => void} ended is called once, when nothing more comes from Go
   * @param {Request} [request] that may ask for a WebSocket
   */
  constructor(ended, request) {
    this.ended = ended;
    this.request = request;
    /** @type {Promise<Response>} */
    this.response = new Promise((resolve) => (this.#answer = resolve));
    /** Resolves when the client has been given all, or wants nothing any longer. @type {Promise<void>} */
    this.over = new Promise((resolve) => (this.#given = resolve));
  }

  /** @param {number} status @param {HeaderBlock} headers @param {Uint8Array<ArrayBuffer>} bytes */
  whole(status, headers, bytes) {
    if (this.done) return;
    this.#answer(new Response(EMPTY.includes(status) ? null : bytes, { status, headers: readBlock(headers) }));
    this.finish();
  }

  /** @param {number} status @param {HeaderBlock} block */
  head(status, block) {
    if (this.done) return;
    const headers = new Headers(readBlock(block));
    const open = this.request && asksForSocket(this.request) && streamsLines(status, headers) ? openSocket : openBody;
    const { writer, response } = open(status, headers, this.request);
    this.#writer = writer;
    writer.closed.catch(() => this.abort());
    this.#answer(response);
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  chunk(bytes) {
    if (this.done) return;
    this.#writer?.write(bytes).then(
      () => {
        if (!this.done) this.pull?.(bytes.length);
      },
      () => this.abort(),
    );
  }

  end() {
    if (this.done) return;
    this.finish(this.#writer?.close());
  }

  /** @param {string} message */
  fail(message) {
    if (this.done) return;
    if (this.#writer) this.#writer.abort(new Error(message));
    else this.#answer(refuse(500, "InternalError", message));
    this.finish();
  }

  /** The program is gone. A request without an answer may be made again. */
  lost() {
    if (this.done) return;
    if (this.#writer) this.#writer.abort(new Error("the room is restarting"));
    else this.#answer(refuse(503, "ServiceUnavailable", "the room is restarting: try again", 1));
    this.finish();
  }

  /** The client wants nothing any longer. */
  abort() {
    if (this.done) return;
    this.finish();
    this.cancel?.();
  }

  /** Answers with what continues elsewhere. @param {Response} response */
  passOn(response) {
    this.#answer(response);
  }

  /** @param {Promise<void>} [last] resolves when the client has read what was written */
  finish(last) {
    this.done = true;
    this.ended();
    if (last) last.then(this.#given, this.#given);
    else this.#given();
  }
}

/** @typedef {{writer: Writer, response: Response}} Opened */

/** @param {number} status @param {Headers} headers @returns {Opened} */
function openBody(status, headers) {
  // Else what lies between here and the client may compress the stream, and keep what it has not enough of.
  if (!headers.has("Content-Encoding")) headers.set("Content-Encoding", "identity");
  // Not a ReadableStream of JavaScript's: the engine does not tell that of a client that has gone.
  const { readable, writable } = new (globalThis.IdentityTransformStream ?? TransformStream)();
  const body = EMPTY.includes(status) ? null : readable;
  return { writer: writable.getWriter(), response: new Response(body, { status, headers }) };
}

/** @param {number} _ @param {Headers} headers @param {Request} [request] @returns {Opened} */
function openSocket(_, headers, request) {
  const [theirs, ours] = Object.values(new WebSocketPair());
  ours.accept();
  const protocol = request && protocolOf(request);
  if (protocol) headers.set("Sec-WebSocket-Protocol", protocol);
  const answer = /** @type {ResponseInit} */ ({ status: 101, headers, webSocket: theirs });
  return { writer: new LineWriter(ours), response: new Response(null, answer) };
}

/**
 * What Go's serve takes of a request; null if the body is too long.
 *
 * @param {Request} request
 * @param {string} url as the client sees it
 * @returns {Promise<[string, string, HeaderBlock, Uint8Array | null] | null>}
 */
export async function callOf(request, url) {
  const body = await bodyOf(request);
  if (!body) return null;
  return [request.method, url, writeBlock(plainHeaders(request)), body.length > 0 ? body : null];
}

/** @param {Request} request @returns {Promise<Uint8Array | null>} */
async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  if (Number(request.headers.get("Content-Length")) > MAX_BODY) return null;
  for (const reader = request.body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    if ((size += value.length) > MAX_BODY) {
      await reader.cancel();
      return null;
    }
  }
  return join(pieces, size);
}
