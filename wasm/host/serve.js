// @ts-check
/**
 * The server's end of a client's port: turns its messages into calls of Go's
 * serve, and what Go tells the sink into messages. See ../PROTOCOL.md.
 *
 * @import { Serve, Sink, ToServer, ToClient, HeaderBlock } from "../protocol"
 */

/** One request on its way. @implements {Sink} */
class Exchange {
  /** @type {((bytes: number) => void) | undefined} */ pull = undefined;
  /** @type {(() => void) | undefined} */ cancel = undefined;

  /**
   * @param {Map<number, Exchange>} open
   * @param {(m: ToClient, transfer?: Transferable[]) => void} post
   * @param {number} id
   */
  constructor(open, post, id) {
    this.open = open;
    this.post = post;
    this.id = id;
    open.set(id, this);
  }

  /** @param {number} status @param {HeaderBlock} headers @param {Uint8Array<ArrayBuffer>} bytes */
  whole(status, headers, bytes) {
    this.open.delete(this.id);
    const body = bytes.buffer;
    this.post({ type: "whole", id: this.id, status, headers, body }, [body]);
  }

  /** @param {number} status @param {HeaderBlock} headers */
  head(status, headers) {
    this.post({ type: "head", id: this.id, status, headers });
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  chunk(bytes) {
    const data = bytes.buffer;
    this.post({ type: "chunk", id: this.id, data }, [data]);
  }

  end() {
    this.open.delete(this.id);
    this.post({ type: "end", id: this.id });
  }

  /** @param {string} message */
  fail(message) {
    this.open.delete(this.id);
    this.post({ type: "fail", id: this.id, message });
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
  /** @type {(m: ToClient, transfer?: Transferable[]) => void} */
  const post = (m, transfer = []) => port.postMessage(m, transfer);
  port.onmessage = (event) => {
    const m = /** @type {ToServer} */ (event.data);
    switch (m.type) {
      case "request":
        serve(m.method, m.url, m.headers, m.body && new Uint8Array(m.body), new Exchange(open, post, m.id));
        break;
      case "credit":
        open.get(m.id)?.pull?.(m.bytes);
        break;
      case "cancel":
        open.get(m.id)?.cancel?.();
        break;
    }
  };
  // A client that is gone wants nothing any longer.
  port.addEventListener("close", () => {
    for (const exchange of open.values()) exchange.cancel?.();
  });
}
