// @ts-check
/**
 * What is before a byte that HTML would not keep as it is: zero, the carriage return, "<", and this one. Such a byte is
 * written as the one SHIFT further.
 */
const ESCAPE = 0x3d;
const SHIFT = 0x40;

/** The characters that windows-1252 has for bytes, and Latin-1 has not, by their bytes from 0x80. */
const OTHER = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/**
 * The bytes that a text in a page of the charset windows-1252 stands for, as onefile.go of devserver/internal/site
 * writes them.
 *
 * @param {string} text
 */
export function decode(text) {
  const byteOf = new Uint8Array(0x10000);
  for (let b = 0; b < 256; b++) byteOf[b] = b;
  for (let i = 0; i < OTHER.length; i++) byteOf[OTHER.charCodeAt(i)] = 0x80 + i;
  const bytes = new Uint8Array(text.length);
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    const b = byteOf[text.charCodeAt(i)];
    bytes[n++] = b === ESCAPE ? byteOf[text.charCodeAt(++i)] - SHIFT : b;
  }
  return bytes.subarray(0, n);
}
