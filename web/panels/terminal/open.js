// @ts-check
/** Puts the terminal into the page. */
import { forgiving } from "../../browser/stored.js";
import { late } from "../../browser/late.js";
import { HOME } from "../../terminal/system/constants.js";
import { start } from "./panel.js";

/**
 * Opens the terminal in its panel, and returns that.
 *
 * @param {string} build the URL of the folder that has the files of this build
 * @param {import("./panel.js").Options["open"]} open makes the kernel
 */
export async function openPanel(build, open) {
  const sibling = (/** @type {string} */ name) => new URL(name, build).href;
  await late(sheet(sibling("terminal.css")));
  const { tabernetes } = window;
  return start({
    panel: /** @type {HTMLElement} */ (document.getElementById("panel-terminal")),
    lab: /** @type {any} */ (globalThis).tabernetesLab,
    onTap: tabernetes.onTap,
    place: () => tabernetes.place,
    storage: forgiving(() => localStorage),
    home: HOME,
    open,
  });
}

/** Resolves when a style sheet is there. @param {string} href */
function sheet(href) {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href, onload: resolve, onerror: reject });
    document.head.append(link);
  });
}
