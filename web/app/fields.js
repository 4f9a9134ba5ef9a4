// @ts-check
// What fields of the page do that the browser has no word for.

import { viewport } from "./viewport.js";

/**
 * Gives a field of one line a second one while its text needs it, and says in data-line when it needs the width of its
 * neighbours as well.
 *
 * @param {HTMLTextAreaElement} area
 */
export function fit(area) {
  if (area.value.includes("\n")) area.value = area.value.replace(/\s*\n\s*/g, "");
  const cut = () => area.scrollHeight > area.clientHeight + 2;
  for (const [line, rows] of /** @type {const} */ ([["", 1], ["", 2], ["long", 1], ["long", 2]])) {
    if (rows > 1 && !line && viewport() === "phone") continue; // there its line is long enough for most paths
    area.dataset.line = line;
    area.rows = rows;
    if (!cut()) return;
  }
}

/**
 * Types a text in place of what is in a field, so that undo knows it.
 *
 * @param {HTMLTextAreaElement} area
 * @param {string} text
 */
export function retype(area, text) {
  area.focus();
  area.select();
  if (document.execCommand("insertText", false, text)) return;
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLTextAreaElement && target.matches("[data-line]")) fit(target);
}, { capture: true });

// An answer of a lesson is chosen where it is pressed: what is drawn meanwhile may move it from under the pointer, or
// cover it, before the button is released.
document.addEventListener("mousedown", ({ button, target }) => {
  const radio = button === 0 && target instanceof Element && target.closest("label")?.control;
  if (!(radio instanceof HTMLInputElement) || radio.dataset.action !== "lesson-choose") return;
  if (radio.disabled || radio.checked) return;
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
});

// Enter in such a field does what it does in an input, unless a list of completions has used it.
document.addEventListener("keydown", (ev) => {
  const at = ev.target;
  if (ev.key !== "Enter" || ev.defaultPrevented || ev.isComposing) return;
  if (!(at instanceof HTMLTextAreaElement) || !at.matches("[data-line]")) return;
  ev.preventDefault();
  at.form?.requestSubmit();
});

// All of an answer is selected by the key that selects all, while the focus is in it. Copied is then all of it, with
// what is folded or not drawn.
/** The answer that is selected as a whole. @type {Element | null} */
let selected = null;
document.addEventListener("keydown", (ev) => {
  if (ev.key.toLowerCase() !== "a" || !(ev.ctrlKey || ev.metaKey) || ev.altKey || ev.shiftKey) return;
  const at = ev.target instanceof Element ? ev.target : null;
  if (!at || at.closest("input, textarea, select, [contenteditable]")) return;
  const whole = at.closest(".res-body");
  if (!whole) return;
  ev.preventDefault();
  getSelection()?.selectAllChildren(whole);
  selected = whole;
});
document.addEventListener("pointerdown", () => (selected = null), { capture: true });
document.addEventListener("copy", (ev) => {
  const copy = selected?.closest("section")?.querySelector("[data-action=copy-response]");
  if (!copy || selected !== document.activeElement?.closest(".res-body") || getSelection()?.isCollapsed) return;
  ev.preventDefault();
  /** @type {HTMLElement} */ (copy).click();
});

function start() {
  for (const el of document.querySelectorAll("textarea[data-line]")) {
    const area = /** @type {HTMLTextAreaElement} */ (el);
    fit(area);
    if (globalThis.ResizeObserver) new ResizeObserver(() => requestAnimationFrame(() => fit(area))).observe(area);
  }
}

if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();
