// @ts-check
/**
 * The evaluator of CEL: a separate WebAssembly program, cel.wasm beside this script, which is downloaded, compiled
 * and run when the first rule or policy needs it.
 *
 * Invariants:
 *   - The program is used only if its size and SHA-256 are those that cel.json says. (Without crypto.subtle, which
 *     needs https or this machine, only the size is compared.)
 *   - What is right is kept in its own cache, by its hash, so that it is there offline; what is kept of other
 *     versions is removed. The service worker leaves that cache alone, and keeps cel.json itself.
 *   - A program that could not be had, or that ended, is asked for again the next time.
 *
 * @import { CelProgress, CelRun } from "../protocol"
 */
import { inGzip } from "./gzip.js";

/** The cache of the program. */
export const CACHE = "tabernetes-cel";

/** The name of the object by which the program and this script find each other. */
const NAME = "tabernetesCEL";

/** The caches, which are not asked for before they are needed: some browsers throw where storage is blocked. */
function allowedCaches() {
  try {
    return globalThis.caches;
  } catch {
    return undefined;
  }
}

/**
 * @typedef {object} Options
 * @property {string} base the URL of the folder that has cel.json
 * @property {(argv: string[], module: WebAssembly.Module) => Promise<void>} run resolves when the program has ended
 * @property {(progress: CelProgress) => void} progress
 * @property {typeof globalThis.fetch} [fetch]
 * @property {CacheStorage} [caches]
 * @property {SubtleCrypto} [subtle]
 */

export class Cel {
  /** @type {Promise<CelRun> | null} */ #run = null;

  /** @param {Options} options */
  constructor({
    base, run, progress, fetch = (...args) => globalThis.fetch(...args), caches,
    subtle = globalThis.crypto?.subtle,
  }) {
    this.base = base;
    this.run = run;
    this.progress = progress;
    this.fetch = fetch;
    this.caches = caches;
    this.subtle = subtle;
  }

  /** The running program, as a function that answers a call. It rejects with the reason if none exists. */
  get() {
    if (this.#run) return this.#run;
    const started = this.#start();
    this.#run = started;
    started.then(() => this.progress({ loaded: 0, total: 0, problem: "" }), (error) => {
      if (this.#run === started) this.#run = null;
      this.progress({ loaded: 0, total: 0, problem: error instanceof Error ? error.message : String(error) });
    });
    return started;
  }

  /** @returns {Promise<CelRun>} */
  async #start() {
    const module = await this.#module();
    return new Promise((resolve, reject) => {
      let ended = false;
      const ready = (/** @type {CelRun} */ answer) => resolve((message) => (ended ? null : answer(message)));
      Object.assign(globalThis, { [NAME]: { ready } });
      const end = () => {
        ended = true;
        this.#run = null;
        reject(new Error("the evaluator of CEL expressions has ended"));
      };
      this.run(["cel", NAME], module).then(end, end);
    });
  }

  async #module() {
    const about = await this.#about();
    const cache = (await (this.caches ?? allowedCaches())?.open(CACHE).catch(() => null)) ?? null;
    const url = new URL(`/${CACHE}/${about.sha256}.wasm`, this.base).href;
    const kept = await (await cache?.match(url))?.arrayBuffer();
    let bytes = kept ? new Uint8Array(kept) : null;
    if (!bytes || !(await this.#isRight(bytes, about))) {
      bytes = await this.#download(about);
      await this.#keep(cache, url, bytes).catch(console.error); // no space: it is downloaded again the next time
    }
    return WebAssembly.compile(bytes);
  }

  /** @returns {Promise<{sha256: string, bytes: number, packed: boolean}>} */
  async #about() {
    const response = await this.fetch(new URL("cel.json", this.base)).catch(() => null);
    if (!response) throw new Error("there is no connection to the page's server");
    const about = response.ok ? await response.json().catch(() => null) : null;
    if (!about?.sha256) throw new Error("this site was built without it");
    return about;
  }

  /** @param {{sha256: string, bytes: number, packed: boolean}} about @returns {Promise<Uint8Array<ArrayBuffer>>} */
  async #download(about) {
    const url = new URL("cel.wasm", this.base).href;
    for (const again of [false, true]) {
      const bytes = await this.#read(url, about, again);
      if (await this.#isRight(bytes, about)) return bytes;
    }
    throw new Error("cel.wasm was damaged on its way from the page's server");
  }

  /** @param {string} url @param {{bytes: number, packed: boolean}} about @param {boolean} again not from a cache */
  async #read(url, { bytes: total, packed }, again) {
    /** @type {RequestInit} */ const init = again ? { cache: "reload" } : {};
    const cut = () => new Error("the download of cel.wasm was cut off");
    const ask = async (/** @type {string} */ from) => {
      const response = await this.fetch(from, init).catch(() => null);
      if (!response) throw cut();
      if (!response.ok || !response.body) throw new Error(`the page's server has no cel.wasm (${response.status})`);
      return response;
    };
    const response = await ask(url);
    let body = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body);
    let unpacks = false;
    if (packed && !again && !response.headers.has("content-encoding")) { // a host that does not compress
      const small = await inGzip(this.fetch, url).catch(() => null);
      if (small?.body) {
        await body.cancel();
        unpacks = !small.headers.has("content-encoding");
        body = small.body;
      }
    }
    const bytes = new Uint8Array(total);
    let loaded = 0;
    for (const reader = body.getReader(); ; ) {
      const { done, value } = await reader.read().catch(() => {
        if (unpacks) return { done: /** @type {const} */ (true), value: undefined }; // damaged: it is too short then
        throw cut();
      });
      if (done) return bytes.subarray(0, loaded);
      if (loaded + value.length > total) {
        await reader.cancel();
        return new Uint8Array(0); // another file
      }
      bytes.set(value, loaded);
      loaded += value.length;
      this.progress({ loaded, total, problem: "" });
    }
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes @param {{sha256: string, bytes: number}} about */
  async #isRight(bytes, { sha256, bytes: size }) {
    if (bytes.length !== size) return false;
    if (!this.subtle) return true;
    const hash = new Uint8Array(await this.subtle.digest("SHA-256", bytes));
    return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
  }

  /** @param {Cache | null} cache @param {string} url @param {Uint8Array<ArrayBuffer>} bytes */
  async #keep(cache, url, bytes) {
    if (!cache) return;
    await cache.put(url, new Response(bytes, { headers: { "content-type": "application/wasm" } }));
    for (const request of await cache.keys()) if (request.url !== url) await cache.delete(request);
  }
}
