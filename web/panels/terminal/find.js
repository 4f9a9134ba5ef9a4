// @ts-check
/** Search in the output of a terminal. What is found is marked where the browser can, and the present one is shown. */
import { h, icon } from "./dom.js";

const MOST = 1000;

export class Find {
  /** @type {Range[]} */ #found = [];
  #at = -1;

  /** @param {() => HTMLElement} where @param {() => void} back gives the focus back */
  constructor(where, back) {
    this.where = where;
    this.field = h("input", {
      type: "search", class: "field", "aria-label": "Search in the output", placeholder: "Search in the output",
      autocomplete: "off", autocapitalize: "off", spellcheck: "false", oninput: () => this.look(),
    });
    this.count = h("span", { class: "num soft", role: "status" });
    const button = (/** @type {string} */ label, /** @type {string} */ path, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", class: "button quiet", "aria-label": label, title: label, onclick }, icon(path));
    this.el = h("div", { class: "term-find", role: "search", hidden: true }, this.field, this.count,
      button("Previous", "M4 10l4-4 4 4", () => this.go(-1)), button("Next", "M4 6l4 4 4-4", () => this.go(1)),
      button("Close the search", "M4 4l8 8M12 4l-8 8", () => this.close()));
    this.back = back;
    this.el.addEventListener("keydown", (ev) => {
      if (ev.key === "Escape") this.close();
      else if (ev.key === "Enter" && ev.target === this.field) this.go(ev.shiftKey ? -1 : 1);
      else return;
      ev.preventDefault();
      ev.stopPropagation();
    });
  }

  open() {
    this.el.hidden = false;
    this.field.select();
    this.field.focus();
    this.look();
  }

  close() {
    this.el.hidden = true;
    this.#mark([], -1);
    this.back();
  }

  look() {
    const wanted = this.field.value.toLowerCase();
    /** @type {Range[]} */
    const found = [];
    if (wanted) {
      for (const el of this.where().querySelectorAll(".term-text, .term-command")) search(el, wanted, found);
    }
    this.#mark(found, found.length - 1);
    if (!wanted) this.count.textContent = "";
  }

  /** @param {number} step */
  go(step) {
    if (this.#found.length) this.#mark(this.#found, (this.#at + step + this.#found.length) % this.#found.length);
  }

  /** @param {Range[]} found @param {number} at the newest first */
  #mark(found, at) {
    this.#found = found;
    this.#at = at;
    this.count.textContent = found.length ? `${at + 1} of ${found.length}${found.length === MOST ? "+" : ""}` : "none";
    const { highlights } = /** @type {any} */ (CSS);
    const Highlight = /** @type {any} */ (globalThis).Highlight;
    const range = found[at];
    if (highlights) {
      highlights.set("term-found", new Highlight(...found));
      highlights.set("term-present", range ? new Highlight(range) : new Highlight());
    } else if (range) {
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
    }
    range?.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
  }
}

/** @param {Element} el @param {string} wanted @param {Range[]} found */
function search(el, wanted, found) {
  // What is found may go over several nodes, as a link ends one.
  const text = (el.textContent ?? "").toLowerCase();
  /** @type {[number, number][]} */
  const places = [];
  let i = -wanted.length;
  while ((i = text.indexOf(wanted, i + wanted.length)) >= 0 && found.length + places.length < MOST) {
    places.push([i, i + wanted.length]);
  }
  if (!places.length) return;
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  let from = 0;
  let range = null;
  let next = 0;
  for (let node = /** @type {Text | null} */ (walker.nextNode()); node && next < places.length;
    node = /** @type {Text | null} */ (walker.nextNode())) {
    const to = from + node.length;
    while (next < places.length) {
      const [a, b] = places[next];
      if (!range && a < to) {
        range = document.createRange();
        range.setStart(node, a - from);
      }
      if (!range || b > to) break;
      range.setEnd(node, b - from);
      found.push(range);
      range = null;
      next++;
    }
    from = to;
  }
}
