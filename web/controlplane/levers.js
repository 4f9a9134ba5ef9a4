// @ts-check
/**
 * The levers of the control plane's programs, none of which touches their code: what is between them and the server,
 * and whether they run. Requests that are slow or fail are the server's: rows of spec.faults, by User-Agent.
 *
 * @import { Target } from "../shim/tabernetes"
 * @import { Program } from "./program.js"
 * @typedef {Record<string, unknown>} Fault a row of spec.faults
 */
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";

/** How much later a program gets what its watches bring, in seconds, and how slow its writes are. */
const LAG = 5;
const SLOW = 2;

/** The User-Agents of programs that are called otherwise there. @type {Record<string, string>} */
const AGENTS = { kubelets: "kubelet/" };

/** @param {string} name */
const agentOf = (name) => AGENTS[name] ?? `${name}/`;

/**
 * @typedef {object} Lever
 * @property {string} text
 * @property {string} title
 * @property {(program: Program) => void} [pull]
 * @property {(program: Program) => boolean} [on] whether it is in force; without it, it is something that happens once
 * @property {boolean} [second] whether it starts a second replica, or ends it: of programs that elect a leader
 * @property {Record<string, unknown>} [fault] what a row of spec.faults has besides the User-Agent
 */

/** @type {Lever[]} */
const LEVERS = [
  { text: "Pause", title: "It gets nothing and sends nothing; its code runs on",
    pull: (program) => program.pause(!program.paused), on: (program) => program.paused },
  { text: "Kill", title: "Ends it at once. It is started again", pull: (program) => program.restart() },
  { text: `Lag ${LAG} s`, title: `It gets what its watches bring ${LAG} s later`,
    pull: (program) => program.lag(program.lags ? 0 : LAG * 1000), on: (program) => program.lags > 0 },
  { text: "Cut", title: "Breaks its watches, as a network does", pull: (program) => program.cut() },
  { text: "Slow", title: `Its writes are answered ${SLOW} s later: a row of spec.faults`,
    fault: { delaySeconds: SLOW, verbs: ["create", "update", "patch", "delete"] } },
  { text: "Fail", title: "Its writes are answered 503: a row of spec.faults",
    fault: { status: 503, verbs: ["create", "update", "patch", "delete"] } },
  { text: "Second", title: "Starts another replica, which waits until the Lease ends", second: true },
];

/** The programs that may have a second replica: of the others one is enough. */
const ELECTED = ["kube-controller-manager", "kube-scheduler"];

export class Levers {
  /** @type {Program[]} */ #programs = [];
  /** Where their cluster is. @type {Target} */ #target = "tab";
  /** The buttons of faults, with what each adds to the cluster's. @type {Map<HTMLElement, Fault>} */
  #faults = new Map();

  /** @param {(name: string) => void} second starts the second replica of a program, or ends it */
  constructor(second) {
    this.second = second;
  }

  /** Shows the levers of those programs. @param {Program[]} programs @param {Target} target */
  show(programs, target) {
    this.#programs = programs;
    this.#target = target;
    this.#faults.clear();
    const place = document.getElementById("control-plane-programs");
    place?.replaceChildren(...programs.map((program) => this.#row(program)));
    this.#held();
    if (programs.length > 0) this.#ask().then((faults) => this.#mark(faults), () => {}); // the cluster may be gone
  }

  /** @param {Program} program */
  #row(program) {
    const row = document.createElement("div");
    row.className = "lever-line";
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", program.name);
    const name = document.createElement("span");
    name.className = "lever-of";
    name.textContent = program.name;
    const levers = LEVERS.filter(({ second }) => !second || ELECTED.includes(program.name));
    row.append(name, ...levers.map((lever) => this.#button(program, lever)));
    return row;
  }

  /** @param {Program} program @param {Lever} lever */
  #button(program, lever) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet";
    button.textContent = lever.text;
    button.title = lever.title;
    const { on, pull, fault, second } = lever;
    const row = fault && { userAgent: agentOf(program.name), ...fault };
    if (on) button.ariaPressed = String(on(program));
    if (second) button.ariaPressed = String(this.#programs.some(({ name }) => name === `${program.name}-2`));
    if (row) this.#faults.set(button, row);
    button.onclick = () => {
      if (second) return this.second(program.name);
      if (row) this.#toggle(row);
      pull?.(program);
      if (on) button.ariaPressed = String(on(program));
      this.#held();
    };
    return button;
  }

  /** Tells the stage which programs are paused. */
  #held() {
    const held = document.getElementById("st-held");
    const names = this.#programs.filter(({ paused }) => paused).map(({ name }) => name).join(" ");
    if (!held || (held.dataset.names ?? "") === names) return;
    held.dataset.names = names;
    held.click();
  }

  /** Adds a row to the cluster's faults, or removes it. @param {Fault} row */
  async #toggle(row) {
    const faults = await this.#ask();
    const others = faults.filter((other) => !has(other, row));
    this.#mark(await this.#ask(others.length === faults.length ? [...faults, row] : others));
  }

  /** Shows which faults are in force. @param {Fault[]} faults */
  #mark(faults) {
    for (const [button, row] of this.#faults) button.ariaPressed = String(faults.some((fault) => has(fault, row)));
  }

  /**
   * The faults of the cluster, once they are those that are given, if any are. It is asked as its levers are: whatever
   * the page shows, and whatever the cluster's settings let others do.
   *
   * @param {Fault[]} [faults]
   * @returns {Promise<Fault[]>}
   */
  async #ask(faults) {
    const response = await window.tabernetes.fetch(CONTROL_PLANE, {
      tabernetes: { origin: "lever", quiet: !faults, owner: true, target: this.#target },
      ...(faults && { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
        body: JSON.stringify({ spec: { faults } }) }),
    });
    if (!response.ok) return faults ? this.#ask() : []; // what is refused changes nothing
    return (await response.json()).spec.faults ?? [];
  }
}

/** Whether a fault says all that another one does. @param {Fault} fault @param {Fault} all */
const has = (fault, all) =>
  Object.entries(all).every(([key, value]) => JSON.stringify(fault[key]) === JSON.stringify(value));
