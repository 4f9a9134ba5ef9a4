// @ts-check
/**
 * One run: a cluster, those who write to it, the wire to the client, and the judge. Time is the cluster's, in
 * milliseconds since the run began, and passes only when the client has nothing left to do: then it continues to the
 * next thing that is due, of the agenda or of the cluster. So an hour takes no longer than what happens in it, and a
 * run is the same whenever the seed and the client are.
 *
 * @import { Cluster } from "./cluster.js"
 * @import { Plan } from "./levels.js"
 * @import { Client, FromGuest, ToGuest } from "./protocol"
 * @import { Delivered } from "./exchange.js"
 */
import { CONTROL_PLANE } from "../../../core/wellknown/wellknown.js";
import { Agenda } from "./agenda.js";
import { must } from "./cluster.js";
import { Disguise } from "./disguise.js";
import { Exchange } from "./exchange.js";
import { Judge } from "./judge.js";
import { Random } from "./random.js";
import { Truth, observed } from "./truth.js";
import { Wire } from "./wire.js";
import { NAMESPACE, Writers } from "./writers.js";

/**
 * What happened, in its order: for a page that shows it.
 *
 * @typedef {{at: number} & (
 *   | {what: "write", by: string, verb: string, name: string, revision: number}
 *   | {what: "fault", text: string}
 *   | {what: "request", id: number, url: string}
 *   | {what: "answer", id: number, status: number}
 *   | {what: "page", id: number, version: string, items: number, more: boolean}
 *   | {what: "event", id: number, type: string, name: string, version: string, revision: number, pieces: number}
 *   | {what: "over", id: number, how: string}
 *   | {what: "sleep", seconds: number}
 *   | {what: "store", call: string, name: string, objects: number, version: string, revision: number}
 *   | {what: "print", text: string}
 *   | {what: "calm" | "stop" | "end"}
 * )} Entry
 */

/** @typedef {import("./judge.js").Verdict} Verdict */
/**
 * @typedef {{seed: string, level: number, passed: boolean, verdict: Verdict | null, seconds: number, line: number,
 *   path: string, objects: number, log: Entry[], beside?: import("./controller-beside.js").Beside[]}} Result
 *   beside: of level 7 only
 */

/** How long after the last write and fault the store has to be the collection, in milliseconds. */
const CALM = 60_000;

/** How long is looked at what a client does after its end. */
const AFTER = 10_000;

/** How long a client has for ending its streams. */
const GRACE = 1000;

/** So often a client may call in a run: one that never waits would not let it end. */
const CALLS = 10_000;

/**
 * What a request must not take part in. @template T
 * @typedef {T extends {at: number} ? Omit<T, "at"> : never} Without
 */

export class World {
  agenda = new Agenda();
  truth = new Truth();
  /** @type {Entry[]} */ log = [];
  /** The revision of the last write. */ head = 0;
  servers = 1;
  /** When signal was aborted, -1 before. */ stopped = -1;
  #calls = 0;
  /** Whether the client has got something since it was last idle. */ #served = false;
  #over = false;
  /** @type {Uint8Array | null} */ #saved = null;
  /** The place at which that was saved. */ #savedAt = 0;
  /** @type {Map<number, Exchange>} */ #exchanges = new Map();

  /**
   * @param {object} parts
   * @param {Cluster} parts.cluster
   * @param {Client} parts.client
   * @param {Plan} parts.plan
   * @param {Uint8Array | null} [parts.image] what makeImage has made
   */
  constructor({ cluster, client, plan, image = null }) {
    this.cluster = cluster;
    this.image = image;
    this.client = client;
    this.plan = plan;
    this.draw = new Random(`${plan.level}/${plan.seed}`);
    this.disguise = new Disguise(this.draw.part("disguise"), plan.opaque, plan.shuffle);
    this.writers = new Writers(this, plan.kind);
    this.wire = new Wire(this, plan.treatment);
    this.judge = new Judge(this);
    client.onmessage = (m) => this.#heard(m);
  }

  get now() {
    return this.cluster.now();
  }

  /** Whether faults are still made. */
  get rough() {
    return this.now < this.plan.calm;
  }

  /** Whether the client has a watch open. */
  get watched() {
    return [...this.#exchanges.values()].some((x) => x.streaming);
  }

  /** @param {Without<Entry>} entry */
  note(entry) {
    this.log.push(/** @type {Entry} */ ({ at: this.now, ...entry }));
  }

  /** @param {string} text */
  fault(text) {
    this.note({ what: "fault", text });
  }

  /** @param {ToGuest} m */
  tell(m) {
    this.#served = true;
    this.client.post(m);
  }

  /**
   * A request of the world's own, which must succeed, to the server without faults.
   *
   * @param {string} method
   * @param {string} path
   * @param {string} by
   * @param {any} [body]
   * @returns {{body: any, bytes: Uint8Array, revision: number}} with the revision that it made
   */
  must(method, path, by, body) {
    const answer = must(this.cluster, method, path, by, body);
    if (!Number.isNaN(answer.revision)) this.head = answer.revision;
    return answer;
  }

  /** Pulls levers. @param {any} spec */
  set(spec) {
    this.must("PATCH", CONTROL_PLANE, "judge", { spec });
  }

  compact() {
    this.must("POST", CONTROL_PLANE + "/compact", "judge", {});
    this.fault("history is compacted: only the current state is left");
  }

  /** Starts the API server again: its watch caches know nothing from before. */
  restart() {
    this.must("POST", CONTROL_PLANE + "/restart", "judge", {});
    this.fault("the API server is restarted");
  }

  /** Keeps a copy of the cluster as it is. */
  save() {
    this.#saved = this.must("GET", CONTROL_PLANE + "/snapshot", "judge").bytes;
    this.#savedAt = this.head;
    this.note({ what: "fault", text: "a backup is made" });
  }

  /** Puts that copy back. */
  restore() {
    if (!this.#saved) throw new Error("there is no backup");
    const objects = this.truth.at({ epoch: this.truth.epoch, rev: this.#savedAt });
    this.must("PUT", CONTROL_PLANE + "/snapshot", "judge", this.#saved);
    this.fault(`the cluster is restored from the backup: from revision ${this.head} to ${this.#savedAt}`);
    this.head = this.#savedAt;
    this.truth.begin(this.head, objects.values());
    this.writers.adopt([...objects.keys()]);
  }

  /** Makes the objects that there are at first. */
  #fill() {
    this.must("POST", "/api/v1/namespaces", "judge", { metadata: { name: NAMESPACE } });
    for (let n = 1; n <= this.plan.objects; n++) {
      this.must("POST", this.writers.path, "ann", this.writers.object(this.writers.name(n)));
    }
  }

  /** A cluster that has the objects, for worlds of the same kind and number of objects to begin with. */
  makeImage() {
    this.#fill();
    return this.must("GET", CONTROL_PLANE + "/snapshot", "judge").bytes;
  }

  /** Makes the cluster as it is when the client begins. */
  #setUp() {
    const { plan } = this;
    const { path } = this.writers;
    if (this.image) this.must("PUT", CONTROL_PLANE + "/snapshot", "judge", this.image);
    else this.#fill();
    this.set(plan.spec);
    this.servers = plan.spec.cache?.replicas?.length ?? 1;
    const { body } = this.must("GET", path, "judge");
    this.head = Number(body.metadata.resourceVersion);
    this.truth.begin(
      this.head,
      body.items.map((/** @type {any} */ o) => observed(o, Number)),
    );
    this.writers.adopt(body.items.map((/** @type {any} */ o) => o.metadata.name));
  }

  /** Plays the run to its end, or to the first rule that is broken. @returns {Promise<Result>} */
  async run() {
    const { plan, agenda, client } = this;
    this.#setUp();
    for (const { at, act } of plan.actions) agenda.put(at, () => act(this));
    agenda.put(plan.calm, () => this.note({ what: "calm" }));
    agenda.put(plan.calm + CALM, () => this.judge.calm());
    agenda.put(plan.stop, () => this.#stop());
    this.tell({ type: "begin", path: this.writers.path });
    while (!this.#over && !this.judge.verdict) {
      if (this.#served) {
        this.#served = false;
        await client.idle(this.now).catch((error) => this.judge.silent(error));
        continue;
      }
      this.cluster.pass(Math.min(agenda.due(), this.cluster.due()));
      for (let act = agenda.take(this.now); act && !this.judge.verdict; act = agenda.take(this.now)) act();
    }
    this.note({ what: "end" });
    client.onmessage = () => {};
    const { verdict } = this.judge;
    return { seed: plan.seed, level: plan.level, passed: !verdict, verdict, seconds: this.now / 1000,
      line: this.judge.line, path: this.writers.path, objects: plan.objects, log: this.log };
  }

  #stop() {
    this.stopped = this.now;
    this.note({ what: "stop" });
    this.tell({ type: "abort" });
    this.agenda.put(this.now + GRACE, () => this.judge.stillOpen([...this.#exchanges.values()].filter((x) => !x.over)));
    this.agenda.put(this.now + AFTER, () => (this.#over = true));
  }

  /** @param {FromGuest} m */
  #heard(m) {
    if (this.judge.verdict) return;
    if (++this.#calls > CALLS) return this.judge.endless(CALLS);
    switch (m.type) {
      case "fetch": {
        if (!URL.canParse(m.url, "http://cluster")) {
          return this.tell({ type: "fail", id: m.id, message: `Failed to parse URL from ${m.url}` });
        }
        const x = new Exchange(m.id, this.now, m.method, m.url, m.headers, this.writers.path);
        this.#exchanges.set(x.id, x);
        this.note({ what: "request", id: x.id, url: x.url });
        this.judge.request(x);
        if (!this.judge.verdict) this.wire.request(x);
        break;
      }
      case "cancel": {
        const x = this.#exchanges.get(m.id);
        if (x) this.wire.cancel(x);
        break;
      }
      case "sleep": {
        const seconds = Math.max(0, Number.isFinite(m.seconds) ? m.seconds : 0);
        this.note({ what: "sleep", seconds });
        this.agenda.put(this.now + Math.max(1, Math.ceil(seconds * 1000)), () => this.tell({ type: "wake", id: m.id }));
        break;
      }
      case "store":
        this.judge.store(m);
        break;
      case "print":
        this.note({ what: "print", text: m.text });
        break;
      case "settled":
        this.judge.settled(m.error);
        break;
    }
  }

  /** The wire: an answer has begun. @param {Exchange} x */
  answered(x) {
    this.note({ what: "answer", id: x.id, status: x.status });
    this.judge.answered(x);
  }

  /** The wire: an event is with the client. @param {Exchange} x @param {Delivered} e */
  delivered(x, e) {
    this.note({ what: "event", id: x.id, type: e.type, name: e.key, version: e.version, revision: e.rev,
      pieces: e.pieces });
    this.judge.delivered(x, e);
  }

  /** The wire: an exchange is over. @param {Exchange} x */
  over(x) {
    this.#exchanges.delete(x.id);
    if (x.page) {
      const { version, items, token } = x.page;
      this.note({ what: "page", id: x.id, version, items, more: token !== "" });
    }
    this.note({ what: "over", id: x.id, how: x.over });
    this.judge.over(x);
  }
}
