// @ts-check
/**
 * The form that clusters have in links of the versions 2 to 4, which are read and no longer made: a snapshot without
 * the checksums of its frames, and with the times apart. The reference of it has the uids and times of a new cluster
 * whose first object has a given uid and began at a given time.
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
import {
  bytesOf, derivedUID, frame, payloads, put, Reader, sizeOf, textOf, TIMED, timeOfText, uidIn, unzigzag, zigzag,
} from "./frames.js";

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** The last second that a time of an object can name. */
const LATEST = Date.parse("9999-12-31T23:59:59Z") / 1000;

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
  const frames = Array.from({ length: count }, () => r.text());
  let [last, size] = [0n, 0];
  const parts = frames.flatMap((from) => {
    let payload = from;
    if (TIMED.has(from[0])) {
      const { at } = beforeTime(from);
      last += unzigzag(r.number());
      /** @type {number[]} */
      const time = [];
      put(time, zigzag(last));
      payload = joined([from.subarray(0, at), Uint8Array.from(time), from.subarray(at)]);
    }
    size += sizeOf(payload);
    if (size > most) throw new Error("it is too large");
    return frame(payload);
  });
  if (r.at < plain.length) throw new Error("it is damaged");
  return joined(parts);
}

/** @param {number} s */
const timeText = (s) => new Date(s * 1000).toISOString().replace(/\.\d+/, "");

/** The uid of the first object in payloads, and when that began. @param {Uint8Array[]} frames @returns {Begun} */
export function begunIn(frames) {
  const text = textOf(frames.find((payload) => TIMED.has(payload[0])) ?? new Uint8Array());
  return { uid: uidIn(text), began: Date.parse(timeOfText(text)) / 1000 };
}

/**
 * The payloads of a reference's frames as another cluster has them.
 *
 * @param {Uint8Array} reference
 * @param {Begun & Partial<Switched>} [begun] those of the reference, if not given; the revision is that of the first
 *   object, if it is another one there
 */
export function framesOf(reference, begun) {
  const frames = payloads(reference);
  const first = frames.find((payload) => TIMED.has(payload[0]));
  const { uid, began, revision, later = [] } = begun ?? { ...begunIn(frames) };
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
    const [bucket, key] = [0, 1].map(() => textOf(r.text()));
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

/** How many seconds the switch may take. */
const MOST_SECONDS = 60;

/** Whether something from elsewhere is a begin, with so many other fields. @param {any} v */
const isBegun = (v, others = 0) => typeof v?.uid === "string" && UID.test(v.uid) && Number.isSafeInteger(v.began) &&
  v.began >= 0 && v.began <= LATEST && Object.keys(v).length === 2 + others;

/** @param {any} v */
const isCount = (v) => Number.isSafeInteger(v) && v >= 0;

/** Whether something from elsewhere is an origin. @param {any} v */
export const isOrigin = (v) => (v?.roles === undefined ? isBegun(v)
  : isBegun(v, 1) && isBegun(v.roles, 2) && isCount(v.roles.revision) && v.roles.revision > 0 &&
    Array.isArray(v.roles.later) && v.roles.later.length <= MOST_SECONDS && v.roles.later.every(isCount));
