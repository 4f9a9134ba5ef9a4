// @ts-check
/**
 * The server's end of a client's port: turns its messages into calls of Go's
 * serve, and what Go tells the sink into messages. See ../PROTOCOL.md.
 *
 * @import { Serve, Sink, ToServer, ToClient, HeaderBlock } from "../protocol"
 */

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? error.message : String(error));

/** One request on its way. Nothing here throws into Go. @implements {Sink} */
class Exchange {
  /** @type {((bytes: number) => void) | undefined} */ pull = undefined;
  /** @type {(() => void) | undefined} */ cancel = undefined;

  /**
   * @param {Map<number, Exchange>} open
   * @param {MessagePort} port
   * @param {number} id
   */
  constructor(open, port, id) {
    this.open = open;
    this.port = port;
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

  /** Something threw while the request was served: it fails, and Go is told to give it up. @param {unknown} error */
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
 * @param {MessagePort} port
 * @param {Serve} serve
 */
export function servePort(port, serve) {
  /** @type {Map<number, Exchange>} */
  const open = new Map();
  port.onmessage = (event) => {
    const m = /** @type {ToServer} */ (event.data);
    const exchange = m.type === "request" ? new Exchange(open, port, m.id) : open.get(m.id);
    if (!exchange) return;
    try {
      switch (m.type) {
        case "request":
          serve(m.method, m.url, m.headers, m.body && new Uint8Array(m.body), exchange);
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
