// @ts-check
/**
 * Reconciles a ReplicaSet, as its controller does: as many active Pods as it wants, and a status that says so.
 *
 * @import { Reconciliation } from "../../protocol"
 */

/** The versions of the last writes: until the caches are as new, they lack what was written. */
const wrote = { pods: 0, replicasets: 0 };

/** The Pods that were deleted, by uid, until the cache shows it. @type {Set<string>} */
const leaving = new Set();

class Refused extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(`${status}: ${body.message}`);
    this.status = status;
  }
}

/** @param {any} object */
const versionOf = (object) => Number(object.metadata.resourceVersion);

/** @param {any} object */
const controllerOf = (object) => object.metadata.ownerReferences?.find((/** @type {any} */ o) => o.controller);

/** @param {any} pod */
const isActive = (pod) => !pod.metadata.deletionTimestamp && !["Succeeded", "Failed"].includes(pod.status?.phase);

/** @param {any} pod */
const isReady = (pod) =>
  (pod.status?.conditions ?? []).some((/** @type {any} */ c) => c.type === "Ready" && c.status === "True");

/** @param {any} labels @param {any} object */
const has = (labels, object) => Object.entries(labels ?? {}).every(([k, v]) => object.metadata.labels?.[k] === v);

/** Which Pods go first: those with the smallest. @param {any} pod */
const rank = (pod) => [
  pod.spec.nodeName ? 1 : 0,
  ["Pending", "Unknown", "Running"].indexOf(pod.status?.phase),
  isReady(pod) ? 1 : 0,
  Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0),
];

/** @param {any} a @param {any} b */
function compare(a, b) {
  const [ranksA, ranksB] = [rank(a), rank(b)];
  const at = ranksA.findIndex((n, i) => n !== ranksB[i]);
  return at < 0 ? 0 : ranksA[at] - ranksB[at];
}

/** @param {Reconciliation} known */
export async function reconcile({ namespace, name, replicaSet, pods, versions, fetch }) {
  if (Number(versions.pods) < wrote.pods || Number(versions.replicasets) < wrote.replicasets) return;
  for (const uid of leaving) {
    const pod = pods.find((p) => p.metadata.uid === uid);
    if (!pod || !isActive(pod)) leaving.delete(uid);
  }
  if (leaving.size > 0) return;

  const podsPath = `/api/v1/namespaces/${namespace}/pods`;
  const path = `/apis/apps/v1/namespaces/${namespace}/replicasets/${name}`;
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: replicaSet.metadata.uid, controller: true,
    blockOwnerDeletion: true };

  /** @param {string} method @param {string} url @param {any} [body] */
  async function ask(method, url, body) {
    const headers = { "Content-Type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    const object = await response.json();
    if (!response.ok) throw new Refused(response.status, object);
    return object;
  }

  /** @param {any} pod @param {any} ownerReferences */
  async function own(pod, ownerReferences) {
    const { uid, resourceVersion } = pod.metadata;
    const patched = await ask("PATCH", `${podsPath}/${pod.metadata.name}`,
      { metadata: { uid, resourceVersion, ownerReferences } });
    wrote.pods = Math.max(wrote.pods, versionOf(patched));
  }

  const { selector, template, replicas } = replicaSet.spec;
  const mine = [];
  for (const pod of pods) {
    const controller = controllerOf(pod);
    const selected = has(selector.matchLabels, pod);
    if (controller && controller.uid !== owner.uid) continue;
    if (!isActive(pod)) continue;
    try {
      if (controller && !selected) {
        const others = pod.metadata.ownerReferences.filter((/** @type {any} */ o) => o.uid !== owner.uid);
        await own(pod, others.length > 0 ? others : null);
      } else if (!controller && selected) {
        await own(pod, [...(pod.metadata.ownerReferences ?? []), owner]);
      }
      if (selected) mine.push(pod);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404) throw error;
    }
  }

  /** @type {unknown} */ let failure = null;
  const missing = replicas - mine.length;
  let made = 0;
  for (let batch = 1; made < missing && !failure; batch *= 2) {
    const { labels, annotations } = template.metadata;
    const pod = { metadata: { generateName: `${name}-`, labels, annotations, ownerReferences: [owner] },
      spec: template.spec };
    const all = await Promise.allSettled(
      Array.from({ length: Math.min(batch, missing - made) }, () => ask("POST", podsPath, pod)));
    for (const one of all) {
      if (one.status === "rejected") failure ??= one.reason;
      else {
        made++;
        wrote.pods = Math.max(wrote.pods, versionOf(one.value));
      }
    }
  }
  if (missing < 0) {
    const gone = [...mine].sort(compare).slice(0, -missing);
    for (const pod of gone) leaving.add(pod.metadata.uid);
    await Promise.all(gone.map(async (pod) => {
      try {
        await ask("DELETE", `${podsPath}/${pod.metadata.name}`);
      } catch (error) {
        leaving.delete(pod.metadata.uid);
        if (!(error instanceof Refused) || error.status !== 404) failure ??= error;
      }
    }));
  }

  const ready = mine.filter(isReady).length;
  const ends = pods.filter((p) => p.metadata.deletionTimestamp && controllerOf(p)?.uid === owner.uid &&
    has(selector.matchLabels, p) && !["Succeeded", "Failed"].includes(p.status?.phase));
  const status = { ...replicaSet.status, replicas: mine.length, readyReplicas: ready, availableReplicas: ready,
    fullyLabeledReplicas: mine.filter((p) => has(template.metadata.labels, p)).length,
    terminatingReplicas: ends.length, observedGeneration: replicaSet.metadata.generation };
  const text = (/** @type {any} */ s) => JSON.stringify(["replicas", "readyReplicas", "availableReplicas",
    "fullyLabeledReplicas", "terminatingReplicas", "observedGeneration"].map((field) => s[field] ?? 0));
  if (text(status) !== text(replicaSet.status)) {
    let updated;
    try {
      updated = await ask("PUT", `${path}/status`, { ...replicaSet, status });
    } catch {
      updated = await ask("PUT", `${path}/status`, { ...(await ask("GET", path)), status });
    }
    wrote.replicasets = versionOf(updated);
  }
  if (failure) throw failure;
}
