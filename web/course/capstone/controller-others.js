// @ts-check
/**
 * Those who change the cluster besides the controller: ann, who owns the ReplicaSet; ben, who has to do with Pods; and
 * a kubelet, which binds Pods, has them run, and ends them.
 *
 * @import { Reconciling } from "./controller-world.js"
 */
import { NAMESPACE } from "./writers.js";
import { NAME, OTHER, SLOW } from "./controller-plan.js";
import { isActive, isReady } from "./controller-pods.js";

export const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
export const SETS = `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`;

const LABELS = { app: "web", "pod-template-hash": "56b55d7545" };

/** The Pods' spec in the recordings beside the real server. */
const SPEC = { containers: [{ name: "web", image: "nginx:1" }] };

/** So many Pods are wanted at most. */
const MOST = 10;

export class Others {
  /** How often a Pod does not get ready. */ slow = 0;
  #made = 0;
  #touched = 0;
  /** Pods that do not get ready. @type {Set<string>} */ #late = new Set();

  /** @param {Reconciling} world */
  constructor(world) {
    this.world = world;
    this.draw = world.draw.part("others");
  }

  /** @param {string} by @param {string} method @param {string} path @param {any} [body] */
  #do(by, method, path, body) {
    const { revision } = this.world.must(method, path, by, body);
    const name = path.split("?")[0].split("/").slice(6).join("/");
    this.world.note({ what: "write", by, verb: method, name: name || "a Pod", revision });
  }

  /** So many are wanted. @param {number} replicas */
  want(replicas) {
    const rs = this.world.replicaSet;
    if (rs) return this.#do("ann", "PATCH", `${SETS}/${NAME}`, { spec: { replicas } });
    this.#do("ann", "POST", SETS, { metadata: { name: NAME, labels: LABELS }, spec: { replicas,
      selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: SPEC } } });
  }

  /** So many more are wanted. @param {number} more */
  scale(more) {
    this.want(Math.max(1, Math.min(MOST, this.world.replicaSet.spec.replicas + more)));
  }

  /** Changes something of the ReplicaSet that its controller does not care about. */
  touch() {
    this.#do("ann", "PATCH", `${SETS}/${NAME}`, { metadata: { annotations: { touched: String(++this.#touched) } } });
  }

  /** One of the ReplicaSet's active Pods, preferably a ready one. */
  #one() {
    const mine = this.world.mine();
    const ready = mine.filter(isReady);
    const of = ready.length > 0 ? ready : mine;
    return of.length === 0 ? null : this.draw.pick(of);
  }

  /** A Pod costs so much to delete. @param {number} cost */
  cost(cost) {
    const pod = this.#one();
    const annotations = { "controller.kubernetes.io/pod-deletion-cost": String(cost) };
    if (pod) this.#do("ben", "PATCH", `${PODS}/${pod.metadata.name}`, { metadata: { annotations } });
  }

  /** @param {string} name @param {object} metadata */
  #pod(name, metadata) {
    this.#do("ben", "POST", PODS, { metadata: { name: `${name}-${++this.#made}`, labels: LABELS, ...metadata },
      spec: SPEC });
  }

  orphan() {
    this.#pod("lost", {});
  }

  /** A Pod that another controller has, with the same labels. */
  foreign() {
    this.#pod(OTHER, { ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: OTHER, controller: true,
      uid: "00000000-0000-4000-8000-000000000000" }] });
  }

  /** A Pod is no longer selected: somebody wants to look at it. */
  relabel() {
    const pod = this.#one();
    if (pod) this.#do("ben", "PATCH", `${PODS}/${pod.metadata.name}`, { metadata: { labels: { app: "debug" } } });
  }

  kill() {
    const pod = this.#one();
    if (pod) this.#do("ben", "DELETE", `${PODS}/${pod.metadata.name}`);
  }

  /** A Pod is deleted and stays, for a finalizer that nobody removes. */
  hold() {
    const pod = this.#one();
    if (!pod) return;
    this.#do("ben", "PATCH", `${PODS}/${pod.metadata.name}`, { metadata: { finalizers: ["example.com/keep"] } });
    this.#do("ben", "DELETE", `${PODS}/${pod.metadata.name}`);
  }

  fail() {
    const pod = this.#one();
    if (pod) this.#status(pod.metadata.name, { phase: "Failed", reason: "Evicted" });
  }

  /** @param {string} name @param {object} status */
  #status(name, status) {
    this.#do("kubelet", "PATCH", `${PODS}/${name}/status`, { status });
  }

  /** What the kubelet does about what has happened to a Pod. @param {any} pod @param {boolean} isNew */
  saw(pod, isNew) {
    const { world, draw } = this;
    const { name, uid } = pod.metadata;
    /** @type {(ms: number, act: (pod: any) => void) => void} */
    const later = (ms, act) =>
      world.agenda.put(world.now + ms, () => {
        const now = world.pods.get(uid);
        if (now) act(now);
      });
    if (isNew) {
      later(draw.int(300, 2000), (pod) => {
        if (!pod.metadata.deletionTimestamp)
          this.#do("scheduler", "POST", `${PODS}/${name}/binding`,
            { metadata: { name }, target: { kind: "Node", name: "node-1" } });
      });
      if (draw.chance(this.slow)) this.#late.add(uid);
      else later(draw.int(2500, 6000), (pod) => this.#run(pod));
    } else if (pod.metadata.deletionTimestamp && !world.ending.has(uid)) {
      world.ending.add(uid);
      later(draw.int(1000, 3000), () => this.#do("kubelet", "DELETE", `${PODS}/${name}`, { gracePeriodSeconds: 0 }));
    }
  }

  /** @param {any} pod */
  #run(pod) {
    if (!isActive(pod) || !pod.spec.nodeName) return;
    const time = new Date(Date.UTC(2030, 0, 1) + this.world.now).toISOString().replace(/\.\d+/, "");
    const conditions = ["Ready", "ContainersReady", "Initialized", "PodScheduled"].map((type) =>
      ({ type, status: "True", lastTransitionTime: time }));
    this.#status(pod.metadata.name, { phase: "Running", conditions });
  }

  /** From now on Pods may get ready late, or not. */
  begin() {
    this.slow = SLOW;
  }

  /** All that run are ready. */
  settle() {
    this.slow = 0;
    for (const uid of this.#late) {
      const pod = this.world.pods.get(uid);
      if (pod) this.#run(pod);
    }
  }
}
