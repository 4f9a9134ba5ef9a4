// @ts-check
/**
 * Keeps a room's log in the SQLite storage of its Durable Object, in pieces that are smaller than the largest value
 * that it takes. The place of a piece is the number of bytes before it. A replacement is written beside the log, and
 * takes its place in one transaction: whenever the object ends, one of the two is complete.
 *
 * A method resolves when what it wrote is durable. Go acknowledges a write, and shows it to watches, only then, so
 * nothing depends on when the engine lets an answer out.
 *
 * Costs: a row for each append of up to a MiB, and a few for a replacement.
 *
 * @import { Store } from "../../protocol"
 * @import { Rows } from "./rows.js"
 */
import { nameAside } from "../../host/aside.js";

/** How large a piece is at most. Values may have 2 MB. */
export const PIECE = 1 << 20;

/** The names of small records. */
const HEAD = "head";
const CREATED = "created";

/** @implements {Store} */
export class RoomStore {
  #end = 0; // of the log
  #filled = 0; // of the replacement
  #begun = false;
  #exists = false;

  /**
   * @param {Rows} rows
   * @param {() => void} [appends] is called when something is appended
   */
  constructor(rows, appends = () => {}) {
    this.rows = rows;
    this.appends = appends;
  }

  /** Whether there is a room. Asking leaves nothing behind. */
  exists() {
    this.#exists ||= this.rows.exist() && this.rows.record(CREATED) !== null;
    return this.#exists;
  }

  /** Makes the tables of a room that is being created, or opens those of one that is there. */
  open() {
    this.rows.create();
    this.#end = this.rows.end("log");
  }

  /** Says that the room is there from now on. */
  async created() {
    this.rows.saveRecord(CREATED, new TextEncoder().encode(new Date().toISOString()));
    await this.rows.sync();
  }

  /** @param {number} at */
  read(at) {
    return this.rows.read("log", at, PIECE);
  }

  /** @param {Uint8Array} bytes */
  async append(bytes) {
    this.appends();
    const end = this.rows.atomically(() => this.#add("log", this.#end, bytes));
    this.#end = end;
    await this.rows.sync();
  }

  begin() {
    this.rows.clear("next");
    this.#filled = 0;
    this.#begun = true;
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    this.#filled = this.#add("next", this.#filled, bytes);
  }

  async commit() {
    if (!this.#begun) throw new Error("there is no replacement");
    this.rows.replace();
    this.#end = this.#filled;
    this.#begun = false;
    await this.rows.sync();
  }

  abort() {
    this.rows.clear("next");
    this.#begun = false;
  }

  head() {
    return this.rows.record(HEAD) ?? new Uint8Array();
  }

  /** @param {Uint8Array} bytes */
  async saveHead(bytes) {
    this.rows.saveRecord(HEAD, bytes);
    await this.rows.sync();
  }

  async setAside() {
    const name = nameAside(this.rows.listAside());
    this.rows.setAside(name);
    await this.rows.sync();
    return name;
  }

  close() {}

  /**
   * Adds bytes at a place, in pieces, and returns where they end.
   *
   * @param {"log" | "next"} table
   * @param {number} at
   * @param {Uint8Array} bytes
   */
  #add(table, at, bytes) {
    for (let from = 0; from < bytes.length; from += PIECE) {
      this.rows.insert(table, at + from, bytes.subarray(from, from + PIECE));
    }
    return at + bytes.length;
  }
}
