// @ts-check
/**
 * The field in which commands are typed, and lines for a command that reads. It is one text field, so that copying,
 * pasting, input methods, keyboards of phones and screen readers work as everywhere.
 *
 * @typedef {object} Shell what the prompt needs of the terminal that is shown
 * @property {boolean} running a command runs
 * @property {boolean} reading it waits for a line
 * @property {(text: string) => void} enter takes what was typed
 * @property {() => void} endInput
 * @property {() => void} interrupt
 * @property {(typed: string) => void} drop shows a line that was given up
 * @property {() => void} clear
 * @property {(line: string, cursor: number) => Promise<import("./completion.js").Completion>} complete
 * @property {(text: string) => Promise<boolean>} incomplete
 * @property {(key: "ArrowRight" | "ArrowLeft") => boolean} fold opens or closes the last command's requests
 * @property {(step: number) => boolean} move goes to another command
 */
import { CompletionList, taken } from "./completion.js";
import { h } from "./dom.js";
import { looksOpen } from "./open-input.js";
import { unprompted } from "./pasted.js";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

export class Prompt {
  /** Where in the history it is; as many as there are: at what is typed. */ #at = 0;
  #draft = "";
  /** @type {{draft: string, found: {at: number, text: string} | null} | null} */ #search = null;
  #leaving = false;
  /** The next letter is typed with Ctrl, by the button for it. */ #armed = false;
  /** Another key was pressed since a completion was asked for. */ #asked = 0;

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLTextAreaElement} field
   * @param {() => Shell} shell that of the terminal that is shown
   * @param {() => import("./history.js").History} history
   */
  constructor(form, field, shell, history) {
    this.form = form;
    this.field = field;
    this.shell = shell;
    this.history = history;
    this.#at = history().all.length;
    this.list = new CompletionList(field, (found, item) => {
      const alone = taken(field.value, { ...found, items: [item] });
      if (alone) this.set(alone.text, alone.caret);
    });
    this.searching = h("p", { class: "term-hint term-search", role: "status", hidden: true });
    form.append(this.searching, this.list.el);
    form.addEventListener("submit", (ev) => {
      ev.preventDefault();
      this.enter();
    });
    field.setAttribute("aria-autocomplete", "list");
    field.addEventListener("keydown", (ev) => this.#key(ev));
    field.addEventListener("beforeinput", (ev) => this.#before(ev));
    field.addEventListener("input", () => this.#typed());
    field.addEventListener("paste", (ev) => {
      const text = ev.clipboardData?.getData("text/plain") ?? "";
      const own = this.shell().running ? text : unprompted(text, looksOpen);
      if (own === text) return;
      ev.preventDefault();
      this.type(own);
    });
    field.addEventListener("blur", () => {
      this.#leaving = false;
      this.list.close();
    });
    this.fit();
  }

  /** Puts text into the field. @param {string} text @param {number} [caret] */
  set(text, caret = text.length) {
    this.field.value = text;
    this.field.setSelectionRange(caret, caret);
    this.fit();
  }

  /** Types text where the caret is. @param {string} text */
  type(text) {
    this.field.focus();
    if (!document.execCommand("insertText", false, text)) {
      this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
      this.#typed();
    }
  }

  /** Makes the field as high as its text. */
  fit() {
    const { field } = this;
    field.style.height = "auto";
    if (field.scrollHeight > 0) field.style.height = `${field.scrollHeight}px`;
  }

  /** The history is another one. */
  restart() {
    this.#at = this.history().all.length;
    this.#endSearch();
  }

  #typed() {
    this.#leaving = false;
    this.#asked++;
    this.list.close();
    if (this.#search) this.#find();
    this.fit();
  }

  /** @param {InputEvent} ev */
  #before(ev) {
    if (!this.#armed || !ev.data || ev.data.length !== 1) return;
    this.arm(false);
    if (this.control(ev.data.toLowerCase())) ev.preventDefault();
  }

  /** The next letter is one with Ctrl. @param {boolean} on */
  arm(on) {
    this.#armed = on;
    document.getElementById("term-ctrl")?.setAttribute("aria-pressed", String(on));
  }

  get armed() {
    return this.#armed;
  }

  async enter() {
    const shell = this.shell();
    if (this.#search) this.#endSearch(this.#search.found?.text ?? this.field.value);
    if (this.list.isOpen && this.list.accept()) return;
    this.list.close();
    const text = this.field.value;
    if (!shell.running && text.trim()) {
      // Who types fast is on the next line before the shell has answered.
      const open = looksOpen(text);
      if (open) this.type("\n");
      const before = this.field.value;
      const more = await shell.incomplete(text).catch(() => open);
      if (this.field.value !== before) return; // it was changed meanwhile
      if (more) return open ? undefined : this.type("\n");
      this.history().add(text);
    }
    this.#at = this.history().all.length;
    this.#draft = "";
    this.set("");
    shell.enter(text);
  }

  /** @param {KeyboardEvent} ev */
  #key(ev) {
    if (ev.isComposing) return;
    if (this.#armed && ev.key.length === 1 && !ev.ctrlKey && !ev.metaKey) {
      this.arm(false);
      if (this.control(ev.key.toLowerCase())) ev.preventDefault();
      return;
    }
    const { ctrlKey, metaKey, altKey, shiftKey } = ev;
    if (ctrlKey && !metaKey && !altKey) {
      if (ev.key === "ArrowUp" || ev.key === "ArrowDown") {
        if (!this.field.value && this.shell().move(ev.key === "ArrowUp" ? -1 : 1)) ev.preventDefault();
        return;
      }
      if (shiftKey || ev.key.length !== 1) return;
      const letter = ev.key.toLowerCase();
      if (letter === "c" && !isMac && this.#selected()) return; // that is copying
      if (this.control(letter)) {
        ev.preventDefault();
        ev.stopPropagation(); // it is no key of the page
      }
      return;
    }
    if (metaKey || altKey) return;
    if (this.#plain(ev)) ev.preventDefault();
  }

  #selected() {
    return this.field.selectionStart !== this.field.selectionEnd || String(getSelection()) !== "";
  }

  /** A key without others. Returns whether it was used. @param {KeyboardEvent} ev */
  #plain(ev) {
    const { field, list } = this;
    const escaped = this.#leaving;
    if (ev.key !== "Shift") this.#leaving = false;
    switch (ev.key) {
      case "Enter":
        if (ev.shiftKey) return false;
        this.enter();
        return true;
      case "Tab":
        if (list.isOpen) return list.move(ev.shiftKey ? -1 : 1), true;
        if (this.#search) return this.#endSearch(this.#search.found?.text), true;
        // Escape, then Tab leaves the field; so does Tab in an empty one.
        if (ev.shiftKey || escaped || !field.value.trim() || this.shell().running) return false;
        this.complete();
        return true;
      case "Escape":
        if (list.isOpen || !list.el.hidden) return list.close(), true;
        if (this.#search) return this.#endSearch(this.#search.found?.text), true;
        this.#leaving = true;
        return false;
      case "ArrowUp":
      case "ArrowDown": {
        const step = ev.key === "ArrowUp" ? -1 : 1;
        if (list.isOpen) return list.move(step), true;
        if (this.#search) this.#endSearch(this.#search.found?.text);
        return this.#walk(step);
      }
      case "ArrowRight":
      case "ArrowLeft":
        if (this.#search) return this.#endSearch(this.#search.found?.text), true;
        return !field.value && this.shell().fold(ev.key);
    }
    return false;
  }

  /** Goes through the history, from the first or the last line of the text. @param {number} step */
  #walk(step) {
    const { field } = this;
    const edge = step < 0 ? field.value.slice(0, field.selectionStart) : field.value.slice(field.selectionEnd);
    if (edge.includes("\n")) return false;
    const { all } = this.history();
    const to = this.#at + step;
    if (to < 0 || to > all.length) return step < 0;
    if (this.#at === all.length) this.#draft = field.value;
    this.#at = to;
    this.set(to === all.length ? this.#draft : all[to]);
    return true;
  }

  /** What a letter does with Ctrl. Returns whether it does something. @param {string} letter */
  control(letter) {
    const { field, list } = this;
    const shell = this.shell();
    switch (letter) {
      case "c":
        list.close();
        if (this.#search) this.#endSearch(this.#search.draft);
        else if (shell.running) shell.interrupt();
        else {
          shell.drop(field.value);
          this.#at = this.history().all.length;
        }
        this.set("");
        return true;
      case "k":
        field.setSelectionRange(field.selectionStart, field.value.length);
        this.type("");
        return true;
      case "d":
        if (shell.running && !field.value) shell.endInput();
        return true;
      case "l":
        shell.clear();
        return true;
      case "u": {
        const caret = field.selectionStart;
        const from = field.value.lastIndexOf("\n", caret - 1) + 1;
        this.set(field.value.slice(0, from) + field.value.slice(caret), from);
        return true;
      }
      case "a":
      case "e": {
        const caret = letter === "a" ? field.value.lastIndexOf("\n", field.selectionStart - 1) + 1
          : (field.value.indexOf("\n", field.selectionEnd) + field.value.length + 1) % (field.value.length + 1);
        field.setSelectionRange(caret, caret);
        return true;
      }
      case "g":
        if (this.#search) this.#endSearch(this.#search.draft);
        return true;
      case "r":
        if (this.#search) this.#find(this.#search.found?.at);
        else this.#beginSearch();
        return true;
    }
    return false;
  }

  // --- search in the history ------------------------------------------------------

  #beginSearch() {
    this.#search = { draft: this.field.value, found: null };
    this.set("");
    this.#find();
  }

  /** @param {number} [before] */
  #find(before) {
    if (!this.#search) return;
    const text = this.field.value;
    const found = this.history().find(text, before);
    if (found || before === undefined) this.#search.found = found;
    this.searching.hidden = false;
    const { found: shown } = this.#search;
    this.searching.replaceChildren("search in the history: ",
      shown ? h("b", { class: "mono" }, shown.text) : text ? "nothing has that in it" : "type a part of a command");
  }

  /** @param {string} [text] what the field gets; undefined: what it had */
  #endSearch(text) {
    if (!this.#search) return;
    const { draft } = this.#search;
    this.#search = null;
    this.searching.hidden = true;
    this.set(text ?? draft);
  }

  // --- completion -------------------------------------------------------------------

  async complete() {
    const { field, list } = this;
    const line = field.value;
    const asked = ++this.#asked;
    let found;
    try {
      found = await this.shell().complete(line, field.selectionStart);
    } catch (error) {
      found = { start: 0, end: 0, items: [], note: error instanceof Error ? error.message : String(error) };
    }
    if (asked !== this.#asked || field.value !== line) return;
    const made = taken(line, found);
    if (made) {
      this.set(made.text, made.caret);
      if (found.note) list.open({ ...found, items: [] });
    } else list.open(found.items.length || found.note ? found : { ...found, note: "Nothing fits." });
  }
}
