// @ts-check
/**
 * Downloads the binary of a program, such as kubectl, in the parts that kubectl.json lists, and compiles it.
 *
 * Invariants:
 *   - A part is used only if its size and SHA-256 are those of the list; another one is downloaded again. (Without
 *     crypto.subtle, which needs https or this machine, only the size is compared.)
 *   - Parts that are right are kept at once, so that what is cut off continues with the next part.
 *   - Parts are kept by their names, which have the hash in them; those that the list no longer has are removed.
 *
 * Costs: one part in memory at a time, 24 MB, beside what the browser compiles.
 */

import { fetchProgram } from "../shim/program.js";

/** The cache of a program's parts. The service worker leaves it alone. @param {string} program */
export const cacheOf = (program) => `tabernetes-${program}`;

/** How often a part is asked for, and how long is waited before each further time, in milliseconds. */
const WAITS = [500, 1500, 4000];

/** How long is waited before a server that is building is asked again, in milliseconds. */
const BUILDING = 3000;

const WITHOUT_KUBECTL = "This site was built without kubectl, so there is no terminal in it. All else works, and " +
  "“make build” builds a site that has it.";

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} sha256
 * @property {number} bytes
 * @property {number} brotli
 * @property {number} [gzip] 0: there is no packed file
 */

/**
 * @typedef {object} Progress
 * @property {number} loaded bytes that are there, uncompressed
 * @property {number} total
 * @property {number} download how many bytes are downloaded for all of them, if the server compresses
 * @property {boolean} kept no part had to be downloaded so far
 * @property {boolean} building the server is building it: nothing is downloaded yet
 */

/**
 * Why there is no binary: "missing" if the site has none, "network" if it could not be downloaded, "damaged" if what
 * came was not what the list says, "engine" if the browser could not compile it. The message is a sentence.
 */
export class LoadError extends Error {
  /** @param {"missing" | "network" | "damaged" | "engine"} kind @param {string} message @param {unknown} [cause] */
  constructor(kind, message, cause) {
    super(message, { cause });
    this.kind = kind;
  }
}

/**
 * @typedef {object} Options
 * @property {string} [program] the name of the program: kubectl if it is not given
 * @property {boolean} [isAbsent] the site was built without it, and is not asked
 * @property {string} [absent] a sentence for a site that was built without it
 * @property {string} base the URL of the folder that has kubectl.json, or that of another program
 * @property {typeof globalThis.fetch} fetch the browser's own
 * @property {(progress: Progress) => void} [progress]
 * @property {CacheStorage | null} [caches] null: nothing is kept
 * @property {SubtleCrypto | undefined} [subtle]
 * @property {(milliseconds: number) => Promise<void>} [sleep]
 */

/** @param {Options} options @returns {Promise<WebAssembly.Module>} */
export function loadBinary(options) {
  return new Loading(options).module();
}

class Loading {
  #state = { loaded: 0, total: 0, download: 0, kept: true, building: false };
  /** @type {Cache | null} */ #cache = null;

  /** @param {Options} options */
  constructor({
    program = "kubectl", isAbsent = false, absent = WITHOUT_KUBECTL, base, fetch, progress = () => {},
    caches = globalThis.caches, subtle = globalThis.crypto?.subtle,
    sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  }) {
    this.program = program;
    this.isAbsent = isAbsent;
    this.absent = absent;
    this.base = base;
    this.fetch = fetch;
    this.progress = progress;
    this.caches = caches;
    this.subtle = subtle;
    this.sleep = sleep;
  }

  /** @param {Partial<Progress>} change */
  #tell(change) {
    Object.assign(this.#state, change);
    this.progress({ ...this.#state });
  }

  async module() {
    const parts = await this.#list();
    const sum = (/** @type {"bytes" | "brotli"} */ of) => parts.reduce((n, part) => n + part[of], 0);
    this.#tell({ building: false, total: sum("bytes"), download: sum("brotli") });
    this.#cache = (await this.caches?.open(cacheOf(this.program)).catch(() => null)) ?? null;
    const module = await this.#compile(parts);
    this.#removeOthers(parts).catch(console.error); // they only take space
    return module;
  }

  /** @returns {Promise<Part[]>} */
  async #list() {
    if (this.isAbsent) throw new LoadError("missing", this.absent);
    for (;;) {
      let response;
      try {
        response = await this.fetch(new URL(`${this.program}.json`, this.base));
      } catch (error) {
        const why = `${this.program}: the download failed, since there is no connection to the page's server.`;
        throw new LoadError("network", why, error);
      }
      if (response.status === 503 && response.headers.has("Retry-After")) {
        this.#tell({ building: true });
        await this.sleep(BUILDING);
        continue;
      }
      const list = response.ok ? await response.json().catch(() => null) : null;
      if (Array.isArray(list?.parts) && list.parts.length > 0) return list.parts;
      if (response.status === 500) throw new LoadError("missing", (await response.text()).trim());
      throw new LoadError("missing", this.absent);
    }
  }

  /** @param {Part[]} parts */
  async #compile(parts) {
    /** @type {unknown} */ let failed = null;
    const next = parts[Symbol.iterator]();
    const stream = new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = next.next();
          if (done) controller.close();
          else controller.enqueue(await this.#part(value));
        } catch (error) {
          controller.error((failed = error));
        }
      },
    }, { highWaterMark: 1 });
    const response = new Response(stream, { headers: { "content-type": "application/wasm" } });
    try {
      if (WebAssembly.compileStreaming) return await WebAssembly.compileStreaming(response);
      return await WebAssembly.compile(await response.arrayBuffer());
    } catch (error) {
      if (failed) throw failed;
      throw new LoadError("engine", `The browser could not compile ${this.program}: it may lack memory.`, error);
    }
  }

  /** A part, from the cache or the server. @param {Part} part @returns {Promise<Uint8Array>} */
  async #part(part) {
    const url = new URL(part.name, this.base);
    const before = this.#state.loaded;
    const kept = await this.#kept(url, part);
    if (kept) {
      this.#tell({ loaded: before + part.bytes });
      return kept;
    }
    this.#tell({ kept: false });
    for (let i = 0; ; i++) {
      let error;
      try {
        const bytes = await this.#download(url, part, i > 0);
        if (await this.#isRight(bytes, part)) {
          await this.#keep(url, bytes);
          return bytes;
        }
        error = new LoadError("damaged", `${part.name} was damaged on its way from the page's server.`);
      } catch (thrown) {
        error = thrown instanceof LoadError ? thrown
          : new LoadError("network", `The download of ${this.program} was cut off. What has arrived is kept.`, thrown);
      }
      this.#tell({ loaded: before });
      if (i === WAITS.length) throw error;
      await this.sleep(WAITS[i]);
    }
  }

  /** @param {URL} url @param {Part} part @param {boolean} again the browser's own copy is not to be taken */
  async #download(url, part, again) {
    const response = await (again ? this.fetch(url, { cache: "reload" })
      : fetchProgram(this.fetch, url.href, (part.gzip ?? 0) > 0));
    if (!response.ok || !response.body) {
      throw new LoadError("missing", `The page's server no longer has ${part.name}: reload the page.`);
    }
    const before = this.#state.loaded;
    const bytes = new Uint8Array(part.bytes);
    let length = 0;
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      if (length + value.length > part.bytes) {
        await reader.cancel();
        return new Uint8Array(0); // another file than the list has
      }
      bytes.set(value, length);
      length += value.length;
      this.#tell({ loaded: before + length });
    }
    return bytes.subarray(0, length);
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes @param {Part} part */
  async #isRight(bytes, part) {
    if (bytes.length !== part.bytes) return false;
    if (!this.subtle) return true;
    const hash = new Uint8Array(await this.subtle.digest("SHA-256", bytes));
    return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("") === part.sha256;
  }

  /** A part that is kept, if it is right. @param {URL} url @param {Part} part */
  async #kept(url, part) {
    try {
      const response = await this.#cache?.match(url);
      if (!response) return null;
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (await this.#isRight(bytes, part)) return bytes;
      await this.#cache?.delete(url);
    } catch (error) {
      console.error(error);
    }
    return null;
  }

  /** @param {URL} url @param {Uint8Array<ArrayBuffer>} bytes */
  async #keep(url, bytes) {
    try {
      await this.#cache?.put(url, new Response(bytes, { headers: { "content-type": "application/wasm" } }));
    } catch (error) {
      console.error(error); // there is no space: it is downloaded again the next time
    }
  }

  /** @param {Part[]} parts */
  async #removeOthers(parts) {
    const wanted = new Set(parts.map((part) => new URL(part.name, this.base).href));
    for (const request of (await this.#cache?.keys()) ?? []) {
      if (!wanted.has(request.url)) await this.#cache?.delete(request);
    }
  }
}
