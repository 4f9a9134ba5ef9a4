// @ts-check
/** Downloads the program. */

/** How often progress is reported at most, in milliseconds. */
const TICK = 50;

/**
 * Downloads the program and compiles it as it comes; where the engine cannot, once it is there.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {string} url
 * @param {number} size uncompressed, 0 when not known
 * @param {(loaded: number, total: number) => void} progress in bytes; a total of 0 is not known
 * @returns {Promise<WebAssembly.Module>}
 */
export async function loadProgram(fetch, url, size, progress) {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`${url}: ${response.status} ${response.statusText}`.trim());
  if (!WebAssembly.compileStreaming || !globalThis.TransformStream) {
    return WebAssembly.compile(await response.arrayBuffer());
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
  const headers = { "content-type": "application/wasm" };
  return WebAssembly.compileStreaming(new Response(response.body.pipeThrough(count), { headers }));
}
