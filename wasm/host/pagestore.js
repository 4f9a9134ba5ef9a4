// @ts-check
/**
 * A store that the page keeps for its worker: the worker's end, and the page's.
 * The page has one connection, whichever worker uses it. See ../PROTOCOL.md.
 *
 * @import { FromStore, Store, ToStore } from "../protocol"
 */
import { IDBStore } from "./idb.js";

/** The worker's end. @implements {Store} */
export class PageStore {
  /** @type {Map<number, (answer: FromStore) => void>} */ #waiting = new Map();
  #last = 0;

  /** @param {MessagePort} port */
  constructor(port) {
    this.port = port;
    port.onmessage = ({ data }) => {
      this.#waiting.get(data.id)?.(data);
      this.#waiting.delete(data.id);
    };
  }

  /** Resolves when the page's store can be used. @returns {Promise<void>} */
  open() {
    return this.#ask({ method: "open" });
  }

  /** @param {number} at @returns {Promise<Uint8Array>} */
  read(at) {
    return this.#ask({ method: "read", at });
  }

  /** @param {Uint8Array} bytes @returns {Promise<void>} */
  append(bytes) {
    return this.#ask({ method: "append", bytes });
  }

  /** @returns {Promise<void>} */
  begin() {
    return this.#ask({ method: "begin" });
  }

  /** @param {Uint8Array} bytes @returns {Promise<void>} */
  write(bytes) {
    return this.#ask({ method: "write", bytes });
  }

  /** @returns {Promise<void>} */
  commit() {
    return this.#ask({ method: "commit" });
  }

  /** @returns {Promise<void>} */
  abort() {
    return this.#ask({ method: "abort" });
  }

  /** @returns {Promise<Uint8Array>} */
  head() {
    return this.#ask({ method: "head" });
  }

  /** @param {Uint8Array} bytes @returns {Promise<void>} */
  saveHead(bytes) {
    return this.#ask({ method: "saveHead", bytes });
  }

  /** @returns {Promise<string>} */
  setAside() {
    return this.#ask({ method: "setAside" });
  }

  /** @returns {Promise<string[]>} */
  listAside() {
    return this.#ask({ method: "listAside" });
  }

  /** @param {string} name @returns {Promise<ArrayBuffer>} */
  readAside(name) {
    return this.#ask({ method: "readAside", name });
  }

  /** @param {string} name @returns {Promise<void>} */
  removeAside(name) {
    return this.#ask({ method: "removeAside", name });
  }

  close() {} // the connection is the page's

  /** @param {Omit<ToStore, "id">} question @returns {Promise<any>} */
  #ask(question) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ value, error }) => (error ? reject(new Error(error)) : resolve(value)));
      // Go has made the bytes for this call alone.
      this.port.postMessage({ ...question, id }, question.bytes ? [question.bytes.buffer] : []);
    });
  }
}

/** The page's end: opened when a worker first asks for it. */
export class StoreKeeper {
  /** @type {Promise<IDBStore> | null} */ #store = null;
  /** @type {MessagePort | null} */ #port = null;

  /**
   * @param {string} cluster
   * @param {(cluster: string) => Promise<IDBStore>} [open]
   */
  constructor(cluster, open = IDBStore.open) {
    this.cluster = cluster;
    this.open = open;
  }

  /**
   * Serves one worker, and no longer the one before: what that has asked for and nobody has read yet must not be
   * written any more.
   *
   * @param {MessagePort} port
   */
  serve(port) {
    this.#port?.close();
    this.#port = port;
    port.onmessage = async ({ data: question }) => {
      /** @type {FromStore} */
      let answer;
      try {
        answer = { id: question.id, value: await this.#answer(question), error: "" };
      } catch (error) {
        answer = { id: question.id, value: null, error: (error instanceof Error && error.message) || String(error) };
      }
      port.postMessage(answer);
    };
  }

  /** @param {ToStore} question @returns {Promise<unknown>} */
  async #answer({ method, bytes = new Uint8Array(), name = "", at = 0 }) {
    this.#store ??= this.open(this.cluster);
    const store = await this.#store.catch((error) => {
      this.#store = null; // the next one tries again
      throw error;
    });
    if (store.closed) {
      this.#store = null;
      throw new Error("the browser has closed the database");
    }
    switch (method) {
      case "open":
        return null;
      case "append":
      case "write":
      case "saveHead":
        return store[method](bytes);
      case "read":
        return store.read(at);
      case "readAside":
      case "removeAside":
        return store[method](name);
      default:
        return store[method]();
    }
  }

  /** Ends what is under way. The next worker opens the store again. */
  close() {
    this.#port?.close();
    this.#port = null;
    this.#store?.then((store) => store.close()).catch(() => {});
    this.#store = null;
  }
}
