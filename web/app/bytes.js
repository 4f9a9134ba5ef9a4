// @ts-check

/**
 * How many bytes gzip makes of a body; 0 where the browser has no gzip. A binary body is given as two digits for each
 * byte.
 *
 * @param {string} body @param {boolean} binary
 */
export async function zipped(body, binary) {
  if (!globalThis.CompressionStream) return 0;
  const bytes = binary ? fromHex(body) : body;
  const gzip = new Response(bytes).body?.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(gzip).arrayBuffer()).byteLength;
}

/** The bytes that two digits each stand for. @param {string} text */
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (d) => parseInt(d, 16));
