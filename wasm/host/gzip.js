// @ts-check
/** Packed files, which hosts that do not compress have beside large ones. */

/**
 * Fetches the packed file in gzip beside another one, unpacked; nothing if none exists.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {string} url that of the other one
 * @returns {Promise<Response | undefined>}
 */
export async function inGzip(fetch, url) {
  const small = await fetch(url + ".gz");
  if (!small.ok || !small.body) return undefined;
  // Some hosts say of such a file that it is the other one, compressed.
  if (small.headers.has("content-encoding")) return small;
  return new Response(small.body.pipeThrough(new DecompressionStream("gzip")));
}
