// @ts-check
/** What leads from the rest of the terminal to its field: a click beside everything else, typing, and pasting. */

/**
 * @param {HTMLElement} panel
 * @param {HTMLElement} out what is above the field
 * @param {import("./prompt.js").Prompt} prompt
 */
export function leadToField(panel, out, prompt) {
  const { field } = prompt;
  out.tabIndex = -1; // a press on the output leaves the keyboard here
  out.addEventListener("pointerup", (ev) => {
    const at = /** @type {Element} */ (ev.target);
    if (ev.pointerType !== "mouse" || at.closest("button, a, input, textarea, .term-head, .term-edit")) return;
    if (!String(getSelection())) field.focus({ preventScroll: true });
  });
  const elsewhere = (/** @type {Event} */ ev) => !(/** @type {Element} */ (ev.target).closest("input, textarea"));
  panel.addEventListener("keydown", (ev) => {
    // Ctrl-C is for the command, wherever the focus is, unless it copies.
    if (ev.ctrlKey && ev.key.toLowerCase() === "c" && !ev.altKey && elsewhere(ev) && !String(getSelection())) {
      ev.preventDefault();
      field.focus({ preventScroll: true });
      return void field.dispatchEvent(new KeyboardEvent("keydown", { key: "c", ctrlKey: true, cancelable: true }));
    }
    const pressed = ev.key === " " && /** @type {Element} */ (ev.target).closest("button, a");
    if (ev.key.length !== 1 || ev.ctrlKey || ev.metaKey || ev.altKey || pressed || !elsewhere(ev)) return;
    ev.stopPropagation(); // it is no key of the page
    field.focus();
  });
  panel.addEventListener("paste", (ev) => {
    if (elsewhere(ev)) prompt.type(ev.clipboardData?.getData("text/plain") ?? "");
  });
}
