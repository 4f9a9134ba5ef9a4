// @ts-check
/**
 * The requests of the terminal's commands, as the page's tap reports them. A request is kept until it is forgotten.
 *
 * @import { TapEvent } from "../../../shim/tabernetes"
 * @import { Asked } from "./request.js"
 */

/** How many characters of an answer are kept if the server does not say where it comes from, or what it did. */
const KEPT = 64 << 10;

export class Exchanges {
  /** @type {Map<number, Asked>} */ #all = new Map();
  #changed;
  /** How often the cluster of a place was replaced. @type {Map<string, number>} */ #replaced = new Map();

  /**
   * @param {(listener: (event: TapEvent) => void) => () => void} onTap
   * @param {(id: number) => void} changed receives the id of a request that has changed
   * @param {() => string} [place] where requests go now
   */
  constructor(onTap, changed, place = () => "") {
    this.#changed = changed;
    this.place = place;
    this.was = place();
    this.close = onTap((event) => this.#take(event));
  }

  /** Which cluster requests go to now. */
  get here() {
    return this.#cluster(this.place());
  }

  /** @param {string} place */
  #cluster(place) {
    return `${place} ${this.#replaced.get(place) ?? 0}`;
  }

  /** The cluster of the stage is another one. */
  moved() {
    const place = this.place();
    if (place === this.was) this.#replaced.set(place, (this.#replaced.get(place) ?? 0) + 1);
    this.was = place;
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
        body: event.body ?? "", status: 0, source: "", cluster: this.#cluster(event.place ?? ""),
      });
      return this.#changed(event.id);
    }
    const r = this.#all.get(event.id);
    if (!r) return;
    if (event.type === "head") {
      r.status = event.status ?? 0;
      r.source = event.source ?? "";
    } else if (event.type === "chunk") {
      // Only the answer says what happened to a deleted object, and what a review decided.
      const { answer = "" } = r;
      const alone = !r.source || r.method === "DELETE" || /reviews(\?|$)/.test(r.url);
      if (alone && answer.length < KEPT) r.answer = answer + event.text;
      return;
    } else {
      r.over = true;
      if (event.type === "fail" && !event.aborted) r.error = event.error ?? "failed";
      else if (!r.status) r.error = "aborted";
    }
    this.#changed(event.id);
  }
}
