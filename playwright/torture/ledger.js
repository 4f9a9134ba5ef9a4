// @ts-check
// What the page was answered and shown since the last check, and the comparison with what its cluster tells after a
// kill. The same as the ledger of devserver/internal/torture, without what needs the beginnings of requests: of the
// page's words only those are known that it could say before it was killed.

/**
 * @typedef {object} Version an object from one revision on, or its deletion
 * @property {string} key
 * @property {number} revision
 * @property {string} hash of the whole object
 * @property {string} uid
 * @property {string} token which names the write that made it
 * @property {boolean} [deleted]
 *
 * @typedef {Record<string, Version>} State the objects that there are, by their keys
 *
 * @typedef {object} History
 * @property {number} head where the cluster was when it had started
 * @property {number} shown the greatest revision that was shown before
 * @property {number} from where it begins
 * @property {State} state what there was then
 * @property {Version[]} events what has happened since, in order
 * @property {number} end where it ends
 */

export const FAULTS = /** @type {const} */ (["lost", "shown and gone", "reused", "diverged"]);

/** How many findings are reported in full. */
const DETAILS = 20;

/** @param {Version | undefined} v */
export const words =
  (v) => (v ? `${v.revision} ${v.deleted ? "deletes " : ""}${v.key} = ${v.token} (${v.hash})` : "nothing");

/** @param {Version | undefined} a @param {Version | undefined} b */
export const same = (a, b) => words(a) === words(b) && a?.uid === b?.uid;

/** Where two states differ; empty if they do not. @param {State} a @param {State} b */
export function difference(a, b) {
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (!same(a[key], b[key])) return `${words(a[key])}, and ${words(b[key])}`;
  }
  return "";
}

/** @param {State} state @param {Version} v */
export function apply(state, v) {
  if (v.deleted) delete state[v.key];
  else state[v.key] = v;
}

export class Ledger {
  counts = Object.fromEntries(FAULTS.map((fault) => [fault, 0]));
  /** @type {string[]} */ texts = [];
  figures = { acknowledged: 0, shown: 0 };
  base = 0;
  head = 0;
  /** @type {State} */ state = {};
  /** @type {Map<number, {v: Version, by: string, acknowledged: boolean}>} */ #versions = new Map();
  /** Acknowledged: uid to key. @type {Map<string, string>} */ #deletions = new Map();
  /** @type {Set<string>} */ #refused = new Set();
  /** @type {{by: string, revision: number, state: State}[]} */ #lists = [];

  /** @param {typeof FAULTS[number]} fault @param {string} text */
  add(fault, text) {
    this.counts[fault]++;
    if (this.texts.length < DETAILS) this.texts.push(`${fault}: ${text}`);
  }

  get findings() {
    return Object.values(this.counts).reduce((sum, n) => sum + n);
  }

  /** Forgets all but what was checked. @param {number} base @param {State} state */
  begin(base, state) {
    this.base = this.head = base;
    this.state = state;
    this.#versions.clear();
    this.#deletions.clear();
    this.#refused.clear();
    this.#lists = [];
  }

  /** @param {string} by @param {Version} v */
  show(by, v, acknowledged = false) {
    this.figures.shown++;
    if (acknowledged) this.figures.acknowledged++;
    this.showHead(v.revision);
    if (v.revision <= this.base) {
      if (!same(this.state[v.key], v)) {
        const was = words(this.state[v.key]);
        this.add("reused", `${by} was shown ${words(v)}, but at revision ${this.base} there was ${was}`);
      }
      return;
    }
    const known = this.#versions.get(v.revision);
    if (known && !same(known.v, v)) {
      this.add("reused", `${by} was shown ${words(v)}, but ${known.by} was shown ${words(known.v)}`);
      return;
    }
    this.#versions.set(v.revision, { v, by, acknowledged: acknowledged || Boolean(known?.acknowledged) });
  }

  /** @param {number} revision of a list, or of a bookmark */
  showHead(revision) {
    this.head = Math.max(this.head, revision);
  }

  /** @param {string} by @param {number} revision @param {Version[]} items */
  showList(by, revision, items) {
    for (const v of items) this.show(by, v);
    this.showHead(revision);
    this.#lists.push({ by, revision, state: Object.fromEntries(items.map((v) => [v.key, v])) });
  }

  /** @param {string} key @param {string} uid */
  acknowledgeDeletion(key, uid) {
    this.figures.acknowledged++;
    this.#deletions.set(uid, key);
  }

  /** @param {string} token of a write that was answered with an error that says it has no effect */
  refuse(token) {
    this.#refused.add(token);
  }

  /**
   * Compares a history with what was shown, and continues from its end.
   *
   * @param {History} h
   * @returns {State} what there is at its end
   */
  check(h) {
    if (h.head < h.shown) this.add("shown and gone", `revision ${h.shown} was shown; the cluster is at ${h.head}`);
    const moved = difference(this.state, h.state);
    if (moved) this.add("diverged", `at revision ${this.base} there was, and is: ${moved}`);
    const events = new Map(h.events.map((e) => [e.revision, e]));
    for (const [revision, { v, by, acknowledged }] of this.#versions) {
      const e = events.get(revision);
      if (!e) {
        const what = acknowledged ? "lost" : "shown and gone";
        this.add(what, `${by} was shown ${words(v)}, of which the history knows nothing`);
      } else if (!same(e, v)) this.add("reused", `${by} was shown ${words(v)}, but the history has ${words(e)}`);
      if (e && acknowledged && !same(e, v)) this.add("lost", `${words(v)} was acknowledged to ${by}`);
    }
    const deleted = new Set(h.events.filter((e) => e.deleted).map((e) => e.uid));
    for (const [uid, key] of this.#deletions) {
      if (!deleted.has(uid))
        this.add("lost", `the deletion of ${key}, uid ${uid}, was acknowledged; the history knows nothing of it`);
    }
    this.#checkTokens(h);
    const end = this.#checkLists(h);
    this.begin(h.end, end);
    return end;
  }

  /** @param {History} h */
  #checkTokens(h) {
    const seen = new Set();
    for (const e of h.events) {
      if (e.deleted) continue;
      if (this.#refused.has(e.token)) this.add("diverged", `the write of ${words(e)} was refused`);
      if (seen.has(e.token)) this.add("diverged", `${words(e)} took effect before`);
      seen.add(e.token);
    }
  }

  /** @param {History} h */
  #checkLists(h) {
    const lists = this.#lists.toSorted((a, b) => a.revision - b.revision);
    const state = { ...h.state };
    const upTo = (revision) => {
      for (let list; (list = lists[0]) && list.revision < revision; lists.shift()) {
        if (list.revision < h.from) continue;
        const d = difference(list.state, state);
        if (d) this.add("diverged", `${list.by} listed at revision ${list.revision}, and the history has: ${d}`);
      }
    };
    for (const e of h.events) {
      upTo(e.revision);
      apply(state, e);
    }
    upTo(h.end + 1);
    return state;
  }
}

/** One that lists once and then follows by watches, from kill to kill. */
export class Follower {
  /** @type {State} */ cache = {};
  at = 0;
  #from = 0;
  /** @type {Version[]} */ #events = [];

  /** @param {string} name @param {Ledger} ledger */
  constructor(name, ledger) {
    this.name = name;
    this.ledger = ledger;
  }

  /** @param {number} revision @param {State} state */
  begin(revision, state) {
    this.cache = { ...state };
    this.at = this.#from = revision;
    this.#events = [];
  }

  /** @param {string} type @param {Version} v of a bookmark only the revision counts */
  take(type, v) {
    if (type === "BOOKMARK") this.ledger.showHead(v.revision);
    else this.ledger.show(this.name, v);
    const bookmark = type === "BOOKMARK";
    if (v.revision < this.at || (v.revision === this.at && !bookmark)) {
      this.ledger.add("diverged", `${this.name} is at ${this.at} and is told ${type} of ${words(v)}`);
      return;
    }
    this.at = v.revision;
    if (bookmark) return;
    if (v.key in this.cache === (type === "ADDED")) {
      this.ledger.add("diverged", `${this.name} has ${words(this.cache[v.key])} and is told ${type} of ${words(v)}`);
    }
    apply(this.cache, v);
    this.#events.push(v);
  }

  /** Compares what it received with the history. @param {History} h @param {State} state */
  check(h, state) {
    const d = difference(this.cache, state);
    if (d) this.ledger.add("diverged", `${this.name} has, and a list at ${h.end} shows: ${d}`);
    const want = h.events.filter((e) => e.revision > this.#from);
    for (let i = 0; i < Math.max(want.length, this.#events.length); i++) {
      if (same(want[i], this.#events[i])) continue;
      this.ledger.add("diverged",
        `${this.name} was told of ${words(this.#events[i])} where the history has ${words(want[i])}`);
      break;
    }
    this.#from = h.end;
    this.#events = [];
  }
}
