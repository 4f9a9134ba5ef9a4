// @ts-check
/** Whether the control plane is on. */
import { forgiving } from "./stored.js";

/** Where all tabs know from whether it is on. */
export const KEY = "tabernetes.control-plane";

const local = forgiving(() => localStorage);

export const isOn = () => local.getItem(KEY) === "on";

/** @param {boolean} on */
export const setOn = (on) => local.setItem(KEY, on ? "on" : "");
