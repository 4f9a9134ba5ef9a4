// Where Tab leads. It runs in the page.

/**
 * How an element is reached by Tab from where the focus is. "here": it has the focus. "editor": the focus is in an
 * editor, which keeps Tab for itself until Escape. "back" and "on": it comes before, or after. "gone": it is not there.
 *
 * @param {Element | object} to the element, or what the page's finder (page.js) knows it by
 * @returns {"here" | "editor" | "back" | "on" | "gone"}
 */
export function wayTo(to) {
  const el = to instanceof Element ? to : /** @type {any} */ (window).journey.find(to);
  const at = document.activeElement;
  if (!el) return "gone";
  if (el === at) return "here";
  if (at?.matches(".editor textarea")) return "editor";
  return at && at !== document.body && at.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_PRECEDING ? "back"
    : "on";
}
