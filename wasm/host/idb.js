// @ts-check
/**
 * A cluster's log in IndexedDB, for browsers without a private file system: one
 * value per append, in the order of their keys. What is to replace the log is put
 * behind it, from a key on that is noted; one transaction removes what is before that
 * key, and the note.
 *
 * It is used by the page, not by the worker (see pagestore.js): a worker may be
 * ended at any moment, and in WebKit a transaction that its worker has left open
 * keeps the stores locked until the browser is closed. The page closes the
 * database when it is left.
 *
 * @import { Store } from "../protocol"
 */

const BATCHES = "batches";
const ASIDE = "aside";
const NOTES = "notes";
/** The notes: the record of how far the log has come, and the first key of what is to replace it. */
const HEAD = "head";
const NEXT = "next";
/** How many values are read at a time. */
const BATCH = 64;

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {Uint8Array[]} parts */
function join(parts) {
  const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    all.set(p, at);
    at += p.length;
  }
  return all;
}

/** @implements {Store} */
export class IDBStore {
  /** Transactions that have not ended. @type {Set<IDBTransaction>} */ #open = new Set();
  /** Where reading has come to: values that were read, and the last one's key. */
  #reading = { at: 0, ready: /** @type {Uint8Array[]} */ ([]), key: /** @type {IDBValidKey} */ (0) };
  /** Whether a replacement has begun of which nothing is written yet. */ #begun = false;

  /** @param {IDBDatabase} db */
  constructor(db) {
    this.db = db;
  }

  /** @param {string} cluster */
  static async open(cluster) {
    const request = indexedDB.open(`tabernetes-${cluster}`, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        request.result.createObjectStore(BATCHES, { autoIncrement: true });
        request.result.createObjectStore(ASIDE);
      }
      request.result.createObjectStore(NOTES);
    };
    const store = new IDBStore(await result(request));
    await store.abort(); // a replacement that the last page has not come to the end of
    return store;
  }

  /**
   * Reads on: at is 0 or where the last piece ended.
   *
   * @param {number} at
   */
  async read(at) {
    if (at === 0) this.#reading = { at: 0, ready: [], key: 0 };
    const reading = this.#reading;
    if (at !== reading.at) throw new Error(`reading at ${at}, not at ${reading.at}`);
    if (reading.ready.length === 0) {
      const tx = this.#begin([BATCHES], "readonly");
      const range = IDBKeyRange.lowerBound(reading.key, true);
      const [values, keys] = await Promise.all([
        result(tx.objectStore(BATCHES).getAll(range, BATCH)),
        result(tx.objectStore(BATCHES).getAllKeys(range, BATCH)),
      ]);
      reading.ready = values;
      reading.key = keys[keys.length - 1] ?? reading.key;
    }
    const piece = reading.ready.shift() ?? new Uint8Array();
    reading.at += piece.length;
    return piece;
  }

  /** @param {Uint8Array} bytes */
  append(bytes) {
    return this.#write([BATCHES], (tx) => {
      tx.objectStore(BATCHES).add(bytes);
      tx.commit();
    });
  }

  begin() {
    this.#begun = true;
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    const first = this.#begun;
    this.#begun = false;
    return this.#write([BATCHES, NOTES], (tx) => {
      const added = tx.objectStore(BATCHES).add(bytes);
      if (!first) return tx.commit();
      added.onsuccess = () => {
        tx.objectStore(NOTES).put(added.result, NEXT);
        tx.commit();
      };
    });
  }

  commit() {
    if (this.#begun) {
      this.#begun = false; // it is replaced by nothing
      return this.#write([BATCHES], (tx) => {
        tx.objectStore(BATCHES).clear();
        tx.commit();
      });
    }
    return this.#end((batches, next) => batches.delete(IDBKeyRange.upperBound(next, true)));
  }

  abort() {
    this.#begun = false;
    return this.#end((batches, next) => batches.delete(IDBKeyRange.lowerBound(next)));
  }

  /**
   * Ends a replacement, if one is under way.
   *
   * @param {(batches: IDBObjectStore, next: IDBValidKey) => void} how
   */
  #end(how) {
    return this.#write([BATCHES, NOTES], (tx) => {
      const next = tx.objectStore(NOTES).get(NEXT);
      next.onsuccess = () => {
        if (next.result !== undefined) {
          how(tx.objectStore(BATCHES), next.result);
          tx.objectStore(NOTES).delete(NEXT);
        }
        tx.commit();
      };
    });
  }

  async head() {
    return (await this.#read(NOTES, (notes) => notes.get(HEAD))) ?? new Uint8Array();
  }

  /** @param {Uint8Array} bytes */
  saveHead(bytes) {
    return this.#write([NOTES], (tx) => {
      tx.objectStore(NOTES).put(bytes, HEAD);
      tx.commit();
    });
  }

  async setAside() {
    const stem = `set-aside-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
    const taken = new Set(await this.listAside());
    let name = `${stem}.log`;
    for (let i = 2; taken.has(name); i++) name = `${stem}-${i}.log`;
    await this.#write([BATCHES, ASIDE], (tx) => {
      const all = tx.objectStore(BATCHES).getAll();
      all.onsuccess = () => {
        tx.objectStore(ASIDE).add(join(all.result), name);
        tx.commit();
      };
    });
    return name;
  }

  async listAside() {
    const keys = await this.#read(ASIDE, (aside) => aside.getAllKeys());
    return keys.map(String);
  }

  /** @param {string} name @returns {Promise<ArrayBuffer>} */
  async readAside(name) {
    const bytes = await this.#read(ASIDE, (aside) => aside.get(name));
    if (!bytes) throw new Error(`nothing was set aside as ${name}`);
    return bytes.buffer;
  }

  /** @param {string} name */
  removeAside(name) {
    return this.#write([ASIDE], (tx) => {
      tx.objectStore(ASIDE).delete(name);
      tx.commit();
    });
  }

  /** Ends the transactions that are under way, and the connection. */
  close() {
    for (const tx of this.#open) {
      try {
        tx.abort();
      } catch {
        // it is being committed already
      }
    }
    this.db.close();
  }

  /**
   * @template T
   * @param {string} store
   * @param {(store: IDBObjectStore) => IDBRequest<T>} ask
   * @returns {Promise<T>}
   */
  #read(store, ask) {
    return result(ask(this.#begin([store], "readonly").objectStore(store)));
  }

  /**
   * Resolves once what body does is durable.
   *
   * @param {string[]} stores
   * @param {(tx: IDBTransaction) => void} body commits
   * @returns {Promise<void>}
   */
  #write(stores, body) {
    return new Promise((resolve, reject) => {
      const tx = this.#begin(stores, "readwrite");
      tx.addEventListener("complete", () => resolve());
      tx.addEventListener("abort", () => reject(tx.error ?? new Error("the transaction was aborted")));
      body(tx);
    });
  }

  /** @param {string[]} stores @param {IDBTransactionMode} mode */
  #begin(stores, mode) {
    const tx = this.db.transaction(stores, mode, { durability: "strict" });
    this.#open.add(tx);
    const over = () => this.#open.delete(tx);
    tx.addEventListener("complete", over);
    tx.addEventListener("abort", over);
    return tx;
  }
}
