// @ts-check
/**
 * Waits for the programs of the control plane: who makes one request after another, as a lesson does that is set up
 * again, is faster than they are, and would ask for the next thing before they have seen the last.
 *
 * @import { Tabernetes } from "../shim/tabernetes"
 */
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { isOn } from "../browser/controlplane.js";

/** How long they are waited for, in milliseconds: some may have more to do than anybody wants to wait for. */
const PATIENCE = 20_000;

/**
 * Resolves once they have done what they do at once, and wait for time to pass; without programs soon.
 *
 * @param {Pick<Tabernetes, "fetch" | "target">} tabernetes
 * @param {number} [patience]
 */
export async function settled({ fetch, target }, patience = PATIENCE) {
  if (target !== "scene" && !(target === "tab" && isOn())) return;
  /** @type {Parameters<typeof fetch>[1]} */
  const wait = {
    method: "POST", headers: { "Content-Type": "application/json" }, body: '{"seconds":0}',
    signal: AbortSignal.timeout(patience), tabernetes: { origin: "lever", quiet: true, owner: true },
  };
  try {
    await (await fetch(`${CONTROL_PLANE}/advance`, wait)).text();
  } catch {
    // The cluster is gone, or they take too long: what is asked next says so.
  }
}
