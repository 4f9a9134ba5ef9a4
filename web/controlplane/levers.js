// @ts-check
/**
 * The levers of the control plane's programs, none of which touches their code: what is between them and the server,
 * and whether they run. Requests that are slow or fail are the server's: rows of spec.faults, by User-Agent.
 *
 * @import { Program } from "./program.js"
 */
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";

/** How much later a program gets what its watches bring, in seconds, and how slow its requests are. */
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
  { text: "Slow", title: `Its requests are answered ${SLOW} s later: a row of spec.faults`,
    fault: { delaySeconds: SLOW, verbs: ["create", "update", "patch", "delete"] } },
  { text: "Fail", title: "Its writes are answered 503: a row of spec.faults",
    fault: { status: 503, verbs: ["create", "update", "patch", "delete"] } },
];

export class Levers {
  /** @type {Program[]} */ #programs = [];

  /** Shows the levers of those programs. @param {Program[]} programs */
  show(programs) {
    this.#programs = programs;
    const place = document.getElementById("control-plane-programs");
    place?.replaceChildren(...programs.map((program) => this.#row(program)));
    this.#held();
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
    row.append(name, ...LEVERS.map((lever) => this.#button(program, lever)));
    return row;
  }

  /** @param {Program} program @param {Lever} lever */
  #button(program, lever) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet";
    button.textContent = lever.text;
    button.title = lever.title;
    const { on, pull, fault } = lever;
    if (on) button.ariaPressed = String(on(program));
    if (fault) button.ariaPressed = "false";
    button.onclick = async () => {
      if (fault) button.ariaPressed = String(await toggleFault({ userAgent: agentOf(program.name), ...fault }));
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
}

/**
 * Adds a row to the cluster's faults, or removes it. Resolves to whether it is there now.
 *
 * @param {Record<string, unknown>} row
 */
async function toggleFault(row) {
  const { spec } = await (await fetch(CONTROL_PLANE)).json();
  /** @type {Record<string, unknown>[]} */
  const faults = spec.faults ?? [];
  const others = faults.filter((other) => Object.entries(row).some(([key, value]) =>
    JSON.stringify(other[key]) !== JSON.stringify(value)));
  const on = others.length === faults.length;
  const body = JSON.stringify({ spec: { faults: on ? [...faults, row] : others } });
  await fetch(CONTROL_PLANE, { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" }, body });
  return on;
}
