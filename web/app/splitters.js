// @ts-check
// The sizes of the lesson and of the dock, which are remembered for each class of viewport.

import { lab, stored, viewport } from "./viewport.js";

/** Folds a lesson that was made very narrow. */
let foldLesson = () => {};

/** The bounds of the parts that splitters change, in pixels. */
const parts = {
  lesson: { least: 320, most: () => Math.min(innerWidth * 0.5, 560 * unit()), property: "--lesson" },
  dock: { least: 52, most: () => (lab().clientHeight || innerHeight) * 0.7, property: "--dock" },
};

/** The unit of text, in pixels. */
const unit = () => 1 + (Math.min(2.4, Math.max(1, Math.min(innerWidth / 1440, innerHeight / 900))) - 1) * 0.6;

/**
 * Sets the size of a part; 0: as it was designed.
 * @param {"lesson" | "dock"} name
 * @param {number} size
 * @param {boolean} [keep]
 */
export function resize(name, size, keep = true) {
  const part = parts[name];
  if (size > 0 && name === "lesson" && size < 280) return foldLesson();
  if (size > 0) size = Math.round(Math.min(Math.max(size, part.least), part.most()));
  if (size > 0) lab().style.setProperty(part.property, size + "px");
  else lab().style.removeProperty(part.property);
  if (keep) stored.setItem(`split/${name}/${viewport()}`, size > 0 ? String(size) : "");
  say(name);
}

/** How large a part is now. @param {"lesson" | "dock"} name */
function sizeOf(name) {
  const el = document.getElementById(name === "lesson" ? "panel-lesson" : "dock");
  const box = el?.getBoundingClientRect();
  return (name === "lesson" ? box?.width : box?.height) ?? 0;
}

/** Tells a screen reader where a splitter stands. @param {"lesson" | "dock"} name */
function say(name) {
  const el = document.querySelector(`[data-split="${name}"]`);
  const all = name === "lesson" ? innerWidth : innerHeight;
  el?.setAttribute("aria-valuenow", String(Math.round((sizeOf(name) / all) * 100)));
}

/** Gives the parts the sizes that they had in such a viewport. */
export function restoreSizes() {
  for (const name of /** @type {("lesson" | "dock")[]} */ (["lesson", "dock"])) {
    resize(name, Number(stored.getItem(`split/${name}/${viewport()}`) ?? 0), false);
  }
}

/** Follows the splitters. @param {() => void} fold folds a lesson that was made very narrow */
export function startSplitters(fold) {
  foldLesson = fold;
  for (const el of document.querySelectorAll("[data-split]")) {
    const bar = /** @type {HTMLElement} */ (el);
    const name = /** @type {"lesson" | "dock"} */ (bar.dataset.split);
    const at = (/** @type {PointerEvent} */ ev) =>
      (name === "lesson" ? ev.clientX : lab().getBoundingClientRect().bottom - ev.clientY);
    bar.addEventListener("pointerdown", (ev) => {
      bar.setPointerCapture(ev.pointerId);
      ev.preventDefault();
    });
    bar.addEventListener("pointermove", (ev) => bar.hasPointerCapture(ev.pointerId) && resize(name, at(ev)));
    bar.addEventListener("dblclick", () => resize(name, 0));
    bar.addEventListener("keydown", (ev) => {
      const step = { ArrowRight: 16, ArrowLeft: -16, ArrowUp: 16, ArrowDown: -16 }[ev.key];
      if (ev.key === "Enter") resize(name, 0);
      else if (ev.key === "Home") resize(name, parts[name].least);
      else if (ev.key === "End") resize(name, parts[name].most());
      else if (step) resize(name, sizeOf(name) + step);
      else return;
      ev.preventDefault();
    });
  }
}
