// @ts-check
/**
 * Workers for instances: one is always ready, so that a command does not wait for the browser to make one.
 *
 * @import { WorkerLike } from "./instance.js"
 */

export class Workers {
  /** @type {WorkerLike | null} */ #spare = null;

  /** @param {() => WorkerLike} make @param {string} wasmExec the URL of Go's script */
  constructor(make, wasmExec) {
    this.make = make;
    this.wasmExec = wasmExec;
  }

  /** Makes one for later, unless there is one. */
  prepare() {
    this.#spare ??= this.#made();
  }

  /** Hands one out. Call prepare when the page has time. */
  take() {
    const worker = this.#spare ?? this.#made();
    this.#spare = null;
    return worker;
  }

  close() {
    this.#spare?.terminate();
    this.#spare = null;
  }

  #made() {
    const worker = this.make();
    // One that could not be made is not handed out: the next one says why, to who uses it.
    worker.onerror = (event) => {
      event.preventDefault?.();
      if (this.#spare === worker) this.#spare = null;
    };
    worker.postMessage({ type: "prepare", wasmExec: this.wasmExec }, []);
    return worker;
  }
}
