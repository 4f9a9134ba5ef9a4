// @ts-check
/**
 * A field for YAML or an expression: the editor of the lab, with lines that are marked, what is wrong underlined, and
 * completion where an expression of CEL is typed.
 *
 * @import { Explained } from "./trial"
 */
import { mount } from "../editor/editor.js";
import { h } from "./dom.js";

/** @typedef {{from: number, to: number, warning?: boolean, message: string}} Mark */

/** How many items are offered at once. */
const MOST = 40;

let fields = 0;

export class Field {
  /** @type {Mark[]} */ #marks = [];
  /** @type {[from: number, to: number] | null} */ #lines = null;
  #setting = false;
  /** What can be typed at the cursor. @type {{items: Explained["items"], from: number} | null} */ #offer = null;
  #chosen = 0;
  #asked = 0;

  /**
   * @param {string} label
   * @param {{input: (text: string) => void, complete?: (text: string, at: number) =>
     Promise<{items: Explained["items"], from: number} | null>, moved?: (at: number) => void}} on
   */
  constructor(label, on) {
    this.on = on;
    const id = `field-${++fields}`;
    this.area = h("textarea", { id, "aria-label": label, spellcheck: false, autocapitalize: "off",
      "autocomplete": "off",
      wrap: "off", placeholder: "YAML", title: "Tab indents; Escape, then Tab leaves the field" });
    this.list = h("ul.offer", { id: `${id}-offer`, role: "listbox", "aria-label": "What can be here", hidden: true });
    this.box = h("div.editor", null, this.area);
    mount(this.area);
    this.back = /** @type {HTMLElement} */ (this.box.querySelector(".colours"));
    this.wrap = h("div.field-wrap", null, this.box, this.list);
    if (on.complete) {
      this.area.setAttribute("aria-autocomplete", "list");
      this.area.setAttribute("aria-controls", this.list.id);
    }
    this.area.addEventListener("input", () => this.#input());
    this.area.addEventListener("blur", () => this.#close());
    this.area.addEventListener("click", () => this.#close());
    document.addEventListener("selectionchange", () => document.activeElement === this.area &&
      on.moved?.(this.area.selectionStart));
    // Before the editor, for which Tab and Enter mean something else.
    this.box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event), true);
  }

  get text() {
    return /** @type {string} */ (this.area.value);
  }

  set text(text) {
    if (text === this.area.value) return;
    this.#setting = true;
    this.area.value = text;
    this.area.dispatchEvent(new Event("input"));
    this.#setting = false;
  }

  #input() {
    requestAnimationFrame(() => this.#draw()); // after the editor
    if (this.#setting) return this.#close();
    this.#marks = [];
    this.#lines = null;
    this.on.input(this.text);
    const typed = this.text[this.area.selectionStart - 1] ?? "";
    if (/[\w.]/.test(typed)) this.#ask();
    else this.#close();
  }

  /** Underlines what is wrong. @param {Mark[]} marks */
  mark(marks) {
    this.#marks = marks;
    requestAnimationFrame(() => this.#draw());
  }

  /** Marks lines, from 1, or none. @param {[from: number, to: number] | null} lines @param {boolean} [show] */
  markLines(lines, show = false) {
    this.#lines = lines;
    requestAnimationFrame(() => {
      this.#draw();
      const row = lines && /** @type {HTMLElement | undefined} */ (this.back.children[lines[0] - 1]);
      if (show && row) this.area.scrollTop = row.offsetTop - this.area.clientHeight / 3;
    });
  }

  /** Puts the cursor into a line. @param {number} line */
  go(line) {
    this.area.dispatchEvent(new CustomEvent("line", { detail: line }));
  }

  #draw() {
    for (const old of this.back.querySelectorAll(".squiggle")) old.remove();
    [...this.back.children].forEach((row, i) =>
      row.classList.toggle("is-marked", this.#lines !== null && i + 1 >= this.#lines[0] && i + 1 <= this.#lines[1]));
    const { text } = this;
    for (const { from, to, warning } of this.#marks) {
      const before = text.slice(0, from).split("\n");
      text.slice(from, Math.max(to, from + 1)).split("\n").forEach((part, i) => {
        const lead = i === 0 ? /** @type {string} */ (before.at(-1)) : "";
        this.back.children[before.length - 1 + i]?.prepend(
          h("span.squiggle" + (warning ? ".is-warning" : ""), null, lead.replace(/\S/g, " "),
            h("u", null, part || " ")));
      });
    }
  }

  // --- completion -----------------------------------------------------------

  async #ask() {
    if (!this.on.complete) return;
    const asked = ++this.#asked;
    const at = this.area.selectionStart;
    const offer = await this.on.complete(this.text, at).catch(() => null);
    if (asked !== this.#asked || at !== this.area.selectionStart) return;
    this.#show(offer);
  }

  /** @param {{items: Explained["items"], from: number} | null} offer */
  #show(offer) {
    const typed = offer ? this.text.slice(offer.from, this.area.selectionStart).toLowerCase() : "";
    const items = offer?.items.filter(({ name }) => name.toLowerCase().startsWith(typed)) ?? [];
    if (!offer || !items.length || (items.length === 1 && items[0].name.toLowerCase() === typed)) return this.#close();
    this.#offer = { items: items.slice(0, MOST), from: offer.from };
    this.#chosen = 0;
    this.list.replaceChildren(...this.#offer.items.map(({ name, what, type }, i) =>
      h("li", { role: "option", id: `${this.list.id}-${i}`, "aria-selected": "false",
        onmousedown: (/** @type {Event} */ event) => {
          event.preventDefault();
          this.#chosen = i;
          this.#take();
        } }, h("b", null, name), h("span.soft", null, type || what))));
    this.list.hidden = false;
    this.#place();
    this.#choose(0);
  }

  #place() {
    const { area, back } = this;
    const lines = this.text.slice(0, this.#offer?.from ?? 0).split("\n");
    const row = /** @type {HTMLElement | undefined} */ (back.children[lines.length - 1]);
    if (!row) return;
    const probe = h("span", null, "0".repeat(100));
    row.append(probe);
    const width = probe.getBoundingClientRect().width / 100;
    probe.remove();
    const wrap = this.wrap.getBoundingClientRect();
    const { top, height, left } = row.getBoundingClientRect();
    const x = Math.min(left + /** @type {string} */ (lines.at(-1)).length * width - wrap.left, area.clientWidth - 120);
    const below = top + height - wrap.top;
    const room = wrap.height - below;
    this.list.style.left = `${Math.max(0, x)}px`;
    if (room > 120 || room > top - wrap.top) Object.assign(this.list.style, { top: `${below}px`, bottom: "" });
    else Object.assign(this.list.style, { top: "", bottom: `${wrap.bottom - top}px` });
  }

  /** @param {number} i */
  #choose(i) {
    const n = this.list.children.length;
    this.list.children[this.#chosen]?.setAttribute("aria-selected", "false");
    this.#chosen = (i + n) % n;
    const item = this.list.children[this.#chosen];
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", item.id);
  }

  #take() {
    const offer = this.#offer;
    if (!offer) return;
    const { name, what, type } = offer.items[this.#chosen];
    const call = what === "method" || what === "macro" || what === "function" ? (type.startsWith("()") ? "()" : "(")
      : "";
    this.#close();
    this.area.setSelectionRange(offer.from, this.area.selectionStart);
    if (!document.execCommand("insertText", false, name + call)) {
      this.area.setRangeText(name + call, offer.from, this.area.selectionEnd, "end");
      this.area.dispatchEvent(new Event("input"));
    }
    this.#close();
  }

  #close() {
    this.#asked++;
    this.#offer = null;
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const take = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (event.ctrlKey && event.key === " " && this.on.complete) {
      take();
      this.#ask();
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#close(); // all is tried: nobody completes
    if (!this.#offer || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      take();
      this.#choose(this.#chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" || event.key === "Tab") {
      take();
      this.#take();
    } else if (event.key === "Escape") {
      take();
      this.#close();
    } else if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") this.#close();
  }
}
