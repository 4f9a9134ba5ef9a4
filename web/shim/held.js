// @ts-check
/**
 * The fetch of the page until the shim is there: it holds API requests, which must reach neither the page's server nor
 * another cluster, and hands them over in their order. If the shim does not come they fail.
 *
 * @import { TabernetesInit } from "./tabernetes"
 */
import { apiURL } from "./apiurl.js";

/** @typedef {(input: RequestInfo | URL, init?: TabernetesInit) => Promise<Response>} Fetch */
/** @typedef {{go: (fetch: Fetch) => void, fail: (error: unknown) => void}} Waiting */

export class HeldFetch {
  /** @type {Set<Waiting>} */ #waiting = new Set();
  /** @type {Fetch | null} */ #shim = null;
  /** @type {string} */ #failed = "";
  /** The first download of the program. @type {Promise<Response> | undefined} */ program;
  /** What a person has done in the page meanwhile. @type {Event[] | null} */ acts = [];

  /**
   * @param {typeof globalThis.fetch} network
   * @param {() => string} base the URL that relative ones are relative to
   */
  constructor(network, base) {
    this.network = network;
    this.base = base;
  }

  /**
   * Tells the listeners that there are by now what a person has done. The browser has done its own part: an Event that
   * is no MouseEvent does not have it toggle or follow something again.
   */
  repeat() {
    const acts = this.acts ?? [];
    this.acts = null;
    for (const ev of acts) {
      const Kind = /** @type {typeof Event} */ (ev instanceof MouseEvent ? Event : ev.constructor);
      ev.target?.dispatchEvent(new Kind(ev.type, ev));
    }
  }

  /** @type {Fetch} */
  fetch = (input, init) => {
    if (this.#shim) return this.#shim(input, init);
    if (!apiURL(input, this.base())) return this.network(input, init);
    if (this.#failed) return Promise.reject(new TypeError(this.#failed));
    return new Promise((resolve, reject) => this.#hold(input, init ?? {}, resolve, reject));
  };

  /**
   * @param {RequestInfo | URL} input
   * @param {TabernetesInit} init
   * @param {(response: Promise<Response>) => void} resolve
   * @param {(error: unknown) => void} reject
   */
  #hold(input, init, resolve, reject) {
    // What the request is, is decided now, and its body is used, as fetch does.
    const request = new Request(input instanceof Request ? input : new URL(input, this.base()), init);
    const signal = init.signal === undefined && input instanceof Request ? input.signal : init.signal;
    signal?.throwIfAborted();
    /** @type {TabernetesInit} */
    const kept = { signal, tabernetes: init.tabernetes };
    // A Request drops this one in some browsers.
    const agent = init.headers ? new Headers(init.headers).get("user-agent") : null;
    if (agent !== null) {
      kept.headers = new Headers(request.headers);
      kept.headers.set("user-agent", agent);
    }

    const over = () => {
      this.#waiting.delete(waiting);
      signal?.removeEventListener("abort", aborted);
    };
    const aborted = () => waiting.fail(signal?.reason);
    /** @type {Waiting} */
    const waiting = {
      go: (fetch) => {
        over();
        resolve(fetch(request, kept));
      },
      fail: (error) => {
        over();
        reject(error);
      },
    };
    signal?.addEventListener("abort", aborted);
    this.#waiting.add(waiting);
  }

  /** Hands all requests over to the shim, those that are held first. @param {Fetch} shim */
  take(shim) {
    this.#shim = shim;
    for (const { go } of [...this.#waiting]) go(shim);
  }

  /** Fails what is held, and what comes, unless there is a shim. @param {string} why */
  fail(why) {
    if (this.#shim) return;
    this.#failed = why;
    for (const { fail } of [...this.#waiting]) fail(new TypeError(why));
  }
}
