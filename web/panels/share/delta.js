// @ts-check
/**
 * Bytes as the difference to others that both sides have: what is the same is named by its place there.
 *
 * A difference is the number of its runs; of all runs, how many new bytes come first; of all, where what follows them
 * lies in the reference, counted from where the run before ended; of all, how long that is; and the new bytes. Numbers
 * are of seven bits each, the lowest first, with a high bit if more follow; a place that lies before is counted in odd
 * numbers.
 *
 * Costs: a table of the reference's blocks; each byte is looked at a few times.
 */

/**
 * The lengths of blocks that are looked for, in bytes: short ones are best for what is nearly the reference; with long
 * ones what is new stays in pieces that resemble each other, which are compressed better.
 */
export const BLOCKS = [32, 128];

/** How many places of a block are tried. */
const TRIES = 8;

/** @param {Uint8Array} bytes @param {number} at @param {number} block */
function blockAt(bytes, at, block) {
  let h = 0;
  for (let i = at; i < at + block; i++) h = (Math.imul(h, 31) + bytes[i]) | 0;
  return h;
}

/** Adds a number to bytes. @param {number[]} out @param {number} n */
export function number(out, n) {
  for (; n > 127; n = Math.floor(n / 128)) out.push((n % 128) | 128);
  out.push(n);
}

/**
 * The difference between a reference and bytes. What is the same is named if it is as long as a block.
 *
 * @param {Uint8Array} reference
 * @param {Uint8Array} bytes
 * @param {number} [block]
 */
export function difference(reference, bytes, block = BLOCKS[0]) {
  /** @type {Map<number, number[]>} */
  const places = new Map();
  for (let i = 0; i + block <= reference.length; i++) {
    const h = blockAt(reference, i, block);
    const all = places.get(h);
    if (!all) places.set(h, [i]);
    else if (all.length < TRIES) all.push(i);
  }
  /** @type {number[][]} */
  const columns = [[], [], []];
  /** @type {number[]} */
  const fresh = [];
  let count = 0;
  let expected = 0; // where the run before ended, in the reference
  let since = 0; // what is new, in bytes
  /** @param {number} at @param {number} place */
  const same = (at, place) => {
    let n = 0;
    while (at + n < bytes.length && place + n < reference.length && bytes[at + n] === reference[place + n]) n++;
    return n;
  };
  let at = 0;
  while (at < bytes.length) {
    let [place, length] = [expected + at - since, 0]; // only a few bytes differ, most often
    if (at + block <= bytes.length) {
      length = same(at, place);
      if (length < block) {
        for (const p of places.get(blockAt(bytes, at, block)) ?? []) {
          const n = same(at, p);
          if (n > length) [place, length] = [p, n];
        }
      }
    }
    if (length < block) {
      at++;
      continue;
    }
    const by = place - expected;
    [at - since, by < 0 ? -2 * by - 1 : 2 * by, length].forEach((n, i) => number(columns[i], n));
    for (let i = since; i < at; i++) fresh.push(bytes[i]);
    count++;
    at += length;
    since = at;
    expected = place + length;
  }
  /** @type {number[]} */
  const head = [];
  number(head, count);
  return Uint8Array.from([...head, ...columns.flat(), ...fresh, ...bytes.subarray(since)]);
}

/**
 * The bytes of which a difference was made.
 *
 * @param {Uint8Array} reference
 * @param {Uint8Array} delta
 * @param {number} most how many bytes it may become
 * @throws {Error} if it is no difference to this reference
 */
export function apply(reference, delta, most) {
  let at = 0;
  const number = () => {
    for (let n = 0, by = 1; by < 2 ** 42; by *= 128) {
      const b = delta[at++];
      if (b === undefined) break;
      n += (b & 127) * by;
      if (b < 128) return n;
    }
    throw new Error("it is cut off, or damaged");
  };
  const count = number();
  if (count > delta.length / 3) throw new Error("it is damaged");
  const [fresh, places, lengths] = [0, 1, 2].map(() => Array.from({ length: count }, number));
  /** @type {{news: number, place: number, length: number}[]} */
  const runs = [];
  let size = 0;
  let expected = 0;
  for (let i = 0; i < count; i++) {
    const [news, by, length] = [fresh[i], places[i], lengths[i]];
    const place = expected + (by % 2 ? -(by + 1) / 2 : by / 2);
    expected = place + length;
    size += news + length;
    if (place < 0 || expected > reference.length || size > most) throw new Error("it is damaged");
    runs.push({ news, place, length });
  }
  const rest = delta.length - at - runs.reduce((n, r) => n + r.news, 0);
  if (rest < 0 || size + rest > most) throw new Error("it is cut off, or damaged");
  const out = new Uint8Array(size + rest);
  let to = 0;
  for (const { news, place, length } of runs) {
    out.set(delta.subarray(at, at + news), to);
    out.set(reference.subarray(place, place + length), to + news);
    at += news;
    to += news + length;
  }
  out.set(delta.subarray(at), to);
  return out;
}
