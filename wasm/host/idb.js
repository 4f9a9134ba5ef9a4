// @ts-check
/**
 * A cluster's log in IndexedDB, for browsers without a private file system: one
 * value per append, in the order of their keys. What is to replace the log is put
 * behind it, from a key on that is noted; one transaction removes what is before that
 * key, and the note. Until then the log ends before that key. A replacement that nobody
 * has come to the end of is removed by the next write, and not when the database is
 * opened: a page that only reads must not end what another one is writing.
 *
 * It is used by the page, not by the worker (see pagestore.js): a worker may be
 * ended at any moment, and in WebKit a transaction that its worker has left open
 * keeps the stores locked until the browser is closed. The page closes the
 * database when it is left.
 *
 * @import { Store } from "../protocol"
 */
import { nameAside } from "./aside.js";

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

/** Where reading begins. */
function start() {
  return {
    at: 0,
    ready: /** @type {Uint8Array[]} */ ([]),
    key: /** @type {IDBValidKey} */ (0),
    first: /** @type {IDBValidKey | undefined} */ (undefined),
  };
}

/**
 * Removes the replacement that is under way, if there is one.
 *
 * @param {IDBTransaction} tx
 */
async function discard(tx) {
  const next = await result(tx.objectStore(NOTES).get(NEXT));
  if (next === undefined) return;
  tx.objectStore(BATCHES).delete(IDBKeyRange.lowerBound(next));
  tx.objectStore(NOTES).delete(NEXT);
}

/** @implements {Store} */
export class IDBStore {
  /** Transactions that have not ended. @type {Set<IDBTransaction>} */ #open = new Set();
  /** Where reading has come to: values that were read, the last one's key, and the log's first. */
  #reading = start();
  /** Whether a replacement has begun of which nothing is written yet. */ #begun = false;
  /** The first key of the replacement that this store writes. @type {IDBValidKey | undefined} */ #next;

  /** Whether nothing can be asked of it any more. */ closed = false;

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
    // A newer page waits for this one to let go. The browser may end a connection, too.
    store.db.onversionchange = () => store.close();
    store.db.onclose = () => store.close();
    return store;
  }

  /**
   * Reads on: at is 0 or where the last piece ended.
   *
   * @param {number} at
   */
  async read(at) {
    if (at === 0) this.#reading = start();
    const reading = this.#reading;
    if (at !== reading.at) throw new Error(`reading at ${at}, not at ${reading.at}`);
    while (reading.ready.length === 0) {
      if (!(await this.#readBatch(reading))) return new Uint8Array();
    }
    const piece = /** @type {Uint8Array} */ (reading.ready.shift());
    reading.at += piece.length;
    return piece;
  }

  /**
   * Returns whether there was more.
   *
   * @param {ReturnType<typeof start>} reading
   */
  async #readBatch(reading) {
    const tx = this.#begin([BATCHES, NOTES], "readonly");
    const batches = tx.objectStore(BATCHES);
    const [next, [first]] = await Promise.all([
      result(tx.objectStore(NOTES).get(NEXT)),
      result(batches.getAllKeys(undefined, 1)),
    ]);
    if (reading.key !== 0 && first !== reading.first) throw new Error("the log was replaced while it was read");
    reading.first = first;
    const range =
      next === undefined
        ? IDBKeyRange.lowerBound(reading.key, true)
        : IDBKeyRange.bound(reading.key, next, true, true);
    const [values, keys] = await Promise.all([
      result(batches.getAll(range, BATCH)),
      result(batches.getAllKeys(range, BATCH)),
    ]);
    reading.ready = values.filter((value) => value.length > 0); // an empty piece would say that the log ends
    reading.key = keys[keys.length - 1] ?? reading.key;
    return keys.length > 0;
  }

  /** @param {Uint8Array} bytes */
  append(bytes) {
    return this.#write([BATCHES, NOTES], async (tx) => {
      await discard(tx);
      tx.objectStore(BATCHES).add(bytes);
    });
  }

  begin() {
    const ended = this.abort(); // what somebody else has left
    this.#begun = true;
    return ended;
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    const first = this.#begun;
    this.#begun = false;
    return this.#write([BATCHES, NOTES], async (tx) => {
      if (!first) await this.#check(tx);
      const added = tx.objectStore(BATCHES).add(bytes);
      if (!first) return;
      const next = await result(added);
      tx.objectStore(NOTES).put(next, NEXT);
      this.#next = next; // which is nobody's key if this transaction fails
    });
  }

  commit() {
    const empty = this.#begun;
    this.#begun = false;
    return this.#write([BATCHES, NOTES], async (tx) => {
      const batches = tx.objectStore(BATCHES);
      if (empty) return void batches.clear();
      const next = await this.#check(tx);
      batches.delete(IDBKeyRange.upperBound(next, true));
      tx.objectStore(NOTES).delete(NEXT);
    });
  }

  abort() {
    this.#begun = false;
    return this.#write([BATCHES, NOTES], discard);
  }

  /**
   * Holds that the replacement under way is the one that this store writes: another page may have taken the log over.
   *
   * @param {IDBTransaction} tx
   */
  async #check(tx) {
    const next = await result(tx.objectStore(NOTES).get(NEXT));
    if (next === undefined || next !== this.#next) throw new Error("no replacement of this page's is under way");
    return next;
  }

  async head() {
    return (await this.#read(NOTES, (notes) => notes.get(HEAD))) ?? new Uint8Array();
  }

  /** @param {Uint8Array} bytes */
  saveHead(bytes) {
    return this.#write([NOTES], (tx) => void tx.objectStore(NOTES).put(bytes, HEAD));
  }

  async setAside() {
    const name = nameAside(await this.listAside());
    await this.#write([BATCHES, NOTES, ASIDE], async (tx) => {
      const next = await result(tx.objectStore(NOTES).get(NEXT));
      const log = next === undefined ? undefined : IDBKeyRange.upperBound(next, true);
      tx.objectStore(ASIDE).add(join(await result(tx.objectStore(BATCHES).getAll(log))), name);
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
    return this.#write([ASIDE], (tx) => void tx.objectStore(ASIDE).delete(name));
  }

  /** Ends the transactions that are under way, and the connection. */
  close() {
    this.closed = true;
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
   * Resolves once what body does is durable. If body throws, nothing of it is done.
   *
   * @param {string[]} stores
   * @param {(tx: IDBTransaction) => void | Promise<void>} body awaits nothing but requests of the transaction
   * @returns {Promise<void>}
   */
  #write(stores, body) {
    return new Promise((resolve, reject) => {
      const tx = this.#begin(stores, "readwrite");
      tx.addEventListener("complete", () => resolve());
      tx.addEventListener("abort", () => reject(tx.error ?? new Error("the transaction was aborted")));
      const run = async () => {
        await body(tx);
        tx.commit();
      };
      run().catch((error) => {
        reject(tx.error ?? error);
        try {
          tx.abort();
        } catch {
          // it is over, which may be why
        }
      });
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
