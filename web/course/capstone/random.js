// @ts-check
/**
 * Numbers from a seed: the same seed always gives the same ones, in every engine. Nothing else in the judge is drawn.
 * Parts that ask at times which depend on the client have separate generators (see part), so that one does not
 * change what another draws.
 */

/** A number from a text, for seeding. @param {string} text */
function hash(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

export class Random {
  #a;
  #b = 0x9e3779b9;
  #seed;

  /** @param {number | string} seed */
  constructor(seed) {
    this.#seed = String(seed);
    this.#a = hash(this.#seed);
    for (let i = 0; i < 8; i++) this.word();
  }

  /** The generator of a part. @param {string} name */
  part(name) {
    return new Random(`${this.#seed}/${name}`);
  }

  /** 32 random bits. */
  word() {
    this.#b = (this.#b + 0x6d2b79f5) | 0;
    this.#a = (Math.imul(this.#a ^ (this.#a >>> 15), 0x85ebca6b) + this.#b) | 0;
    let x = this.#a ^ (this.#b << 7);
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (x ^ (x >>> 15)) >>> 0;
  }

  /** From 0 to 1, without 1. */
  float() {
    return this.word() / 2 ** 32;
  }

  /** A whole number from least to most, both included. @param {number} least @param {number} most */
  int(least, most) {
    return least + Math.floor(this.float() * (most - least + 1));
  }

  /** Whether something happens that does so with a probability. @param {number} p */
  chance(p) {
    return this.float() < p;
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.int(0, list.length - 1)];
  }

  /** A list in another order. @template T @param {readonly T[]} list @returns {T[]} */
  shuffled(list) {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  }

  /** Lower-case letters and digits, the first one a letter. @param {number} length */
  text(length) {
    let out = this.pick([..."abcdefghjkmnpqrstuvwxyz"]);
    while (out.length < length) out += this.pick([..."abcdefghjkmnpqrstuvwxyz23456789"]);
    return out;
  }
}
