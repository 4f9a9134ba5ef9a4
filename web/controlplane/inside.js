// @ts-check
/**
 * What the programs say of their work, in the Client panel: their work queues as they count them, and the last that
 * each part of a program has logged. How much they log can be raised.
 *
 * Costs: a question a second to each program while this is looked at; nothing else, unless they log more.
 *
 * @import { Program } from "./program.js"
 */

/** How often they are asked, in milliseconds. */
const PERIOD = 1000;

/** How much a program may log: klog's -v, and what it is called. */
const LEVELS = [[0, "as usual"], [2, "decisions (-v=2)"], [4, "in detail (-v=4)"]];

/**
 * @typedef {object} State what a program counts: wasm/controllers/inside
 * @property {{name: string, depth: number, adds: number, retries: number}[]} queues
 * @property {{metric: string, labels: string, value: number}[]} values
 */

export class Inside {
  /** @type {Program[]} */ #programs = [];
  /** Where it is shown. @type {HTMLElement | null} */ #place = null;
  /** @type {any} */ #timer = null;
  #seen = new IntersectionObserver((entries) => this.#look(entries.at(-1)?.isIntersecting ?? false));

  /** Shows those programs. @param {Program[]} programs */
  show(programs) {
    const before = this.#programs;
    const same = programs.length === before.length && programs.every((program, i) => program === before[i]);
    const place = document.getElementById("control-plane-inside");
    if (same && place === this.#place) return;
    this.#programs = programs;
    this.#place = place;
    this.#seen.disconnect();
    this.#look(false);
    if (!place) return;
    const title = element("h3", "Programs of the control plane");
    place.replaceChildren(...(programs.length > 0 ? [title, ...programs.map((program) => part(program))] : []));
    if (programs.length > 0) this.#seen.observe(place);
  }

  /** Asks them from now on, or no longer. @param {boolean} on */
  #look(on) {
    clearInterval(this.#timer);
    if (!on) return;
    const ask = () => {
      for (const program of this.#programs) program.ask();
    };
    ask();
    this.#timer = setInterval(ask, PERIOD);
  }
}

/** The part of a program. @param {Program} program */
function part(program) {
  const section = document.createElement("section");
  section.className = "client-program";
  section.setAttribute("aria-label", program.name);
  const head = element("h4", program.name);
  const label = element("label", "Logs ");
  const select = document.createElement("select");
  select.className = "field";
  for (const [level, text] of LEVELS) select.append(new Option(String(text), String(level)));
  select.value = String(program.level);
  select.onchange = () => program.ask(Number(select.value));
  label.append(select);
  const queues = document.createElement("div");
  const logs = document.createElement("div");
  section.append(head, label, queues, logs);
  let shown = "";
  program.oninside = (text) => {
    const lines = [...program.logged.values()].reverse();
    const now = text + JSON.stringify(lines);
    if (now === shown) return;
    shown = now;
    queues.replaceChildren(...counted(JSON.parse(text)));
    logs.replaceChildren(...(lines.length > 0 ? [table(["Part", "At", "The last that it has logged"],
      lines.map(({ logger, time, text }) => [logger || program.name, time, text]))] : []));
  };
  return section;
}

/** What a program counts. @param {State} state */
function counted({ queues, values }) {
  const busy = queues.filter(({ adds }) => adds > 0);
  const idle = queues.length - busy.length;
  const rows = busy.map(({ name, depth, adds, retries }) => [name, depth, adds, retries]);
  const parts = [];
  if (rows.length > 0) parts.push(table(["Work queue", "Waiting", "Added", "Retries"], rows));
  if (idle > 0) parts.push(element("p", `${idle} other queues have had nothing.`));
  if (values.length > 0) {
    parts.push(table(["Metric", "", "Value"], values.map(({ metric, labels, value }) => [metric, labels, value])));
  }
  return parts;
}

/** @param {string[]} head @param {(string | number)[][]} rows */
function table(head, rows) {
  const table = document.createElement("table");
  table.className = "rows";
  const line = table.createTHead().insertRow();
  for (const text of head) line.append(element("th", text));
  const body = table.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    for (const cell of cells) {
      const at = row.insertCell();
      at.textContent = String(cell);
      if (typeof cell === "number") at.className = "num";
    }
  }
  return table;
}

/** @param {string} name @param {string} text */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
