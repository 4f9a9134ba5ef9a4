// @ts-check
/**
 * Streams of JSON lines over a WebSocket, as the native host has them: each line is a text message, and what the client
 * sends is ignored. Requests that are no streams, or that fail, are answered as any other.
 *
 * Costs: the engine does not say how much a slow client has still to read, and keeps that in memory.
 *
 * @typedef {object} Writer what an exchange writes a stream to
 * @property {(bytes: Uint8Array) => Promise<void>} write resolves when there is room for more
 * @property {() => Promise<void>} close
 * @property {(error: Error) => Promise<void>} abort
 * @property {Promise<void>} closed fails when the client has gone
 */
import { BEARER_PROTOCOL } from "../../../core/wellknown/wellknown.js";

/** The headers of the handshake, which are nothing to the server. */
const HANDSHAKE = /^(connection|upgrade|sec-websocket-.*)$/;

/** Whether a request asks for a WebSocket. @param {Request} request */
export const asksForSocket = (request) =>
  request.method === "GET" && request.headers.get("Upgrade")?.toLowerCase() === "websocket";

/** The fields of a request without those of a handshake. @param {Request} request @returns {[string, string][]} */
export const plainHeaders = (request) => [...request.headers].filter(([name]) => !HANDSHAKE.test(name));

/**
 * The protocol to answer with, if the client offers one besides the token, which the front has taken.
 *
 * @param {Request} request
 */
export function protocolOf(request) {
  const offered = request.headers.get("Sec-WebSocket-Protocol") ?? "";
  return offered.split(",").map((word) => word.trim()).find((word) => word && !word.startsWith(BEARER_PROTOCOL));
}

/** Whether an answer is a stream of JSON lines. @param {number} status @param {Headers} headers */
export const streamsLines = (status, headers) =>
  status === 200 && headers.get("Content-Type") === "application/json" && !headers.has("Content-Length");

/** @implements {Writer} */
export class LineWriter {
  /** The beginning of a line. @type {Uint8Array} */ #rest = new Uint8Array();
  #decoder = new TextDecoder();

  /** @param {Pick<WebSocket, "send" | "close" | "addEventListener">} socket */
  constructor(socket) {
    this.socket = socket;
    /** @type {Promise<void>} */
    this.closed = new Promise((_, reject) => {
      for (const gone of /** @type {const} */ (["close", "error"])) {
        socket.addEventListener(gone, () => reject(new Error("the client has gone")));
      }
    });
  }

  /** @param {Uint8Array} bytes */
  async write(bytes) {
    let from = 0;
    for (let end; (end = bytes.indexOf(10, from) + 1) > 0; from = end) {
      const text = this.#decoder.decode(this.#rest, { stream: true });
      this.#rest = new Uint8Array();
      this.socket.send(text + this.#decoder.decode(bytes.subarray(from, end)));
    }
    const rest = new Uint8Array(this.#rest.length + bytes.length - from);
    rest.set(this.#rest);
    rest.set(bytes.subarray(from), this.#rest.length);
    this.#rest = rest;
  }

  async close() {
    this.socket.close(1000);
  }

  async abort() {
    this.socket.close(1011);
  }
}
