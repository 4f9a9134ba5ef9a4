// @ts-check
/**
 * The form that clusters have in links and files: a snapshot in which what can be computed is left out or has a mark of
 * one byte, so that it differs from other clusters, and one version of an object from the next, in what is new.
 *
 * It is the number of frames, and of all, their length and content; then the times of those that have one: a unit,
 * and each as units since the one before. The content of a frame with a time is its kind; its revision since the one
 * before; how many revisions earlier its object was created; bucket and key; and what follows these, with marks:
 *
 *   0 the second of its time, as texts write it, up to the seconds   1 its revision, where resourceVersion has it
 *   2 a uid, whose 16 bytes follow                                   3 and 4 its uid, derived from an ancestor's
 *   5 the byte that follows, which would be a mark
 *
 * The ancestors are the first object, and the first that switching RBAC on writes. Numbers are of seven bits each, the
 * lowest first, with a high bit if more follow; those of times and of revisions are doubled, and odd if they lie before
 * zero.
 *
 * Costs: a few passes over the texts, and a hash for each object that the references have, too.
 *
 * @typedef {"1" | "roles"} ReferenceName names reference-1.bin, or another
 */

import { joined } from "../../app/bytes.js";
import {
  bytesOf, derivedUID, frame, payloads, put, Reader, sizeOf, textOf, TIMED, uidIn, uidOf, unzigzag, zigzag,
} from "./frames.js";
import { framesOf } from "./plain.js";

const UIDS = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const MARKS = /[\0-\x05]/g;
const MARKED = /\x02[^]{16}|\x05[^]|[\0-\x05]/g;
const REVISION = '"resourceVersion":"';

/** The first that switching RBAC on writes. */
const ROLES = "rbac.authorization.k8s.io/v1/clusterroles/admin";

/** The units of times, in nanoseconds: a page's clock has whole milliseconds. */
const UNITS = [1_000_000n, 1000n, 1n];

/** The second of a time in nanoseconds, as texts write it. @param {bigint} time */
const secondOf = (time) => new Date(Number(time / 1_000_000_000n) * 1000).toISOString().slice(0, 19);

/** The ancestors' uids, as far as they are known. */
class Ancestors {
  /** @type {string[]} */
  uids = [];

  /** Which uids are derived for a name. @param {string} name */
  derived(name) {
    return this.uids.map((uid) => derivedUID(name, uid));
  }

  /** Looks for an ancestor. @param {string} name @param {string} text of its payload */
  note(name, text) {
    if (this.uids.length === 0 || (this.uids.length === 1 && name === ROLES)) this.uids.push(uidIn(text));
  }
}

/** @param {Uint8Array} bucket @param {Uint8Array} key */
const nameOf = (bucket, key) => `${textOf(bucket)}/${textOf(key)}`;

/** A payload with a time, as far as its marked part. @param {Uint8Array} payload */
function partsOf(payload) {
  const r = new Reader(payload);
  r.at = 1;
  const [revision, created, time] = [r.number(), r.number(), unzigzag(r.number())];
  const from = r.at;
  const name = nameOf(r.text(), r.text());
  return { revision, created, time, name, names: payload.subarray(from, r.at), rest: payload.subarray(r.at) };
}

/** The names of all objects in payloads. @param {Uint8Array[]} frames */
const namesIn = (frames) =>
  new Set(frames.filter((payload) => TIMED.has(payload[0])).map((payload) => partsOf(payload).name));

/**
 * The form of payloads.
 *
 * @param {Uint8Array[]} frames
 * @param {Set<string>} names of the objects whose uids may be derived
 */
function formOf(frames, names) {
  const ancestors = new Ancestors();
  /** @type {bigint[]} */
  const times = [];
  /** @type {Uint8Array[]} */
  const parts = [];
  let last = 0n;
  const add = (/** @type {bigint[]} */ ...numbers) => {
    /** @type {number[]} */
    const bytes = [];
    for (const n of numbers) put(bytes, n);
    return Uint8Array.from(bytes);
  };
  for (const payload of frames) {
    let content = payload;
    if (TIMED.has(payload[0])) {
      const { revision, created, time, name, names: both, rest } = partsOf(payload);
      const derived = names.has(name) ? ancestors.derived(name) : [];
      const text = textOf(rest);
      ancestors.note(name, text);
      const marked = text.replace(MARKS, "\x05$&").replaceAll(secondOf(time), "\0")
        .replaceAll(`${REVISION}${revision}"`, `${REVISION}\x01"`)
        .replace(UIDS, (uid) => ["\x03", "\x04"][derived.indexOf(uid)] ??
          "\x02" + uid.replaceAll("-", "").replace(/../g, (pair) => String.fromCharCode(parseInt(pair, 16))));
      content = joined([payload.subarray(0, 1), add(zigzag(revision - last), revision - created), both,
        bytesOf(marked)]);
      times.push(time);
      last = revision;
    }
    parts.push(add(BigInt(content.length)), content);
  }
  const unit = UNITS.find((one) => times.every((time) => time % one === 0n)) ?? 1n;
  const since = times.map((time, i) => zigzag((time - (times[i - 1] ?? 0n)) / unit));
  return { body: joined([add(BigInt(frames.length)), ...parts]), times: add(unit, ...since) };
}

/**
 * What the marks of a text stand for.
 *
 * @param {string} text
 * @param {(mark: string) => string | undefined} mean
 * @param {number} most how many characters it may become
 */
function unmarked(text, mean, most) {
  let size = text.length;
  return text.replace(MARKED, (mark) => {
    const meaning = mean(mark);
    size += (meaning?.length ?? 0) - mark.length;
    if (meaning === undefined || size > most) throw new Error("it is damaged, or too large");
    return meaning;
  });
}

/**
 * The snapshot of which a form was made.
 *
 * @param {Uint8Array} form
 * @param {number} most how many bytes it may become
 * @throws {Error} if it is damaged, or larger
 */
export function snapshotOfMarked(form, most) {
  const r = new Reader(form);
  const count = Number(r.number());
  if (count > form.length) throw new Error("it is damaged");
  const frames = Array.from({ length: count }, () => r.text());
  const unit = r.number();
  const ancestors = new Ancestors();
  let [last, now, size] = [0n, 0n, 0];
  const parts = frames.flatMap((content) => {
    let payload = content;
    if (TIMED.has(content[0])) {
      const in_ = new Reader(content);
      in_.at = 1;
      last += unzigzag(in_.number());
      now += unzigzag(r.number()) * unit;
      /** @type {number[]} */
      const head = [];
      for (const n of [last, last - in_.number(), zigzag(now)]) {
        if (n < 0n) throw new Error("it is damaged");
        put(head, n);
      }
      const from = in_.at;
      const name = nameOf(in_.text(), in_.text());
      const revision = String(last);
      /** @type {string[] | undefined} */
      let derived;
      const text = unmarked(textOf(content.subarray(in_.at)), (mark) => {
        if (mark === "\0") return secondOf(now);
        if (mark === "\x01") return revision;
        if (mark === "\x03" || mark === "\x04") return (derived ??= ancestors.derived(name))[mark.charCodeAt(0) - 3];
        if (mark.length === 1) return undefined;
        if (mark[0] === "\x05") return mark[1];
        return uidOf(Array.from(mark.slice(1), (c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join(""));
      }, most);
      ancestors.note(name, text);
      payload = joined([content.subarray(0, 1), Uint8Array.from(head), content.subarray(from, in_.at), bytesOf(text)]);
    }
    size += sizeOf(payload);
    if (size > most) throw new Error("it is too large");
    return frame(payload);
  });
  if (r.at < form.length) throw new Error("it is damaged");
  return joined(parts);
}

/** What a form is compared with. @param {Uint8Array[]} references */
export function markedReference(references) {
  const frames = references.flatMap((reference) => framesOf(reference));
  return formOf(frames, namesIn(frames)).body;
}

/** The references that a snapshot resembles. @param {Uint8Array} snapshot @returns {ReferenceName[]} */
export function referencesFor(snapshot) {
  try {
    return namesIn(payloads(snapshot)).has(ROLES) ? ["1", "roles"] : ["1"];
  } catch {
    return ["1"];
  }
}

/**
 * The form of a snapshot; null of other bytes, which could not be made of it again.
 *
 * @param {Uint8Array} snapshot
 * @param {Uint8Array[]} references
 */
export function markedSnapshot(snapshot, references) {
  try {
    const { body, times } = formOf(payloads(snapshot), namesIn(references.flatMap(payloads)));
    const form = joined([body, times]);
    const again = snapshotOfMarked(form, snapshot.length);
    return again.every((b, i) => b === snapshot[i]) ? form : null;
  } catch {
    return null;
  }
}
