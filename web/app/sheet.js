// @ts-check
// What a phone and a low window have room for one at a time: the answer or the log, the lanes or the dock, the stage or
// the lesson.

import { lab, stacked, stored, viewport } from "./viewport.js";

// --- the place above the composer, where there is room for one thing ---------------

/** Shows the answer or the log there. @param {"answer" | "log"} what */
export const setAbove = (what) => (lab().dataset.above = what);

/** Gives the lanes' room to the dock, in a low window, or gives it back. @param {boolean} on */
export function openDock(on) {
  lab().toggleAttribute("data-dock", on);
  if (on) delete lab().dataset.lanes;
}

/** Opens what a phone's header has no room for. @param {boolean} on */
export function setMore(on) {
  const bar = document.getElementById("panel-header");
  if (!bar || bar.hasAttribute("data-open") === on) return;
  bar.toggleAttribute("data-open", on);
  bar.querySelector("[data-page=more]")?.setAttribute("aria-expanded", String(on));
}

// --- the stage below what a phone shows over it --------------------------------------

/** How much of a phone the panel takes: all but a strip, or what the stage leaves. @param {"full" | "half"} sheet */
function setSheet(sheet) {
  lab().dataset.sheet = sheet;
  stored.setItem("sheet", sheet);
  news();
}

/** Says in the strip what is on the stage. */
function news() {
  const lanes = document.querySelectorAll("#st-rows > .is-lane");
  const gone = [...lanes].filter((l) => l.querySelector(".is-gone")).at(-1);
  const say = (/** @type {string} */ id, /** @type {string} */ text) => {
    const el = document.getElementById(id);
    if (el && el.textContent !== text) el.textContent = text;
  };
  say("lanes-count", `${lanes.length}`);
  const watches = lanes.length === 0 ? "no watches" : lanes.length === 1 ? "1 watch" : `${lanes.length} watches`;
  say("strip-lanes", (document.querySelector("#st-rows > .is-written") ? "programs, " : "") + watches);
  say("strip-news", gone ? `, ${gone.getAttribute("data-row")} got 410` : "");
}

/** Gives the stage its half of a phone, for now. */
export function showStage() {
  if (lab().dataset.sheet === "full") lab().dataset.sheet = "half";
}

/** Whether the handle or the strip was pulled: then a click that follows is ignored. */
let pulled = false;

/** Turns the sheet round, unless it was pulled. */
export function toggleSheet() {
  if (!pulled) setSheet(lab().dataset.sheet === "full" ? "half" : "full");
  pulled = false;
}

/** Follows the stage's lanes, and the handle. */
export function startSheet() {
  const first = "first" in document.documentElement.dataset; // something plays on the stage
  lab().dataset.sheet = stored.getItem("sheet") ?? (first ? "half" : "full");
  const rows = document.getElementById("st-rows");
  news();
  if (rows) {
    new MutationObserver(() => stacked() && news())
      .observe(rows, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] });
  }
  let from = 0;
  for (const handle of document.querySelectorAll(".sheet-handle, .stage-strip")) {
    handle.addEventListener("pointerdown", (/** @type {any} */ ev) => {
      from = ev.clientY;
      handle.setPointerCapture(ev.pointerId);
    });
    handle.addEventListener("pointerup", (/** @type {any} */ ev) => {
      // A tap is a click, which turns it round.
      pulled = Math.abs(ev.clientY - from) > 24;
      if (pulled) setSheet(ev.clientY > from ? "half" : "full");
    });
  }
}
