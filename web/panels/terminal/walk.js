// @ts-check
/**
 * Keys among the commands of a terminal: Ctrl ↑ ↓ from one to the next, → opens and ← closes its requests, ↑ ↓ go
 * through what is in it: links of the output and tables that can be scrolled, which ← → do, then requests.
 */

/** @param {HTMLElement} out @param {HTMLTextAreaElement} field */
export function walk(out, field) {
  out.addEventListener("keydown", (ev) => {
    const at = /** @type {HTMLElement} */ (ev.target);
    const block = /** @type {HTMLElement | null} */ (at.closest(".term-block"));
    if (!block || ev.altKey || ev.metaKey) return;
    const head = /** @type {HTMLElement} */ (headOf(block));
    if (ev.ctrlKey) {
      if (ev.key !== "ArrowUp" && ev.key !== "ArrowDown") return;
      const next = ev.key === "ArrowUp" ? block.previousElementSibling : block.nextElementSibling;
      const to = next && headOf(next);
      if (to) to.focus();
      else if (ev.key === "ArrowDown") field.focus();
      return ev.preventDefault();
    }
    const fold = /** @type {HTMLButtonElement | null} */ (block.querySelector(".term-fold:not([hidden])"));
    const open = fold?.getAttribute("aria-expanded") === "true";
    if (at.matches(".term-table") && /^(Arrow(Left|Right)|Home|End)$/.test(ev.key)) {
      return ev.stopPropagation(); // it scrolls
    }
    if (ev.key === "ArrowRight" || ev.key === "ArrowLeft") {
      if (fold && open !== (ev.key === "ArrowRight")) {
        fold.click();
        fold.focus();
      }
    } else if (ev.key === "ArrowDown" || ev.key === "ArrowUp") {
      const stops = [head, ...block.querySelectorAll(".term-link, .term-table[tabindex], .term-request button")]
        .filter((el) => el.getClientRects().length > 0 && !(/** @type {any} */ (el).disabled));
      const to = /** @type {HTMLElement | undefined} */ (stops[stops.indexOf(at) + (ev.key === "ArrowDown" ? 1 : -1)]);
      if (to) to.focus();
      else if (ev.key === "ArrowDown") field.focus();
    } else if (ev.key === "Escape") field.focus();
    else return; // what is typed goes to the field (lead.js)
    ev.preventDefault();
  });
}

/**
 * What has the focus for a command: the button that opens its requests, or its line if it has none.
 *
 * @param {Element} el
 */
const headOf = (el) => /** @type {HTMLElement | null} */ (
  el.querySelector(".term-fold:not([hidden])") ?? el.querySelector(".term-head"));
