// @ts-check
/** Downloads the program. */

/** How often progress is reported at most, in milliseconds. */
const TICK = 50;

/** @typedef {(url: string) => Promise<Response>} Open Fetches a program. */

/**
 * Whether a page takes packed files. What a service worker keeps is unpacked.
 *
 * @param {HTMLElement | null} page its element that says whether there are any
 */
export const takesPacked = (page) => page?.dataset.packed !== undefined && !navigator.serviceWorker?.controller;

/**
 * Fetches a program. A host that does not compress it is asked for the packed file beside it, which is unpacked here.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {string} url
 * @param {boolean} packed whether there is one
 * @returns {Promise<Response>}
 */
export async function fetchProgram(fetch, url, packed) {
  const stop = new AbortController();
  const response = await fetch(url, { signal: stop.signal });
  if (!packed || !response.ok || response.headers.has("content-encoding")) return response;
  stop.abort();
  const small = await fetch(url + ".gz");
  if (!small.ok || !small.body) return fetch(url);
  // Some hosts say of such a file that it is the other one, compressed.
  if (small.headers.has("content-encoding")) return small;
  return new Response(small.body.pipeThrough(new DecompressionStream("gzip")));
}

/**
 * Downloads the program and compiles it as it comes; where the engine cannot, once it is there.
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
  if (!response.ok || !response.body) throw new Error(`${url}: ${response.status} ${response.statusText}`.trim());
  if (!WebAssembly.compileStreaming) return WebAssembly.compile(await response.arrayBuffer());
  const headers = { "content-type": "application/wasm" };
  if (!progress || !globalThis.TransformStream) {
    const named = response.headers.get("content-type") === headers["content-type"]; // not every server knows it
    return WebAssembly.compileStreaming(named ? response : new Response(response.body, { headers }));
  }
  // Content-Length counts the bytes on the wire, we count those that were unpacked.
  const plain = response.headers.get("content-encoding") ? 0 : Number(response.headers.get("content-length"));
  const total = size || plain || 0;
  let loaded = 0;
  let told = 0;
  const count = new TransformStream({
    transform: (chunk, controller) => {
      loaded += chunk.length;
      const now = performance.now();
      if (now - told >= TICK) {
        told = now;
        progress(loaded, total);
      }
      controller.enqueue(chunk);
    },
    flush: () => progress(loaded, loaded),
  });
  return WebAssembly.compileStreaming(new Response(response.body.pipeThrough(count), { headers }));
}
