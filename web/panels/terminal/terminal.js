// @ts-check
/** What the page loads when the terminal is first shown: the panel, and the kernel that runs its commands. */
import { openTerminal } from "../../terminal/host.js";
import { openPanel } from "./open.js";

/** @type {ReturnType<typeof openPanel> | undefined} */
let opened;

/** Opens the terminal, once. */
export const open = () => {
  const build = new URL(".", import.meta.url).href;
  const { tabernetes } = window;
  opened ??= openPanel(build,
    (progress, edit, history) => openTerminal({ tabernetes, build, edit, history, progress }));
  return opened;
};

/** Runs commands as if they were typed; resolves to their last request when they have ended. @param {string} text */
export const run = async (text) => (await open()).run(text);
