// @ts-check
/** What was typed, for each cluster: it is kept, and can be gone through and searched. */

const MOST = 500;
const LONGEST = 20_000;

export class History {
  /** @type {string[]} */ #all = [];
  #place = "";

  /** @param {{getItem(key: string): string | null, setItem(key: string, value: string): void}} storage */
  constructor(storage) {
    this.storage = storage;
  }

  /** The history of the cluster that a place names. @param {string} place */
  of(place) {
    if (place === this.#place) return this;
    this.#place = place;
    this.#all = [];
    try {
      const kept = JSON.parse(this.storage.getItem(this.#key) ?? "[]");
      if (Array.isArray(kept)) this.#all = kept.filter((one) => typeof one === "string");
    } catch {
      // somebody else's
    }
    return this;
  }

  get #key() {
    return `terminal/history/${this.#place}`;
  }

  /** Oldest first. */
  get all() {
    return this.#all;
  }

  /** @param {string} text */
  add(text) {
    if (!text.trim() || text.length > LONGEST || text.startsWith(" ") || this.#all.at(-1) === text) return;
    this.#all.push(text);
    if (this.#all.length > MOST) this.#all.shift();
    this.storage.setItem(this.#key, JSON.stringify(this.#all));
  }

  /**
   * The newest entry before an index that contains a text, and its index; null if no such entry contains it.
   *
   * @param {string} text
   * @param {number} [before]
   */
  find(text, before = this.#all.length) {
    for (let i = before - 1; i >= 0; i--) if (text && this.#all[i].includes(text)) return { at: i, text: this.#all[i] };
    return null;
  }
}
