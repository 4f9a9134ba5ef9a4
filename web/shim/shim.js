// @ts-check
/**
 * The fetch of the page: API requests go to the cluster in the tab, everything
 * else to the network. It takes what fetch takes and fails as fetch fails.
 *
 * Of requests that the tap reports it asks the server where their answers come from, on
 * its own account: the page sees neither that header nor the one that answers it, unless
 * it has asked itself.
 *
 * @import { Origin, TabernetesInit, Target } from "./tabernetes"
 * @import { Client, Observer } from "../../wasm/host/client.js"
 * @import { Tap } from "./tap.js"
 */
import { API_PATH, EXPLAIN_HEADER, SOURCE_HEADER } from "../../core/wellknown/wellknown.js";
import { likeFetched } from "../../wasm/host/client.js";
import { writeBlock } from "../../wasm/host/headers.js";
import { byteStream, closeStream } from "../../wasm/host/stream.js";

/**
 * @typedef {object} Parts
 * @property {typeof fetch} networkFetch
 * @property {() => Client} client the present connection to the cluster
 * @property {() => Target} target
 * @property {Tap} tap
 * @property {() => string} base the URL that relative ones are relative to
 */

/**
 * The URL of an API request of this origin; null for any other.
 *
 * @param {RequestInfo | URL} input
 * @param {string} base
 */
export function apiURL(input, base) {
  let url;
  try {
    url = new URL(input instanceof Request ? input.url : input, base);
  } catch {
    return null; // the network's fetch has the words for it
  }
  return API_PATH.test(url.pathname) && url.origin === new URL(base).origin ? url : null;
}

/**
 * @param {Parts} parts
 * @returns {(input: RequestInfo | URL, init?: TabernetesInit) => Promise<Response>}
 */
export function createFetch({ networkFetch, client, target, tap, base }) {
  /**
   * @param {URL} url
   * @param {RequestInfo | URL} input
   * @param {TabernetesInit} init
   */
  async function exchange(url, input, init) {
    // Request knows what fetch forbids, and how every kind of body is encoded.
    const request = input instanceof Request ? new Request(input, init) : new Request(url, init);
    const method = request.method;
    const signal = init.signal === undefined && input instanceof Request ? input.signal : init.signal;
    signal?.throwIfAborted();

    /** @type {string | null} */
    let text = null;
    /** @type {ArrayBuffer | null} */
    let body = null;
    if (typeof init.body === "string") {
      text = init.body;
      body = new TextEncoder().encode(text).buffer;
    } else if (method !== "GET" && method !== "HEAD" && request.body !== null) {
      body = await request.arrayBuffer();
      signal?.throwIfAborted();
    }

    const headers = new Headers(request.headers);
    // A Request drops this one in some browsers; servers name field managers after it.
    const agent = init.headers ? new Headers(init.headers).get("user-agent") : null;
    if (agent) headers.set("user-agent", agent);

    /** @type {(Observer & {id: number}) | null} */
    let observer = null;
    const note = init.tabernetes;
    let unasked = false;
    if (!note?.quiet) {
      unasked = !headers.has(EXPLAIN_HEADER);
      const reported = {
        method,
        url: url.pathname + url.search,
        headers: [...headers],
        body: text ?? (body ? new TextDecoder().decode(body) : ""),
        origin: note?.origin ?? "page",
      };
      observer = tap.request(reported, unasked);
      if (note) note.id = observer.id;
    }
    if (target() === "tab") {
      if (unasked) headers.set(EXPLAIN_HEADER, "1");
      const block = writeBlock(headers);
      const response = await client().fetch({ method, url: url.href, headers: block, body, signal, observer });
      if (unasked) response.headers.delete(SOURCE_HEADER);
      return response;
    }
    if (unasked) request.headers.set(EXPLAIN_HEADER, "1"); // which does nothing in a no-cors request
    const outgoing = body ? new Request(request, { body }) : request;
    if (!observer) return networkFetch(outgoing);
    return observed(networkFetch, outgoing, signal, observer, unasked);
  }

  return function fetch(input, init = {}) {
    const url = apiURL(input, base());
    return url ? exchange(url, input, init ?? {}) : networkFetch(input, init);
  };
}

/**
 * Fetches over the network and lets observer see what passes.
 *
 * @param {typeof fetch} networkFetch
 * @param {Request} request
 * @param {AbortSignal | null | undefined} signal
 * @param {Observer} observer
 * @param {boolean} unasked the page did not ask where the answer comes from
 */
async function observed(networkFetch, request, signal, observer, unasked) {
  const stop = new AbortController();
  const onabort = () => stop.abort(signal?.reason);
  if (signal?.aborted) onabort();
  signal?.addEventListener("abort", onabort);
  observer.abort = (reason) => stop.abort(reason);
  const over = () => signal?.removeEventListener("abort", onabort);
  const failed = (/** @type {unknown} */ error) => {
    over();
    observer.fail(error, stop.signal.aborted);
  };
  let response;
  try {
    response = await networkFetch(request, { signal: stop.signal });
  } catch (error) {
    failed(error);
    throw error;
  }
  observer.head(response.status, writeBlock(response.headers));
  const { status, statusText, url } = response;
  const hides = unasked && response.headers.has(SOURCE_HEADER);
  const headers = new Headers(response.headers);
  if (hides) headers.delete(SOURCE_HEADER);
  if (!response.body) {
    over();
    observer.end();
    return hides ? likeFetched(new Response(null, { status, statusText, headers }), url, null) : response;
  }
  const reader = response.body.getReader();
  const body = byteStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            over();
            observer.end();
            closeStream(controller);
          } else {
            observer.chunk(value);
            if (value.length > 0) controller.enqueue(value);
          }
        } catch (error) {
          failed(error);
          controller.error(error);
        }
      },
      cancel(reason) {
        over();
        observer.fail(reason ?? "cancelled", true);
        return reader.cancel(reason);
      },
    },
    0, // nothing is read ahead of the page: the network has a window of its own
  );
  const broken = () => (stop.signal.aborted ? { reason: stop.signal.reason } : null);
  return likeFetched(new Response(body, { status, statusText, headers }), url, broken);
}
