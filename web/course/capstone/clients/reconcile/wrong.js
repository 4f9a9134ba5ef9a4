// @ts-check
/** Controllers that are wrong on purpose: the right one with pieces of its text replaced, and what the verdict says. */

/** @typedef {{rule: string, says: RegExp, seed: number, changes: [string, string][]}} Wrong */

const CACHE = `  if (Number(versions.pods) < wrote.pods || Number(versions.replicasets) < wrote.replicasets) return;\n`;
const LEAVING = `  if (leaving.size > 0) return;\n`;
const REFERENCES = `ownerReferences: [owner] },\n      spec`;
const ORDERED = `[...mine].sort(compare).slice(0, -missing)`;
const CONTROLLED = `    if (controller && controller.uid !== owner.uid) continue;\n`;
const FAILURE = `  if (failure) throw failure;\n`;
const STATUS = `    let updated;
    try {
      updated = await ask("PUT", \`\${path}/status\`, { ...replicaSet, status });
    } catch {
      updated = await ask("PUT", \`\${path}/status\`, { ...(await ask("GET", path)), status });
    }
    wrote.replicasets = versionOf(updated);
`;
/** @param {string} put */
const retried = (put) => `    for (let tries = 0; tries < 9; tries++) {
      const updated = await ask("PUT", \`\${path}/status\`, ${put}).catch((e) => e);
      if (!(updated instanceof Refused)) break;
      if (updated.status !== 409) throw updated;
    }
`;

/** @type {Record<string, Wrong>} */
export const WRONG = {
  "trusts its cache": { rule: "C3", seed: 1, changes: [[CACHE, ""]],
    says: /is number \d+ of \d+: your cache, at version \d+, lacks \d+ Pods? that you have/ },
  "deletes by a stale cache": { rule: "C3", says: /are left: your cache, at version \d+, still has Pods that you have/,
    seed: 2, changes: [[LEAVING, ""]] },
  "makes Pods without an owner": { rule: "C1", says: /no controller in its ownerReferences/, seed: 1,
    changes: [[REFERENCES, "},\n      spec"]] },
  "leaves out controller": { rule: "C1", says: /no controller in its ownerReferences/, seed: 2,
    changes: [["controller: true,\n", "\n"]] },
  "names the owner without its uid": { rule: "C1", says: /with uid 1: there is no such object/, seed: 1,
    changes: [["uid: replicaSet.metadata.uid", `uid: "1"`]] },
  "leaves out labels of the template": { rule: "C2", says: /lacks labels of the template/, seed: 1,
    changes: [["const { labels, annotations } = template.metadata;",
      "const { annotations } = template.metadata, labels = { app: template.metadata.labels.app };"]] },
  "makes all Pods at once": { rule: "C7", says: /\d+ Pods of this call were refused, and \d made/, seed: 1,
    changes: [["let batch = 1;", "let batch = 500;"]] },
  "deletes the first ones that it finds": { rule: "C5", says: /is deleted and `[^`]+` kept, which (is|costs)/, seed: 1,
    changes: [[ORDERED, "mine.slice(0, -missing)"]] },
  "knows no cost of deletion": { rule: "C5", says: /kept, which costs less to delete/, seed: 1,
    changes: [[`Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0)`, "0"]] },
  "counts by labels alone": { rule: "C4", says: /whose controller is the ReplicaSet db/, seed: 1,
    changes: [[CONTROLLED, ""],
      [`else if (!controller && selected)`, `else if (selected && controller?.uid !== owner.uid)`]] },
  "leaves orphans alone": { rule: "C9", says: /has no controller, and the selector selects it/, seed: 1,
    changes: [["} else if (!controller && selected) {", "} else if (false) {"],
      ["if (selected) mine", "if (selected && controller) mine"]] },
  "keeps what it no longer selects": { rule: "C9", says: /whose selector no longer selects it/, seed: 1,
    changes: [["if (controller && !selected) {", "if (false) {"]] },
  "counts Pods that have failed": { rule: "C9", says: /Pods, and \d+ are wanted/, seed: 1,
    changes: [[`["Succeeded", "Failed"].includes(pod.status?.phase);`, `false;`]] },
  "sends the refused version again": { rule: "C6", says: /was answered with 409, since there is a later one/, seed: 1,
    changes: [[STATUS, retried("{ ...replicaSet, status }")], [CACHE, CACHE.replace(/ \|\|.*\)/, ")")]] },
  "knows nothing of generations": { rule: "C9", says: /status\.observedGeneration is \d+, and has to be \d+/, seed: 1,
    changes: [["terminatingReplicas: ends.length, observedGeneration: replicaSet.metadata.generation",
      "terminatingReplicas: ends.length"]] },
  "scales the ReplicaSet": { rule: "C4", says: /PUT of the ReplicaSet itself/, seed: 1,
    changes: [["`${path}/status`, { ...replicaSet, status }", "path, { ...replicaSet, status }"]] },
  "waits for its Pods": { rule: "C8", says: /One call of reconcile has made 100 requests/, seed: 1,
    changes: [[FAILURE, `  while (mine.length < replicas) await ask("GET", path);\n${FAILURE}`]] },
  "writes in each call": { rule: "C10", says: /PUT of replicasets\/\S+\/status, \d+ s after the last change/, seed: 1,
    changes: [["text(status) !== text(replicaSet.status)", "true"],
      ["    let updated;", "    await sleep(3);\n    let updated;"],
      ["versions, fetch }", "versions, fetch, sleep }"], ["const status = { ...replicaSet.status,",
      "const status = { ...replicaSet.status, conditions: [{ type: \"Seen\", status: \"True\", message: " +
        "versions.pods + versions.replicasets }],"]] },
};

/** @param {string} right the text of right.js @param {string} name */
export function wrong(right, name) {
  let text = right;
  for (const [from, to] of WRONG[name].changes) {
    if (text.split(from).length !== 2) throw new Error(`${name}: not there exactly once: ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}
