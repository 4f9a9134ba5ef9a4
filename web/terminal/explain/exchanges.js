// @ts-check
/**
 * The requests of the terminal's commands, as the page's tap reports them. A request is kept until it is forgotten.
 *
 * @import { TapEvent } from "../../shim/tabernetes"
 * @import { Asked } from "./request.js"
 */

/** How much of an answer is kept where the server does not say what it is of. */
const KEPT = 64 << 10;

export class Exchanges {
  /** @type {Map<number, Asked>} */ #all = new Map();
  #changed;

  /**
   * @param {(listener: (event: TapEvent) => void) => () => void} onTap
   * @param {(id: number) => void} changed is told which request has changed
   */
  constructor(onTap, changed) {
    this.#changed = changed;
    this.close = onTap((event) => this.#take(event));
  }

  /** @param {number} id */
  get(id) {
    return this.#all.get(id);
  }

  /** @param {Iterable<number>} ids */
  forget(ids) {
    for (const id of ids) this.#all.delete(id);
  }

  /** @param {TapEvent} event */
  #take(event) {
    if (event.type === "request") {
      if (/** @type {string} */ (event.origin) !== "terminal") return;
      this.#all.set(event.id, {
        id: event.id, method: event.method ?? "GET", url: event.url ?? "", headers: event.headers ?? [],
        body: event.body ?? "", status: 0, source: "",
      });
      return this.#changed(event.id);
    }
    const r = this.#all.get(event.id);
    if (!r) return;
    if (event.type === "head") {
      r.status = event.status ?? 0;
      r.source = event.source ?? "";
    } else if (event.type === "chunk") {
      if (!r.source && (r.answer ?? "").length < KEPT) r.answer = (r.answer ?? "") + event.text;
      return;
    } else {
      r.over = true;
      if (event.type === "fail" && !event.aborted) r.error = event.error ?? "failed";
      else if (!r.status) r.error = "aborted";
    }
    this.#changed(event.id);
  }
}
