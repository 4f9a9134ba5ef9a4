// @ts-check
/**
 * A port to a server in another tab: a BroadcastChannel that only its two ends know by name. Messages are the same as
 * those of a MessagePort, but that buffers are copied. See ../PROTOCOL.md.
 *
 * @typedef {Pick<BroadcastChannel, "postMessage" | "close" | "onmessage" | "onmessageerror">} Channel
 */

/** The server's end: what servePort takes for a MessagePort. */
export class ServedChannel extends EventTarget {
  /** @type {((event: {data: any}) => void) | null} */ onmessage = null;
  /** @type {(() => void) | null} */ onmessageerror = null;
  #channel;
  #closed = false;

  /** @param {Channel} channel */
  constructor(channel) {
    super();
    this.#channel = channel;
    channel.onmessage = (event) => {
      if (event.data.type === "bye") this.close();
      else this.onmessage?.(event);
    };
    // It is not known which request that was: the client is another tab, whose requests all end.
    channel.onmessageerror = () => this.close();
  }

  /** Says to the client that it is served. */
  open() {
    this.#channel.postMessage({ type: "open" });
  }

  /** @param {any} m */
  postMessage(m) {
    if (!this.#closed) this.#channel.postMessage(m); // a client that is gone hears nothing
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#channel.close();
    this.dispatchEvent(new Event("close"));
  }
}

/**
 * The client's end: passes on what comes by a port, once the server is there, and the other way round.
 *
 * @param {Channel} channel
 * @param {MessagePort} port the other end of a Client's
 * @param {() => void} opened
 * @returns {() => void} ends it
 */
export function relay(channel, port, opened) {
  /** @type {any[] | null} */
  let early = [];
  port.onmessage = ({ data }) => void (early ? early.push(data) : channel.postMessage(data));
  channel.onmessage = ({ data }) => {
    if (data.type !== "open") {
      const buffer = data.data ?? data.body;
      return port.postMessage(data, buffer ? [buffer] : []);
    }
    for (const m of early ?? []) channel.postMessage(m);
    early = null;
    opened();
  };
  return () => {
    channel.postMessage({ type: "bye" });
    channel.close();
    port.close();
  };
}
