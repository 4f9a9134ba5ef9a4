// @ts-check
// How the tap's events cross to Go: packed, in order, and never so many at a time
// that the page is held up. ../../wasm/PROTOCOL.md describes what crosses;
// unpack.go reads it.
//
// Fields of an event are joined with \x1f and events with \x1e: one string
// crosses for many events. JSON cannot hold these characters unescaped; anywhere
// else they are shown as U+FFFD.

/** How long Go may work on events at a time, in milliseconds. */
const SLICE = 6;

/** How much crosses at once, in characters: it takes well under a millisecond. */
const BATCH = 16 << 10;

/** A longer text crosses in pieces, in characters. */
const PIECE = 64 << 10;

/** How much waits for a frame, in characters. */
const WAITING = 1 << 20;

/** @param {any} s */
const clean = (s) => (s ?? "").toString().replace(/[\x1c-\x1f]/g, "\ufffd");
/** @param {Iterable<[string, string]> | undefined} fields */
export const packFields = (fields) => {
  let out = "";
  for (const [n, v] of fields ?? []) out += (out && "\x1d") + clean(n) + "\x1c" + clean(v);
  return out;
};

/** @param {any} e @param {string} [text] of a chunk, a part of it */
function pack(e, text) {
  const head = `${e.type}\x1f${e.id}\x1f${Math.round(e.time * 1000)}`;
  switch (e.type) {
    case "request":
      return [head, clean(e.method), clean(e.url), packFields(e.headers), clean(e.body), clean(e.origin)].join("\x1f");
    case "head":
      return `${head}\x1f${e.status}\x1f${packFields(e.headers)}\x1f${clean(e.source)}`;
    case "chunk":
      return `${head}\x1f${clean(text)}`;
    case "fail":
      return `${head}\x1f${clean(e.error)}\x1f${e.aborted ? 1 : ""}`;
  }
  return head;
}

/** Pieces of a text, none of which ends in the middle of a character. @param {string} text */
function* pieces(text) {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield text.slice(at, end);
    at = end;
  }
}

/**
 * @typedef {object} Host
 * @property {(f: () => void) => void} soon calls f before a paint that there is time for
 * @property {(f: () => void) => void} turn calls f in a task of its own, at once
 * @property {() => number} now
 */

/**
 * Returns what takes the tap's events, and calls go with packed ones: from the next frame on, for a few
 * milliseconds in each task.
 *
 * @param {Host} host
 * @param {(batch: string) => void} go
 * @returns {(e: any) => void}
 */
export function crossing(host, go) {
  /** @type {string[]} */
  let queue = [];
  let next = 0; // the first of queue that has not crossed
  let waiting = 0; // characters in queue
  let booked = false;
  let running = false;

  function run() {
    const until = host.now() + SLICE;
    while (next < queue.length) {
      if (host.now() > until) return host.turn(run);
      const from = next;
      for (let size = 0; next < queue.length && size < BATCH; next++) size += queue[next].length;
      const batch = queue.slice(from, next);
      for (const e of batch) waiting -= e.length;
      go(batch.join("\x1e"));
    }
    queue = [];
    next = 0;
    running = false;
  }

  function start() {
    booked = false;
    if (running) return;
    running = true;
    run();
  }

  return (e) => {
    if (e.type === "chunk" && e.text.length > PIECE) for (const piece of pieces(e.text)) add(pack(e, piece));
    else add(pack(e, e.text));
  };

  /** @param {string} packed */
  function add(packed) {
    queue.push(packed);
    waiting += packed.length;
    if (running) return;
    if (waiting > WAITING) {
      running = true;
      host.turn(run);
    } else if (!booked) {
      booked = true;
      host.soon(start);
    }
  }
}
