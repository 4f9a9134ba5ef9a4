// @ts-check
/**
 * The rules of level 7, each of which says what is wrong at a moment, in a sentence for the learner, and what the real
 * controller does. What it does is kube-controller-manager's of v1.36.3, pkg/controller/replicaset/replica_set.go.
 */

/**
 * @typedef {object} Rule
 * @property {string} title
 * @property {string} broken when it is
 * @property {string} real what the real controller does
 */

/** @type {Record<string, Rule>} */
export const RULES = {
  C1: {
    title: "owner",
    broken: "a Pod is made without ownerReferences that name the ReplicaSet, by its uid, with controller: true",
    real: "The real controller makes each Pod with the ReplicaSet as its controller, and blockOwnerDeletion: true.",
  },
  C2: {
    title: "template",
    broken: "a Pod is made that is not as the template says, or whose labels the selector does not select",
    real: "The real controller takes labels, annotations and the spec from the template.",
  },
  C3: {
    title: "own writes",
    broken: "more Pods are made than are missing, or more deleted than there are too many, since the code's own " +
      "writes were not in its cache yet",
    real: "The real controller does not reconcile while its cache is older than its last write (“read version: … " +
      "is not as new as written version: …”), and expects the Pods that it has made or deleted to show up.",
  },
  C4: {
    title: "not yours",
    broken: "a Pod is written that is not the ReplicaSet's, or the ReplicaSet itself instead of its status",
    real: "The real controller adopts Pods that its selector selects and that have no controller, lets those go " +
      "that it no longer selects, and leaves all others alone.",
  },
  C5: {
    title: "order",
    broken: "a Pod is deleted though another one had to go first",
    real: "The real controller deletes Pods on no node first, then those in an earlier phase, those that are not " +
      "ready, and those that cost less to delete.",
  },
  C6: {
    title: "conflict",
    broken: "after a 409, the same version is sent again",
    real: "The real controller reads the ReplicaSet after a failed update of its status, and tries with the new " +
      "version, once; then it returns the error and is called again later.",
  },
  C7: {
    title: "slow start",
    broken: "in one call, more Pods are refused than were made, and one",
    real: "The real controller makes one Pod, then two at a time, then four, and stops when one is refused.",
  },
  C8: {
    title: "patience",
    broken: "one call makes over 100 requests, or all calls together over 5,000",
    real: "The real controller returns the error; its queue calls it again, after longer and longer waits.",
  },
  C9: {
    title: "arrival",
    broken: "60 s after the last fault and write the Pods or the status are not what they have to be",
    real: "The real controller compares again after each change of the ReplicaSet and its Pods, and each error.",
  },
  C10: {
    title: "rest",
    broken: "the code still writes though nothing has changed",
    real: "The real controller writes a status only if it differs from the one that it has read.",
  },
};
