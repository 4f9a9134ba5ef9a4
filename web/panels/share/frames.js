// @ts-check
/**
 * The frames of a snapshot: their payloads, the numbers and times in these, and the uids that are derived from others.
 * What a frame is says core/journal/frame.go; which uids are derived, core/registry/names.go.
 */

/** The length of a frame's head. */
const HEAD = 12;
/** The kinds of payload that have a time, after two numbers. */
export const TIMED = new Set([..."VDWEXY"].map((kind) => kind.charCodeAt(0)));

const CRC = Uint32Array.from({ length: 256 }, (_, c) => {
  for (let i = 0; i < 8; i++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  return c;
});

/** The checksum (CRC-32C) of bytes. @param {Uint8Array} bytes */
function checksum(bytes) {
  let c = -1;
  for (const b of bytes) c = CRC[(c ^ b) & 255] ^ (c >>> 8);
  return ~c >>> 0;
}

/** Reads numbers from bytes. */
export class Reader {
  at = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
  }

  /** The next number. */
  number() {
    let n = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const b = this.bytes[this.at++];
      if (b === undefined) break;
      n |= BigInt(b & 127) << shift;
      if (b < 128) return n;
    }
    throw new Error("it is cut off, or damaged");
  }

  /** The next bytes. @param {number} length */
  take(length) {
    if (length > this.bytes.length - this.at) throw new Error("it is cut off, or damaged");
    return this.bytes.subarray(this.at, (this.at += length));
  }

  /** The next bytes, after a number that says how many. */
  text() {
    return this.take(Number(this.number()));
  }
}

/** Adds a number of any size, as delta.js does those of JavaScript. @param {number[]} out @param {bigint} n */
export function put(out, n) {
  for (; n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128);
  out.push(Number(n));
}

/** @param {bigint} n */
export const zigzag = (n) => (n < 0n ? -2n * n - 1n : 2n * n);
/** @param {bigint} n */
export const unzigzag = (n) => (n & 1n ? -(n + 1n) / 2n : n / 2n);

/** The payloads of a snapshot's frames. @param {Uint8Array} snapshot */
export function payloads(snapshot) {
  const all = new Reader(snapshot);
  const out = [];
  while (all.at < snapshot.length) {
    const head = all.take(HEAD);
    out.push(all.take(new DataView(head.buffer, head.byteOffset).getUint32(0, true)));
  }
  return out;
}

/** A payload as a frame has it, behind its head. @param {Uint8Array} payload */
export function frame(payload) {
  const head = new DataView(new ArrayBuffer(HEAD));
  head.setUint32(0, payload.length, true);
  head.setUint32(4, checksum(payload), true);
  head.setUint32(8, checksum(new Uint8Array(head.buffer, 0, 8)), true);
  return [new Uint8Array(head.buffer), payload];
}

/** How many bytes a payload's frame has. @param {Uint8Array} payload */
export const sizeOf = (payload) => HEAD + payload.length;

/** Bytes as a text of as many characters, and back. @param {Uint8Array} bytes */
export function textOf(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return text;
}
export const bytesOf = (/** @type {string} */ text) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** The uid of the object in a payload. @param {string} text */
export const uidIn = (text) => /"uid":"([^"]*)"/.exec(text)?.[1] ?? "";
/** When that object was created. @param {string} text */
export const timeOfText = (text) => /"creationTimestamp":"([^"]*)"/.exec(text)?.[1] ?? "";

/** A uid of its 32 digits. @param {string} digits */
export const uidOf = (digits) => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/**
 * The uid that is derived from another one: the FNV-1a hash, of 128 bits.
 *
 * @param {string} name
 * @param {string} other
 */
export function derivedUID(name, other) {
  let h = 0x6c62272e07bb014262b821756295c58dn;
  for (const b of new TextEncoder().encode(name + other)) {
    h = BigInt.asUintN(128, (h ^ BigInt(b)) * ((1n << 88n) + 0x13bn));
  }
  const hex = h.toString(16).padStart(32, "0").split("");
  hex[12] = "4";
  hex[16] = "89ab"[parseInt(hex[16], 16) & 3];
  return uidOf(hex.join(""));
}
