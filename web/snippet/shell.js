// @ts-check
/**
 * The shell of a page, with kubectl: one for all of its snippets, in the frame of the cluster, so that what one writes
 * into a file is there for the others. It is loaded when the first command is run. Files are in memory.
 *
 * @import { FromShell, ToShell } from "./messages"
 * @import { Progress } from "../terminal/load.js"
 */
import { Kernel } from "../terminal/kernel/kernel.js";
import { loadBinary } from "../terminal/load.js";
import { isAbsent } from "../browser/absent.js";
import { fileURL } from "../browser/files.js";

/** @typedef {FromShell extends infer M ? M extends any ? Omit<M, "run"> : never : never} Said */

export class Shell {
  /** @type {Kernel | null} */ #kernel = null;
  /** @type {Promise<WebAssembly.Module> | null} */ #module = null;
  /** Those who follow the download. @type {Set<(progress: Progress) => void>} */ #waiting = new Set();
  #terminals = 0;

  /** @param {typeof globalThis.fetch} fetch is answered by the cluster */
  constructor(fetch) {
    this.fetch = fetch;
  }

  /** Begins again, with no files: for another cluster. */
  reset() {
    this.#kernel?.close();
    this.#kernel = null;
  }

  /** Serves a snippet, which has a terminal. @param {MessagePort} port */
  connect(port) {
    const n = ++this.#terminals;
    /** @type {{run: number, stop: () => void} | null} */
    let running = null;
    port.onmessage = async ({ data }) => {
      const m = /** @type {ToShell} */ (data);
      if (m.type === "stop") {
        if (running?.run === m.run) running.stop();
        return;
      }
      const mine = (running = { run: m.run, stop: () => {} });
      const stopped = new Promise((resolve) => (mine.stop = () => resolve(null)));
      await this.#run(n, m.text, stopped, (said) => port.postMessage({ run: m.run, ...said }));
      if (running === mine) running = null;
    };
  }

  /**
   * @param {number} n
   * @param {string} text
   * @param {Promise<unknown>} stopped
   * @param {(m: Said) => void} tell
   */
  async #run(n, text, stopped, tell) {
    const waiting = (/** @type {Progress} */ { loaded, total, building }) =>
      tell({ type: "loading", loaded, total, building });
    this.#waiting.add(waiting);
    const terminal = (this.#kernel ??= this.#start()).terminal(n);
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    const off = [
      terminal.onOutput((bytes, stream) =>
        tell({ type: "output", stream, text: decoders[stream].decode(bytes, { stream: true }) })),
      terminal.onReading((reading) => reading && terminal.endInput()), // nobody types here
    ];
    try {
      const module = await Promise.race([this.#load(), stopped]);
      if (!module) return;
      tell({ type: "started" });
      stopped.then(() => terminal.interrupt(true)).catch(console.error);
      const { status } = await terminal.run(text);
      tell({ type: "ended", status });
    } catch (error) {
      tell({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#waiting.delete(waiting);
      for (const end of off) end();
    }
  }

  #load() {
    this.#module ??= loadBinary({
      isAbsent: isAbsent("kubectl"), base: new URL("../kubectl/", document.baseURI).href,
      fetch: globalThis.fetch.bind(globalThis),
      progress: (progress) => this.#waiting.forEach((tell) => tell(progress)),
      caches: null, // the browser keeps the files as any others: see embed.go
    }).catch((error) => {
      this.#module = null;
      throw error;
    });
    return this.#module;
  }

  #start() {
    return new Kernel({
      fetch: (url, init) => {
        const { pathname, search } = new URL(url);
        return this.fetch(pathname + search, init);
      },
      module: () => this.#load(),
      makeWorker: () => /** @type {any} */ (new Worker(fileURL("terminal-worker.js"))),
      edit: async () => 1,
      origin: location.origin,
    });
  }
}
