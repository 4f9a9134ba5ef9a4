// @ts-check
/**
 * The output of one command, as text that can be copied as the command printed it.
 *
 * Invariants: the text of the element is what was printed, without control sequences; of more than MOST lines the
 * newest are kept, and how many were cut off is said above them.
 *
 * Costs: what comes within a frame is drawn at once, in pieces of PIECE lines.
 *
 * @import { Run } from "./screen.js"
 */
import { h } from "./dom.js";
import { Links } from "./links.js";
import { Screen } from "./screen.js";

/** How many lines of a command are kept. */
const MOST = 5000;
const PIECE = 250;

export class Output {
  #screen;
  #links;
  /** Lines that are not drawn yet. @type {Run[][]} */ #due = [];
  #booked = false;
  /** How long the last drawing took, in milliseconds: a flood must leave the page time to act. */ #took = 0;
  #cut = 0;
  #lines = 0;
  /** Nothing but a clearing of the screen was written. */ cleared = false;
  #open = h("span", { class: "term-open" });
  /** The table that the last line is of. @type {HTMLElement | null} */ #table = null;

  /**
   * @param {object} options
   * @param {() => import("./explain/request.js").Kind[]} options.asked what the command has asked for
   * @param {boolean} options.diff it prints differences
   * @param {() => void} options.drawn called when something was drawn
   */
  constructor({ asked, diff, drawn }) {
    this.diff = diff;
    this.drawn = drawn;
    this.#links = new Links(asked);
    this.text = h("pre", { class: "term-text" }, this.#open);
    this.note = h("p", { class: "term-cut", hidden: true });
    this.el = h("div", { class: "term-output" }, this.note, this.text);
    this.#screen = new Screen({ line: (runs) => this.#due.push(runs), clear: () => this.#clear() });
  }

  /** Whether nothing was printed, or all of it was cleared. */
  get empty() {
    return this.#lines === 0 && this.#due.length === 0 && this.#screen.open().length === 0;
  }

  /** @param {Uint8Array} bytes @param {"stdout" | "stderr"} stream */
  write(bytes, stream) {
    this.#screen.write(bytes, stream);
    this.#later();
  }

  /** What was typed while the command reads. @param {string} text */
  echo(text) {
    this.#screen.add(text, "is-typed");
    this.#later();
  }

  #clear() {
    this.#due = [];
    this.#lines = this.#cut = 0;
    this.cleared = true;
    this.#links = new Links(this.#links.asked);
    this.#table = null;
    this.text.replaceChildren(this.#open);
    this.#later();
  }

  #later() {
    if (this.#booked) return;
    this.#booked = true;
    setTimeout(() => this.draw(), Math.max(16, 4 * this.#took));
  }

  /** Draws what is due. */
  draw() {
    const begun = performance.now();
    this.#booked = false;
    if (this.#due.length > MOST) {
      // They would be cut off at once.
      const over = this.#due.length - MOST;
      this.#due.splice(0, over);
      this.#cut += over;
    }
    for (const runs of this.#due.splice(0)) this.#add(runs);
    while (this.#lines > MOST + PIECE) {
      const first = /** @type {Element} */ (this.text.querySelector("[data-lines]"));
      const lines = Number(first.getAttribute("data-lines"));
      const table = first.closest(".term-table");
      first.remove();
      if (table && !table.firstChild && table !== this.#table) table.remove();
      this.#lines -= lines;
      this.#cut += lines;
    }
    this.#open.replaceChildren(...this.#runs(this.#screen.open()));
    this.fit();
    this.note.hidden = this.#cut === 0;
    const cut = `${this.#cut.toLocaleString("en")} lines before these were cut off`;
    if (this.#cut > 0) this.note.textContent = `${cut}: with > FILE behind the command a file has all.`;
    this.drawn();
    this.#took = performance.now() - begun;
  }

  /** @param {Run[]} runs */
  #add(runs) {
    const line = runs.map((r) => r.text).join("");
    if (!inTable(line, this.#table !== null)) this.#table = null;
    else if (!this.#table) {
      this.#table = h("span", { class: "term-table", role: "group", "aria-label": "Table" });
      this.text.insertBefore(this.#table, this.#open);
    }
    let piece = /** @type {Element | null} */ (
      this.#table ? this.#table.lastElementChild : this.#open.previousElementSibling);
    const has = Number(piece?.getAttribute("data-lines") ?? PIECE);
    if (!piece || has >= PIECE) {
      piece = h("span", { "data-lines": 1 });
      if (this.#table) this.#table.append(piece);
      else this.text.insertBefore(piece, this.#open);
    } else piece.setAttribute("data-lines", String(has + 1));
    this.#lines++;
    const nodes = [...this.#linked(this.#runs(runs), this.#links.in(line)), "\n"];
    for (const node of nodes) {
      const last = piece.lastChild;
      // One node for all that is plain.
      if (typeof node === "string" && last?.nodeType === 3) /** @type {Text} */ (last).appendData(node);
      else piece.append(node);
    }
  }

  /** Makes those tables stops of Tab that are wider than what is seen of them. */
  fit() {
    for (const table of this.text.querySelectorAll(".term-table")) {
      const wide = table.scrollWidth > table.clientWidth;
      if (wide === table.hasAttribute("tabindex")) continue;
      if (wide) table.setAttribute("tabindex", "0");
      else table.removeAttribute("tabindex");
    }
  }

  /** @param {Run[]} runs @returns {(string | HTMLElement)[]} */
  #runs(runs) {
    const line = runs.map((r) => r.text).join("");
    const changed = this.diff && runs.every((r) => !r.style) && /^(\+(?!\+\+ )|-(?!-- )|@@ )/.exec(line)?.[1];
    if (changed) return [h("span", { class: { "+": "is-added", "-": "is-removed" }[changed] ?? "is-dim" }, line)];
    return runs.map(({ text, style }) => (style ? h("span", { class: style }, text) : text));
  }

  /**
   * Puts links around parts of a line.
   *
   * @param {(string | HTMLElement)[]} nodes
   * @param {import("./links.js").Link[]} links
   */
  #linked(nodes, links) {
    if (!links.length) return nodes;
    /** @type {(string | HTMLElement)[]} */
    const out = [];
    let at = 0;
    for (const node of nodes) {
      const text = typeof node === "string" ? node : node.textContent ?? "";
      const end = at + text.length;
      let from = at;
      const part = (/** @type {number} */ to) => {
        if (to <= from) return;
        const s = text.slice(from - at, to - at);
        out.push(typeof node === "string" ? s : h("span", { class: node.className }, s));
        from = to;
      };
      for (const link of links) {
        if (link.from < from || link.to > end) continue; // over two styles: no link
        part(link.from);
        const s = text.slice(link.from - at, link.to - at);
        out.push(anchor(link, typeof node === "string" ? "" : node.className, s));
        from = link.to;
      }
      part(end);
      at = end;
    }
    return out;
  }

}

/**
 * Whether a line is one of a table, which is not wrapped: its columns are two or more spaces apart. Two columns may be
 * a name and what it means, unless a table has them, or begins with them in capitals.
 *
 * @param {string} line
 * @param {boolean} after whether the line before it is one of a table
 */
export function inTable(line, after) {
  const columns = line.trim().split(/ {2,}/).length;
  return columns > 2 || (columns === 2 && (after || !/[a-z]/.test(line)));
}

/** @param {import("./links.js").Link} link @param {string} style @param {string} text */
const anchor = (link, style, text) => h("a", {
  href: "#", tabindex: "-1", class: `term-link ${style}`.trim(), "data-action": "link",
  "data-link": link.ref ? "object" : "revision", "data-target": link.ref ? null : link.revision,
  "data-ref": link.ref ? `obj-${link.ref}` : `rev-${link.revision}`,
}, text);
