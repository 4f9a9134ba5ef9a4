// @ts-check
/**
 * What a snippet shows: the fields of its block, each of which can be changed and run, and how the cluster is.
 *
 * @import { FromFrame } from "./messages"
 */
import { words } from "./field.js";
import { make } from "./make.js";

/** @import { Field } from "./field.js" */

export class Snippet {
  /** @type {Field[]} */ fields = [];
  #note = make("p", { role: "status", class: "note" });
  /** The field that is run as soon as there is a cluster. @type {Field | null} */ #first = null;

  /**
   * @param {HTMLElement} place
   * @param {() => Field[]} read makes the fields of its block
   * @param {() => void} reset begins the page's cluster again
   */
  constructor(place, read, reset) {
    const again = make("button", { type: "button", class: "quiet",
      title: "Begin again with a new cluster, for all snippets of this page" }, "Reset");
    again.onclick = reset;
    place.append(this.#note);
    try {
      this.fields = read();
      this.#first = this.fields[0];
    } catch (error) {
      this.#note.textContent = words(error);
      this.#note.classList.add("error");
    }
    place.append(...this.fields.map(({ section }) => section), make("div", { class: "foot" }, again));
    this.#first?.button.focus();
  }

  /** Says how the cluster is, and runs the first request when it is ready. @param {FromFrame} state */
  tell(state) {
    if (this.fields.length === 0) return;
    this.#note.classList.toggle("error", state.tabernetes === "failed");
    if (state.tabernetes === "loading") {
      const come = state.loaded > 0 ? ` (${(state.loaded / 1e6).toFixed(0)} MB unpacked)` : "";
      if (!this.#note.textContent || come) this.#note.textContent = `Starting an API server in this page …${come}`;
    } else if (state.tabernetes === "failed") this.#note.textContent = `The API server did not start: ${state.reason}`;
    else if (state.tabernetes === "ready") {
      this.#note.textContent = "";
      const first = this.#first;
      this.#first = null;
      first?.run();
    }
  }

  /** Forgets all answers: the cluster is another one. */
  clear() {
    for (const field of this.fields) field.clear();
    this.#first = null;
  }
}
