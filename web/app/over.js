// @ts-check
// What is shown in the place of others: a panel in that of stage and dock, and the presenter in that of all.

import { setMore } from "./sheet.js";
import { lab } from "./viewport.js";

const root = document.documentElement;

/**
 * Shows the panel of an id among those that take one place, or none, with the focus on what comes first in it.
 *
 * @param {string} place "left" or "over", as the buttons that open them say
 * @param {string} panels their selector
 * @param {string} id
 */
export function showOnly(place, panels, id) {
  if (id) lab().dataset[place] = id;
  else delete lab().dataset[place];
  for (const b of document.querySelectorAll(`[data-page=${place}][aria-expanded]`)) {
    b.setAttribute("aria-expanded", String(/** @type {HTMLElement} */ (b).dataset[place] === id));
  }
  for (const el of document.querySelectorAll(panels)) {
    const panel = /** @type {HTMLElement} */ (el);
    const on = panel.dataset.panel === id;
    if (panel.hidden === !on) continue;
    panel.hidden = !on;
    panel.dispatchEvent(new Event("toggle"));
    if (on) /** @type {HTMLElement | null} */ (panel.querySelector("[data-first], h2"))?.focus();
  }
}

// --- what opens in the place of stage and dock ---------------------------------------

/** Shows a panel in the place of stage and dock; "" brings them back. @param {string} id */
export function showOver(id) {
  if ((lab().dataset.over ?? "") === id) return;
  const inside = document.activeElement?.closest(".over-panel");
  setMore(false);
  if (id) present(false);
  showOnly("over", ".over-panel", id);
  const opener = document.querySelector("[data-page=over][aria-expanded]");
  if (!id && inside) /** @type {HTMLElement | null} */ (opener)?.focus();
}

// --- the presenter ----------------------------------------------------------------

/** Shows the stage and one line, large. @param {boolean} on */
export function present(on) {
  if (root.hasAttribute("data-presenting") === on) return;
  if (on) showOver("");
  root.toggleAttribute("data-presenting", on);
  for (const b of document.querySelectorAll("[data-page=present][aria-pressed]")) {
    b.setAttribute("aria-pressed", String(on));
  }
  document.dispatchEvent(new Event("present"));
  if (on) /** @type {HTMLElement | null} */ (document.querySelector("#st-ruler"))?.focus();
}
