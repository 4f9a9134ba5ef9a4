// @ts-check
/**
 * What the judge knows of a client at each moment, and its verdict: the first rule that is broken. The rules themselves
 * are in rules.js; here is kept what they look at.
 *
 * @import { Delivered } from "./exchange.js"
 * @import { StoreCall, Thrown } from "./protocol"
 * @import { Difference, Place, Observed } from "./truth.js"
 * @import { World } from "./world.js"
 */
import { Exchange } from "./exchange.js";
import { shown } from "./guest.js";
import { ORDER, RULES } from "./rules.js";
import { Mirror, observed } from "./truth.js";

/**
 * @typedef {object} Verdict
 * @property {string} rule its id
 * @property {string} title
 * @property {number} at the cluster's time in milliseconds
 * @property {number | null} request the id of the request it is about
 * @property {number | null} revision the revision it is about
 * @property {string} text
 */

/** What the store has claimed last. @typedef {Place & {version: string}} Claim */

/**
 * A call of the store, and what follows from it.
 *
 * @typedef {object} Update
 * @property {StoreCall["call"]} call
 * @property {any} given what was given: an object, or a list of them
 * @property {Observed | null} observed of the object
 * @property {string} version
 * @property {Place | null} place what the version stands for, null if nobody has given it to the client
 * @property {{x: Exchange, event: Delivered | null} | null} source what has brought the version last
 * @property {Map<string, Observed>} before what the store had
 * @property {Difference[]} differences from the collection at that place
 */

/**
 * A failure, and the ones before it since the last success.
 *
 * @typedef {object} Trouble
 * @property {number} since when the first one was
 * @property {number} at when the last one was, -1 if there was a request since
 * @property {number} attempt how many there were before the last one
 * @property {number[]} counts the requests in each minute
 * @property {boolean} advised whether the answer said how long to wait
 */

/**
 * The last bookmark that the client has got, and that is no end mark.
 * @typedef {Place & {version: string, x: Exchange}} Bookmark
 */

/**
 * A time that was waited after a failure, and which one of a row it was.
 * @typedef {{attempt: number, wait: number, since: number}} Wait
 */

/** How long a version that is too large may be asked for, and a mark waited for, in milliseconds. */
const MINUTE = 60_000;

export class Judge {
  /** @type {Verdict | null} */ verdict = null;
  /** @type {Claim | null} */ claim = null;
  /** @type {Bookmark | null} */ bookmark = null;
  /**
   * What has brought a version last.
   *
   * @type {Map<string, {x: Exchange, event: Delivered | null, epoch: number}>}
   */
  received = new Map();
  /** The answers that brought tokens. @type {Map<string, Exchange>} */ tokens = new Map();
  /** Tokens that were refused as expired. @type {Set<string>} */ expired = new Set();
  /**
   * Versions that are gone, and how that was said.
   *
   * @type {Map<string, {x: Exchange, event: boolean}>}
   */
  gone = new Map();
  /** @type {Exchange[]} */ watches = [];
  /** How many lists were asked for, and how many there were reasons for. */ lists = 0;
  reasons = 1;
  /** Questions whether the cluster has come to a version, since the last watch. */ probes = 0;
  /** Until when the servers asked not to be asked, and what they said when. */ hold = { until: -1, since: 0,
    seconds: 0 };
  /** @type {Trouble | null} */ trouble = null;
  /** @type {Wait[]} */ waits = [];
  /**
   * A version that is asked for, and that the cluster has not come to.
   *
   * @type {{version: string} | null}
   */
  tooLarge = null;
  /** The last event that the store has got. @type {{x: Exchange, event: Delivered} | null} */ taken = null;
  /**
   * Events that the client has got, and the store has not.
   *
   * @type {{x: Exchange, event: Delivered}[]}
   */
  untaken = [];
  /** The types of the events that the store has got. @type {Set<string>} */ typesTaken = new Set();
  settledAt = -1;
  /** The line of the code in which it ended with an error; 0: not known, or none. */
  line = 0;

  /** @param {World} world */
  constructor(world) {
    this.world = world;
    this.mirror = new Mirror(world.truth);
  }

  get now() {
    return this.world.now;
  }

  /** How a version or revision is called towards the client. @param {number} rev */
  shown(rev) {
    return this.world.disguise.version(String(rev));
  }

  /** The size of the collection now. */
  get size() {
    return this.world.truth.now().size;
  }

  /**
   * Asks the rules of a moment, in their order.
   *
   * @param {keyof import("./rules.js").Moments} moment
   * @param {any} subject
   * @param {{x?: Exchange | null, revision?: number | null}} [about]
   */
  #ask(moment, subject, { x = null, revision = null } = {}) {
    if (this.verdict) return;
    const { level } = this.world.plan;
    for (const id of ORDER[moment]) {
      const rule = RULES[id];
      if (level < rule.from) continue;
      const text = /** @type {any} */ (rule.on[moment])?.(this, subject);
      if (!text) continue;
      const rev = revision ?? this.claim?.rev ?? null;
      this.verdict = { rule: id, title: rule.title, at: this.now, request: x?.id ?? null, revision: rev, text };
      return;
    }
  }

  /** @param {Exchange} x */
  request(x) {
    this.#waited(x);
    if (x.kind === "list" && !x.token) {
      x.counts = !x.probe || ++this.probes > 1;
    } else if (x.kind === "watch") {
      this.probes = 0;
      x.counts = x.initial;
    }
    if (x.counts) this.lists++;
    this.#ask("request", x, { x });
    if (x.kind === "watch") this.watches.push(x);
    const issuer = this.tokens.get(x.token);
    if (x.token && issuer) x.first = issuer.first;
    if (x.initial) this.world.agenda.put(this.now + MINUTE, () => this.#ask("minute", x, { x }));
  }

  /** How long the client has waited since a failure. @param {Exchange} x */
  #waited(x) {
    const t = this.trouble;
    if (!t) return;
    const minute = Math.floor((this.now - t.since) / MINUTE);
    while (t.counts.length <= minute) t.counts.push(0);
    t.counts[minute]++;
    if (!t.advised && t.at >= 0) this.waits.push({ attempt: t.attempt, wait: this.now - t.at, since: t.since });
    t.at = -1;
  }

  /** A version is asked for that the cluster has not come to. @param {Exchange} x */
  #tooLarge(x) {
    const version = x.version ?? "";
    if (!(this.world.disguise.revision(version) > this.world.head)) return;
    if (this.tooLarge?.version === version) return;
    const mine = (this.tooLarge = { version });
    this.world.agenda.put(this.now + MINUTE + 1, () => this.tooLarge === mine && this.#ask("minute", x, { x }));
  }

  /** A request has failed, or a stream was cut. @param {boolean} advised whether the answer said how long to wait */
  #failed(advised) {
    if (this.trouble) this.trouble = { ...this.trouble, at: this.now, attempt: this.trouble.attempt + 1, advised };
    else this.trouble = { since: this.now, at: this.now, attempt: 0, counts: [], advised };
  }

  /** An answer has begun. @param {Exchange} x */
  answered(x) {
    if (x.retryAfter > 0) {
      const until = this.now + x.retryAfter * 1000;
      if (until > this.hold.until) this.hold = { until, since: this.now, seconds: x.retryAfter };
    }
    if (!x.tooLarge && (x.status === 429 || x.status >= 500)) this.#failed(x.retryAfter > 0);
    else this.trouble = null;
    if (x.kind === "watch" && !x.initial && x.placed && x.status === 200) this.#tooLarge(x);
    if (x.tooLarge) {
      this.reasons++;
      this.#tooLarge(x);
    }
    if (x.status !== 410) return;
    this.reasons++;
    if (x.offered) this.tokens.set(x.offered, x);
    if (x.token) this.expired.add(x.token);
    else if (x.version) this.gone.set(x.version, { x, event: false });
  }

  /** An event is with the client. @param {Exchange} x @param {Delivered} e */
  delivered(x, e) {
    const known = { x, event: e, epoch: x.epoch };
    switch (e.type) {
      case "ERROR":
        if (e.code === 504) this.reasons++;
        if (e.code !== 410) return;
        this.reasons++;
        for (const version of [x.version, this.claim?.version, x.events.findLast((other) => other.rev > 0)?.version]) {
          if (version) this.gone.set(version, { x, event: true });
        }
        return;
      case "BOOKMARK":
        if (!e.mark) this.bookmark = { version: e.version, rev: e.rev, epoch: x.epoch, x };
        break;
      default:
        if (!e.state) this.untaken.push({ x, event: e });
    }
    this.received.set(e.version, known);
    this.gone.delete(e.version);
  }

  /** An exchange is over. @param {Exchange} x */
  over(x) {
    if (x.over === "cancelled") {
      if (x.counts && !x.page) this.lists--;
      return;
    }
    if (x.over === "failed" || x.over === "cut") {
      this.#failed(false);
    }
    const whole = x.kind === "list" ? x.page !== null : x.events.some((e) => e.mark);
    if (x.probe && !whole) this.probes--;
    if (x.counts && !whole) this.lists--;
    else if (x.kind === "list" && x.token && !x.page && x.status !== 410) this.reasons++;
    if (!x.page) return;
    this.received.set(x.page.version, { x, event: null, epoch: x.epoch });
    this.gone.delete(x.page.version);
    if (x.page.token) this.tokens.set(x.page.token, x);
  }

  /** The client has called the store. @param {StoreCall} m */
  store(m) {
    const { mirror, world } = this;
    const revision = (/** @type {string} */ v) => world.disguise.revision(v);
    const version = String(m.version);
    const given = "objects" in m ? m.objects : "object" in m ? m.object : null;
    const one = "object" in m ? observed(m.object, revision) : null;
    // A bookmark may have said the same version since.
    const event = m.call === "put" || m.call === "remove" ? this.untaken.find((u) => u.event.version === version)
      : undefined;
    const source = event ? { ...event, epoch: event.x.epoch } : (this.received.get(version) ?? null);
    const rev = revision(version);
    // A version of the store's own epoch that was not received is a place too, if it is a number.
    const epoch = source?.epoch ?? this.claim?.epoch ?? world.truth.epoch;
    const place = Number.isNaN(rev) ? null : { epoch, rev };
    const before = new Map(mirror.store);
    if (m.call === "replace") mirror.replace(Array.isArray(given) ? given.map((o) => observed(o, revision)) : []);
    if (m.call === "put" && one) mirror.put(one);
    if (m.call === "remove" && one) mirror.remove(one.key);
    if (place) mirror.moveTo(place);
    const differences = mirror.differences();
    // The log has what was passed, whatever that is.
    const objects = Array.isArray(given) ? given.length : -1;
    const name = one?.key ?? (m.call === "progress" || objects >= 0 ? "" : shown(given).slice(0, 60));
    world.note({ what: "store", call: m.call, name, objects, version, revision: rev });
    this.#take(version, m.call, source);
    /** @type {Update} */
    const update = { call: m.call, given, observed: one, version, place, source, before, differences };
    this.#ask("store", update, { x: source?.x, revision: place?.rev });
    if (place) this.claim = { ...place, version };
    // Who has begun again in the present cluster does not ask for what was before.
    if (m.call === "replace" && place?.epoch === world.truth.epoch) this.tooLarge = null;
  }

  /** @param {string} version @param {string} call @param {{x: Exchange, event: Delivered | null} | null} source */
  #take(version, call, source) {
    const event = source?.event;
    if (event && event.type !== "BOOKMARK" && call !== "progress") {
      event.taken = true;
      this.typesTaken.add(event.type);
      this.taken = { x: source.x, event };
      const at = this.untaken.findIndex((u) => u.event === event);
      if (at >= 0) this.untaken.splice(at, 1);
    } else if (call === "replace") {
      this.untaken = [];
    }
  }

  /** reflect has returned or thrown. @param {Thrown | null} error */
  settled(error) {
    this.settledAt = this.now;
    this.line = error?.line ?? 0;
    this.#ask("settled", error);
  }

  /** The client gives no sign of life. @param {unknown} error */
  silent(error) {
    const text = error instanceof Error ? error.message : String(error);
    this.verdict = { rule: "R16", title: RULES.R16.title, at: this.now, request: null,
      revision: this.claim?.rev ?? null, text };
  }

  /** The client calls on and on. @param {number} calls */
  endless(calls) {
    const text = `Your code has made ${calls} calls: wait for changes instead of polling.`;
    this.verdict = { rule: "R13", title: RULES.R13.title, at: this.now, request: null,
      revision: this.claim?.rev ?? null, text };
  }

  /** A minute without a fault or a write has passed. */
  calm() {
    this.mirror.moveTo({ epoch: this.world.truth.epoch, rev: Infinity });
    this.#ask("calm", this.mirror.differences(), { revision: this.world.head });
  }

  /** Requests that are under way some time after the end. @param {Exchange[]} open */
  stillOpen(open) {
    this.#ask("ended", open, { x: open[0] });
  }
}
