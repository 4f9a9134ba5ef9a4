// What the page does by itself, before the lab has loaded: colours, the panels
// of narrow screens, keys that move the focus, progress of the download.
import "../app/lab.js";
import "../app/layout.js";
import { openCluster, saveCluster, showKeptCopies } from "./file.js";
import { late } from "../browser/late.js";
import { forgiving } from "../browser/stored.js";

const root = document.documentElement;
const $ = (id) => document.getElementById(id);

const stored = forgiving(() => localStorage);

// --- colours ----------------------------------------------------------------

function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  $("theme")?.setAttribute("aria-label", `Colours: ${theme || "as the system"}`);
  $("theme")?.setAttribute("title", `Colours: ${theme || "as the system"}`);
}
setTheme(stored.getItem("theme") ?? "");

function nextTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const cycle = ["", dark ? "light" : "dark", dark ? "dark" : "light"];
  const theme = cycle[(cycle.indexOf(root.dataset.theme ?? "") + 1) % 3];
  stored.setItem("theme", theme);
  setTheme(theme);
}

// --- buttons of the page --------------------------------------------------------

document.addEventListener("click", (ev) => {
  const el = ev.target.closest("[data-page]");
  if (el?.dataset.page === "theme") nextTheme();
  else if (el?.dataset.page === "save-cluster") saveCluster();
  else if (el?.dataset.page === "open-cluster") $("cluster-file").click();
});

$("panel-levers")?.addEventListener("toggle", (ev) => {
  if (ev.newState === "open") showKeptCopies();
});

$("cluster-file")?.addEventListener("change", (ev) => {
  const [file] = ev.target.files;
  ev.target.value = ""; // the same file again is a change, too
  if (file) openCluster(file);
});

document.addEventListener("keydown", (ev) => {
  // Ctrl+Enter sends from anywhere in the request.
  if (ev.key === "Enter" && (ev.ctrlKey || ev.metaKey)) {
    const form = ev.target.closest?.("form#request");
    if (form) {
      ev.preventDefault();
      form.requestSubmit($("send"));
    }
  }
});

// A menu that the focus leaves would hide where it is. Where there are no popovers nothing is a menu.
const popovers = "popover" in HTMLElement.prototype;
document.addEventListener("focusin", (ev) => {
  if (!popovers) return;
  for (const menu of document.querySelectorAll("[popover]:popover-open")) {
    if (!menu.contains(ev.target) && ev.target.getAttribute("popovertarget") !== menu.id) menu.hidePopover();
  }
});

// A menu opens below the button that it is opened by, or above it where the window ends there; on a phone, above the
// tabs.
/** @type {Element | null} */
let opener = null;
document.addEventListener("click", (ev) => (opener = ev.target.closest?.("[popovertarget]")), { capture: true });
document.addEventListener("beforetoggle", (ev) => {
  const menu = ev.target;
  if (ev.newState !== "open" || !menu.matches(".menu")) return;
  let button = opener?.getAttribute("popovertarget") === menu.id ? opener : null;
  button ??= [...document.querySelectorAll(`[popovertarget="${menu.id}"]`)].find((b) => b.getClientRects().length > 0);
  opener = null;
  menu.style.inset = menu.style.maxHeight = "";
  if (!button || innerWidth < 700) return;
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
  for (const key of document.querySelectorAll("[data-mac]")) key.textContent = key.dataset.mac;
  for (const el of document.querySelectorAll("[data-mac-title]")) el.title = el.dataset.macTitle;
}

// --- lists: arrow keys move among the rows ------------------------------------

document.addEventListener("keydown", (ev) => {
  const list = ev.target.closest?.("[data-roving]");
  if (!list || ev.altKey || ev.ctrlKey || ev.metaKey) return;
  const row = ev.target.closest("[data-row]");
  if (!row || row !== ev.target) return;
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[ev.key];
  if (!step) return;
  ev.preventDefault();
  const rows = [...list.querySelectorAll("[data-row]")];
  const to = rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + step))];
  to.focus();
  to.scrollIntoView({ block: "nearest" });
});

// --- the download -------------------------------------------------------------

const mb = (n) => (n / 1e6).toFixed(1);
function boot(s) {
  const box = $("boot");
  if (!box) return;
  box.hidden = s.state === "ready";
  if (s.state === "ready") return;
  const bar = $("boot-progress");
  const downloading = s.total > 0 && s.loaded < s.total;
  if (downloading) {
    bar.max = s.total;
    bar.value = s.loaded;
  } else {
    bar.removeAttribute("value");
  }
  const ended = { crashed: "The API server has stopped", damaged: "The API server has not started" }[s.state];
  bar.hidden = Boolean(ended);
  $("boot-text").textContent =
    ended ?? (downloading ? `Loading the API server, ${mb(s.loaded)} of ${mb(s.total)} MB` : "Starting the API server");
}

// The shim is in place before any other script of the page has run; this module
// may be evaluated first.
queueMicrotask(() => globalThis.tabernetes?.onState?.(boot));
setTimeout(() => globalThis.tabernetes || boot({ state: "loading" }), 0);

// --- the editor -----------------------------------------------------------------

// Until it has loaded, and if it does not, the textarea is a textarea.
const area = $("req-body");
if (area) {
  const load = async () => {
    const { mount } = await late(import(new URL("editor.js", import.meta.url).href));
    mount(area);
  };
  // It comes when a body is first shown.
  const shown = new MutationObserver(() => {
    if ($("req-bodypart").hidden) return;
    shown.disconnect();
    load().catch((err) => console.warn("the editor has not loaded", err));
  });
  shown.observe($("req-bodypart"), { attributes: true, attributeFilter: ["hidden"] });
}
