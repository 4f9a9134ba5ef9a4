// @ts-check

/** How many bytes gzip makes of a body; 0 where the browser has no gzip. @param {Uint8Array<ArrayBuffer>} body */
export async function zipped(body) {
  if (!globalThis.CompressionStream) return 0;
  const gzip = new Response(body).body?.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(gzip).arrayBuffer()).byteLength;
}

/** The bytes of all pieces, in order. @param {Uint8Array[]} pieces */
export function joined(pieces) {
  if (pieces.length === 1) return pieces[0];
  const all = new Uint8Array(pieces.reduce((n, piece) => n + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
