// @ts-check
/** Downloads the program. */
import { inGzip } from "../../wasm/host/gzip.js";
import { framed } from "../browser/framed.js";

/** How often progress is reported at most, in milliseconds. */
const TICK = 50;

/**
 * @typedef {(url: string, cache?: RequestCache) => Promise<Response>} Open Fetches a program; with "reload": not a
 *   packed one, and not what the browser itself has kept.
 */

/**
 * Whether what a page loads may come from a service worker, whose files are unpacked. In a frame the page has none, and
 * does not look: a browser may refuse that.
 */
export const isKept = () => !framed && Boolean(globalThis.navigator?.serviceWorker?.controller);

/**
 * Whether a page takes packed files.
 *
 * @param {HTMLElement | null} page its element that says whether there are any
 */
export const takesPacked = (page) => page?.dataset.packed !== undefined && !isKept();

/** The URL of the script that unpacks what lies beside a page's programs in LZMA. @param {HTMLElement | null} page */
export const unpackerOf = (page) => new URL(page?.dataset.packed ?? "", document.baseURI).href;

/**
 * Fetches a program. A host that does not compress it is asked for a packed file beside it, which is unpacked here, the
 * smallest first. What was unpacked here has no URL; if it was damaged, it is another program, or ends too early.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {string} url
 * @param {boolean} packed whether there is one
 * @param {string} [unpacker] the URL of what unpacks the one in LZMA; without it there is one in gzip only
 * @param {RequestCache} [cache]
 * @returns {Promise<Response>}
 */
export async function fetchProgram(fetch, url, packed, unpacker, cache) {
  const stop = new AbortController();
  const response = await fetch(url, { signal: stop.signal, cache });
  if (!packed || !response.ok || response.headers.has("content-encoding")) return response;
  stop.abort();
  return (unpacker && (await inLZMA(fetch, url, unpacker))) || (await inGzip(fetch, url)) || fetch(url);
}

/** @param {typeof globalThis.fetch} fetch @param {string} url @param {string} unpacker */
async function inLZMA(fetch, url, unpacker) {
  const [small, script] = await Promise.allSettled([fetch(url + ".lzma"), import(unpacker)]);
  if (small.status === "rejected" || !small.value.ok || !small.value.body) return;
  const { body } = small.value;
  if (script.status === "rejected") return void body.cancel().catch(() => {});
  return new Response(/** @type {any} */ (globalThis).tabernetesUnlzma(body));
}

/**
 * Downloads the program and compiles it as it comes; where the engine cannot, once it is there. If that fails with a
 * packed one, or with one that a service worker has kept, the plain one is downloaded.
 *
 * @param {Open} fetch
 * @param {string} url
 * @param {(loaded: number, total: number) => void} [progress] in bytes; a total of 0 is not known. Counting them costs
 *   the main thread time, as each chunk passes through it.
 * @param {number} [size] uncompressed, 0 when not known
 * @returns {Promise<WebAssembly.Module>}
 */
export async function loadProgram(fetch, url, progress, size = 0) {
  const response = await fetch(url);
  try {
    return await compile(response, url, progress, size);
  } catch (error) {
    // What the service worker has kept is known to be damaged only when all of it has come; then it keeps another.
    if (!response.ok || (response.url && !isKept())) throw error;
    return compile(await fetch(url, "reload"), url, progress, size);
  }
}

/**
 * @param {Response} response
 * @param {string} url
 * @param {((loaded: number, total: number) => void) | undefined} progress
 * @param {number} size
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(response, url, progress, size) {
  if (!response.ok || !response.body) throw new Error(`${url}: ${response.status} ${response.statusText}`.trim());
  if (!WebAssembly.compileStreaming) return WebAssembly.compile(await response.arrayBuffer());
  const headers = { "content-type": "application/wasm" };
  const named = response.headers.get("content-type") === headers["content-type"]; // not every server knows it
  // Content-Length counts the bytes on the wire, we count those that were unpacked.
  const plain = response.headers.get("content-encoding") ? 0 : Number(response.headers.get("content-length"));
  // What a service worker has kept is there before anybody has read how much of it is.
  if (progress && !isKept()) count(response.clone(), size || plain || 0, progress);
  return WebAssembly.compileStreaming(named ? response : new Response(response.body, { headers }));
}

/**
 * Reports how much of a response has come. The response itself goes to the engine as it is: only then does the browser
 * keep what the engine compiles of it.
 *
 * @param {Response} response
 * @param {number} total
 * @param {(loaded: number, total: number) => void} progress
 */
function count({ body }, total, progress) {
  let loaded = 0;
  let reported = 0;
  body?.pipeTo(new WritableStream({
    write(piece) {
      loaded += piece.length;
      const now = performance.now();
      if (now - reported < TICK) return;
      reported = now;
      progress(loaded, total);
    },
    close: () => progress(loaded, loaded),
  })).catch(() => {}); // what compiles it says why
}
