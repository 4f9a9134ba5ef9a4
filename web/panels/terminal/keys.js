// @ts-check
/** The row of keys that a phone lacks. */
import { h } from "./dom.js";

export class Keys {
  /** @param {HTMLElement} panel @param {import("./prompt.js").Prompt} prompt */
  constructor(panel, prompt) {
    const key = (/** @type {string} */ label, /** @type {string} */ name, /** @type {() => void} */ act) =>
      h("button", { type: "button", class: "button", "aria-label": name, onclick: act }, label);
    const press = (/** @type {string} */ name) => () =>
      prompt.field.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    const ctrl = h("button", { type: "button", id: "term-ctrl", class: "button", "aria-pressed": "false",
      title: "The next letter is typed with Ctrl", onclick: () => prompt.arm(!prompt.armed) }, "Ctrl");
    const row = h("div", { class: "term-keys", role: "group", "aria-label": "Keys" },
      key("Tab", "Tab: complete", press("Tab")), ctrl, key("↑", "Earlier command", press("ArrowUp")),
      key("↓", "Later command", press("ArrowDown")), key("|", "Pipe", () => prompt.type("|")),
      key("-", "Dash", () => prompt.type("-")), key("/", "Slash", () => prompt.type("/")),
      h("button", { type: "button", class: "button term-run", onclick: () => prompt.enter() }, "Run"));
    // The keyboard stays as it is.
    row.addEventListener("pointerdown", (ev) => ev.preventDefault());
    panel.append(row);
  }
}
