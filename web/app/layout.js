// @ts-check
// Where panels lie, for each class of viewport: tabs, what is enlarged, what has another's place.
import { oneFile } from "../browser/files.js";
import { lateScript } from "../browser/late.js";
import { present, showOnly, showOver } from "./over.js";
import { openDock, setAbove, setMore, showStage, startSheet, toggleSheet } from "./sheet.js";
import { resize, restoreSizes, startSplitters } from "./splitters.js";
import { lab, small, stacked, stored, viewport } from "./viewport.js";

const root = document.documentElement;

// --- tabs -----------------------------------------------------------------------

/** Chooses a tab of the dock. @param {string} id */
function showTab(id) {
  const tab = document.getElementById("tab-" + id);
  if (!tab) return;
  for (const t of document.querySelectorAll(".dock-tab")) {
    const on = t === tab;
    t.setAttribute("aria-selected", String(on));
    t.setAttribute("tabindex", on ? "0" : "-1");
    if (on) t.removeAttribute("data-news");
  }
  const dock = /** @type {HTMLElement} */ (document.getElementById("dock"));
  dock.dataset.tab = id;
  // What another panel has chosen is not what a terminal is about.
  const chosen = document.querySelector("#tab-terminal.has-chosen") !== null;
  if (id === "terminal" && !chosen) choose(false);
  for (const p of dock.querySelectorAll(".dock-panel")) {
    /** @type {HTMLElement} */ (p).hidden = p.id !== "panel-" + id && !tab.classList.contains("only-middle");
  }
  if (id === "terminal") openTerminal();
}

/** @type {Promise<void> | undefined} */
let terminal;

/** Loads what the panel of the terminal is without, once. */
function openTerminal() {
  terminal ??= lateScript("terminal.js").then(({ open }) => open(), () => {
    terminal = undefined;
    const said = document.querySelector(".term-status");
    if (said) said.textContent = `The terminal could not be loaded. ${
      oneFile ? "This page is one file, without kubectl." : "Choose its tab to try again, or reload the page."}`;
  });
}

/** Chooses what a phone shows below the stage. @param {string} view */
function setView(view) {
  lab().dataset.view = view;
  const views = [...document.querySelectorAll("button[data-view]")];
  for (const b of views) mark(b, /** @type {HTMLElement} */ (b).dataset.view === view);
  // One of those in the menu is named by the button that opens it.
  const more = document.querySelector(".tabs [popovertarget=panel-more]");
  if (more) mark(more, views.some((b) => b.closest(".menu-more") && b.hasAttribute("aria-current")));
}

/** @param {Element} button @param {boolean} current */
function mark(button, current) {
  if (current) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
}

/** Says whether something is chosen: beside a terminal the answer is shown only then. @param {boolean} on */
export const choose = (on) => void lab().toggleAttribute("data-chosen", on);

/** Lets go of what is chosen, and of the answer beside the terminal. */
function letGo() {
  /** @type {any} */ (globalThis).tabernetesLab.act("let-go");
  choose(false);
}

/** The tab of the dock that is open. */
const dockTab = () => document.getElementById("dock")?.dataset.tab ?? "console";

/** What the dock showed before the lanes took its room. */
let gave = "console";

/** Gives the lanes the room of the dock, in a low window, or gives it back. @param {boolean} on */
function showLanes(on) {
  if (on) gave = dockTab();
  showTab(on ? "console" : gave);
  openDock(!on);
  lab().toggleAttribute("data-lanes", on);
  /** @type {HTMLElement | null} */ (document.querySelector(on ? ".dock-back" : ".dock-lanes"))?.focus();
}

/** Shows the answer of what is sent, where it is out of sight otherwise, or marks its tab. */
export function showAnswer() {
  const tab = document.getElementById("tab-answer");
  if (!stacked()) return void tab?.toggleAttribute("data-news", tab.getAttribute("aria-selected") !== "true");
  if (viewport() === "phone" && lab().dataset.view !== "console") return;
  showTab("console");
  setAbove("answer");
  openDock(true);
  // The body gives its room, until the request is gone back to.
  if (document.activeElement?.closest(".composer-body")) document.getElementById("send")?.focus();
  lab().dataset.sent = "";
}
for (const type of ["focusin", "click"]) {
  document.addEventListener(type, (ev) => {
    if (ev.target instanceof Element && ev.target.closest(".composer-url")) delete lab().dataset.sent;
  });
}

/** The panel in whose tab a panel lies. @param {string} id */
function tabOf(id) {
  const el = document.getElementById("panel-" + id);
  /** @type {HTMLElement | null} */
  const around = el?.closest(".dock-panel, .dock-right, .lesson-column, .left-column, .stage") ?? null;
  return around?.dataset.panel ?? id;
}

/** Brings a panel into view: its tab, and its place if another one is enlarged over it. @param {string} id */
export function showPanel(id) {
  let outer = tabOf(id);
  if (document.querySelector(".left-column#panel-" + outer)) return showLeft(outer);
  if (document.querySelector(".over-panel#panel-" + outer)) return showOver(outer);
  if (stacked()) {
    if (outer === "answer" || id === "history") setAbove(outer === "answer" ? "answer" : "log");
    if (id !== "console" && outer !== "stage" && outer !== "lesson") openDock(true);
    if (outer === "answer") outer = "console";
  }
  if (outer === "stage") showStage();
  else present(false);
  showOver("");
  if (outer === "lesson" || stacked()) showLeft("");
  const left = document.querySelector(".dock-panel#panel-" + outer);
  const big = lab().dataset.expanded;
  if (big !== undefined && big !== (left ? "left" : outer === "answer" ? "answer" : "")) expand("");
  if (outer === "lesson" ? lab().hasAttribute("data-rail") : viewport() === "low") rail(outer !== "lesson");
  const stage = document.getElementById("panel-stage");
  if (left || outer === "answer") {
    const dock = document.getElementById("dock");
    if (dock && stage && dock.clientHeight < 120 && !stacked()) resize("dock", 0);
  }
  const tab = /** @type {Element} */ (document.getElementById("tab-answer"));
  if (left || (outer === "answer" && getComputedStyle(tab).display !== "none") || (stacked() && outer === "console"))
    showTab(outer);
  if (outer !== "stage") setView(outer);
  document.getElementById("panel-" + id)?.scrollIntoView({ block: "nearest" });
}

/** Moves the focus into a panel. @param {string} id */
function focusPanel(id) {
  showPanel(id);
  const panel = document.getElementById("panel-" + id);
  if (!panel) return;
  const first = { console: "#req-path", terminal: "#term-line", stage: "#st-ruler", answer: "#res-body" }[id];
  /** @param {number} frames for how many frames what is drawn when it is first seen is waited for */
  const look = (frames) => {
    // What is in a panel may be hidden, as the lessons are that are not open.
    const stops = [...panel.querySelectorAll(
      "summary, a[href], [tabindex='0'], button:not([disabled]), input, select, textarea")];
    const inside =
      (first && panel.querySelector(first)) ??
      panel.querySelector("[data-row][tabindex='0'], [role=treeitem][tabindex='0']") ??
      stops.find((el) => el.getClientRects().length > 0);
    if (inside) return /** @type {HTMLElement} */ (inside).focus();
    panel.tabIndex = -1;
    panel.focus();
    if (frames) requestAnimationFrame(() => document.activeElement === panel && look(frames - 1));
  };
  look(30);
}

// --- one panel for all of the work -----------------------------------------------

/** Gives a part of the dock, "left" or "answer", all of the work's room; "" takes it back. @param {string} part */
function expand(part) {
  const main = lab();
  if (part) main.dataset.expanded = part;
  else delete main.dataset.expanded;
  for (const b of document.querySelectorAll("[data-page=expand]")) {
    const on = b.closest(".dock-right") ? part === "answer" : part === "left";
    b.setAttribute("aria-pressed", String(on));
    b.setAttribute("aria-label", on ? "Make this panel small again" : "Enlarge this panel");
  }
}

/** Folds the lesson to a rail. @param {boolean} on */
function rail(on) {
  lab().toggleAttribute("data-rail", on);
  stored.setItem(`rail/${viewport()}`, on ? "on" : "off");
  cover();
}

/** Uncovers the stage below the lesson, in a low window. */
function closeLesson() {
  rail(true);
  const opener = small() ? ".tabs [data-view=lesson]" : ".lesson-rail";
  /** @type {HTMLElement | null} */ (document.querySelector(opener))?.focus();
}

/** Takes what lies below the lesson, in a low window, out of reach. */
function cover() {
  const open = leftPanel() || !lab().hasAttribute("data-rail");
  if (small()) setView(lab().hasAttribute("data-rail") ? dockTab() : "lesson");
  const on = viewport() === "low" && Boolean(open) && !root.hasAttribute("data-presenting");
  for (const el of lab().querySelectorAll(":scope > .work, :scope > .lesson-rail")) el.toggleAttribute("inert", on);
}
document.addEventListener("present", cover);

// --- what opens in the lesson's place ------------------------------------------------

/** The panel that is in the lesson's place; "": the lesson. */
export const leftPanel = () => lab().dataset.left ?? "";

/** Shows a panel in the lesson's place; "" brings the lesson back, where it was. @param {string} id */
export function showLeft(id) {
  if (leftPanel() === id) return;
  const focused = document.activeElement;
  const was = focused?.closest(".left-column");
  if (id) present(false);
  showOnly("left", ".left-column", id);
  cover();
  if (id) {
    if (!was && focused instanceof HTMLElement && focused !== document.body) cameFrom = focused;
    setMore(false);
  } else if (was instanceof HTMLElement) {
    // The focus goes back to where it was, or to the button that opens what it was in.
    const back = cameFrom?.isConnected && cameFrom.getClientRects().length ? cameFrom
      : document.querySelector(`[data-left="${was.dataset.panel}"]`);
    /** @type {HTMLElement | null} */ (back)?.focus();
    cameFrom = null;
  }
}

/** What had the focus before a panel opened at the left. @type {HTMLElement | null} */
let cameFrom = null;

// --- sizes ----------------------------------------------------------------------------

function restore() {
  // In a low window the lesson is a rail, until a person says otherwise; a first visit begins with it.
  const low = viewport() === "low" && !("first" in root.dataset);
  restoreSizes();
  const railed = stored.getItem(`rail/${viewport()}`);
  lab().toggleAttribute("data-rail", railed ? railed === "on" : low);
  cover();
}

/** Has Tab go through the dock as it is drawn: a composer at the bottom comes after the answer and the log. */
function orderDock() {
  const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById("panel-" + id));
  const dock = /** @type {HTMLElement} */ (document.getElementById("dock"));
  const left = dock.querySelector(".dock-left");
  if (stacked() === (left?.previousElementSibling === part("answer"))) return;
  dock.insertBefore(part("answer"), stacked() ? left : null);
  part("console").insertBefore(part("history"), stacked() ? part("console").firstChild : null);
}

/** Puts the tabs of a phone into the header of a small low window, and back below all. */
function placeTabs() {
  const tabs = /** @type {Element} */ (document.querySelector(".tabs"));
  if (small()) document.querySelector(".brand")?.after(tabs);
  else lab().after(tabs);
}

let was = "";
function turned() {
  const now = viewport() + small();
  if (now !== was) {
    was = now;
    placeTabs();
    restore();
    orderDock();
  }
}

function start() {
  turned();
  addEventListener("resize", turned);
  startSheet();
  startSplitters(() => rail(true));
}

document.addEventListener("click", (ev) => {
  if (!(ev.target instanceof Element)) return;
  const tab = /** @type {HTMLElement | null} */ (ev.target.closest(".dock-tab"));
  if (tab) return showTab(tab.dataset.tab ?? "");
  if (!ev.target.closest("#panel-header")) setMore(false);
  // A link in a menu leads to what the menu covers.
  /** @type {HTMLElement | null} */ (ev.target.closest("a")?.closest("[popover]") ?? null)?.hidePopover?.();
  const view = /** @type {HTMLElement | null} */ (ev.target.closest("button[data-view]"));
  if (view) {
    const id = view.dataset.view ?? "";
    const menu = /** @type {HTMLElement | null} */ (view.closest("[popover]"));
    menu?.hidePopover?.();
    setMore(false);
    if (small()) {
      showPanel(id);
      return void (id !== "lesson" && openDock(true));
    }
    setView(id);
    showLeft("");
    showOver("");
    return showTab(id);
  }
  const el = /** @type {HTMLElement | null} */ (ev.target.closest("[data-page]"));
  switch (el?.dataset.page) {
    case "expand": {
      const part = el.closest(".dock-right") ? "answer" : "left";
      return expand(lab().dataset.expanded === part ? "" : part);
    }
    case "rail":
      return focusPanel("lesson");
    case "stage":
      return closeLesson();
    case "above":
      setAbove(el.dataset.above === "answer" ? "answer" : "log");
      // The button that was pressed gives its place to the other one.
      return void (/** @type {HTMLElement | null} */ (el.parentElement?.querySelector(
        `[data-above]:not([data-above="${el.dataset.above}"])`))?.focus());
    case "lanes":
      return showLanes(!lab().hasAttribute("data-lanes"));
    case "answer":
      return lab().hasAttribute("data-chosen") ? letGo() : choose(true);
    case "sheet":
      return toggleSheet();
    case "more":
      return setMore(el.getAttribute("aria-expanded") !== "true");
    case "left": {
      const wanted = el.dataset.left ?? "";
      return showLeft(wanted === leftPanel() ? "" : wanted);
    }
    case "over": {
      const wanted = el.dataset.over ?? "";
      return showOver(wanted === lab().dataset.over ? "" : wanted);
    }
    case "present":
      return present(!root.hasAttribute("data-presenting"));
  }
});

document.addEventListener("keydown", (ev) => {
  const at = ev.target instanceof Element ? ev.target : null;
  if (ev.altKey && !ev.ctrlKey && !ev.metaKey && /^Digit\d$/.test(ev.code)) {
    const panel = lab().dataset["key" + ev.code.slice(5)];
    if (panel) {
      ev.preventDefault();
      focusPanel(panel);
    }
    return;
  }
  if ((ev.ctrlKey || ev.metaKey) && !ev.altKey && !ev.shiftKey && ev.key.toLowerCase() === "k") {
    ev.preventDefault();
    if (leftPanel() !== "search") return showLeft("search");
    return /** @type {HTMLInputElement | null} */ (document.getElementById("search-field"))?.select();
  }
  if (ev.altKey || ev.ctrlKey || ev.metaKey) return;
  if (ev.key === "Escape" && lab().hasAttribute("data-lanes") && !at?.closest("textarea, .lesson-column, [popover]")) {
    showLanes(false);
    return ev.preventDefault();
  }
  // The tabs of the dock are one stop of Tab; arrows move among them.
  if (at?.matches("[role=tab]") && (ev.key === "ArrowRight" || ev.key === "ArrowLeft")) {
    const all = [...document.querySelectorAll(".dock-tab")].filter((t) => /** @type {HTMLElement} */ (t).offsetParent);
    const step = ev.key === "ArrowRight" ? 1 : all.length - 1;
    const to = /** @type {HTMLElement} */ (all[(all.indexOf(at) + step) % all.length]);
    showTab(to.dataset.tab ?? "");
    to.focus();
    ev.preventDefault();
    return;
  }
  if (at?.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable], [popover]")) return;
  // In a tree letters lead to the row that begins with them.
  if (/^[a-z0-9]$/i.test(ev.key) && at?.closest("[role=treegrid]")) return;
  if (ev.key === "p" || ev.key === "P") present(!root.hasAttribute("data-presenting"));
  else if (ev.key === "Escape" && root.hasAttribute("data-presenting")) present(false);
  else if (ev.key === "Escape" && lab().dataset.over) showOver("");
  else if (ev.key === "Escape" && lab().dataset.expanded) expand("");
  else if (ev.key === "?" && root.hasAttribute("data-presenting")) return;
  else if (ev.key === "`") focusPanel("terminal");
  else if (ev.key === "?") document.getElementById("panel-help")?.togglePopover?.();
  else return;
  ev.preventDefault();
});

// Escape brings the lesson back, or the stage from under it in a low window, unless what has the focus makes use of it:
// that is asked first.
addEventListener("keydown", (ev) => {
  if (ev.key !== "Escape" || ev.defaultPrevented) return;
  const at = ev.target instanceof Element ? ev.target : null;
  if (at?.closest(".dock[data-tab=terminal]") && lab().hasAttribute("data-chosen")) {
    ev.preventDefault();
    return letGo();
  }
  const over = viewport() === "low" && !lab().hasAttribute("data-rail");
  if (!leftPanel() && !over) return;
  if (at && at !== document.body && !at.closest(".left-column, .lesson-column, [data-page=left], .tabs")) return;
  if ("popover" in HTMLElement.prototype && document.querySelector("[popover]:popover-open")) return;
  ev.preventDefault();
  if (leftPanel()) return showLeft("");
  closeLesson();
});

if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();
