// @ts-check
/**
 * QR codes of links: bytes, in versions 1 to 6 with error correction of level L, which hold up to 134 bytes
 * and need no table of versions (ISO/IEC 18004).
 */

/** For each version: bytes of data in all, bytes of error correction in each block, blocks. */
const VERSIONS = [[19, 7, 1], [34, 10, 1], [55, 15, 1], [80, 20, 1], [108, 26, 1], [136, 18, 2]];

/** Whether a module is inverted, for each mask. @type {((y: number, x: number) => boolean)[]} */
const MASKS = [
  (y, x) => (y + x) % 2 === 0,
  (y) => y % 2 === 0,
  (_, x) => x % 3 === 0,
  (y, x) => (y + x) % 3 === 0,
  (y, x) => ((y >> 1) + Math.floor(x / 3)) % 2 === 0,
  (y, x) => ((y * x) % 2) + ((y * x) % 3) === 0,
  (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2 === 0,
  (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2 === 0,
];

/** A product in the field of 256 elements. @param {number} a @param {number} b */
function times(a, b) {
  let product = 0;
  for (let i = 7; i >= 0; i--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((b >> i) & 1) product ^= a;
  }
  return product;
}

/** The error correction of a block. @param {number[]} data @param {number} count */
function correction(data, count) {
  let generator = [1];
  for (let i = 0, root = 1; i < count; i++, root = times(root, 2)) {
    const longer = [...generator, 0];
    generator.forEach((c, at) => (longer[at + 1] ^= times(c, root)));
    generator = longer;
  }
  const rest = Array(count).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    for (let i = 0; i < count; i++) rest[i] ^= times(generator[i + 1], factor);
  }
  return rest;
}

/** All bytes in the order in which they are drawn. @param {Uint8Array} bytes @param {number} version */
function codewords(bytes, version) {
  const [size, extra, blocks] = VERSIONS[version - 1];
  let bits = "0100" + bytes.length.toString(2).padStart(8, "0");
  for (const b of bytes) bits += b.toString(2).padStart(8, "0");
  bits += "0000";
  const data = (bits.match(/.{1,8}/g) ?? []).map((b) => parseInt(b.padEnd(8, "0"), 2)).slice(0, size);
  for (let i = 0; data.length < size; i++) data.push(i % 2 ? 0x11 : 0xec);
  const each = size / blocks;
  const parts = Array.from({ length: blocks }, (_, i) => data.slice(i * each, (i + 1) * each));
  const sums = parts.map((part) => correction(part, extra));
  const turns = (/** @type {number[][]} */ of, /** @type {number} */ length) =>
    Array.from({ length }, (_, i) => of.map((part) => part[i])).flat();
  return [...turns(parts, each), ...turns(sums, extra)];
}

/** The 15 bits that name a mask, the highest first. @param {number} mask */
function format(mask) {
  const data = (1 << 3) | mask; // level L
  let rest = data << 10;
  for (let i = 14; i >= 10; i--) if ((rest >> i) & 1) rest ^= 0x537 << (i - 10);
  return ((data << 10) | rest) ^ 0x5412;
}

/**
 * The modules of a code, row by row: true is dark. Null for what is too long.
 *
 * @param {string} text
 * @returns {boolean[][] | null}
 */
export function modules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = VERSIONS.findIndex(([size]) => bytes.length <= size - 2) + 1;
  if (version === 0) return null;
  const n = 17 + 4 * version;
  /** What is not data; undefined is where data goes. @type {(boolean | undefined)[][]} */
  const fixed = Array.from({ length: n }, () => Array(n).fill(undefined));
  const square = (/** @type {number} */ cy, /** @type {number} */ cx, /** @type {number} */ r) => {
    for (let y = Math.max(0, cy - r); y <= Math.min(n - 1, cy + r); y++)
      for (let x = Math.max(0, cx - r); x <= Math.min(n - 1, cx + r); x++) {
        const ring = Math.max(Math.abs(y - cy), Math.abs(x - cx));
        fixed[y][x] = r === 4 ? ring < 2 || ring === 3 : ring !== 1;
      }
  };
  for (let i = 8; i < n - 8; i++) fixed[6][i] = fixed[i][6] = i % 2 === 0;
  square(3, 3, 4);
  square(3, n - 4, 4);
  square(n - 4, 3, 4);
  if (version > 1) square(n - 7, n - 7, 2);
  // The format stands twice.
  const named = (/** @type {(boolean | undefined)[][]} */ m, /** @type {number} */ mask) => {
    const word = format(mask);
    for (let i = 0; i < 15; i++) {
      const dark = ((word >> i) & 1) === 1;
      m[i < 6 ? i : i < 8 ? i + 1 : n - 15 + i][8] = dark;
      m[8][i < 8 ? n - 1 - i : i < 9 ? 7 : 14 - i] = dark;
    }
    m[n - 8][8] = true;
  };
  named(fixed, 0);
  const words = codewords(bytes, version);
  /** @type {(boolean | undefined)[][]} */
  const data = fixed.map((row) => row.map(() => undefined));
  let at = 0;
  for (let right = n - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5;
    for (let i = 0; i < n; i++) {
      const y = up ? n - 1 - i : i;
      for (const x of [right, right - 1]) {
        if (fixed[y][x] !== undefined) continue;
        data[y][x] = at < words.length * 8 && ((words[at >> 3] >> (7 - (at & 7))) & 1) === 1;
        at++;
      }
    }
  }
  let best = null;
  let least = Infinity;
  for (const [mask, inverts] of MASKS.entries()) {
    const all = fixed.map((row, y) => row.map((f, x) => f ?? data[y][x] !== inverts(y, x)));
    named(all, mask);
    const found = penalty(all);
    if (found < least) [best, least] = [all, found];
  }
  return best;
}

/** How hard a code is to read: runs of one colour, and blocks of it. @param {boolean[][]} all */
function penalty(all) {
  let sum = 0;
  for (const lines of [all, all.map((_, x) => all.map((row) => row[x]))]) {
    for (const line of lines) {
      for (const run of line.map(Number).join("").match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
    }
  }
  for (let y = 1; y < all.length; y++)
    for (let x = 1; x < all.length; x++)
      if (all[y][x] === all[y - 1][x] && all[y][x] === all[y][x - 1] && all[y][x] === all[y - 1][x - 1]) sum += 3;
  return sum;
}

/**
 * Draws the code of a text as an SVG path, in a square of size units; an empty path if it is too long.
 *
 * @param {string} text
 */
export function qrCode(text) {
  const all = modules(text);
  let path = "";
  all?.forEach((row, y) => {
    for (const { index, 0: run } of row.map(Number).join("").matchAll(/1+/g)) {
      path += `M${index} ${y}h${run.length}v1h-${run.length}z`;
    }
  });
  return { path, size: all?.length ?? 0 };
}
