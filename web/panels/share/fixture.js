// What tests of sharing need: the references, numbers that look random, and snapshots.
import { readFile } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";
import { frame } from "./frames.js";

export const bytes = await readFile(new URL("./reference-1.bin", import.meta.url));
export const roles = inflateRawSync(await readFile(new URL("./reference-roles.bin", import.meta.url)));
export const reference = async (name) => (name === "roles" ? roles : bytes);

/** A generator of numbers below n, by a seed. @param {number} seed */
export function numbers(seed) {
  return (/** @type {number} */ n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
}

/** A snapshot whose frames were changed, with the checksums that they have then. @param {Uint8Array[]} frames */
export const sound = (frames) => new Uint8Array(Buffer.concat(frames.flatMap(frame)));
