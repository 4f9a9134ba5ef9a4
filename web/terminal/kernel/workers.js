// @ts-check
/**
 * Workers for instances: one is always ready, in which the binary has been started and waits for its command.
 *
 * Costs: one that is ready takes as much memory as one that runs.
 *
 * @import { WorkerLike } from "./instance.js"
 */

/** How long after a worker was handed out the next one is made, if nothing asks for it before, in milliseconds. */
const LATER = 1000;

export class Workers {
  /** @type {WorkerLike | null} */ #spare = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #closed = false;

  /** @param {() => WorkerLike} make */
  constructor(make) {
    this.make = make;
  }

  /** Makes one for later, unless there is one. @param {WebAssembly.Module} module */
  prepare(module) {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#spare ??= this.#made(module);
  }

  /**
   * Hands one out. The next is made when prepare is called, or after some time: at once it would take the processor
   * from this one.
   *
   * @param {WebAssembly.Module} module
   */
  take(module) {
    const worker = this.#spare ?? this.#made(module);
    this.#spare = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.prepare(module), LATER);
    return worker;
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#spare?.terminate();
    this.#spare = null;
  }

  /** @param {WebAssembly.Module} module */
  #made(module) {
    const worker = this.make();
    // One that could not be made is not handed out: the next one says why, to who uses it.
    worker.onerror = (event) => {
      event.preventDefault?.();
      if (this.#spare === worker) this.#spare = null;
    };
    worker.postMessage({ type: "prepare", module }, []);
    return worker;
  }
}
