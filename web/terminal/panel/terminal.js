// @ts-check
/** What the page loads when the terminal is first shown: the panel, and the kernel that runs its commands. */
import { openTerminal } from "../host.js";
import { openPanel } from "./open.js";

export const open = () => {
  const build = new URL(".", import.meta.url).href;
  return openPanel(build, (progress, edit) => openTerminal({ tabernetes: window.tabernetes, build, edit, progress }));
};
