// @ts-check
// What the page does by itself, before the lab has loaded: colours, the panels
// of narrow screens, keys that move the focus, progress of the download.
import "../app/lab.js";
import "../app/layout.js";
import { viewport } from "../app/viewport.js";
import { openCluster, saveCluster, showKeptCopies } from "./file.js";
import { showRecording } from "./recording.js";
import { lateScript } from "../browser/late.js";
import { forgiving } from "../browser/stored.js";
import { nextTheme, showKeptTheme } from "../browser/theme.js";
import { lasts, setLasts } from "../shim/lasting.js";
import { WORDS } from "./words.js";

const root = document.documentElement;
const $ = (/** @type {string} */ id) => document.getElementById(id);

/** The element nearest to where an event happened that matches. @param {Event} ev @param {string} selector */
const nearest = (ev, selector) =>
  /** @type {HTMLElement | null} */ (ev.target instanceof Element ? ev.target.closest(selector) : null);

const stored = forgiving(() => localStorage);

showKeptTheme();

// --- buttons of the page --------------------------------------------------------

document.addEventListener("click", (ev) => {
  const el = nearest(ev, "[data-page]");
  if (el?.dataset.page === "theme") nextTheme();
  else if (el?.dataset.page === "words") stored.setItem(WORDS, (root.dataset.words = "off"));
  else if (el?.dataset.page === "save-cluster") saveCluster();
  else if (el?.dataset.page === "open-cluster") $("cluster-file")?.click();
});

function leversOpened() {
  showKeptCopies();
  showRecording();
}
// The document listens, since the panel may be replaced; the event does not bubble, so it is captured.
document.addEventListener("toggle", (ev) => {
  const { target, newState } = /** @type {ToggleEvent} */ (ev);
  if (newState === "open" && target instanceof Element && target.id === "panel-levers") leversOpened();
}, true);
if ($("panel-levers")?.matches("[popover]:popover-open")) leversOpened(); // before this script was loaded

$("cluster-file")?.addEventListener("change", (ev) => {
  const input = /** @type {HTMLInputElement} */ (ev.target);
  const file = input.files?.[0];
  input.value = ""; // the same file again is a change, too
  if (file) openCluster(file);
});

document.addEventListener("keydown", (ev) => {
  // Ctrl+Enter sends from anywhere in the request.
  if (ev.key === "Enter" && (ev.ctrlKey || ev.metaKey)) {
    const form = /** @type {HTMLFormElement | null} */ (nearest(ev, "form#request"));
    if (form) {
      ev.preventDefault();
      form.requestSubmit($("send"));
    }
  }
});

// What is shared, and files of it that are dropped on the page.
const share = () => lateScript("share.js");
/** @type {any} */ (globalThis).tabernetesLab.action("left-share", (/** @type {HTMLElement} */ panel) => {
  if (!panel.hidden) share().then(({ shown }) => shown());
});
/** The file of a cluster that is dragged; with its name only when it is dropped. @param {DragEvent} ev */
const dragged = (ev) => (ev.defaultPrevented || !ev.dataTransfer?.types.includes("Files") ? null : ev.dataTransfer);
document.addEventListener("dragover", (ev) => void (dragged(ev) && ev.preventDefault()));
document.addEventListener("drop", (ev) => {
  const file = dragged(ev)?.files[0];
  if (!file) return;
  ev.preventDefault();
  share().then(({ openFile }) => openFile(file));
});

// Whether the requests are there after a reload, too.
const session = forgiving(() => sessionStorage);
const keeps = /** @type {HTMLInputElement | null} */ ($("history-keep"));
if (keeps) keeps.checked = lasts(session);
keeps?.addEventListener("change", () => setLasts(session, keeps.checked));

// A menu that the focus leaves would hide where it is. Where there are no popovers nothing is a menu.
const popovers = "popover" in HTMLElement.prototype;
document.addEventListener("focusin", (ev) => {
  const to = ev.target;
  if (!popovers || !(to instanceof Element)) return;
  for (const el of document.querySelectorAll("[popover]:popover-open")) {
    const menu = /** @type {HTMLElement} */ (el);
    if (!menu.contains(to) && to.getAttribute("popovertarget") !== menu.id) menu.hidePopover();
  }
});

// A menu opens below the button that it is opened by, or above it where the window ends there; on a phone, above the
// tabs.
/** @type {Element | null} */
let opener = null;
document.addEventListener("click", (ev) => (opener = nearest(ev, "[popovertarget]")), { capture: true });
document.addEventListener("beforetoggle", (ev) => {
  const menu = /** @type {HTMLElement} */ (ev.target);
  if (/** @type {ToggleEvent} */ (ev).newState !== "open" || !menu.matches(".menu")) return;
  /** @type {Element | null | undefined} */
  let button = opener?.getAttribute("popovertarget") === menu.id ? opener : null;
  button ??= [...document.querySelectorAll(`[popovertarget="${menu.id}"]`)].find((b) => b.getClientRects().length > 0);
  opener = null;
  menu.style.inset = menu.style.maxHeight = "";
  if (!button || viewport() === "phone") return;
  const at = button.getBoundingClientRect();
  const width = Math.min(parseFloat(getComputedStyle(menu).width) || 420, innerWidth - 16);
  const left = Math.max(8, Math.min(at.left, innerWidth - 8 - width));
  const below = innerHeight - at.bottom - 12;
  menu.style.inset = below > innerHeight / 3 ? `${at.bottom + 4}px auto auto ${left}px`
    : `auto auto ${innerHeight - at.top + 4}px ${left}px`;
  menu.style.maxHeight = `${Math.max(below, at.top - 12)}px`;
}, { capture: true });

// Which of the two is in use.
document.addEventListener("keydown", () => (root.dataset.input = "keys"), { capture: true });
document.addEventListener("pointerdown", () => delete root.dataset.input, { capture: true });

// The keys' names as they stand on the keyboard.
if (/^(Mac|iP)/.test(navigator.platform)) {
  for (const key of document.querySelectorAll("[data-mac]")) key.textContent = key.getAttribute("data-mac");
  for (const el of document.querySelectorAll("[data-mac-title]")) {
    el.setAttribute("title", el.getAttribute("data-mac-title") ?? "");
  }
}

// --- lists: arrow keys move among the rows ------------------------------------

/** How many rows a key moves. @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

document.addEventListener("keydown", (ev) => {
  const list = nearest(ev, "[data-roving]");
  if (!list || ev.altKey || ev.ctrlKey || ev.metaKey) return;
  const row = nearest(ev, "[data-row]");
  if (!row || row !== ev.target) return;
  const step = STEPS[ev.key];
  if (!step) return;
  ev.preventDefault();
  const rows = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[data-row]")]);
  const to = rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + step))];
  to.focus();
  to.scrollIntoView({ block: "nearest" });
});

// --- the download -------------------------------------------------------------

const mb = (/** @type {number} */ n) => (n / 1e6).toFixed(1);

/** Shows how far the start is. @param {Pick<import("../shim/tabernetes").Status, "state" | "loaded" | "total">} s */
function boot(s) {
  const box = $("boot");
  if (!box) return;
  box.hidden = s.state === "ready";
  if (s.state === "ready") return;
  const bar = /** @type {HTMLProgressElement} */ ($("boot-progress"));
  const text = /** @type {HTMLElement} */ ($("boot-text"));
  const downloading = s.total > 0 && s.loaded < s.total;
  if (downloading) {
    bar.max = s.total;
    bar.value = s.loaded;
  } else {
    bar.removeAttribute("value");
  }
  const ended = /** @type {Record<string, string>} */ (
    { crashed: "The API server has stopped", damaged: "The API server has not started" })[s.state];
  bar.hidden = Boolean(ended);
  text.textContent =
    ended ?? (downloading ? `Loading the API server, ${mb(s.loaded)} of ${mb(s.total)} MB` : "Starting the API server");
}

// The shim is in place before any other script of the page has run; this module
// may be evaluated first.
queueMicrotask(() => window.tabernetes?.onState?.(boot));
setTimeout(() => window.tabernetes || boot({ state: "loading", loaded: 0, total: 0 }), 0);

// --- the editor -----------------------------------------------------------------

// Until it has loaded, and if it does not, the textarea is a textarea.
const area = $("req-body");
const part = $("req-bodypart");
if (area && part) {
  const load = async () => {
    const { mount } = await lateScript("editor.js");
    mount(area);
  };
  // It comes when a body is first shown.
  const shown = new MutationObserver(() => {
    if (part.hidden) return;
    shown.disconnect();
    load().catch((err) => console.warn("the editor has not loaded", err));
  });
  shown.observe(part, { attributes: true, attributeFilter: ["hidden"] });
}
