// @ts-check
/**
 * What the bench has, and how its requests ended: its parts show and change it.
 *
 * @import { Outcome, Problem } from "./ground.js"
 * @import { Bench, Request, Tab } from "./model.js"
 */
import { TABS, emptyBench } from "./model.js";

/** @param {string} id */
export const $ = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export const state = {
  /** @type {Bench} */
  bench: emptyBench(),
  /** @type {Tab} */
  tab: "policy",
  /** The row that is shown: those of definitions have numbers below zero. */
  chosen: 0,
  /** How the requests ended, and before that. @type {(Outcome | null)[]} */
  outcomes: [],
  /** @type {(Outcome | null)[]} */
  before: [],
  /** @type {Problem[]} */
  problems: [],
  /**
   * How writing the definitions ended: rows above those of the requests.
   *
   * @type {{request: Request, outcome: Outcome}[]}
   */
  checks: [],
  /** How often all was tried: only the newest counts. */
  runs: 0,
  /**
   * The texts that are in force, what was found in them, and since which revision.
   *
   * @type {{texts: Bench["tabs"], problems: Problem[], revision: string}}
   */
  inForce: { texts: emptyBench().tabs, problems: [], revision: "" },
};

/** Whether a text is not the one that is in force. @param {Tab} tab */
export const differs = (tab) => state.bench.tabs[tab] !== state.inForce.texts[tab];

/** Whether something was written since. */
export const hasChanged = () => TABS.some(differs);

/** A row. @param {number} i */
export const at = (i) => (i < 0 ? state.checks[i + state.checks.length]
  : { request: state.bench.requests[i], outcome: state.outcomes[i] ?? null });

/** Says something to those who hear the page. @param {string} text */
export const say = (text) => void ($("status").textContent = text);

/** Says since when the texts are in force. */
export const showSince = () => {
  const revision = document.createElement("b");
  revision.className = "num";
  revision.textContent = state.inForce.revision;
  $("since").replaceChildren(...(hasChanged() ? ["changed"] : ["in force since ", revision]));
};
