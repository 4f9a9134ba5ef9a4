// @ts-check
/**
 * The tables of a room in memory, for tests: what was not synced can be lost, and a step can fail.
 *
 * @import { Rows, Table } from "./rows.js"
 */
import { join } from "./rows.js";

/** @typedef {{log: Map<number, Uint8Array>, next: Map<number, Uint8Array>, aside: Map<string, Uint8Array>,
 *   records: Map<string, Uint8Array>}} Content */

/** @implements {Rows} */
export class FakeRows {
  /** @type {Content | null} */ #now = null;
  /** What is durable. @type {Content | null} */ #kept = null;
  /** How many more rows can be inserted. */ space = Infinity;
  /** The sizes of the values that were inserted. @type {number[]} */ sizes = [];

  /** Ends the process: what was not synced is gone. */
  crash() {
    this.#now = copy(this.#kept);
  }

  exist() {
    return this.#now !== null;
  }

  create() {
    this.#now ??= { log: new Map(), next: new Map(), aside: new Map(), records: new Map() };
  }

  /** @param {Table} table */
  end(table) {
    let end = 0;
    for (const [at, bytes] of this.#content[table]) end = Math.max(end, at + bytes.length);
    return end;
  }

  /** @param {Table} table @param {number} at @param {number} size */
  read(table, at, size) {
    const pieces = [];
    let found = 0;
    for (let piece; found < size && (piece = this.#content[table].get(at + found)); found += piece.length) {
      pieces.push(piece);
    }
    return join(pieces, found).slice();
  }

  /** @param {Table} table @param {number} at @param {Uint8Array} bytes */
  insert(table, at, bytes) {
    if (this.space-- <= 0) throw new Error("the storage is full");
    if (this.#content[table].has(at)) throw new Error(`there is a piece at ${at} already`);
    this.sizes.push(bytes.length);
    this.#content[table].set(at, bytes.slice());
  }

  /** @param {Table} table */
  clear(table) {
    this.#content[table].clear();
  }

  replace() {
    this.#content.log = this.#content.next;
    this.#content.next = new Map();
  }

  /** @param {string} name */
  record(name) {
    return this.#content.records.get(name) ?? null;
  }

  /** @param {string} name @param {Uint8Array} bytes */
  saveRecord(name, bytes) {
    this.#content.records.set(name, bytes.slice());
  }

  listAside() {
    return [...this.#content.aside.keys()];
  }

  /** @param {string} name */
  setAside(name) {
    this.#content.aside.set(name, this.read("log", 0, Infinity));
  }

  /** @template T @param {() => T} steps */
  atomically(steps) {
    const before = copy(this.#now);
    try {
      return steps();
    } catch (error) {
      this.#now = before;
      throw error;
    }
  }

  async sync() {
    this.#kept = copy(this.#now);
  }

  get #content() {
    if (!this.#now) throw new Error("there are no tables");
    return this.#now;
  }
}

/** @param {Content | null} c @returns {Content | null} */
function copy(c) {
  return c && { log: new Map(c.log), next: new Map(c.next), aside: new Map(c.aside), records: new Map(c.records) };
}
