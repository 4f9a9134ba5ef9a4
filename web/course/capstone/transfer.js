// @ts-check
/**
 * One exchange on its way through the wire, and how bytes are split.
 *
 * @import { Sink } from "../../../wasm/protocol"
 * @import { Delivered, Exchange } from "./exchange.js"
 * @import { Random } from "./random.js"
 */

/**
 * Bytes on their way, and which of them are which event's.
 * @typedef {{bytes: Uint8Array<ArrayBuffer>, event: Delivered | null}} Line
 */

/** @typedef {{event: Delivered, start: number, end: number}} Span */

/** One exchange on its way. */
export class Transfer {
  /** @type {Sink | null} */ sink = null;
  /** When the last thing that was sent arrives: what comes later arrives later. */ clear = 0;
  /** Bytes that were not sent yet. @type {Line[]} */ waiting = [];
  flushing = false;
  /** How many bytes were sent, and the events in them that have not arrived. */ sent = 0;
  /** @type {Span[]} */ spans = [];
  opened = false;
  /** How many events were passed on. */ count = 0;
  /** No more is taken from the server. */ closed = false;
  /** The beginning of a line whose rest has not come. */ rest = "";
  decoder = new TextDecoder();
  /** Whether a stream has become a plain answer. */ converted = false;
  /** @type {"whole" | "joined" | "split"} */ mode = "whole";
  /** After how many events it is cut, and how much of the next one gets through. */ cut = { after: Infinity, part: 0,
    quiet: false };

  /** @param {Exchange} x */
  constructor(x) {
    this.x = x;
  }
}

/**
 * A place in bytes, in the middle of a character rather than elsewhere.
 *
 * @param {Random} draw
 * @param {Uint8Array} bytes
 * @param {number} part about where, from 0 to 1
 */
export function place(draw, bytes, part) {
  const at = 1 + Math.floor(part * (bytes.length - 2));
  if (draw.chance(0.4)) return at;
  for (let i = 0; i < bytes.length; i++) {
    const inside = (at + i) % bytes.length;
    if ((bytes[inside] & 0xc0) === 0x80) return inside;
  }
  return at;
}

/**
 * Splits bytes into pieces.
 *
 * @param {Random} draw
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {number} pieces at most
 */
export function split(draw, bytes, pieces) {
  const places = new Set();
  for (let i = 1; i < pieces && bytes.length > 2; i++) places.add(place(draw, bytes, draw.float()));
  const at = [0, ...[...places].sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.slice(at[i], end));
}
