// @ts-check
/**
 * The terminal's files in IndexedDB: a value for each path of each place.
 *
 * Invariants:
 *   - A write is one transaction, which is committed as soon as it has all requests: it survives the page.
 *   - Scenes begin without files, and leave none.
 *   - A database that this page has open does not keep another one from replacing it.
 *
 * @import { Kept, Storage } from "./kernel/places.js"
 */

const NAME = "tabernetes-terminal";
const FILES = "files";

/** @param {string} place a word, or a URL @param {string} path */
const keyOf = (place, path) => `${place}\n${path}`;

/** Whether a place is that of a scene, which has a number of this page. @param {string} place */
const isScene = (place) => /^scene \d+$/.test(place);

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
function ended(transaction) {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    const why = () => transaction.error ?? new Error("the browser's storage gave up");
    transaction.addEventListener("abort", () => reject(why()));
  });
}

/** @implements {Storage} */
export class KeptFiles {
  /** @type {Promise<IDBDatabase> | null} */ #database = null;

  /** @param {IDBFactory} [factory] @param {typeof IDBKeyRange} [range] */
  constructor(factory = indexedDB, range = IDBKeyRange) {
    this.factory = factory;
    this.range = range;
  }

  /** @returns {Promise<IDBDatabase>} */
  #open() {
    this.#database ??= new Promise((resolve, reject) => {
      const request = this.factory.open(NAME, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(FILES);
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const database = request.result;
        database.onversionchange = () => {
          database.close();
          this.#database = null;
        };
        resolve(database);
      };
    });
    return this.#database;
  }

  /** @param {string} place @returns {Promise<Kept[]>} */
  async read(place) {
    if (isScene(place)) return [];
    const transaction = (await this.#open()).transaction([FILES], "readonly");
    const request = transaction.objectStore(FILES).getAll(this.range.bound(keyOf(place, ""), keyOf(place, "\uffff")));
    await ended(transaction);
    return request.result;
  }

  /** @param {string} place @param {string[]} remove @param {Kept[]} put */
  async write(place, remove, put) {
    if (isScene(place)) return;
    const transaction = (await this.#open()).transaction([FILES], "readwrite");
    const files = transaction.objectStore(FILES);
    for (const path of remove) {
      files.delete(keyOf(place, path));
      files.delete(this.range.bound(keyOf(place, `${path}/`), keyOf(place, `${path}/\uffff`)));
    }
    for (const kept of put) files.put(kept, keyOf(place, kept.path));
    transaction.commit?.();
    await ended(transaction);
  }
}
