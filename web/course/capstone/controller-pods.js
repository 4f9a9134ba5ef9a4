// @ts-check
/** What the controller of ReplicaSets wants to know of Pods, as kube-controller-manager v1.36.3 knows it. */

/** The owner that is its controller. @param {any} object */
export const controllerOf = (object) => object.metadata.ownerReferences?.find((/** @type {any} */ o) => o.controller);

/** @param {any} pod */
export const isActive = (pod) =>
  !pod.metadata.deletionTimestamp && pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed";

/** @param {any} pod */
export const isReady = (pod) =>
  pod.status?.conditions?.some((/** @type {any} */ c) => c.type === "Ready" && c.status === "True") ?? false;

/** Whether an object has all these labels. @param {Record<string, string>} labels @param {any} object */
export const selects = (labels, object) =>
  Object.entries(labels).every(([key, value]) => object.metadata.labels?.[key] === value);

/** @param {any} pod */
const cost = (pod) => Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);

const PHASES = ["Pending", "Unknown", "Running"];

/**
 * In which order Pods are deleted, as far as it is certain: what comes after the cost is the time since they are ready,
 * of which the controller compares the logarithm.
 *
 * @type {[why: string, of: (pod: any) => number][]}
 */
export const ORDER = [
  ["is on no node", (pod) => (pod.spec.nodeName ? 1 : 0)],
  ["is in an earlier phase", (pod) => PHASES.indexOf(pod.status?.phase ?? "Pending")],
  ["is not ready", (pod) => (isReady(pod) ? 1 : 0)],
  ["costs less to delete", cost],
];

/** Why one Pod is deleted before another, "" if it is not. @param {any} first @param {any} second */
export function goesBefore(first, second) {
  for (const [why, of] of ORDER) {
    if (of(first) < of(second)) return why;
    if (of(first) > of(second)) return "";
  }
  return "";
}
