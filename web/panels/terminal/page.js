// @ts-check
// What the panel needs of the rest of the page.
import { h } from "./dom.js";

/** The name of the lane of the stage that shows a watch. @param {number} id */
export const laneOf = (id) =>
  document.querySelector(`#st-rows [data-row][data-ref~="req-${id}"]`)?.getAttribute("data-row") ?? "";

/** Uses an action of the lab, as a button with it does. @param {Record<string, string>} data */
export function press(data) {
  const button = h("button", { type: "button", hidden: true });
  Object.assign(button.dataset, data);
  document.body.append(button);
  button.click();
  button.remove();
}

/** A file's name as a word of a command. @param {string} name */
export const quoted = (name) => (/^[\w./@%+=:,-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`);
