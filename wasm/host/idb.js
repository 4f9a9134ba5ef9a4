// @ts-check
/**
 * A cluster's log in IndexedDB, for browsers without a private file system: one
 * value per append, in the order of their keys. Replace and setAside are each one
 * transaction.
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
    return join(await result(this.db.transaction(BATCHES).objectStore(BATCHES).getAll()));
  }

  /** @param {Uint8Array} bytes */
  append(bytes) {
    return this.#write([BATCHES], (tx) => tx.objectStore(BATCHES).add(bytes));
  }

  /** @param {Uint8Array} bytes */
  replace(bytes) {
    return this.#write([BATCHES], (tx) => {
      tx.objectStore(BATCHES).clear();
      if (bytes.length > 0) tx.objectStore(BATCHES).add(bytes);
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
      };
    });
    return name;
  }

  async listAside() {
    const keys = await result(this.db.transaction(ASIDE).objectStore(ASIDE).getAllKeys());
    return keys.map(String);
  }

  /** @param {string} name @returns {Promise<ArrayBuffer>} */
  async readAside(name) {
    const bytes = await result(this.db.transaction(ASIDE).objectStore(ASIDE).get(name));
    if (!bytes) throw new Error(`nothing was set aside as ${name}`);
    return bytes.buffer;
  }

  close() {
    this.db.close();
  }

  /**
   * Resolves once what body does is durable.
   *
   * @param {string[]} stores
   * @param {(tx: IDBTransaction) => void} body
   * @returns {Promise<void>}
   */
  #write(stores, body) {
    return new Promise((resolve, reject) => {
      const tx = this.db.transaction(stores, "readwrite", { durability: "strict" });
      tx.oncomplete = () => resolve();
      tx.onabort = () => reject(tx.error ?? new Error("the transaction was aborted"));
      body(tx);
    });
  }
}
