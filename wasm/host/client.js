// @ts-check
/**
 * The page's end of a port: makes a Response of what the server at the other end
 * answers. See ../PROTOCOL.md.
 *
 * @import { ToServer, ToClient, HeaderBlock } from "../protocol"
 * @import { Controller } from "./stream.js"
 */
import { WINDOW } from "../../core/wellknown/wellknown.js";
import { readBlock } from "./headers.js";
import { byteStream, closeStream } from "./stream.js";

const NULL_BODY = new Set([101, 103, 204, 205, 304]);

/**
 * @typedef {object} Observer Sees a reply as it passes. One that throws sees no more of it.
 * @property {(status: number, headers: HeaderBlock) => void} head
 * @property {(bytes: Uint8Array) => void} chunk a part of a stream, valid during the call
 * @property {(bytes: Uint8Array) => void} whole the body in one, never changed afterwards
 * @property {() => void} end
 * @property {(error: unknown, aborted: boolean) => void} fail
 * @property {(reason: unknown) => void} [abort] set for the observer: ends the request as its page would
 */

/**
 * @typedef {object} Ask
 * @property {string} method
 * @property {string} url absolute
 * @property {HeaderBlock} headers
 * @property {ArrayBuffer | null} body given away
 * @property {AbortSignal | null} [signal]
 * @property {Observer | null} [observer]
 * @property {boolean} [owner] it is of the page's owner: see ../PROTOCOL.md
 */

/** What fetch rejects with when there is no server to answer. */
export const failedToFetch = () => new TypeError("Failed to fetch");

/** One request, from its first message to its last. Whatever throws on the way fails the request. */
class Call {
  /** @type {Controller | null} */ controller = null;
  /** Why the reply broke off, if it did. @type {{reason: unknown} | null} */ broken = null;
  /** @type {Observer | null} */ observer;
  /** Breaks off what has arrived and is not read, when its signal is aborted. @type {(() => void) | null} */
  unread = null;
  received = 0;
  granted = WINDOW;
  onabort = () => this.abort(this.ask.signal?.reason);

  /**
   * @param {Client} client
   * @param {number} id
   * @param {Ask} ask
   * @param {(r: Response) => void} resolve
   * @param {(e: unknown) => void} reject
   */
  constructor(client, id, ask, resolve, reject) {
    this.client = client;
    this.id = id;
    this.ask = ask;
    this.resolve = resolve;
    this.reject = reject;
    this.observer = ask.observer ?? null;
    ask.signal?.addEventListener("abort", this.onabort);
    if (this.observer) this.observer.abort = (reason) => this.abort(reason);
  }

  /** @param {ToClient} m */
  receive(m) {
    switch (m.type) {
      case "whole": {
        this.over();
        const bytes = new Uint8Array(m.body);
        this.tell((o) => o.head(m.status, m.headers));
        if (bytes.length > 0) this.tell((o) => o.whole(bytes));
        this.respond(m.status, m.headers, this.ask.signal ? this.held(bytes) : bytes);
        this.tell((o) => o.end());
        break;
      }
      case "head":
        this.tell((o) => o.head(m.status, m.headers));
        this.respond(m.status, m.headers, this.stream());
        break;
      case "chunk":
        this.take(new Uint8Array(m.data));
        break;
      case "end":
        this.over();
        this.tell((o) => o.end());
        this.drain();
        break;
      case "fail":
        this.over();
        this.fail(failedToFetch(), m.message, false);
        break;
    }
  }

  /** @param {number} status @param {HeaderBlock} block @param {Uint8Array<ArrayBuffer> | ReadableStream} body */
  respond(status, block, body) {
    const headers = readBlock(block);
    const empty = this.ask.method === "HEAD" || NULL_BODY.has(status);
    const response = new Response(empty ? null : body, { status, headers });
    this.resolve(likeFetched(response, this.ask.url, this.controller && (() => this.broken)));
  }

  /**
   * A body that has arrived, for a caller that may abort the request before it is read: until then it can be aborted,
   * as one of the network can.
   *
   * @param {Uint8Array<ArrayBuffer>} bytes
   */
  held(bytes) {
    const stream = this.stream();
    // The stream transfers the bytes; the observer may keep those that it got.
    if (bytes.length > 0) this.controller?.enqueue(this.observer ? bytes.slice() : bytes);
    this.drain();
    return stream;
  }

  stream() {
    return byteStream(
      {
        start: (controller) => {
          this.controller = controller;
        },
        pull: () => (this.unread ? this.drain() : this.grant()),
        cancel: (reason) => this.abort(reason),
      },
      WINDOW,
    );
  }

  /**
   * Ends the stream of an answer that is complete, once its reader has taken all of it: until then an abort breaks it.
   * The signal, which may last, does not hold a body that nobody reads.
   */
  drain() {
    const { controller, ask: { signal } } = this;
    if (!controller) return;
    if (!signal || controller.desiredSize === WINDOW) {
      this.forget();
      closeStream(controller);
    } else if (!this.unread) {
      const call = new WeakRef(this);
      this.unread = () => call.deref()?.breaks(signal.reason);
      signal.addEventListener("abort", this.unread, { once: true });
    }
  }

  /** Stops waiting for an abort. */
  forget() {
    const { signal } = this.ask;
    signal?.removeEventListener("abort", this.onabort);
    if (this.unread) signal?.removeEventListener("abort", this.unread);
  }

  /** Lets the server send as much more as the page has read. */
  grant() {
    const more = this.received + (this.controller?.desiredSize ?? 0) - this.granted;
    if (more < WINDOW / 2) return;
    this.granted += more;
    this.client.post({ type: "credit", id: this.id, bytes: more });
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  take(bytes) {
    this.received += bytes.length;
    this.tell((o) => o.chunk(bytes));
    this.controller?.enqueue(bytes);
  }

  /** The page does not want the reply any longer. @param {unknown} reason */
  abort(reason) {
    if (!this.over()) return;
    this.client.post({ type: "cancel", id: this.id });
    this.fail(reason, String(/** @type {any} */ (reason)?.message ?? reason), true);
  }

  /** The reply cannot be handed to the page, by a fault of this side or of the engine. @param {unknown} error */
  broke(error) {
    console.error(`Tabernetes: the answer to ${this.ask.method} ${this.ask.url} was lost:`, error);
    if (this.over()) this.client.post({ type: "cancel", id: this.id });
    this.fail(failedToFetch(), error instanceof Error ? error.message : String(error), false);
  }

  /** @param {unknown} error for the page @param {string} message for the observer @param {boolean} aborted */
  fail(error, message, aborted) {
    this.tell((o) => o.fail(message, aborted));
    this.reject(error);
    this.breaks(error);
  }

  /** Breaks the stream off. @param {unknown} reason for its reader */
  breaks(reason) {
    this.broken = { reason };
    try {
      this.controller?.error(reason);
    } catch {
      // The stream was cancelled by its reader: there is nobody to tell.
    }
  }

  /** Reports to the observer, whose faults are not the request's. @param {(o: Observer) => void} report */
  tell(report) {
    if (!this.observer) return;
    try {
      report(this.observer);
    } catch (error) {
      this.observer = null;
      console.error(error);
    }
  }

  /** Nothing more comes. Says whether that is news. */
  over() {
    this.forget();
    return this.client.calls.delete(this.id);
  }
}

export class Client {
  /** @type {Map<number, Call>} */ calls = new Map();
  #last = 0;
  #closed = false;

  /**
   * @param {MessagePort} port
   * @param {(why: string) => void} [lost] called when a message could not be read: it is not known which request it
   *   answered, so all that is open fails, and so does what is asked later
   */
  constructor(port, lost) {
    this.port = port;
    port.onmessage = (event) => {
      const m = /** @type {ToClient} */ (event.data);
      if (m.type === "chunks") return this.#chunks(m.parts, m.data);
      const call = this.calls.get(m.id);
      try {
        call?.receive(m);
      } catch (error) {
        call?.broke(error);
      }
    };
    port.onmessageerror = () => {
      const why = "an answer of the server could not be read";
      this.close(why);
      lost?.(why);
    };
  }

  /**
   * Small chunks of several replies. Each gets its own buffer, which its stream transfers.
   *
   * @param {number[]} parts ids and lengths
   * @param {ArrayBuffer} data
   */
  #chunks(parts, data) {
    let at = 0;
    for (let i = 0; i < parts.length; i += 2) {
      const call = this.calls.get(parts[i]);
      const from = at;
      at += parts[i + 1];
      try {
        call?.take(new Uint8Array(data.slice(from, at)));
      } catch (error) {
        call?.broke(error);
      }
    }
  }

  /**
   * Asks and resolves at the head of the answer. Until a server takes the other
   * end, requests wait in the port.
   *
   * @param {Ask} ask
   * @returns {Promise<Response>}
   */
  fetch(ask) {
    return new Promise((resolve, reject) => {
      const { method, url, headers, body, signal, observer, owner } = ask;
      if (signal?.aborted || this.#closed) {
        const error = signal?.aborted ? signal.reason : failedToFetch();
        reject(error);
        observer?.fail(error, signal?.aborted ?? false);
        return;
      }
      const id = ++this.#last;
      const call = new Call(this, id, ask, resolve, reject);
      this.calls.set(id, call);
      try {
        this.post({ type: "request", id, method, url, headers, body, ...(owner && { owner }) }, body ? [body] : []);
      } catch (error) {
        call.broke(error); // a body that was given away already, or that there is no memory for
      }
    });
  }

  /** @param {ToServer} m @param {Transferable[]} [transfer] */
  post(m, transfer = []) {
    this.port.postMessage(m, transfer);
  }

  /** The server is gone: what was asked fails, as does what will be. @param {string} why */
  close(why) {
    this.#closed = true;
    this.port.close();
    for (const call of [...this.calls.values()]) {
      call.over();
      call.fail(failedToFetch(), why, false);
    }
  }
}

const READERS = /** @type {const} */ (["arrayBuffer", "blob", "bytes", "formData", "json", "text"]);

/**
 * Gives a constructed Response what one of the network would have.
 *
 * @param {Response} response
 * @param {string} url
 * @param {(() => {reason: unknown} | null) | null} broken why its stream broke off, if it did
 * @returns {Response}
 */
export function likeFetched(response, url, broken) {
  const clone = response.clone;
  Object.defineProperties(response, {
    url: { value: url.replace(/#.*/s, "") },
    type: { value: "basic" },
    clone: { value: () => likeFetched(clone.call(response), url, broken) },
  });
  if (!broken) return response;
  // Whatever a constructed stream failed with, browsers make text() and its like
  // reject with a TypeError; for an aborted request the page expects its reason.
  for (const name of READERS) {
    const read = response[name];
    if (!read) continue; // bytes() is new in browsers
    Object.defineProperty(response, name, {
      value: () =>
        read.call(response).catch((/** @type {unknown} */ error) => {
          throw broken()?.reason ?? error;
        }),
    });
  }
  return response;
}
