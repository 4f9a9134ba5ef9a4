// @ts-check
/**
 * A snapshot without what can be computed, so that it is nearly what the reference is: the checksums of its frames are
 * left out, the times are apart, and the reference gets the uids and times that a new cluster has whose first object
 * has a given uid and began at a given time. What a frame is says core/journal/frame.go; which uids are derived,
 * core/registry/names.go.
 *
 * The plain form is the number of frames; of all, their length and their payload without its time; then the times of
 * those that have one, as nanoseconds since the one before. Numbers are of seven bits each, the lowest first, with a
 * high bit if more follow; those of times are doubled, and odd if they lie before zero.
 *
 * @typedef {{uid: string, began: number}} Begun the uid of the first object, and when it began, in s since 1970
 * @typedef {Begun & {revision: number, later: number[]}} Switched the same of what switching RBAC on wrote, its first
 *   revision, and which of its objects were the first ones of a later second
 * @typedef {Begun & {roles?: Switched}} Origin
 */

import { joined } from "../../app/bytes.js";
import { number } from "./delta.js";

/** The length of a frame's head, and where its payload has what is not of the reference. */
const HEAD = 12;
/** The kinds of payload that have a time, after two numbers. */
const TIMED = new Set([..."VDWEXY"].map((kind) => kind.charCodeAt(0)));

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** The last second that a time of an object can name. */
const LATEST = Date.parse("9999-12-31T23:59:59Z") / 1000;

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
class Reader {
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
}

/** Adds a number of any size, as delta.js does those of JavaScript. @param {number[]} out @param {bigint} n */
function put(out, n) {
  for (; n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128);
  out.push(Number(n));
}

/** @param {bigint} n */
const zigzag = (n) => (n < 0n ? -2n * n - 1n : 2n * n);
/** @param {bigint} n */
const unzigzag = (n) => (n & 1n ? -(n + 1n) / 2n : n / 2n);

/** The payloads of a snapshot's frames. @param {Uint8Array} snapshot */
function payloads(snapshot) {
  const all = new Reader(snapshot);
  const out = [];
  while (all.at < snapshot.length) {
    const head = all.take(HEAD);
    out.push(all.take(new DataView(head.buffer, head.byteOffset).getUint32(0, true)));
  }
  return out;
}

/** A reader where the time of a payload is, or is missing. @param {Uint8Array} payload */
function beforeTime(payload) {
  const r = new Reader(payload);
  r.at = 1;
  r.number();
  r.number();
  return r;
}

/** Where the time of a payload is that has one, and where it ends. @param {Uint8Array} payload */
function timeIn(payload) {
  const r = beforeTime(payload);
  const from = r.at;
  const time = unzigzag(r.number());
  return { from, to: r.at, time };
}

/** @param {Uint8Array[]} frames payloads */
function plainOf(frames) {
  /** @type {Uint8Array[]} */
  const parts = [];
  /** @type {number[]} */
  const times = [];
  const length = (/** @type {number} */ n) => {
    /** @type {number[]} */
    const bytes = [];
    number(bytes, n);
    parts.push(Uint8Array.from(bytes));
  };
  let last = 0n;
  length(frames.length);
  for (const payload of frames) {
    const { from, to, time } = TIMED.has(payload[0]) ? timeIn(payload) : { from: 0, to: 0, time: last };
    length(payload.length - to + from);
    parts.push(payload.subarray(0, from), payload.subarray(to));
    if (to) put(times, zigzag(time - last));
    last = time;
  }
  return joined([...parts, Uint8Array.from(times)]);
}

/**
 * The snapshot of which a plain form was made.
 *
 * @param {Uint8Array} plain
 * @param {number} most how many bytes it may become
 * @throws {Error} if it is damaged, or larger
 */
export function snapshotOf(plain, most) {
  const r = new Reader(plain);
  const count = Number(r.number());
  if (count > plain.length) throw new Error("it is damaged");
  const frames = Array.from({ length: count }, () => r.take(Number(r.number())));
  let [last, size] = [0n, 0];
  const parts = frames.flatMap((frame) => {
    let payload = frame;
    if (TIMED.has(frame[0])) {
      const { at } = beforeTime(frame);
      last += unzigzag(r.number());
      /** @type {number[]} */
      const time = [];
      put(time, zigzag(last));
      payload = joined([frame.subarray(0, at), Uint8Array.from(time), frame.subarray(at)]);
    }
    size += HEAD + payload.length;
    if (size > most) throw new Error("it is too large");
    const head = new DataView(new ArrayBuffer(HEAD));
    head.setUint32(0, payload.length, true);
    head.setUint32(4, checksum(payload), true);
    head.setUint32(8, checksum(new Uint8Array(head.buffer, 0, 8)), true);
    return [new Uint8Array(head.buffer), payload];
  });
  if (r.at < plain.length) throw new Error("it is damaged");
  return joined(parts);
}

/** Bytes as a text of as many characters, and back. */
const textOf = (/** @type {Uint8Array} */ bytes) => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return text;
};
const bytesOf = (/** @type {string} */ text) => Uint8Array.from(text, (c) => c.charCodeAt(0));

const uidIn = (/** @type {string} */ text) => /"uid":"([^"]*)"/.exec(text)?.[1] ?? "";
const timeOfText = (/** @type {string} */ text) => /"creationTimestamp":"([^"]*)"/.exec(text)?.[1] ?? "";

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
  return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** @param {number} s */
const timeText = (s) => new Date(s * 1000).toISOString().replace(/\.\d+/, "");

/**
 * The payloads of a reference's frames as another cluster has them.
 *
 * @param {Uint8Array} reference
 * @param {Begun & Partial<Switched>} begun the revision is that of the first object, if it is another one there
 */
function framesOf(reference, { uid, began, revision, later = [] }) {
  const frames = payloads(reference);
  const first = frames.find((payload) => TIMED.has(payload[0]));
  const time = first ? timeOfText(textOf(first)) : "";
  const by = first && revision !== undefined ? BigInt(revision) - revisionIn(first) : 0n;
  return frames.map((payload, i) => {
    if (!TIMED.has(payload[0])) return payload;
    const now = timeText(began + later.filter((at) => at <= i).length);
    const r = new Reader(payload);
    r.at = 1;
    const numbers = [r.number(), r.number()];
    const rest = r.at;
    r.at = timeIn(payload).to;
    const [bucket, key] = [0, 1].map(() => textOf(r.take(Number(r.number()))));
    const derived = payload === first ? uid : derivedUID(`${bucket}/${key}`, uid);
    /** @type {number[]} */
    const head = [payload[0]];
    for (const n of numbers) put(head, n + by);
    const text = textOf(payload.subarray(rest));
    return joined([Uint8Array.from(head), bytesOf(text.replace(uidIn(text), derived).replaceAll(time, now)
      .replace(`"resourceVersion":"${numbers[0]}"`, `"resourceVersion":"${numbers[0] + by}"`))]);
  });
}

/** The revision of a payload that has a time. @param {Uint8Array} payload */
function revisionIn(payload) {
  const r = new Reader(payload);
  r.at = 1;
  return r.number();
}

/**
 * The plain form of the reference as a new cluster of an origin would have it.
 *
 * @param {Uint8Array} reference
 * @param {Origin} origin
 * @param {Uint8Array} [roles] what switching RBAC on writes, if the origin has roles
 */
export function plainReference(reference, { roles: switched, ...begun }, roles = new Uint8Array()) {
  const later = switched ? framesOf(roles, switched) : [];
  return plainOf([...framesOf(reference, begun), ...later]);
}

/** What switching RBAC on writes has, and what the first of it has besides. */
const ROLE = /^.{0,30}rbac\.authorization\.k8s\.io\/.*"kubernetes\.io\/bootstrapping":"rbac-defaults"/s;
const FIRST_ROLE = /^.{0,30}rbac\.authorization\.k8s\.io\/v1\/clusterroles\x05admin\{/s;

/** How many seconds the switch may take. */
const MOST_SECONDS = 60;

/** What is so of what switching RBAC on has written. @param {Uint8Array[]} frames those that have times */
function switchedIn(frames) {
  const roles = frames.filter((payload) => ROLE.test(textOf(payload)));
  const [first] = roles;
  if (!first || !FIRST_ROLE.test(textOf(first))) return undefined;
  const begun = begunIn(textOf(first));
  /** @type {number[]} */
  const later = [];
  for (const [i, payload] of roles.entries()) {
    const after = begunIn(textOf(payload)).began - begun.began;
    if (after > MOST_SECONDS) break; // it was deleted, and made again
    while (later.length < after) later.push(i);
  }
  return { ...begun, revision: Number(revisionIn(first)), later };
}

/** The begin of what is in a payload. @param {string} text */
const begunIn = (text) => ({ uid: uidIn(text), began: Date.parse(timeOfText(text)) / 1000 });

/**
 * The plain form of a snapshot, and its origin; null of other bytes, which could not be made of it again.
 *
 * @param {Uint8Array} snapshot
 * @returns {{plain: Uint8Array, origin: Origin} | null}
 */
export function plainSnapshot(snapshot) {
  try {
    const frames = payloads(snapshot);
    const timed = frames.filter((payload) => TIMED.has(payload[0]));
    /** @type {Origin} */
    const origin = begunIn(textOf(timed[0] ?? new Uint8Array()));
    const roles = switchedIn(timed);
    if (roles) origin.roles = roles;
    const plain = plainOf(frames);
    const again = snapshotOf(plain, snapshot.length);
    return isOrigin(origin) && again.every((b, i) => b === snapshot[i]) ? { plain, origin } : null;
  } catch {
    return null;
  }
}

/** Whether something from elsewhere is a begin, with so many other fields. @param {any} v */
const isBegun = (v, others = 0) => typeof v?.uid === "string" && UID.test(v.uid) && Number.isSafeInteger(v.began) &&
  v.began >= 0 && v.began <= LATEST && Object.keys(v).length === 2 + others;

/** @param {any} v */
const isCount = (v) => Number.isSafeInteger(v) && v >= 0;

/** Whether something from elsewhere is an origin. @param {any} v */
export const isOrigin = (v) => (v?.roles === undefined ? isBegun(v)
  : isBegun(v, 1) && isBegun(v.roles, 2) && isCount(v.roles.revision) && v.roles.revision > 0 &&
    Array.isArray(v.roles.later) && v.roles.later.length <= MOST_SECONDS && v.roles.later.every(isCount));
