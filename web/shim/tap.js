// @ts-check
/**
 * Reports the API traffic of the page to its listeners, without delaying it:
 * listeners run in a separate task, and bodies are read as they pass.
 *
 * @import { TapEvent, Origin } from "./tabernetes"
 * @import { Observer } from "../../wasm/host/client.js"
 */
import { SOURCE_HEADER } from "../../core/wellknown/wellknown.js";
import { failedToFetch } from "../../wasm/host/client.js";
import { readBlock } from "../../wasm/host/headers.js";

/** How much is kept for listeners yet to come: whole requests, the latest ones. */
const KEEP_REQUESTS = 500;
const KEEP_TEXT = 4 << 20;

/** How long listeners may hold up the page at a time, in milliseconds. */
const SLICE = 8;

const now = () => performance.timeOrigin + performance.now();

export class Tap {
  #last = 0;
  /** @type {Set<(event: TapEvent) => void>} */ #listeners = new Set();
  /** @type {TapEvent[]} */ #queue = [];
  #next = 0; // the first of #queue that has not been delivered
  #soon = new MessageChannel();
  #woken = false;
  /** What is kept, by request, oldest first. @type {Map<number, {events: TapEvent[], size: number}>} */
  #kept = new Map();
  #size = 0;
  /** Requests whose answer has not ended. @type {Map<number, Observer>} */
  #open = new Map();
  /** Requests whose connection is being broken. @type {Set<number>} */
  #cut = new Set();

  /**
   * @param {string} [page] names the page to servers; another one for each page
   * @param {number} [last] the id of the newest request before it was reloaded
   * @param {TapEvent[]} [past] what was reported then, as far as it is known
   */
  constructor(page = "p" + crypto.getRandomValues(new Uint32Array(1))[0].toString(36), last = 0, past = []) {
    this.page = page;
    this.#last = last;
    this.#soon.port1.onmessage = () => this.#deliver();
    for (const event of past) {
      if (event.type === "request") this.#kept.set(event.id, { events: [], size: 0 });
      this.#emit(event, (event.url?.length ?? 0) + (event.body?.length ?? 0) + (event.bytes?.length ?? 0));
    }
  }

  /** What is kept, for after a reload: events by request, the oldest first. */
  get known() {
    const requests = [...this.#kept].sort(([a], [b]) => a - b).map(([, { events }]) => events);
    return { page: this.page, last: this.#last, requests };
  }

  /** Forgets the requests to a place that are over. @param {string} place */
  clear(place) {
    for (const [id, { events }] of this.#kept) {
      if (events[0]?.place === place && !this.#open.has(id)) this.#forget(id);
    }
  }

  /**
   * @param {(event: TapEvent) => void} listener
   * @returns {() => void}
   */
  subscribe(listener) {
    // What is queued is kept too: those who listened already get it now, so that
    // it does not reach the new one twice.
    while (this.#next < this.#queue.length) this.#deliver();
    const past = [...this.#kept.values()].flatMap((r) => r.events).sort((a, b) => a.time - b.time || a.id - b.id);
    for (const event of past) call(listener, event);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Reports a request and returns what is to get its answer.
   *
   * @param {{method: string, url: string, headers: [string, string][], body: string, sent?: Uint8Array,
   *   origin: Origin, place?: string}} request
   * @param {boolean} [unasked] the page did not ask where the answer comes from: the header that tells it is no
   *   header of the answer
   * @returns {Observer & {id: number}}
   */
  request(request, unasked = false) {
    const id = ++this.#last;
    this.#kept.set(id, { events: [], size: 0 });
    this.#emit({ type: "request", id, time: now(), ...request }, request.url.length + request.body.length);
    const chunk = (/** @type {Uint8Array} */ bytes) => {
      if (bytes.length > 0) this.#emit(new Piece(id, bytes), bytes.length);
    };
    /** @type {Observer & {id: number}} */
    const observer = {
      id,
      head: (status, block) => {
        let headers = readBlock(block);
        const told = headers.find(([name]) => name.toLowerCase() === SOURCE_HEADER.toLowerCase());
        if (told && unasked) headers = headers.filter((field) => field !== told);
        this.#emit({ type: "head", id, time: now(), status, headers, source: told?.[1] ?? "" }, 0);
      },
      chunk: (bytes) => chunk(bytes.slice()),
      whole: chunk,
      end: () => {
        this.#open.delete(id);
        this.#emit({ type: "end", id, time: now() }, 0);
      },
      fail: (error, aborted) => {
        this.#open.delete(id);
        const words = error instanceof Error ? error.message : String(error);
        this.#emit({ type: "fail", id, time: now(), error: words, aborted: aborted && !this.#cut.delete(id) }, 0);
      },
    };
    this.#open.set(id, observer);
    return observer;
  }

  /**
   * What a server is asked for where the answer to a request comes from, and which revisions it makes: those it is to
   * name after the request (core/source).
   *
   * @param {number} id
   */
  asks(id) {
    return `?1;id=${this.page}.${id}`;
  }

  /** Ends the request of that id, of any client. Says whether it was open. @param {number} id */
  abort(id) {
    const abort = this.#open.get(id)?.abort;
    abort?.(new DOMException("The request was aborted from the lab.", "AbortError"));
    return abort !== undefined;
  }

  /** Breaks the connection of the request of that id. Says whether it was open. @param {number} id */
  cut(id) {
    const abort = this.#open.get(id)?.abort;
    if (!abort) return false;
    this.#cut.add(id);
    abort(failedToFetch());
    return true;
  }

  /** @param {TapEvent} event @param {number} size */
  #emit(event, size) {
    const kept = this.#kept.get(event.id);
    if (kept) {
      kept.events.push(event);
      kept.size += size;
      this.#size += size;
      if (kept.size > KEEP_TEXT / 4) this.#forget(event.id); // rather than all others
      for (const id of this.#kept.keys()) {
        if (this.#kept.size <= KEEP_REQUESTS && this.#size <= KEEP_TEXT) break;
        this.#forget(id);
      }
    }
    if (this.#listeners.size === 0) return;
    this.#queue.push(event);
    this.#wake();
  }

  /** @param {number} id */
  #forget(id) {
    this.#size -= this.#kept.get(id)?.size ?? 0;
    this.#kept.delete(id);
  }

  /** Delivers nothing any longer. */
  close() {
    this.#soon.port1.close();
  }

  #wake() {
    if (this.#woken) return;
    this.#woken = true;
    this.#soon.port2.postMessage(null);
  }

  #deliver() {
    this.#woken = false;
    const until = performance.now() + SLICE;
    while (this.#next < this.#queue.length && performance.now() < until) {
      const event = this.#queue[this.#next++];
      for (const listener of this.#listeners) call(listener, event);
    }
    if (this.#next < this.#queue.length) this.#wake();
    else {
      this.#queue = [];
      this.#next = 0;
    }
  }
}

/** @param {(event: TapEvent) => void} listener @param {TapEvent} event */
function call(listener, event) {
  try {
    listener(event);
  } catch (error) {
    console.error(error); // a listener's fault is not the page's
  }
}

/** A part of an answer's body, or all of it. Nothing changes the bytes any more. */
class Piece {
  /** @type {"chunk"} */ type = "chunk";
  time = now();
  /** @type {string | undefined} */ #text;

  /** @param {number} id @param {Uint8Array} bytes */
  constructor(id, bytes) {
    this.id = id;
    this.bytes = bytes;
  }

  get text() {
    return (this.#text ??= new TextDecoder().decode(this.bytes));
  }
}
