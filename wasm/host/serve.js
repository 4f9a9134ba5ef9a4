// @ts-check
/**
 * The server's end of a client's port: turns its messages into calls of Go's
 * serve, and what Go tells the sink into messages. See ../PROTOCOL.md.
 *
 * @typedef {MessagePort | import("./channel.js").ServedChannel | import("./programs.js").Followed} Port
 * @import { Serve, Sink, ToServer, ToClient, HeaderBlock } from "../protocol"
 */

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? error.message : String(error));

/** Chunks up to this size wait for others, in bytes. */
const SMALL = 8 << 10;

/** So much may wait, in bytes. */
const WAITING = 64 << 10;

/**
 * Joins small chunks of several replies that come while Go runs: one event that many watches get is one
 * message, not one for each of them.
 */
class Outbox {
  /** @type {{exchange: Exchange, bytes: Uint8Array<ArrayBuffer>}[]} */ #chunks = [];
  #size = 0;

  /** @param {Port} port */
  constructor(port) {
    this.port = port;
  }

  /** @param {Exchange} exchange @param {Uint8Array<ArrayBuffer>} bytes */
  add(exchange, bytes) {
    if (this.#chunks.length === 0) queueMicrotask(() => this.flush());
    this.#chunks.push({ exchange, bytes });
    exchange.waiting++;
    if ((this.#size += bytes.length) > WAITING) this.flush();
  }

  flush() {
    const chunks = this.#chunks;
    if (chunks.length === 0) return;
    const data = chunks.length === 1 ? chunks[0].bytes.buffer : new ArrayBuffer(this.#size);
    this.#chunks = [];
    this.#size = 0;
    for (const { exchange } of chunks) exchange.waiting--;
    try {
      if (chunks.length === 1) {
        this.port.postMessage({ type: "chunk", id: chunks[0].exchange.id, data }, [data]);
        return;
      }
      const all = new Uint8Array(data);
      const parts = [];
      let at = 0;
      for (const { exchange, bytes } of chunks) {
        all.set(bytes, at);
        at += bytes.length;
        parts.push(exchange.id, bytes.length);
      }
      this.port.postMessage({ type: "chunks", id: 0, parts, data }, [data]);
    } catch (error) {
      for (const { exchange } of chunks) exchange.broke(error);
    }
  }
}

/** One request on its way. Nothing here throws into Go. @implements {Sink} */
class Exchange {
  /** @type {((bytes: number) => void) | undefined} */ pull = undefined;
  /** @type {(() => void) | undefined} */ cancel = undefined;
  waiting = 0; // chunks in the outbox

  /**
   * @param {Map<number, Exchange>} open
   * @param {Outbox} outbox
   * @param {number} id
   */
  constructor(open, outbox, id) {
    this.open = open;
    this.outbox = outbox;
    this.port = outbox.port;
    this.id = id;
    open.set(id, this);
  }

  /** @param {number} status @param {HeaderBlock} headers @param {Uint8Array<ArrayBuffer>} bytes */
  whole(status, headers, bytes) {
    const body = bytes.buffer;
    this.#last({ type: "whole", id: this.id, status, headers, body }, [body]);
  }

  /** @param {number} status @param {HeaderBlock} headers */
  head(status, headers) {
    this.#post({ type: "head", id: this.id, status, headers });
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  chunk(bytes) {
    if (bytes.length <= SMALL) {
      if (this.open.has(this.id)) this.outbox.add(this, bytes);
      return;
    }
    const data = bytes.buffer;
    this.#post({ type: "chunk", id: this.id, data }, [data]);
  }

  end() {
    this.#last({ type: "end", id: this.id });
  }

  /** @param {string} message */
  fail(message) {
    this.#last({ type: "fail", id: this.id, message });
  }

  /** Something threw while the request was served: it fails, and Go gives it up. @param {unknown} error */
  broke(error) {
    if (!this.open.delete(this.id)) return; // it has ended already
    console.error("a request could not be served:", error);
    this.port.postMessage({ type: "fail", id: this.id, message: words(error) });
    // Not at once: Go may be in the middle of a call of this.
    queueMicrotask(() => {
      try {
        this.cancel?.();
      } catch (error) {
        console.error(error);
      }
    });
  }

  /** @param {ToClient} m @param {Transferable[]} [transfer] */
  #post(m, transfer = []) {
    if (this.waiting > 0) this.outbox.flush();
    if (!this.open.has(this.id)) return; // it has failed: nothing comes after that
    try {
      this.port.postMessage(m, transfer);
    } catch (error) {
      this.broke(error);
    }
  }

  /** @param {ToClient} m @param {Transferable[]} [transfer] */
  #last(m, transfer) {
    this.#post(m, transfer);
    this.open.delete(this.id);
  }
}

/**
 * Serves the client at the other end of port for as long as it lives.
 *
 * @param {Port} port
 * @param {Serve} serve
 * @param {Serve} [owner] serves those of the page's owner
 */
export function servePort(port, serve, owner = serve) {
  /** @type {Map<number, Exchange>} */
  const open = new Map();
  const outbox = new Outbox(port);
  port.onmessage = (/** @type {{data: any}} */ event) => {
    const m = /** @type {ToServer} */ (event.data);
    const exchange = m.type === "request" ? new Exchange(open, outbox, m.id) : open.get(m.id);
    if (!exchange) return;
    try {
      switch (m.type) {
        case "request":
          (m.owner ? owner : serve)(m.method, m.url, m.headers, m.body && new Uint8Array(m.body), exchange);
          break;
        case "credit":
          exchange.pull?.(m.bytes);
          break;
        case "cancel":
          exchange.cancel?.();
          break;
      }
    } catch (error) {
      exchange.broke(error);
    }
  };
  // Nobody knows which request that was, so none can be failed but all: the worker's error handler does that.
  port.onmessageerror = () => {
    throw new Error("a request could not be read");
  };
  // A client that is gone wants nothing any longer.
  port.addEventListener("close", () => {
    for (const exchange of open.values()) exchange.cancel?.();
  });
}
