// @ts-check
/** The colours of a page: those of the system until somebody chooses others, which the browser keeps. */
import { forgiving } from "./stored.js";

const stored = forgiving(() => localStorage);
const THEMES = ["", "light", "dark"];

/**
 * Shows colours, and says at the button which ones.
 *
 * @param {string} theme light, dark, or empty: as the system
 */
export function showTheme(theme) {
  const root = document.documentElement;
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  const button = document.getElementById("theme");
  for (const name of ["aria-label", "title"]) button?.setAttribute(name, `Colours: ${theme || "as the system"}`);
}

/** Shows the colours that were chosen. */
export const showKeptTheme = () => showTheme(THEMES.find((name) => name === stored.getItem("theme")) ?? "");

/** Shows the next colours, first those that the system has not, and keeps them. */
export function nextTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const cycle = ["", dark ? "light" : "dark", dark ? "dark" : "light"];
  const theme = cycle[(cycle.indexOf(document.documentElement.dataset.theme ?? "") + 1) % 3];
  stored.setItem("theme", theme);
  showTheme(theme);
}
