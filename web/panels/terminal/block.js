// @ts-check
/**
 * One command of a terminal: its line with a chip, its output, and below that its requests, which can be folded.
 *
 * @import { Host } from "./panel.js"
 * @import { Chip } from "./explain/chips.js"
 */
import { commandOf, isKubectl, nameOf } from "./explain/command.js";
import { explained } from "./explain/explain.js";
import { kindOf } from "./explain/request.js";
import { summaryOf } from "./explain/chips.js";
import { h, icon } from "./dom.js";
import { Output } from "./output.js";
import { chipButton, requestList } from "./requests.js";

/** @typedef {{argv: string[], ids: number[], files: Set<string>, status: number | null}} Process */

let numbers = 0;

export class Block {
  /** By pid. @type {Map<number, Process>} */ processes = new Map();
  /** @type {number | null} */ status = null;
  #open = false;
  #booked = false;

  /**
   * @param {Host} host
   * @param {string} text what was typed
   * @param {string} dir where
   * @param {() => void} drawn called when something was drawn
   */
  constructor(host, text, dir, drawn) {
    this.host = host;
    this.input = text;
    this.drawn = drawn;
    const id = `term-requests-${++numbers}`;
    this.output = new Output({ asked: () => this.#kinds(), diff: /\bdiff\b/.test(text), drawn });
    this.fold = h("button", {
      type: "button", class: "term-fold", "aria-expanded": "false", "aria-controls": id, "aria-label": "Requests",
      hidden: true,
    }, icon("M6 4l4 4-4 4"));
    this.fold.onclick = () => this.show(!this.#open);
    this.chip = h("button", { type: "button", class: "chip", hidden: true, tabindex: "-1" });
    this.command = h("code", { class: "term-command" }, text);
    this.head = h("div", { class: "term-head", role: "group", tabindex: "-1", "aria-label": text },
      this.fold, h("span", { class: "term-sign", "aria-hidden": "true" }, dir ? `${dir} $` : "$"), this.command,
      this.chip);
    this.after = h("div", { class: "term-after" });
    this.requests = h("div", { id, class: "term-requests", "aria-live": "off", hidden: true });
    this.el = h("div", { class: "term-block is-running" },
      this.head, this.output.el, this.after, this.requests);
    this.head.addEventListener("click", (ev) => {
      if (!(/** @type {Element} */ (ev.target).closest("button")) && !String(getSelection())) this.select();
    });
  }

  get open() {
    return this.#open;
  }

  /** Lists the requests, or hides them. @param {boolean} open */
  show(open) {
    if (this.fold.hidden || open === this.#open) return;
    this.#open = open;
    this.fold.setAttribute("aria-expanded", String(open));
    this.requests.hidden = !open;
    this.el.classList.toggle("is-open", open);
    this.draw();
    if (open) this.select();
  }

  /** Lights up on the stage what belongs to the command. */
  select() {
    this.host.select(this);
  }

  /** Names in data-ref of what the stage shows of the command. */
  lights = "";

  /** @param {number} id */
  has(id) {
    for (const p of this.processes.values()) if (p.ids.includes(id)) return true;
    return false;
  }

  /** The last of its requests; undefined: it has made none. */
  get last() {
    return Math.max(0, ...[...this.processes.values()].flatMap((p) => p.ids)) || undefined;
  }

  /** @param {any} event of the kernel, about one of its processes */
  take(event) {
    let p = this.processes.get(event.pid);
    if (!p) {
      // A program that runs within the shell.
      p = { argv: event.argv ?? ["curl"], ids: [], files: new Set(), status: null };
      this.processes.set(event.pid, p);
    }
    if (event.type === "request" && event.id) p.ids.push(event.id);
    else if (event.type === "file" && event.op === "read") p.files.add(event.path);
    else if (event.type === "exit") p.status = event.status;
    this.changed();
  }

  /**
   * What was said of it.
   *
   * @param {string} sentence "": it does not wait any more
   * @param {boolean} [running] until it has done what it waits for
   * @param {string} [why] what is known of a fault: lines
   */
  note(sentence, running = false, why = "") {
    if (!sentence) return this.#waited();
    // A loop says it once.
    if ([...this.after.children].some((said) => said.firstChild?.textContent === sentence)) return;
    this.after.append(
      h("p", { class: "term-note" + (running ? " is-while" : "") }, sentence, why && `\n${why}`));
    this.drawn();
  }

  /** Takes back what was said of a wait. */
  #waited() {
    for (const note of this.after.querySelectorAll(".is-while")) note.remove();
  }

  /** @param {number} status */
  end(status) {
    this.status = status;
    for (const p of this.processes.values()) p.status ??= status;
    this.output.draw();
    this.el.classList.remove("is-running");
    if (status === 0) this.#waited();
    if (status !== 0) this.after.prepend(h("p", { class: "term-exit" }, `exit status ${status}`));
    this.draw();
  }

  /** Something was learnt of its requests. */
  changed() {
    if (this.#booked) return;
    this.#booked = true;
    setTimeout(() => this.draw(), 30);
  }

  /** @returns {import("./explain/request.js").Kind[]} */
  #kinds() {
    const out = [];
    for (const p of this.processes.values()) {
      for (const id of p.ids) {
        const r = this.host.exchanges.get(id);
        if (r) out.push(kindOf(r.method, r.url));
      }
    }
    return out;
  }

  draw() {
    this.#booked = false;
    const all = [...this.processes.values()].filter((p) => p.ids.length > 0);
    if (!all.length) return;
    const known = (/** @type {Process} */ p) =>
      p.ids.map((id) => this.host.exchanges.get(id)).filter((r) => r !== undefined);
    const parts = all.map((p) => ({
      name: nameOf(p.argv),
      argv: p.argv,
      ...explained(p.argv, known(p), p.status !== null, { open: this.#open, lane: this.host.lane, files: p.files }),
    }));
    // Revisions and lanes of another cluster than that of the stage are not there.
    const elsewhere = all.some((p) => known(p).some((r) => r.cluster !== this.host.exchanges.here));
    for (const part of elsewhere ? parts : []) {
      part.refs = part.refs.replace(/rev-\d+/g, "");
      part.lights = [];
      for (const row of [part, ...part.rows]) if (row.chip) row.chip = { ...row.chip, revision: 0 };
    }
    this.fold.hidden = false;
    const named = [...new Set(parts.map((p) => p.name))].slice(0, 3).join(", ");
    this.fold.setAttribute("aria-label", `Requests of ${named}`);
    this.#summary(parts, all, known, elsewhere);
    this.head.dataset.ref = parts.map((p) => p.refs).join(" ").split(" ").slice(0, 400).join(" ");
    this.lights = parts.flatMap((p) => p.lights).slice(0, 400).join(" ");
    if (this.#open) requestList(this.requests, parts, this.host);
    this.drawn();
  }

  /** @param {any[]} parts @param {Process[]} all @param {(p: Process) => any[]} known @param {boolean} elsewhere */
  #summary(parts, all, known, elsewhere) {
    let chip = /** @type {Chip | null} */ (parts[0].chip);
    if (parts.length > 1) {
      const verbs = all.filter((p) => isKubectl(p.argv[0])).map((p) => commandOf(p.argv).verb);
      chip = summaryOf(parts.flatMap((p) => p.requests), verbs,
        { open: this.#open, over: all.every((p) => p.status !== null), lane: (r) => this.host.lane(r.id) });
    }
    this.chip.hidden = !chip || chip.text === "";
    if (!chip) return;
    chipButton(this.chip, elsewhere ? { ...chip, revision: 0 } : chip);
    this.chip.title = elsewhere ? "of another cluster than the one on the stage" : "";
  }
}
