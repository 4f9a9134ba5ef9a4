/** What the real controller of ReplicaSets wrote beside the real server, of the recordings of wasm/controllers. */
import { readFileSync } from "node:fs";

const file = new URL("../../../../../wasm/controllers/histories/testdata/scale.txt", import.meta.url);

/** What level 7 compares: see beside.js. */
const SHOWN = /^ {2}(POST|PUT|PATCH|DELETE|metadata\.(generateName|labels|ownerReferences)|status\.)/;

/** The lines of its steps 2, 3 and 4, in which one, three and one Pods are wanted. */
export function recorded() {
  const steps = readFileSync(file, "utf8").split(/^# step \d+\n/m).slice(2, 5);
  return steps.map((step) => {
    const out = [];
    let mine = false;
    let of = "";
    for (const line of step.split("\n")) {
      const head = /^kube-controller-manager replicaset-controller (.*)$/.exec(line);
      if (!/^[ ?]/.test(line)) mine = head !== null && !head[1].startsWith("event ");
      if (!mine) continue;
      if (head) out.push((of = head[1]));
      else if (SHOWN.test(line) && !(of.startsWith("pods") && line.startsWith("  status."))) out.push(line);
    }
    return out;
  });
}
