// @ts-check
/** Downloads the program. */

/** How often progress is reported at most, in milliseconds. */
const TICK = 50;

/**
 * Downloads the program and compiles it as it comes; where the engine cannot, once it is there.
 *
 * @param {typeof globalThis.fetch} fetch
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
