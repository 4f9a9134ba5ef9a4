// @ts-check
/** Whether the control plane is on. */
import { forgiving } from "./stored.js";

/** Where all tabs know from whether it is on. */
export const KEY = "tabernetes.control-plane";

const local = forgiving(() => localStorage);

export const isOn = () => local.getItem(KEY) === "on";

/** Writes on the document's root whether it is on, for the styles, and returns it. */
export const markOn = () => document.documentElement.toggleAttribute("data-control-plane", isOn());

/** @param {boolean} on */
export function setOn(on) {
  local.setItem(KEY, on ? "on" : "");
  markOn();
}
