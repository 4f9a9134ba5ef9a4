// @ts-check
/**
 * A cluster's log in IndexedDB, for browsers without a private file system: one
 * value per append, in the order of their keys. Replace and setAside are each one
 * transaction.
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

  /** @param {IDBDatabase} db */
  constructor(db) {
    this.db = db;
  }

  /** @param {string} cluster */
  static async open(cluster) {
    const request = indexedDB.open(`tabernetes-${cluster}`, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(BATCHES, { autoIncrement: true });
      request.result.createObjectStore(ASIDE);
    };
    return new IDBStore(await result(request));
  }

  async read() {
    return join(await this.#read(BATCHES, (batches) => batches.getAll()));
  }

  /** @param {Uint8Array} bytes */
  append(bytes) {
    return this.#write([BATCHES], (tx) => {
      tx.objectStore(BATCHES).add(bytes);
      tx.commit();
    });
  }

  /** @param {Uint8Array} bytes */
  replace(bytes) {
    return this.#write([BATCHES], (tx) => {
      tx.objectStore(BATCHES).clear();
      if (bytes.length > 0) tx.objectStore(BATCHES).add(bytes);
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
        tx.objectStore(BATCHES).clear();
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
