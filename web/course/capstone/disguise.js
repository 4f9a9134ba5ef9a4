// @ts-check
/**
 * Versions and tokens as the client sees them. Plain ones are the server's own; in disguise each is a random text, the
 * same one for the same version, and the order of a list's items says nothing.
 *
 * @import { Random } from "./random.js"
 */

export class Disguise {
  /** @type {Map<string, string>} */ #out = new Map();
  /** @type {Map<string, string>} */ #in = new Map();

  /** @param {Random} draw @param {boolean} on @param {boolean} shuffle whether items are shuffled */
  constructor(draw, on, shuffle) {
    this.draw = draw;
    this.on = on;
    this.shuffle = shuffle;
  }

  /** @param {string} real @param {number} length */
  #cover(real, length) {
    let text = this.#out.get(real);
    if (text === undefined) {
      this.#out.set(real, (text = this.draw.text(length)));
      this.#in.set(text, real);
    }
    return text;
  }

  /** What a client sees for a version. @param {string} real */
  version(real) {
    return this.on && real !== "" && real !== "0" ? this.#cover(real, 12) : real;
  }

  /** What a client sees for a token. @param {string} real */
  token(real) {
    return this.on && real !== "" ? this.#cover(real, 40) : real;
  }

  /** What the server has for a version or token of a client. @param {string} shown */
  real(shown) {
    return this.on ? (this.#in.get(shown) ?? shown) : shown;
  }

  /** The revision that a version of a client stands for, NaN if none does. @param {string} shown */
  revision(shown) {
    const real = this.on ? (this.#in.get(shown) ?? "") : shown;
    return /^[0-9]+$/.test(real) ? Number(real) : NaN;
  }

  /**
   * Whether a version may be one that the client was given: in disguise that is known, else it only has to be a number.
   *
   * @param {string} shown
   */
  knows(shown) {
    return !Number.isNaN(this.revision(shown));
  }

  /** Changes the metadata of an object, a list or a Status. @param {any} meta */
  #meta(meta) {
    if (meta?.resourceVersion) meta.resourceVersion = this.version(meta.resourceVersion);
    if (meta?.continue) meta.continue = this.token(meta.continue);
  }

  /** What a client sees of an answer or an event's object: changes it. @param {any} body */
  cover(body) {
    if (Array.isArray(body.items) && this.shuffle) body.items = this.draw.shuffled(body.items);
    if (!this.on) return;
    this.#meta(body.metadata);
    if (body.kind === "Status" && typeof body.message === "string")
      body.message = body.message.replace(/[0-9]{2,}/g, "...");
    for (const item of body.items ?? []) this.#meta(item.metadata);
  }

  get changes() {
    return this.on || this.shuffle;
  }
}
