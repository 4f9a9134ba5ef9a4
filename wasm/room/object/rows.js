// @ts-check
/**
 * The tables of a room, and all SQL that there is. Each method is one step, which happens or does not.
 *
 * @typedef {object} Rows
 * @property {() => boolean} exist whether there are tables
 * @property {() => void} create makes the missing tables
 * @property {(table: Table) => number} end how many bytes are in a table
 * @property {(table: Table, at: number, size: number) => Uint8Array} read some pieces from a place on, which together
 *   have at least that size; fewer at the end
 * @property {(table: Table, at: number, bytes: Uint8Array) => void} insert
 * @property {(table: Table) => void} clear
 * @property {() => void} replace makes what is in next the log
 * @property {(name: string) => Uint8Array | null} record
 * @property {(name: string, bytes: Uint8Array) => void} saveRecord
 * @property {() => string[]} listAside
 * @property {(name: string) => void} setAside copies the log
 * @property {<T>(steps: () => T) => T} atomically makes several steps one
 * @property {() => Promise<void>} sync resolves when all steps are durable
 *
 * @typedef {"log" | "next"} Table
 *
 * @import { Storage } from "cloudflare:workers"
 */

/** @implements {Rows} */
export class SQLRows {
  /** @param {Storage} storage of the Durable Object */
  constructor(storage) {
    this.storage = storage;
  }

  exist() {
    return this.#all("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'record'").length > 0;
  }

  create() {
    this.atomically(() => {
      for (const table of ["log", "next"]) {
        this.#all(`CREATE TABLE IF NOT EXISTS ${table} (at INTEGER PRIMARY KEY, bytes BLOB NOT NULL)`);
      }
      this.#all("CREATE TABLE IF NOT EXISTS aside (id INTEGER PRIMARY KEY, name TEXT, at INTEGER, bytes BLOB)");
      this.#all("CREATE TABLE IF NOT EXISTS record (name TEXT PRIMARY KEY, bytes BLOB NOT NULL)");
    });
  }

  /** @param {Table} table */
  end(table) {
    const [last] = this.#all(`SELECT at + length(bytes) AS bytes FROM ${table} ORDER BY at DESC LIMIT 1`);
    return Number(last?.bytes ?? 0);
  }

  /** @param {Table} table @param {number} at @param {number} size */
  read(table, at, size) {
    const pieces = [];
    let found = 0;
    for (const row of this.storage.sql.exec(`SELECT bytes FROM ${table} WHERE at >= ? ORDER BY at`, at)) {
      pieces.push(bytesOf(row.bytes));
      found += pieces[pieces.length - 1].length;
      if (found >= size) break;
    }
    return join(pieces, found);
  }

  /** @param {Table} table @param {number} at @param {Uint8Array} bytes */
  insert(table, at, bytes) {
    this.#all(`INSERT INTO ${table} (at, bytes) VALUES (?, ?)`, at, bytes);
  }

  /** @param {Table} table */
  clear(table) {
    this.#all(`DELETE FROM ${table}`);
  }

  replace() {
    this.atomically(() => {
      this.#all("DROP TABLE log");
      this.#all("ALTER TABLE next RENAME TO log");
      this.#all("CREATE TABLE next (at INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
    });
  }

  /** @param {string} name */
  record(name) {
    const [found] = this.#all("SELECT bytes FROM record WHERE name = ?", name);
    return found ? bytesOf(found.bytes) : null;
  }

  /** @param {string} name @param {Uint8Array} bytes */
  saveRecord(name, bytes) {
    this.#all("INSERT OR REPLACE INTO record (name, bytes) VALUES (?, ?)", name, bytes);
  }

  listAside() {
    return this.#all("SELECT DISTINCT name FROM aside").map((row) => String(row.name));
  }

  /** @param {string} name */
  setAside(name) {
    this.#all("INSERT INTO aside (name, at, bytes) SELECT ?, at, bytes FROM log", name);
  }

  /** @template T @param {() => T} steps */
  atomically(steps) {
    return this.storage.transactionSync(steps);
  }

  sync() {
    return this.storage.sync();
  }

  /** @param {string} query @param {unknown[]} values */
  #all(query, ...values) {
    return this.storage.sql.exec(query, ...values).toArray();
  }
}

/** @param {unknown} value of a column */
const bytesOf = (value) => new Uint8Array(/** @type {ArrayBuffer} */ (value));

/** @param {Uint8Array[]} pieces @param {number} size of all of them */
export function join(pieces, size) {
  if (pieces.length === 1) return pieces[0];
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
