// @ts-check
/** Says how far kubectl is loaded, or why it could not be. */
import { h, size } from "./dom.js";

export class LoadStatus {
  #over = false;

  /** @param {HTMLElement} el @param {() => Promise<unknown>} again */
  constructor(el, again) {
    this.el = el;
    this.bar = h("progress", { max: "1", "aria-label": "Download of kubectl" });
    this.words = h("span", {});
    this.again = h("button", { type: "button", class: "button", onclick: () => again().catch(() => {}) }, "Try again");
  }

  begin() {
    this.#over = false;
    this.bar.removeAttribute("value");
    this.words.textContent = "Loading kubectl …";
    this.words.className = "soft";
    this.el.replaceChildren(this.bar, this.words);
    this.el.hidden = false;
  }

  /** @param {import("./panel.js").Progress} p */
  progress({ loaded, total, download = 0, kept, building }) {
    if (this.#over) return;
    if (total > 0) this.bar.value = loaded / total;
    const whole = download || total;
    this.words.textContent = building ? "The server is building kubectl, which takes minutes the first time."
      : kept ? "Opening kubectl …"
      : `kubectl v1.36.3: ${size((loaded / total) * whole)} of ${size(whole)}, once; it works offline afterwards.`;
  }

  done() {
    this.#over = true;
    this.el.hidden = true;
  }

  /** @param {string} sentence */
  failed(sentence) {
    this.#over = true;
    this.words.textContent = sentence;
    this.words.className = "error";
    this.el.replaceChildren(this.words, this.again);
    this.el.hidden = false;
  }
}
