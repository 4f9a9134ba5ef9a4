// @ts-check
/**
 * What the collection was at every revision, and whether a store is equal to it.
 *
 * A restore from a backup begins another epoch: from then on the same revisions mean something else. Within an epoch
 * the collection is what it was at the epoch's beginning, and the changes since, in the order of their revisions.
 */

/**
 * An object as it is compared.
 *
 * @typedef {object} Observed
 * @property {string} key the name, or what stands for it in something that has none
 * @property {string} uid
 * @property {number} rev the revision of its version, NaN if it has none
 * @property {string} text all of it, in one order of fields
 */

/**
 * @typedef {{rev: number, key: string, observed: Observed | null}} Change
 *   the object as it is from rev on, null when it is gone
 */
/** @typedef {{first: number, base: Map<string, Observed>, changes: Change[]}} Epoch */
/** A place in the collection's history. @typedef {{epoch: number, rev: number}} Place */

/** JSON with the fields of objects in alphabetical order. @param {unknown} value @returns {string} */
export function canonicalJSON(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJSON).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([, v]) => v !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([k, v]) => JSON.stringify(k) + ":" + canonicalJSON(v)).join()}}`;
}

/**
 * How an object is compared: without kind and apiVersion, which the items of a list lack.
 *
 * @param {any} object
 * @param {(version: string) => number} revision what a version stands for
 * @returns {Observed}
 */
export function observed(object, revision) {
  const meta = object?.metadata ?? {};
  const rev = revision(String(meta.resourceVersion));
  if (typeof object !== "object" || object === null || typeof meta.name !== "string") {
    return { key: `?${canonicalJSON(object).slice(0, 80)}`, uid: "", rev, text: canonicalJSON(object) };
  }
  const { kind, apiVersion, metadata, ...rest } = object;
  const text = canonicalJSON({ ...rest, metadata: { ...metadata, resourceVersion: rev } });
  return { key: meta.name, uid: String(meta.uid), rev, text };
}

export class Truth {
  /** @type {Epoch[]} */ epochs = [];

  /** The present epoch. */
  get epoch() {
    return this.epochs.length - 1;
  }

  /** Begins an epoch. @param {number} first its first revision @param {Iterable<Observed>} objects */
  begin(first, objects) {
    this.epochs.push({ first, base: new Map([...objects].map((o) => [o.key, o])), changes: [] });
  }

  /** @param {Change} change */
  record(change) {
    this.epochs[this.epoch].changes.push(change);
  }

  /** The collection at a place. @param {Place} place */
  at({ epoch, rev }) {
    const { base, changes } = this.epochs[epoch];
    const state = new Map(base);
    for (const c of changes) {
      if (c.rev > rev) break;
      if (c.observed) state.set(c.key, c.observed);
      else state.delete(c.key);
    }
    return state;
  }

  /** The collection as it is now. */
  now() {
    return this.at({ epoch: this.epoch, rev: Infinity });
  }

  /** The last change up to a place. @param {Place} place */
  lastChange({ epoch, rev }) {
    return this.epochs[epoch].changes.findLast((c) => c.rev <= rev);
  }
}

/**
 * What is different under a key.
 * @typedef {{key: string, have: Observed | undefined, want: Observed | undefined}} Difference
 */

/** A store, compared with the collection at a place. What it costs to continue is what changes. */
export class Mirror {
  /** @type {Map<string, Observed>} */ store = new Map();
  /** @type {Map<string, Observed>} */ #truth = new Map();
  /** The keys under which the two differ. @type {Set<string>} */ #different = new Set();
  #next = 0;
  /** @type {Place} */ #place = { epoch: -1, rev: 0 };

  /** @param {Truth} truth */
  constructor(truth) {
    this.truth = truth;
  }

  /** @param {string} key */
  #look(key) {
    if (this.store.get(key)?.text === this.#truth.get(key)?.text) this.#different.delete(key);
    else this.#different.add(key);
  }

  /** @param {Observed} observed */
  put(observed) {
    this.store.set(observed.key, observed);
    this.#look(observed.key);
  }

  /** @param {string} key */
  remove(key) {
    this.store.delete(key);
    this.#look(key);
  }

  /** @param {Observed[]} objects */
  replace(objects) {
    this.store = new Map(objects.map((s) => [s.key, s]));
    this.#all();
  }

  #all() {
    this.#different.clear();
    for (const key of new Set([...this.store.keys(), ...this.#truth.keys()])) this.#look(key);
  }

  /** Compares with another place from now on. @param {Place} place */
  moveTo(place) {
    const { changes } = this.truth.epochs[place.epoch];
    const ahead = place.epoch === this.#place.epoch && place.rev >= this.#place.rev;
    if (!ahead) {
      this.#truth = this.truth.at(place);
      this.#next = changes.findIndex((c) => c.rev > place.rev);
      if (this.#next < 0) this.#next = changes.length;
      this.#place = place;
      this.#all();
      return;
    }
    this.#place = place;
    for (; this.#next < changes.length && changes[this.#next].rev <= place.rev; this.#next++) {
      const { key, observed } = changes[this.#next];
      if (observed) this.#truth.set(key, observed);
      else this.#truth.delete(key);
      this.#look(key);
    }
  }

  /** @returns {Difference[]} */
  differences() {
    return [...this.#different].map((key) => ({ key, have: this.store.get(key), want: this.#truth.get(key) }));
  }
}
