// @ts-check
/** The lab's editor over the terminal: for kubectl edit, and for files. */
import { h } from "./dom.js";

/**
 * Opens a file until it is saved or given up.
 *
 * @param {HTMLElement} panel
 * @param {object} file
 * @param {string} file.name
 * @param {string} file.text
 * @param {(text: string) => Promise<void>} file.save
 * @param {() => Promise<{mount(area: HTMLTextAreaElement): void}>} editor the lab's
 * @returns {Promise<boolean>} whether it was saved
 */
export function edit(panel, { name, text, save }, editor) {
  return new Promise((resolve) => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    const area = h("textarea", {
      class: "field", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": name,
      "aria-describedby": "term-edit-keys", wrap: "off",
    });
    area.value = text;
    const problem = h("p", { class: "error", role: "alert", hidden: true });
    const done = (/** @type {boolean} */ saved) => {
      el.remove();
      before?.focus();
      resolve(saved);
    };
    const keep = async () => {
      try {
        await save(area.value);
        done(true);
      } catch (error) {
        problem.hidden = false;
        problem.textContent = `It could not be saved: ${error instanceof Error ? error.message : error}`;
      }
    };
    const el = h("div", { class: "term-edit", role: "dialog", "aria-label": `Edit ${name}`, "aria-modal": "false" },
      h("div", { class: "term-edit-head" }, h("span", { class: "mono" }, name),
        h("span", { id: "term-edit-keys", class: "soft" }, "Ctrl Enter saves, Escape twice gives up"),
        h("button", { type: "button", class: "button", onclick: () => done(false) }, "Cancel"),
        h("button", { type: "button", class: "button primary", onclick: keep }, "Save")),
      problem, h("div", { class: "editor term-editor" }, area));
    let escaped = false;
    el.addEventListener("keydown", (ev) => {
      if (ev.key === "Enter" && (ev.ctrlKey || ev.metaKey)) {
        ev.preventDefault();
        keep();
      } else if (ev.key === "Escape") {
        ev.preventDefault();
        if (escaped || area.value === text || ev.target !== area) done(false);
        escaped = true;
      } else if (ev.key !== "Tab" && ev.key !== "Shift") escaped = false;
      ev.stopPropagation();
    });
    panel.append(el);
    area.focus();
    area.setSelectionRange(0, 0);
    area.scrollTop = 0;
    editor().then(({ mount }) => mount(area), () => {}); // without it, it is a field
  });
}
