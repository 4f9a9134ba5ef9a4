// @ts-check
/**
 * Bytes as the difference to others that both sides have: what is the same is named by its place there, or in the bytes
 * before it.
 *
 * A difference is the number of its runs; of all runs, how many new bytes come first; of all, where what follows them
 * lies in the reference, with the bytes so far behind it, counted from where the run before ended; of all, how long
 * that is; and the new bytes. Numbers are of seven bits each, the lowest first, with a high bit if more follow; a place
 * that lies before is counted in odd numbers.
 *
 * Costs: a table of the reference's blocks; each byte is looked at a few times.
 */

import { joined } from "../../app/bytes.js";

/**
 * The lengths of blocks that are looked for, in bytes: short ones are best for what is nearly the reference; with long
 * ones what is new stays in pieces that resemble each other, which are compressed better.
 */
export const BLOCKS = [16, 96];

/** How many places of a block in the reference are tried. */
const TRIES = 8;

/** How many hashes of blocks before are kept, each for the last block that has it. */
const KEPT = 1 << 16;

/**
 * The hashes of blocks, which are quick if each begins a byte after the one before.
 *
 * @param {Uint8Array} bytes
 * @param {number} block
 */
function hashes(bytes, block) {
  let power = 1;
  for (let i = 1; i < block; i++) power = Math.imul(power, 31);
  let [next, h] = [-1, 0];
  return (/** @type {number} */ at) => {
    if (at === next) {
      h = (Math.imul(h - Math.imul(bytes[at - 1], power), 31) + bytes[at + block - 1]) | 0;
    } else {
      h = 0;
      for (let i = at; i < at + block; i++) h = (Math.imul(h, 31) + bytes[i]) | 0;
    }
    next = at + 1;
    return h;
  };
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
  const all = joined([reference, bytes]);
  const begin = reference.length;
  /** @type {Map<number, number[]>} */
  const places = new Map();
  const inReference = hashes(reference, block);
  for (let i = 0; i + block <= begin; i++) {
    const h = inReference(i);
    const known = places.get(h);
    if (!known) places.set(h, [i]);
    else if (known.length < TRIES) known.push(i);
  }
  const kept = new Int32Array(KEPT).fill(-1);
  const [hashAt, hashBefore] = [hashes(all, block), hashes(all, block)];
  /** @type {number[][]} */
  const columns = [[], [], []];
  /** @type {number[]} */
  const fresh = [];
  let count = 0;
  let expected = 0; // where the run before ended
  let [at, since, seen] = [begin, begin, begin]; // of all; where what is new begins; whose blocks are kept
  /** @param {number} place */
  const same = (place) => {
    const most = Math.min(all.length - at, (place < begin ? begin : at) - place);
    let n = 0;
    while (n < most && all[at + n] === all[place + n]) n++;
    return n;
  };
  while (at < all.length) {
    let [place, length] = [expected + at - since, 0]; // only a few bytes differ, most often
    if (at + block <= all.length) {
      for (; seen + block <= at; seen++) kept[hashBefore(seen) & (KEPT - 1)] = seen;
      length = same(place);
      if (length < block) {
        const h = hashAt(at);
        for (const p of [...places.get(h) ?? [], kept[h & (KEPT - 1)]]) {
          const n = p < 0 ? 0 : same(p);
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
    for (let i = since; i < at; i++) fresh.push(all[i]);
    count++;
    at += length;
    since = at;
    expected = place + length;
  }
  /** @type {number[]} */
  const head = [];
  number(head, count);
  return Uint8Array.from([...head, ...columns.flat(), ...fresh, ...all.subarray(since)]);
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
    const ends = place < reference.length ? reference.length : reference.length + size - length;
    if (place < 0 || expected > ends || size > most) throw new Error("it is damaged");
    runs.push({ news, place, length });
  }
  const rest = delta.length - at - runs.reduce((n, r) => n + r.news, 0);
  if (rest < 0 || size + rest > most) throw new Error("it is cut off, or damaged");
  const out = new Uint8Array(reference.length + size + rest);
  out.set(reference);
  let to = reference.length;
  for (const { news, place, length } of runs) {
    out.set(delta.subarray(at, at + news), to);
    out.copyWithin(to + news, place, place + length);
    at += news;
    to += news + length;
  }
  out.set(delta.subarray(at), to);
  return out.slice(reference.length);
}
