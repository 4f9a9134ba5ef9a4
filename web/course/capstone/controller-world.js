// @ts-check
/**
 * One run of level 7: a cluster with a ReplicaSet, those who write to it, the caches of a controller, its queue, and
 * the judge. The code is called with what the caches have, as a controller is: when they have got an event, and again
 * after it has thrown, never twice at a time. Time is the cluster's, as in the other levels.
 *
 * @import { Cluster } from "./cluster.js"
 * @import { Client, FromGuest, ToGuest } from "./protocol"
 * @import { ReconcilePlan } from "./controller-plan.js"
 * @import { Beside } from "./controller-beside.js"
 * @import { Result } from "./world.js"
 */
import { CONTROL_PLANE, HEADER_PREFIX } from "../../../core/wellknown/wellknown.js";
import { readBlock, writeBlock } from "../../../wasm/host/headers.js";
import { Agenda } from "./agenda.js";
import { ask, must } from "./cluster.js";
import { Random } from "./random.js";
import { NAMESPACE } from "./writers.js";
import { Side } from "./controller-beside.js";
import { ReconcileJudge } from "./controller-judge.js";
import { Others, PODS, SETS } from "./controller-others.js";
import { LEVEL, NAME } from "./controller-plan.js";
import { controllerOf, isActive, selects } from "./controller-pods.js";

/** @typedef {{id: number, method: string, path: string, url: string, headers: [string, string][], body: string}} Ask */

/**
 * What the controller knows of a type.
 *
 * @typedef {object} Cache
 * @property {Map<string, any>} objects by name
 * @property {string} version of the last event
 * @property {number} lag in milliseconds
 * @property {number} clear when the last event that is on its way arrives
 */

/** Who the controller is: what it may do is what the role of the real one lets it. */
const USER = "system:serviceaccount:kube-system:replicaset-controller";

/** How late events are at least and at most, without a lag, and requests and answers, in milliseconds. */
const [LEAST, MOST] = [2, 40];

/** How long after the last write and fault all has to be as wanted, and from when on nothing may be written. */
const CALM = 60_000;
const REST = 40_000;

/** The waits of the queue after an error, in milliseconds: doubled each time. */
const [FIRST, LAST] = [5, 10_000];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Reconciling {
  agenda = new Agenda();
  /** @type {any[]} */ log = [];
  /** The ReplicaSet as it is. @type {any} */ replicaSet = null;
  /** The Pods as they are, by uid. @type {Map<string, any>} */ pods = new Map();
  /** The Pods whose end the kubelet has begun. @type {Set<string>} */ ending = new Set();
  /** @type {{pods: Cache, replicasets: Cache}} */ caches = { pods: this.#cache(), replicasets: this.#cache() };
  /** How often a request is refused. */ refuse = 0;
  /** How many Pods there may be. */ #quota = Infinity;
  /** Since when nothing may be written any longer; -1: that is not so yet. */ restsSince = -1;
  /** How often the controller was started. */ #life = 0;
  /** Whether a call is under way, whether there is something new, and how often reconcile has thrown in a row. */
  #busy = false;
  #dirty = false;
  #failures = 0;
  #calls = 0;
  #restarting = false;
  #line = 0;
  #served = false;
  #over = false;
  /** Requests on their way to the server. @type {Set<number>} */ #open = new Set();
  /** Started streams. @type {(() => void)[]} */ #streams = [];

  /**
   * @param {object} parts
   * @param {Cluster} parts.cluster
   * @param {Client} parts.client
   * @param {ReconcilePlan} parts.plan
   */
  constructor({ cluster, client, plan }) {
    this.cluster = cluster;
    this.client = client;
    this.plan = plan;
    this.draw = new Random(`${LEVEL}/${plan.seed}`);
    this.others = new Others(this);
    this.judge = new ReconcileJudge(this);
    this.beside = new Side(this);
    this.wire = this.draw.part("wire");
    client.onmessage = (m) => this.#heard(m);
  }

  /** @returns {Cache} */
  #cache() {
    return { objects: new Map(), version: "0", lag: 0, clear: 0 };
  }

  get now() {
    return this.cluster.now();
  }

  /** @param {Record<string, unknown>} entry */
  note(entry) {
    this.log.push({ at: this.now, ...entry });
  }

  /** @param {string} text */
  fault(text) {
    this.note({ what: "fault", text });
  }

  /** A request of the judge's. @param {string} method @param {string} path @param {string} by @param {any} [body] */
  must(method, path, by, body) {
    return must(this.cluster, method, path, by, body);
  }

  /** The active Pods that are the ReplicaSet's, and that it selects. */
  mine() {
    const { metadata: { uid }, spec: { selector: { matchLabels } } } = this.replicaSet;
    return [...this.pods.values()].filter((pod) => controllerOf(pod)?.uid === uid && isActive(pod) &&
      selects(matchLabels, pod));
  }

  /** @param {"pods" | "replicasets"} of @param {number} seconds */
  lag(of, seconds) {
    this.caches[of].lag = seconds * 1000;
    const what = of === "pods" ? "Pods" : "ReplicaSets";
    this.fault(seconds > 0 ? `events of ${what} are ${seconds} s late` : `events of ${what} come at once`);
  }

  /** So many more Pods may be made, as a ResourceQuota would have it. @param {number} more */
  allow(more) {
    this.#quota = more === Infinity ? more : this.#count() + more;
    this.fault(more === Infinity ? "the quota is gone" : `a quota allows ${this.#quota} Pods`);
  }

  /** What counts for a quota: Pods that have not ended. */
  #count() {
    return [...this.pods.values()].filter((pod) => !["Failed", "Succeeded"].includes(pod.status?.phase)).length;
  }

  /** All faults end, and all Pods get ready. */
  settle() {
    this.lag("pods", 0);
    this.lag("replicasets", 0);
    this.allow(Infinity);
    this.refuse = 0;
    this.others.settle();
  }

  /** The controller is ended and started: with caches as of now, and without its memory. */
  restart() {
    this.fault("the controller is restarted");
    this.#restarting = true;
    this.#life++;
    this.#busy = false;
    this.#failures = 0;
    this.#open.clear();
    this.judge.restarted();
    for (const [of, all] of /** @type {const} */ ([["pods", [...this.pods.values()]],
      ["replicasets", this.replicaSet ? [this.replicaSet] : []]])) {
      const cache = this.caches[of];
      const { body } = this.must("GET", of === "pods" ? PODS : SETS, "judge");
      cache.objects = new Map(all.map((o) => [o.metadata.name, o]));
      cache.version = body.metadata.resourceVersion;
      cache.clear = this.now;
    }
    this.#enqueue();
  }

  #setUp() {
    this.must("POST", "/api/v1/namespaces", "judge", { metadata: { name: NAMESPACE } });
    const { body } = this.must("GET", PODS, "judge");
    this.must("PATCH", CONTROL_PLANE, "judge", { spec: { history: { retentionSeconds: 3600 },
      controllers: { enabled: false }, authorization: { mode: "RBAC" } } });
    for (const [path, of] of /** @type {const} */ ([[PODS, "pods"], [SETS, "replicasets"]])) this.#watch(path, of,
      body.metadata.resourceVersion);
  }

  /** @param {string} path @param {"pods" | "replicasets"} of @param {string} version */
  #watch(path, of, version) {
    let rest = "";
    const lines = new TextDecoder();
    const over = () => {
      if (!this.#over) throw new Error(`the judge's watch of ${of} is over`);
    };
    const sink = {
      whole: over, head() {}, end: over, fail: over,
      chunk: (/** @type {Uint8Array} */ bytes) => {
        const all = (rest + lines.decode(bytes, { stream: true })).split("\n");
        rest = all.pop() ?? "";
        for (const line of all) if (line) this.#happened(of, JSON.parse(line));
      },
    };
    const query = `?watch=1&resourceVersion=${version}&timeoutSeconds=86400`;
    this.cluster.serve("GET", path + query, writeBlock([["User-Agent", "judge"]]), null, sink);
    this.#streams.push(() => /** @type {any} */ (sink).cancel?.());
  }

  /** @param {"pods" | "replicasets"} of @param {{type: string, object: any}} event */
  #happened(of, { type, object }) {
    const gone = type === "DELETED";
    if (type === "BOOKMARK") return;
    const { name, uid, resourceVersion } = object.metadata;
    if (of === "replicasets") this.replicaSet = gone ? null : object;
    else {
      if (gone) this.pods.delete(uid);
      else this.pods.set(uid, object);
      // What it does about it is done after the write that led to it.
      this.agenda.put(this.now, () => !gone && this.others.saw(object, type === "ADDED"));
    }
    const cache = this.caches[of];
    cache.clear = Math.max(cache.clear, this.now + cache.lag + this.wire.int(LEAST, MOST));
    const life = this.#life;
    this.agenda.put(cache.clear, () => {
      if (life !== this.#life) return;
      if (gone) cache.objects.delete(name);
      else cache.objects.set(name, object);
      cache.version = resourceVersion;
      this.note({ what: "cache", type, name, version: resourceVersion, revision: Number(resourceVersion) });
      this.#enqueue();
    });
  }

  #enqueue() {
    if (this.#dirty) return;
    this.#dirty = true;
    this.agenda.put(this.now + 1, () => this.#next());
  }

  /** Calls reconcile, if there is something new and it is not called already. */
  #next() {
    if (this.#busy || !this.#dirty || this.#restarting) return;
    this.#dirty = false;
    const replicaSet = this.caches.replicasets.objects.get(NAME) ?? null;
    if (!replicaSet) return;
    this.#busy = true;
    const pods = [...this.caches.pods.objects.values()];
    const versions = { replicasets: this.caches.replicasets.version, pods: this.caches.pods.version };
    this.judge.begin(replicaSet, pods);
    this.note({ what: "call", id: ++this.#calls, objects: pods.length, version: versions.pods });
    const task = { namespace: NAMESPACE, name: NAME, replicaSet, pods, versions };
    this.tell({ type: "reconcile", n: this.#calls, task });
  }

  /** @param {ToGuest} m */
  tell(m) {
    this.#served = true;
    this.client.post(m);
  }

  /** Plays the run to its end, or to the first rule that is broken. @returns {Promise<Result>} */
  async run() {
    const { plan, agenda, client, judge } = this;
    this.#setUp();
    for (const { at, act } of plan.actions) agenda.put(at, () => act(this));
    agenda.put(plan.calm, () => this.note({ what: "calm" }));
    agenda.put(plan.calm + REST, () => (this.restsSince = this.now));
    agenda.put(plan.calm + CALM, () => {
      judge.calm();
      this.#over = true;
    });
    while (!this.#over && !judge.verdict) {
      if (this.#restarting) {
        await client.restart();
        this.#restarting = false;
        this.#next();
        continue;
      }
      if (this.#served) {
        this.#served = false;
        await client.idle(this.now).catch((error) => judge.broken("C8", String(error.message ?? error)));
        continue;
      }
      this.cluster.pass(Math.min(agenda.due(), this.cluster.due()));
      const next = () => (judge.verdict || this.#restarting ? undefined : agenda.take(this.now));
      for (let act = next(); act; act = next()) act();
    }
    this.#over = true;
    this.note({ what: "end" });
    client.onmessage = () => {};
    for (const stop of this.#streams) stop();
    const { verdict } = judge;
    return { seed: plan.seed, level: LEVEL, passed: !verdict, verdict, seconds: this.now / 1000,
      line: verdict?.rule === "C9" ? this.#line : 0, path: PODS, objects: 0, log: this.log, beside: this.beside.steps };
  }

  /** @param {FromGuest} m */
  #heard(m) {
    if (this.judge.verdict) return;
    if (m.type === "fetch") return this.#fetch(m);
    if (m.type === "print") return this.note({ what: "print", text: m.text });
    if (m.type === "sleep") {
      const seconds = Math.max(0, Number.isFinite(m.seconds) ? m.seconds : 0);
      const life = this.#life;
      this.agenda.put(this.now + Math.max(1, Math.ceil(seconds * 1000)), () => {
        if (life === this.#life) this.tell({ type: "wake", id: m.id });
      });
      return undefined;
    }
    if (m.type === "cancel") return void this.#open.delete(m.id);
    if (m.type === "settled" && this.#busy) this.#settled(m.error);
    return undefined;
  }

  /** @param {import("./protocol").Thrown | null} error */
  #settled(error) {
    this.#busy = false;
    this.#line = error?.line ?? 0;
    this.note({ what: "settled", text: error ? `${error.name}: ${error.message}` : "" });
    this.judge.settled(error ? `${error.name}: ${error.message}` : "");
    if (this.#dirty) this.agenda.put(this.now + 1, () => this.#next());
    if (!error) {
      this.#failures = 0;
      return;
    }
    const life = this.#life;
    this.agenda.put(this.now + Math.min(LAST, FIRST * 2 ** this.#failures++), () => {
      if (life === this.#life) this.#enqueue();
    });
  }

  /** @param {Extract<FromGuest, {type: "fetch"}>} m */
  #fetch(m) {
    if (!URL.canParse(m.url, "http://cluster"))
      return this.tell({ type: "fail", id: m.id, message: `Failed to parse URL from ${m.url}` });
    const { pathname, search } = new URL(m.url, "http://cluster");
    /** @type {Ask} */
    const ask = { id: m.id, method: m.method, path: pathname, url: pathname + search, headers: m.headers,
      body: m.body ?? "" };
    this.note({ what: "request", id: m.id, url: `${ask.method} ${ask.url}` });
    this.#open.add(m.id);
    const life = this.#life;
    this.agenda.put(this.now + this.wire.int(LEAST, MOST), () => {
      if (life === this.#life && this.#open.has(m.id)) this.#arrived(ask, life);
    });
    return undefined;
  }

  /** A request is with the server. @param {Ask} a @param {number} life */
  #arrived(a, life) {
    const { judge, wire } = this;
    judge.request(a);
    if (judge.verdict) return;
    if (wire.chance(this.refuse)) {
      const code = wire.pick([429, 500, 503]);
      return this.#send(a, life, code, this.#status(code, "ServiceUnavailable", "the server cannot do this now"));
    }
    if (a.method === "POST" && a.path === PODS && this.#count() >= this.#quota) {
      const text = `pods "${NAME}-${wire.text(5)}" is forbidden: exceeded quota: few, requested: pods=1, ` +
        `used: pods=${this.#count()}, limited: pods=${this.#quota}`;
      const body = this.#status(403, "Forbidden", text);
      judge.answered(a, 403, body);
      return this.#send(a, life, 403, body);
    }
    if (new URLSearchParams(a.url.split("?")[1]).get("watch"))
      return this.#send(a, life, 403, this.#status(403, "Forbidden", "the caches watch for you"));
    const headers = a.headers.filter(([name]) => !name.toLowerCase().startsWith(HEADER_PREFIX.toLowerCase()));
    headers.push(["User-Agent", "replicaset-controller"], ["Impersonate-User", USER],
      ["Impersonate-Group", "system:serviceaccounts"]);
    const answer = ask(this.cluster, a.method, a.url,
      { headers: writeBlock(headers), body: a.body ? encoder.encode(a.body) : null });
    let body = null;
    try {
      body = JSON.parse(decoder.decode(answer.body));
    } catch {
      // another representation
    }
    if (a.method !== "GET" && answer.status < 300) this.beside.wrote(a, body);
    judge.answered(a, answer.status, body);
    return this.#send(a, life, answer.status, body, answer.body, readBlock(answer.headers));
  }

  /** @param {number} code @param {string} reason @param {string} message */
  #status(code, reason, message) {
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  }

  /**
   * @param {Ask} a @param {number} life @param {number} status @param {any} body
   * @param {Uint8Array<ArrayBuffer>} [bytes]
   * @param {[string, string][]} [headers]
   */
  #send(a, life, status, body, bytes, headers = [["content-type", "application/json"]]) {
    this.agenda.put(this.now + this.wire.int(LEAST, MOST), () => {
      if (life !== this.#life || !this.#open.delete(a.id)) return;
      this.note({ what: "answer", id: a.id, status });
      this.tell({ type: "head", id: a.id, status, headers });
      this.tell({ type: "chunk", id: a.id, bytes: new Uint8Array(bytes ?? encoder.encode(JSON.stringify(body))) });
      this.tell({ type: "end", id: a.id });
    });
  }
}
