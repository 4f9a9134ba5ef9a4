// @ts-check
/**
 * The fetch of the page: API requests go to the cluster in the tab, to that of the page's server, or to
 * a room, everything else to the network. It takes what fetch takes and fails as fetch fails.
 *
 * Of requests that the tap reports it asks the server where their answers come from, on
 * its own account: the page sees neither that header nor the one that answers it, unless
 * it has asked itself.
 *
 * @import { Origin, TabernetesInit, Target } from "./tabernetes"
 * @import { Room } from "./link/room"
 * @import { Client, Observer } from "../../wasm/host/client.js"
 * @import { Tap } from "./tap.js"
 */
import { CONTROL_PLANE, EARLY_HEADER, EXPLAIN_HEADER, SOURCE_HEADER } from "../../core/wellknown/wellknown.js";
import { likeFetched } from "../../wasm/host/client.js";
import { writeBlock } from "../../wasm/host/headers.js";
import { byteStream, closeStream } from "../../wasm/host/stream.js";
import { apiURL } from "./apiurl.js";
import { toRoom } from "./link/link.js";

export { apiURL };

/**
 * @typedef {object} Replica of a room, which takes no writes
 * @property {Client} client
 * @property {string} [cluster] that it has, as far as known: after a reset of the room it is another one
 * @property {(revision: number) => Promise<boolean>} reached resolves to whether it can answer as of a revision
 */

/**
 * @typedef {object} Parts
 * @property {typeof fetch} networkFetch
 * @property {() => Client} client the present connection to the cluster
 * @property {() => Client | null} [scene] that to the cluster of a scene, which the target "scene" is
 * @property {(note?: TabernetesInit["tabernetes"]) => Target} target where a request goes that names no target
 * @property {(to: Target) => string} [place] the name of the cluster that a target is
 * @property {() => Room | null} [room] the room that the target "room" is
 * @property {() => Promise<Replica | null>} [replica] that of the room in the page, or null
 * @property {(room: Room, path: string, signal?: AbortSignal | null) => Promise<Response | null>} [socket] asks a room
 *   for a stream over a WebSocket, or null
 * @property {Tap} tap
 * @property {() => string} base the URL that relative ones are relative to
 */

/** What the page asks a room for all the time. */
const FOLLOW = /^\/apis\/sandbox\.tabernetes\.dev\/v1\/rooms\/[^/]+\/follow$/;

/** Whether a path is of the levers, which the person at the page can always pull. @param {string} path */
const ownersToo = (path) => path === CONTROL_PLANE || path.startsWith(CONTROL_PLANE + "/");

/**
 * @param {Parts} parts
 * @returns {(input: RequestInfo | URL, init?: TabernetesInit) => Promise<Response>}
 */
export function createFetch({
  networkFetch, client, target, place = (to) => to, scene = () => null, room = () => null, replica = async () => null,
  socket = async () => null, tap, base,
}) {
  /** The revision that the page has seen of a cluster of a room. */
  let seen = { base: "", cluster: "", revision: 0 };

  /** Notes where an answer of a room came from. @param {Room} shared @param {string | null} source */
  function see(shared, source) {
    const revision = Number(/\bhead=(\d+)/.exec(source ?? "")?.[1] ?? 0);
    if (seen.base !== shared.base) seen = { base: shared.base, cluster: "", revision: 0 };
    seen.revision = Math.max(seen.revision, revision);
  }

  /** Returns what a replica has to have come to. @param {Room} shared @param {Replica} own */
  function wanted(shared, { cluster }) {
    if (seen.base !== shared.base) return 0;
    if (cluster && cluster !== seen.cluster) {
      if (seen.cluster) seen.revision = 0; // the room was reset: its revisions begin again
      seen.cluster = cluster;
    }
    return seen.revision;
  }

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
    // A Request drops this one in some browsers; servers name field managers after it. An empty one keeps the
    // browser's own from being sent.
    const agent = init.headers ? new Headers(init.headers).get("user-agent") : null;
    if (agent !== null) headers.set("user-agent", agent);

    /** @type {(Observer & {id: number}) | null} */
    let observer = null;
    const note = init.tabernetes;
    let unasked = false;
    const to = note?.target ?? target(note);
    if (!note?.quiet) {
      unasked = !headers.has(EXPLAIN_HEADER);
      const reported = {
        method,
        url: url.pathname + url.search,
        headers: [...headers],
        body: text ?? (body ? new TextDecoder().decode(body) : ""),
        ...(body && text === null ? { sent: new Uint8Array(body.slice(0)) } : {}),
        origin: note?.origin ?? "page",
        place: place(to),
      };
      observer = tap.request(reported, unasked);
      if (note) note.id = observer.id;
    }
    const own = to === "tab" ? client() : to === "scene" ? scene() : null;
    if (own) {
      if (unasked && observer) headers.set(EXPLAIN_HEADER, tap.asks(observer.id));
      const block = writeBlock(headers);
      const owner = note?.owner && ownersToo(url.pathname);
      const response = await own.fetch({ method, url: url.href, headers: block, body, signal, observer, owner });
      if (unasked) response.headers.delete(SOURCE_HEADER);
      return response;
    }
    const shared = to === "room" ? room() : null;
    if (to === "room" && !shared) throw new TypeError("this page is not in a room");
    if (to === "scene") throw new TypeError("no scene is playing in this page");
    // What the page reads for itself, and not because a person asked, is read in the replica.
    if (shared && note?.quiet && !note.target && method === "GET") {
      const own = await replica();
      if (own && (await own.reached(wanted(shared, own)))) {
        signal?.throwIfAborted();
        return own.client.fetch({ method, url: url.href, headers: writeBlock(headers), body: null, signal });
      }
      signal?.throwIfAborted();
    }
    // A room that sends a stream over a WebSocket need not be awake for it.
    if (shared && !observer && FOLLOW.test(url.pathname) && !headers.has("authorization")) {
      const answer = await socket(shared, url.pathname.slice(1) + url.search, signal).catch(() => null);
      if (answer) return answer;
    }
    // A server of another origin is not asked: its answer might be refused for the header. In a no-cors request
    // this does nothing.
    unasked &&= !shared || new URL(shared.base).origin === url.origin;
    if (unasked && observer) request.headers.set(EXPLAIN_HEADER, tap.asks(observer.id));
    // Firefox has the head of an answer when the first byte of the body is there: a quiet watch would seem not to open.
    const early = observer && method === "GET" && (!shared || new URL(shared.base).origin === url.origin);
    if (early) request.headers.set(EARLY_HEADER, "1");
    const outgoing = shared ? toRoom(shared, url, request, body) : body ? new Request(request, { body }) : request;
    if (!observer) return networkFetch(outgoing);
    return observed(networkFetch, outgoing, signal, observer, unasked, (source) => shared && see(shared, source));
  }

  /**
   * The URL of a request for the paths of a cluster in the page; null for any other.
   *
   * @param {RequestInfo | URL} input
   * @param {TabernetesInit["tabernetes"]} note
   */
  function rootURL(input, note) {
    if (!note?.root || !["tab", "scene"].includes(note.target ?? target(note))) return null;
    const url = new URL(input instanceof Request ? input.url : input, base());
    return url.pathname === "/" && apiURL(new URL("/api", url), base()) ? url : null;
  }

  return function fetch(input, init = {}) {
    const url = apiURL(input, base()) ?? rootURL(input, init?.tabernetes);
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
 * @param {(source: string | null) => void} see gets that all the same
 */
async function observed(networkFetch, request, signal, observer, unasked, see) {
  const stop = new AbortController();
  const onabort = () => stop.abort(signal?.reason);
  if (signal?.aborted) onabort();
  signal?.addEventListener("abort", onabort);
  observer.abort = (reason) => stop.abort(reason);
  const over = () => signal?.removeEventListener("abort", onabort);
  /** Notes a failure and returns the error, which of an abort is its reason: WebKit has another one. */
  const failed = (/** @type {unknown} */ thrown) => {
    const error = stop.signal.aborted ? stop.signal.reason : thrown;
    over();
    observer.fail(error, stop.signal.aborted);
    return error;
  };
  let response;
  try {
    response = await networkFetch(request, { signal: stop.signal });
  } catch (error) {
    throw failed(error);
  }
  const { status, statusText, url } = response;
  const headers = new Headers(response.headers);
  let early = headers.has(EARLY_HEADER);
  headers.delete(EARLY_HEADER);
  observer.head(response.status, writeBlock(headers));
  see(headers.get(SOURCE_HEADER));
  const hides = unasked && headers.has(SOURCE_HEADER);
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
          for (let sent = false; !sent; ) {
            const { done, value } = await reader.read();
            if (done) {
              over();
              observer.end();
              closeStream(controller);
              return;
            }
            const piece = early ? value.subarray(1) : value;
            early = false;
            sent = piece.length > 0;
            if (!sent) continue;
            observer.chunk(piece);
            controller.enqueue(piece);
          }
        } catch (error) {
          controller.error(failed(error));
        }
      },
      cancel(reason) {
        over();
        observer.fail(reason ?? "cancelled", true);
        const cancelled = reader.cancel(reason);
        stop.abort(reason); // Firefox would keep the connection, of which it opens but six
        return cancelled;
      },
    },
    0, // nothing is read ahead of the page: the network has its own window
  );
  const broken = () => (stop.signal.aborted ? { reason: stop.signal.reason } : null);
  return likeFetched(new Response(body, { status, statusText, headers }), url, broken);
}
