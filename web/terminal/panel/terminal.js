// @ts-check
/**
 * What the page loads when the terminal is first shown: the panel, and the kernel that runs its commands.
 */
import { forgiving } from "../../browser/stored.js";
import { late } from "../../browser/late.js";
import { HOME } from "../kernel/constants.js";
import { openTerminal } from "../host.js";
import { start } from "./panel.js";

/** @param {string} name */
const sibling = (name) => new URL(name, import.meta.url).href;

/** Resolves when a style sheet is there. @param {string} name */
function sheet(name) {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: sibling(name), onload: resolve, onerror: reject });
    document.head.append(link);
  });
}

/** Opens the terminal in its panel. */
export async function open() {
  await late(sheet("terminal.css"));
  const { tabernetes } = window;
  start({
    panel: /** @type {HTMLElement} */ (document.getElementById("panel-terminal")),
    lab: /** @type {any} */ (globalThis).tabernetesLab,
    onTap: tabernetes.onTap,
    place: () => tabernetes.place,
    storage: forgiving(() => localStorage),
    editor: () => late(import(sibling("editor.js"))),
    home: HOME,
    open: (progress, edit) => openTerminal({ tabernetes, build: sibling(""), edit, progress }),
  });
}
