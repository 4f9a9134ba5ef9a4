// @ts-check
/**
 * What the judge of level 7 knows of a controller, and its verdict: the first rule that is broken.
 *
 * @import { Ask, Reconciling } from "./controller-world.js"
 * @import { Verdict } from "./judge.js"
 */
import { canonicalJSON } from "./truth.js";
import { PODS, SETS } from "./controller-others.js";
import { NAME } from "./controller-plan.js";
import { controllerOf, goesBefore, isActive, isReady, selects } from "./controller-pods.js";
import { RULES } from "./controller-rules.js";

/** So many requests one call may make. */
const MOST = 100;

/** So many all of them may. */
const ALL = 5000;

/** @param {any} pod */
const named = (pod) => `\`${pod.metadata.name}\``;

/** @param {number} n @param {string} one */
const many = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * One call of reconcile.
 *
 * @typedef {object} Call
 * @property {any} replicaSet as its cache had it
 * @property {any[]} pods as its cache had them
 * @property {Map<string, any>} there the Pods that there really were
 * @property {number} requests
 * @property {number} made how many Pods
 * @property {number} refused how many were refused
 * @property {any[]} deletes the Pods whose deletion was asked for, as there were
 * @property {Set<string>} adopted the uids of those that were patched
 * @property {Set<string>} stale the versions with which the status was refused with 409
 */

export class ReconcileJudge {
  /** @type {Verdict | null} */ verdict = null;
  /** @type {Call} */ call = this.#newCall(null, []);
  /** The Pods that the code has made, and those that it has deleted, by uid. */
  /** @type {Map<string, any>} */ made = new Map();
  /** @type {Set<string>} */ deleted = new Set();
  #requests = 0;
  /** What reconcile has thrown last, since it last returned. */ thrown = "";

  /** @param {Reconciling} world */
  constructor(world) {
    this.world = world;
  }

  /** @param {any} replicaSet @param {any[]} pods @returns {Call} */
  #newCall(replicaSet, pods) {
    return { replicaSet, pods, there: new Map(this.world?.pods), requests: 0, made: 0, refused: 0, deletes: [],
      adopted: new Set(), stale: new Set() };
  }

  /**
   * @param {string} rule
   * @param {string} text
   * @param {{request?: number, revision?: number}} [about]
   */
  broken(rule, text, { request, revision } = {}) {
    this.verdict ??= { rule, title: RULES[rule].title, at: this.world.now, request: request ?? null,
      revision: revision ?? null, text: `${text} ${RULES[rule].real}` };
  }

  /** The controller was ended: what it had begun is not judged. */
  restarted() {
    this.call = this.#newCall(this.call.replicaSet, []);
    this.thrown = "";
  }

  /** Reconcile is called. @param {any} replicaSet @param {any[]} pods */
  begin(replicaSet, pods) {
    this.call = this.#newCall(replicaSet, pods);
  }

  /** @param {any} pod */
  #owned(pod) {
    return controllerOf(pod)?.uid === this.call.replicaSet?.metadata.uid;
  }

  /** Those that count: active Pods of the ReplicaSet, which its selector selects. @param {Iterable<any>} pods */
  #counted(pods) {
    const { matchLabels } = this.call.replicaSet.spec.selector;
    return [...pods].filter((pod) => this.#owned(pod) && isActive(pod) && selects(matchLabels, pod));
  }

  /** A request is with the server, and is not refused for another reason. @param {Ask} ask */
  request(ask) {
    const { call } = this;
    if (++call.requests > MOST)
      return this.broken("C8", `One call of reconcile has made ${MOST} requests and does not return.`);
    if (++this.#requests > ALL) return this.broken("C8", `Your code has made ${ALL} requests.`);
    const { method, path } = ask;
    if (method === "GET") return undefined;
    const about = { request: ask.id };
    if (method === "POST" && path === PODS) return this.#makes(ask);
    const pod = path.startsWith(PODS + "/") ? this.#pod(path) : null;
    if (pod && method === "PATCH") return this.#patches(ask, pod);
    if (pod && method === "DELETE") return this.#deletes(ask, pod);
    if (path === `${SETS}/${NAME}/status` && method === "PUT") {
      const version = String(parsed(ask.body)?.metadata?.resourceVersion ?? "");
      if (call.stale.has(version))
        this.broken("C6", `Version ${version} of the ReplicaSet was answered with 409, since there is a later one, ` +
          "and the same call sends it again: the answer will not be another one.", about);
    } else if (path === `${SETS}/${NAME}`) {
      this.broken("C4", `${method} of the ReplicaSet itself: its spec is what somebody wants, and the controller ` +
        "writes the status.", about);
    }
    return undefined;
  }

  /** The Pod of a path: as the call's cache had it, or as it is. @param {string} path */
  #pod(path) {
    const name = path.slice(PODS.length + 1);
    const is = (/** @type {any} */ pod) => pod.metadata.name === name;
    return this.call.pods.find(is) ?? [...this.world.pods.values()].find(is) ?? null;
  }

  /** @param {Ask} ask */
  #makes(ask) {
    const { replicaSet } = this.call;
    const { template, selector } = replicaSet.spec;
    const about = { request: ask.id };
    const pod = parsed(ask.body);
    const owner = pod && controllerOf({ metadata: pod.metadata ?? {} });
    if (!pod?.metadata) return undefined; // the server says what is wrong with it
    if (!owner)
      return this.broken("C1", "A Pod is made that has no controller in its ownerReferences: it does not count as " +
        "the ReplicaSet's until somebody adopts it.", about);
    const { apiVersion, kind, name, uid } = owner;
    if (uid !== replicaSet.metadata.uid || name !== NAME || kind !== "ReplicaSet" || apiVersion !== "apps/v1")
      return this.broken("C1", `A Pod is made whose controller is ${apiVersion} ${kind} ${name} with uid ${uid}: ` +
        "there is no such object, and the garbage collector deletes what only has owners that do not exist.", about);
    if (!selects(selector.matchLabels, pod))
      return this.broken("C2", "A Pod is made that the selector does not select: it lacks labels of the template.",
        about);
    if (!selects(template.metadata.labels, pod) || canonicalJSON(pod.spec) !== canonicalJSON(template.spec))
      return this.broken("C2", "A Pod is made whose labels or spec are not those of the template.", about);
    return undefined;
  }

  /** @param {Ask} ask @param {any} pod */
  #patches(ask, pod) {
    const owner = controllerOf(pod);
    if (owner && !this.#owned(pod))
      this.broken("C4", `The Pod ${named(pod)} is patched, whose controller is the ${owner.kind} ${owner.name}.`,
        { request: ask.id });
  }

  /** @param {Ask} ask @param {any} pod */
  #deletes(ask, pod) {
    const { call } = this;
    const owner = controllerOf(pod);
    const about = { request: ask.id };
    const known = this.#owned(pod) || call.adopted.has(pod.metadata.uid);
    if (!known && owner)
      return this.broken("C4", `The Pod ${named(pod)} is deleted, whose controller is the ${owner.kind} ` +
        `${owner.name}: the same labels do not make it yours.`, about);
    if (!known) return this.broken("C4", `The Pod ${named(pod)} is deleted, which has no controller.`, about);
    if (!selects(call.replicaSet.spec.selector.matchLabels, pod))
      return this.broken("C4", `The Pod ${named(pod)} is deleted, which the selector no longer selects: somebody has ` +
        "taken it out, and it has to be let go.", about);
    call.deletes.push(pod);
    return undefined;
  }

  /** A request was carried out, or refused. @param {Ask} ask @param {number} status @param {any} body */
  answered(ask, status, body) {
    const { call, world } = this;
    const { method, path } = ask;
    const done = status < 300;
    const about = { request: ask.id, revision: Number(body?.metadata?.resourceVersion) || undefined };
    const now = world.replicaSet;
    if (method === "POST" && path === PODS) {
      if (!done) {
        call.refused++;
        if (status === 403 && call.refused > call.made + 1)
          this.broken("C7", `${many(call.refused, "Pod")} of this call were refused, and ${call.made} made: what a ` +
            "quota refuses once, it refuses a moment later too.", about);
        return;
      }
      call.made++;
      this.made.set(body.metadata.uid, body);
      const there = this.#counted(world.pods.values()).length;
      const wanted = Math.max(call.replicaSet.spec.replicas, now.spec.replicas);
      if (there > wanted) {
        const unseen = this.#unseen();
        this.broken("C3", `The Pod ${named(body)} is number ${there} of ${wanted}: your cache, at version ` +
          `${world.caches.pods.version}, lacks ${many(unseen, "Pod")} that you have made.`, about);
      }
    }
    if (method === "PATCH" && path.startsWith(PODS + "/") && done) call.adopted.add(body.metadata.uid);
    if (method === "DELETE" && path.startsWith(PODS + "/") && done) this.#gone(body, about);
    if (method === "PUT" && path.endsWith("/status") && status === 409)
      call.stale.add(String(parsed(ask.body)?.metadata?.resourceVersion ?? ""));
    if (method !== "GET" && done && world.restsSince >= 0) {
      const after = Math.round((world.now - world.plan.calm) / 1000);
      const what = path.split("/").slice(6).join("/");
      this.broken("C10", `${method} of ${what}, ${after} s after the last change.`, about);
    }
  }

  /** How many of the Pods that the code has made its cache does not have, though they are there. */
  #unseen() {
    const seen = new Set(this.call.pods.map((pod) => pod.metadata.uid));
    return this.#counted(this.world.pods.values()).filter((pod) => this.made.has(pod.metadata.uid) &&
      !seen.has(pod.metadata.uid)).length;
  }

  /** A Pod was deleted. @param {any} pod @param {{request?: number, revision?: number}} about */
  #gone(pod, about) {
    const { call, world } = this;
    const { uid } = pod.metadata;
    if (this.deleted.has(uid)) return;
    // What is left by what the code has to know: its cache, and what it has done itself.
    const cached = this.#counted(call.pods).filter((p) => !this.deleted.has(p.metadata.uid)).length + this.#unseen() +
      call.adopted.size;
    this.deleted.add(uid);
    const there = this.#counted(world.pods.values()).length;
    const wanted = Math.min(call.replicaSet.spec.replicas, world.replicaSet.spec.replicas);
    if (there < wanted && cached - 1 < wanted)
      this.broken("C3", `The Pod ${named(pod)} is deleted, and ${there} of ${wanted} are left: your cache, at ` +
        `version ${world.caches.pods.version}, still has Pods that you have deleted.`, about);
  }

  /** A call of reconcile has returned or thrown. @param {string} thrown */
  settled(thrown) {
    this.thrown = thrown;
    const { call } = this;
    if (call.deletes.length === 0) return;
    const asked = new Set(call.deletes.map((pod) => pod.metadata.uid));
    const kept = this.#counted(call.pods).filter(({ metadata: { uid } }) => !asked.has(uid) && !this.deleted.has(uid));
    for (const pod of call.deletes) {
      for (const other of kept) {
        const why = goesBefore(other, pod);
        const [a, b] = [call.there.get(other.metadata.uid), call.there.get(pod.metadata.uid)];
        if (!why || (a && b && isActive(a) && !goesBefore(a, b))) continue; // right by what there really was
        this.broken("C5", `The Pod ${named(pod)} is deleted and ${named(other)} kept, which ${why}.`);
      }
    }
  }

  /** A minute has passed without a write of others and without a fault. */
  calm() {
    const { world } = this;
    const rs = world.replicaSet;
    const all = [...world.pods.values()];
    const mine = all.filter((pod) => controllerOf(pod)?.uid === rs.metadata.uid);
    const active = mine.filter(isActive);
    const selected = (/** @type {any} */ pod) => selects(rs.spec.selector.matchLabels, pod);
    const wanted = rs.spec.replicas;
    const wrong = (/** @type {string} */ text) =>
      this.broken("C9", text + (this.thrown ? ` Reconcile has thrown last: ${this.thrown}.` : ""),
        { revision: Number(rs.metadata.resourceVersion) });
    const lost = all.find((pod) => isActive(pod) && selected(pod) && !controllerOf(pod));
    const other = active.find((pod) => !selected(pod));
    if (lost) return wrong(`The Pod ${named(lost)} has no controller, and the selector selects it: it is not adopted.`);
    if (other)
      return wrong(`The Pod ${named(other)} is still the ReplicaSet's, whose selector no longer selects it.`);
    if (active.length !== wanted) {
      const ended = mine.filter((pod) => !isActive(pod)).map(named);
      const hint = ended.length > 0 && active.length < wanted
        ? ` What has failed or is being deleted does not count: ${ended.join(", ")}.` : "";
      return wrong(`There are ${active.length} Pods, and ${wanted} are wanted.${hint}`);
    }
    const { status } = rs;
    const ready = active.filter(isReady).length;
    const labelled = active.filter((pod) => selects(rs.spec.template.metadata.labels, pod)).length;
    /** @type {[string, number][]} */
    const fields = [["replicas", active.length], ["fullyLabeledReplicas", labelled], ["readyReplicas", ready],
      ["availableReplicas", ready], ["observedGeneration", rs.metadata.generation]];
    for (const [field, want] of fields) {
      if ((status[field] ?? 0) !== want)
        return wrong(`status.${field} is ${status[field] ?? 0}, and has to be ${want}.`);
    }
    if (status.terminatingReplicas !== undefined) {
      const ends = mine.filter((pod) => pod.metadata.deletionTimestamp && selected(pod) &&
        pod.status?.phase !== "Failed" && pod.status?.phase !== "Succeeded").length;
      if (status.terminatingReplicas !== ends)
        return wrong(`status.terminatingReplicas is ${status.terminatingReplicas}, and has to be ${ends}.`);
    }
  }
}
