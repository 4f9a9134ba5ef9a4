// @ts-check
/**
 * The list of what may come next. The focus stays in the field.
 *
 * @typedef {{text: string, description?: string, open?: boolean}} Item open: more of the same word comes
 * @typedef {{start: number, end: number, items: Item[], note?: string}} Completion
 */
import { h } from "./dom.js";

/** How many are shown. */
const MOST = 300;

/** What all items begin with. @param {Item[]} items */
export function common(items) {
  let prefix = items[0]?.text ?? "";
  for (const { text } of items) {
    while (!text.startsWith(prefix)) prefix = prefix.slice(0, -1);
  }
  return prefix;
}

/**
 * What a completion makes of a line without asking; null: it has to ask.
 *
 * @param {string} line
 * @param {Completion} found
 */
export function taken(line, { start, end, items }) {
  if (!items.length) return null;
  const text = common(items);
  const done = items.length === 1 && !items[0].open && !/[/=]$/.test(text);
  const whole = done && line[end] !== " " ? `${text} ` : text;
  if (items.length > 1 && text.length <= end - start) return null;
  return { text: line.slice(0, start) + whole + line.slice(end), caret: start + whole.length };
}

export class CompletionList {
  /** @type {Completion | null} */ #found = null;
  #chosen = -1;

  /** @param {HTMLTextAreaElement} field @param {(completion: Completion, item: Item) => void} take */
  constructor(field, take) {
    this.field = field;
    this.take = take;
    const label = "What may come next";
    this.list = h("ul", { id: "term-options", class: "plain term-options", role: "listbox", "aria-label": label });
    this.note = h("p", { class: "term-hint" });
    this.el = h("div", { class: "term-completion", hidden: true }, this.list, this.note);
    this.list.addEventListener("pointerdown", (ev) => ev.preventDefault()); // the focus stays
    this.list.addEventListener("click", (ev) => {
      const option = /** @type {Element} */ (ev.target).closest("[role=option]");
      if (option) this.#use([...this.list.children].indexOf(option));
    });
  }

  get isOpen() {
    return !this.el.hidden && this.#found !== null;
  }

  /** @param {Completion} found */
  open(found) {
    this.#found = found;
    this.#chosen = -1;
    const items = found.items.slice(0, MOST);
    this.list.hidden = items.length === 0;
    const option = (/** @type {number} */ i) => ({ id: `term-option-${i}`, role: "option", "aria-selected": "false" });
    this.list.replaceChildren(...items.map((item, i) => h("li", option(i),
      h("b", {}, item.text), item.description && h("span", { class: "soft" }, item.description))));
    const more = found.items.length - items.length;
    const said = [found.note, more > 0 && `${more.toLocaleString("en")} more: type on`].filter(Boolean).join(" ");
    this.note.textContent = said;
    this.note.hidden = !said;
    this.el.hidden = items.length === 0 && !said;
    if (items.length === 0) this.#found = null;
    this.field.setAttribute("aria-controls", "term-options");
    this.el.scrollIntoView({ block: "nearest" });
  }

  close() {
    if (this.el.hidden) return;
    this.el.hidden = true;
    this.#found = null;
    this.field.removeAttribute("aria-activedescendant");
    this.field.removeAttribute("aria-controls");
  }

  /** @param {number} step */
  move(step) {
    const all = this.list.children;
    if (!all.length) return;
    all[this.#chosen]?.setAttribute("aria-selected", "false");
    this.#chosen = this.#chosen < 0 ? (step > 0 ? 0 : all.length - 1) : (this.#chosen + step + all.length) % all.length;
    all[this.#chosen].setAttribute("aria-selected", "true");
    all[this.#chosen].scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", all[this.#chosen].id);
  }

  /** Takes the one that is chosen. Returns whether there is one. */
  accept() {
    if (this.#chosen < 0) return false;
    this.#use(this.#chosen);
    return true;
  }

  /** @param {number} i */
  #use(i) {
    const found = this.#found;
    this.close();
    if (found) this.take(found, found.items[i]);
  }
}
