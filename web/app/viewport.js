// @ts-check
// The page's size, by which panels lie differently, and what is remembered of that.

import { forgiving } from "../browser/stored.js";

export const stored = forgiving(() => localStorage);
export const lab = () => /** @type {HTMLElement} */ (document.querySelector("main.lab"));

/** What sizes are remembered for: a phone's do not fit a desk. */
export function viewport() {
  if (innerWidth >= 560 && innerHeight <= 560) return "low";
  if (innerWidth < 700) return "phone";
  return innerWidth < 1180 ? "middle" : innerWidth < 2400 ? "wide" : "huge";
}

/** Whether the answer and the log of requests share one place, above the composer. */
export const stacked = () => ["phone", "low"].includes(viewport());

/** Whether a low window is so small that the tabs of a phone are in its header. */
export const small = () => viewport() === "low" && (innerWidth < 700 || innerHeight <= 420);
