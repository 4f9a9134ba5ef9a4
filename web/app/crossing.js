// @ts-check
// How the tap's events cross to Go: packed, in order, and never so many at a time
// that the page is held up. ../../wasm/PROTOCOL.md describes what crosses;
// unpack.go reads it.
//
// Fields of an event are joined with \x1f and events with \x1e: one string
// crosses for many events, in which these characters are shown as U+FFFD. Bodies cross
// beside it, as the bytes that they are, one behind the other: their events have their lengths.

import { joined } from "./bytes.js";

/** How long Go may work on events at a time, in milliseconds. */
const SLICE = 6;

/** How much crosses at once, in characters and bytes: it takes well under a millisecond. */
const BATCH = 16 << 10;

/** A longer part of a body crosses in pieces, in bytes. */
const PIECE = 64 << 10;

/** How much waits for a frame, in characters and bytes. */
const WAITING = 1 << 20;

/** @param {any} s */
const clean = (s) => (s ?? "").toString().replace(/[\x1c-\x1f]/g, "\ufffd");
/** @param {Iterable<[string, string]> | undefined} fields */
export const packFields = (fields) => {
  let out = "";
  for (const [n, v] of fields ?? []) out += (out && "\x1d") + clean(n) + "\x1c" + clean(v);
  return out;
};

const NONE = new Uint8Array();
const encoder = new TextEncoder();

/** @param {any} e @param {Uint8Array} body what crosses beside it */
function pack(e, body) {
  const head = `${e.type}\x1f${e.id}\x1f${Math.round(e.time * 1000)}`;
  switch (e.type) {
    case "request":
      return [head, clean(e.method), clean(e.url), packFields(e.headers), body.length, clean(e.origin),
        clean(e.place)].join("\x1f");
    case "head":
      return `${head}\x1f${e.status}\x1f${packFields(e.headers)}\x1f${clean(e.source)}`;
    case "chunk":
      return `${head}\x1f${body.length}`;
    case "fail":
      return `${head}\x1f${clean(e.error)}\x1f${e.aborted ? 1 : ""}`;
  }
  return head;
}

/**
 * @typedef {object} Host
 * @property {(f: () => void) => void} before calls f before a frame that there is time for
 * @property {(f: () => void) => void} turn calls f in a separate task, at once
 * @property {() => number} now
 */

/**
 * Returns what takes the tap's events, and calls go with packed ones: before the next frame, for a few
 * milliseconds in each task.
 *
 * @param {Host} host
 * @param {(batch: string, bodies: Uint8Array) => void} go
 * @returns {{take: (e: any) => void, caughtUp: () => Promise<void>}} caughtUp has what waits cross without a frame, and
 *   resolves when it has
 */
export function crossing(host, go) {
  /** @type {{event: string, body: Uint8Array}[]} */
  let queue = [];
  let next = 0; // the first of queue that has not crossed
  let waiting = 0; // the size of what is in queue
  let booked = false;
  let running = false;
  /** @type {(() => void)[]} */
  const awaited = [];

  const sizeOf = (/** @type {{event: string, body: Uint8Array}} */ q) => q.event.length + q.body.length;

  function run() {
    const until = host.now() + SLICE;
    while (next < queue.length) {
      if (host.now() > until) return host.turn(run);
      const from = next;
      let size = 0;
      for (; next < queue.length && size < BATCH; next++) size += sizeOf(queue[next]);
      waiting -= size;
      const batch = queue.slice(from, next);
      go(batch.map((q) => q.event).join("\x1e"), joined(batch.map((q) => q.body)));
    }
    queue = [];
    next = 0;
    running = false;
    for (const done of awaited.splice(0)) done();
  }

  function start() {
    booked = false;
    if (running) return;
    running = true;
    run();
  }

  function hurry() {
    if (running) return;
    running = true;
    host.turn(run);
  }

  return {
    take(e) {
      const body = e.type === "chunk" ? e.bytes
        : e.type === "request" ? (e.sent ?? encoder.encode(e.body ?? "")) : NONE;
      if (e.type !== "chunk") return add(e, body);
      for (let at = 0; at < body.length; at += PIECE) add(e, body.subarray(at, at + PIECE));
    },
    caughtUp: () => new Promise((done) => {
      awaited.push(done);
      hurry();
    }),
  };

  /** @param {any} e @param {Uint8Array} body */
  function add(e, body) {
    const q = { event: pack(e, body), body };
    queue.push(q);
    waiting += sizeOf(q);
    if (running) return;
    if (waiting > WAITING) {
      hurry();
    } else if (!booked) {
      booked = true;
      host.before(start);
    }
  }
}
