// @ts-check
// More than 400 lines: it is one protocol with Go.
// The part of the lab that is cheaper in JavaScript than across the border to
// Go: batching of events, patching of the DOM, delegation, announcements.
// The Go side is app.go. Nothing here knows what is drawn.

import { fileURL } from "../browser/files.js";
import { late, lateScript } from "../browser/late.js";
import { followView } from "./address.js";
import { joined, zipped } from "./bytes.js";
import { crossing, packFields } from "./crossing.js";
import { fit, retype } from "./fields.js";
import { pagePacer } from "./frames.js";
import { choose, leftPanel, showAnswer, showLeft, showPanel } from "./layout.js";
import { present } from "./over.js";
import { settled } from "./settled.js";
import { dropSnapshot, putSnapshot, takeSnapshot } from "./snapshots.js";
import "./spans.js";

const { soon, before, after, rest, attend } = pagePacer(window, turn);

/** @param {string} name */
async function fileOf(name) {
  const response = await fetch(fileURL(name));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.text();
}

// --- patching ---------------------------------------------------------------

/** @param {any} n @returns {string | null} */
const keyOf = (n) => (n.nodeType === 1 ? n.id || n.getAttribute("data-key") : null);

/**
 * Makes the children of `to` look like those of `from`, moving and reusing what it can.
 * @param {Node} to @param {any} from
 */
function morphChildren(to, from) {
  /** @type {Map<string, Node> | null} */
  let keyed = null;
  for (let c = to.firstChild; c; c = c.nextSibling) {
    const k = keyOf(c);
    if (k) (keyed ??= new Map()).set(k, c);
  }
  if (keyed) { // what is no longer wanted goes first: to be moved before it would cost others the focus
    const wanted = new Set([...from.childNodes].map(keyOf));
    for (const [k, c] of keyed) if (!wanted.has(k)) to.removeChild(c);
  }
  /** @type {any} */
  let at = to.firstChild;
  for (let want = from.firstChild; want; ) {
    const next = want.nextSibling;
    const k = keyOf(want);
    /** @type {any} */
    let have = k ? keyed?.get(k) : at;
    if (k) keyed?.delete(k);
    // Without a key a node is matched by position, but never with a keyed one that is still wanted.
    if (!k && have && keyOf(have)) have = null;
    if (have && have.nodeType === want.nodeType && have.nodeName === want.nodeName) {
      if (have === at) at = at.nextSibling;
      else to.insertBefore(have, at);
      morph(have, want);
    } else {
      to.insertBefore(want, at);
    }
    want = next;
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

/** @param {any} have @param {any} want */
function morph(have, want) {
  if (have.nodeType !== 1) {
    if (have.data !== want.data) have.data = want.data;
    return;
  }
  // data-keep: the element looks after itself once it is there (an editor, a plot), except for its name.
  if (have.hasAttribute("data-keep")) {
    const name = want.getAttribute("aria-label");
    if (name !== null && name !== have.getAttribute("aria-label")) have.setAttribute("aria-label", name);
    return;
  }
  if (have.isEqualNode(want)) return;
  for (const { name, value } of want.attributes) {
    if (have.getAttribute(name) !== value) {
      have.setAttribute(name, value);
      if (name === "value" && have !== document.activeElement) have.value = value;
      // These are where a field begins; what it shows now is a property.
      if (name === "checked" || name === "selected") have[name] = true;
    }
  }
  for (let i = have.attributes.length; i--; ) {
    const { name } = have.attributes[i];
    // "open" belongs to the person who opened it, the classes of the selection to it (mark).
    if (!want.hasAttribute(name) && name !== "open") {
      have.removeAttribute(name);
      if (name === "checked" || name === "selected") have[name] = false;
    }
  }
  morphChildren(have, want);
}

/** What was last drawn where: the same again costs a comparison. */
const drawn = new WeakMap();

/** @param {Element} el @param {string} html */
function patch(el, html) {
  if (drawn.get(el) === html) return;
  drawn.set(el, html);
  // A body that follows its end continues doing so.
  const scroller = el.closest("[data-stick]");
  const stick = scroller && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 24;
  patchNow(el, html);
  if (stick) scroller.scrollTop = scroller.scrollHeight;
  refreshRelated();
}

/** @param {Element} el @param {string} html */
function patchNow(el, html) {
  const t = document.createElement("template");
  if (el.namespaceURI === "http://www.w3.org/2000/svg") {
    t.innerHTML = "<svg>" + html + "</svg>";
    morphChildren(el, t.content.firstChild);
  } else {
    t.innerHTML = html;
    morphChildren(el, t.content);
  }
}

/**
 * Calls f with the element of an id when what is drawn now is there: in this frame, or in the one that draws the rest.
 *
 * @param {string} id @param {(el: HTMLElement) => void} f
 */
function drawnNow(id, f) {
  const found = () => {
    const el = document.getElementById(id);
    if (el) f(el);
    return el;
  };
  after(() => void (found() ?? rest(found)));
}

// --- actions ----------------------------------------------------------------

/** @type {Map<string, (el: Element, ev: Event) => void>} */
const actions = new Map();
/**
 * What was done before the lab had started: it is carried out then, in its order. An element that is used twice
 * acts once: pressing a button again because nothing happened is no second wish.
 *
 * @type {{name: string, el: Element, ev: Event}[]}
 */
let early = [];
let hasBegun = false; // whether all panels have started: they start one by one
/** @type {() => void} */
let begin;
/** Resolves when all panels have started. @type {Promise<void>} */
export const begun = new Promise((resolve) => (begin = resolve));
const KEPT = ["click", "submit", "change", "toggle"];
/** @param {Element} el */
const defaultEvent = (el) =>
  el.nodeName === "FORM" ? "submit" : /^(INPUT|SELECT|TEXTAREA)$/.test(el.nodeName) ? "change" : "click";

/** @param {Event} ev */
function act(ev) {
  let el = /** @type {HTMLElement | null} */ (ev.target instanceof Element ? ev.target.closest("[data-action]") : null);
  // An outer action is used when the inner one listens to another event.
  while (el && !(el.dataset.on ?? defaultEvent(el)).split(" ").includes(ev.type)) {
    el = /** @type {HTMLElement | null} */ (el.parentElement?.closest("[data-action]") ?? null);
  }
  if (!el) return;
  if (ev.type === "submit" || (el.nodeName === "A" && el.getAttribute("href") === "#")) ev.preventDefault();
  if (el.getAttribute("aria-disabled") === "true") return;
  const name = el.dataset.action ?? "";
  const f = actions.get(name);
  if (f && (hasBegun || !KEPT.includes(ev.type))) f(el, ev);
  else if (KEPT.includes(ev.type)) {
    early = [...early.filter((e) => e.el !== el || e.ev.type !== ev.type), { name, el, ev }];
    el.toggleAttribute("data-early", true);
  }
}

/** Carries out what was done early, as far as there is something that does it by now. */
function catchUp() {
  const due = early.filter((e) => actions.has(e.name));
  early = early.filter((e) => !actions.has(e.name));
  for (const { name, el, ev } of due) {
    el.removeAttribute("data-early");
    if (el.isConnected) actions.get(name)?.(el, ev);
  }
  for (const ev of earlyKeys.values()) press(ev);
  earlyKeys.clear();
}
for (const type of ["click", "submit", "change", "input", "keydown", "focusin", "focusout", "dblclick"]) {
  document.addEventListener(type, act);
}

/** How far a pointer may move while it presses, in CSS pixels. */
const STILL = 8;
/** What the pointer went down on, and where. @type {{el: Element | null, x: number, y: number} | null} */
let pressed = null;
document.addEventListener("pointerdown", ({ target, clientX: x, clientY: y }) => {
  const el = target instanceof Element ? target.closest("[data-action], button, summary, label, a[href]") : null;
  pressed = { el, x, y };
}, true);
// The page may move under a pointer that does not, before it is released: then the browser clicks what is there by now,
// or what contains both. What was pressed is clicked instead.
document.addEventListener("click", (ev) => {
  const { el, x, y } = pressed ?? { el: null, x: 0, y: 0 };
  pressed = null;
  if (!ev.detail || !el?.isConnected || el.contains(/** @type {Node} */ (ev.target)) ||
    el.matches(":disabled, [inert] *") || Math.hypot(ev.clientX - x, ev.clientY - y) > STILL) return;
  ev.preventDefault();
  ev.stopImmediatePropagation();
  el.dispatchEvent(new MouseEvent("click", ev));
}, true);
// These two do not bubble.
for (const type of ["toggle", "scroll"]) document.addEventListener(type, act, { capture: true, passive: true });

// --- announcements ----------------------------------------------------------

/** @type {string[]} */
let said = [];
/** @type {any} */
let saying = 0;
/** @param {string} id @param {string} text */
function speak(id, text) {
  const el = document.getElementById(id);
  if (el) el.textContent = text;
}
/** @param {string} text @param {boolean} now */
function announce(text, now) {
  if (now) return speak("alerts", text);
  said.push(text);
  saying ||= setTimeout(() => {
    speak("status", said.join(". "));
    said = [];
    saying = 0;
  }, 1000);
}

// --- keys of the whole page ---------------------------------------------------
// A key acts where nothing is typed, and where what has the focus does not use it.

/** The last one to ask for a key is the first to be asked whether it uses it.
 * @type {Map<string, ((ev: KeyboardEvent) => boolean)[]>} */
const keys = new Map();

/** @param {KeyboardEvent} ev */
function typed(ev) {
  const at = /** @type {Element | null} */ (ev.target instanceof Element ? ev.target : null);
  if (!at) return false;
  if (at.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable], [popover]"))
    return true;
  if (ev.key === " " || ev.key === "Enter")
    return at.closest("button, a[href], summary, [role=option], [role=treeitem], label") !== null;
  if (/^(Arrow|Home|End|Page)/.test(ev.key)) {
    return at.closest("[data-roving], [role=tablist], [role=separator], [role=radiogroup], [role=tree], [role=grid], " +
      ".choices, [tabindex='0'].panel-body") !== null;
  }
  return false;
}

/** The letters and signs that were pressed before the lab had started, each once, as what is clicked then.
 * @type {Map<string, KeyboardEvent>} */
const earlyKeys = new Map();

/** @param {KeyboardEvent} ev */
const press = (ev) => keys.get(ev.key.length === 1 ? ev.key.toLowerCase() : ev.key)?.some((f) => f(ev));

document.addEventListener("keydown", (ev) => {
  if (ev.defaultPrevented || ev.altKey || ev.ctrlKey || ev.metaKey || typed(ev)) return;
  if (hasBegun) {
    if (press(ev)) ev.preventDefault();
  } else if (ev.key.length === 1) {
    earlyKeys.set(ev.key.toLowerCase(), ev);
  }
});

// --- shared selection -------------------------------------------------------
// Elements that share one of the names in data-ref light up together: for as
// long as one of them is pointed at, and while the one thing is chosen.

/** @type {string[]} */
let related = [];
/** @type {string[]} */
let chosen = [];
/** @type {((refs: string) => void) | null} */
let onRelate = null;

/** @param {EventTarget | null} target */
function refsAt(target) {
  if (!(target instanceof Element)) return [];
  const el = /** @type {HTMLElement | SVGElement | null} */ (target.closest("[data-ref]"));
  return el?.dataset.ref?.split(" ").filter(Boolean) ?? [];
}

/** @param {string[]} names @param {string} name */
function mark(names, name) {
  const now = new Set();
  for (const r of names) {
    for (const el of document.querySelectorAll(`[data-ref~="${CSS.escape(r)}"]`)) now.add(el);
  }
  for (const el of document.querySelectorAll("." + name)) if (!now.has(el)) el.classList.remove(name);
  for (const el of now) el.classList.add(name);
}
let marking = false;

/** @param {string[]} refs */
function relate(refs) {
  if (refs.join() === related.join()) return;
  related = refs;
  onRelate?.(refs.join(" "));
  refreshRelated(true);
}

/** @param {boolean} [force] */
function refreshRelated(force) {
  if (marking || (!related.length && !chosen.length && !force)) return;
  marking = true;
  soon(() => {
    marking = false;
    mark(related, "is-related");
    mark(chosen, "is-chosen");
  });
}
document.addEventListener("pointerover", (ev) => relate(refsAt(ev.target)));
document.addEventListener("focusin", (ev) => relate(refsAt(ev.target)));
document.addEventListener("focusout", () => relate([]));

// --- requests and events ----------------------------------------------------

const turns = new MessageChannel();
/** @type {(() => void)[]} */
const next = [];
turns.port1.onmessage = () => next.shift()?.();
/** Calls f in a separate task, at once. @param {() => void} f */
function turn(f) {
  next.push(f);
  turns.port2.postMessage(null);
}

/** Has all that the tap has reported cross at once, and resolves when it has. */
let caughtUp = async () => {};

/** Calls go with packed batches of tap events. @param {(batch: string, bodies: Uint8Array) => void} go */
function tap(go) {
  const events = crossing({ before, turn, now: () => performance.now() }, go);
  ({ caughtUp } = events);
  window.tabernetes.onTap(events.take);
}

/** The origins of requests that are made as the page's owner: those of the lab itself, and of the levers. */
const OWN = new Set(["", "lever", "setup"]);

/**
 * Makes a request; calls go("head", status, fields, id), go("bytes", piece)…, then go("end") or go("fail", why).
 * Pieces that arrive within a frame are joined. The id is the tap's, 0 of a quiet request. Returns a function that
 * aborts it.
 *
 * @param {string} method @param {string} path @param {string[]} header @param {string} origin
 * @param {string | Uint8Array<ArrayBuffer>} body
 * @param {boolean} quiet
 * @param {string} target "room", or "": the page's
 * @param {boolean} wanted whether go is to have the body; else it is read and forgotten
 * @param {(kind: string, a?: any, b?: any, c?: any) => void} go
 */
function request(method, path, header, body, origin, quiet, target, wanted, go) {
  const stop = new AbortController();
  /** @type {[string, string][]} */
  const headers = [];
  for (let i = 0; i < header.length; i += 2) headers.push([header[i], header[i + 1]]);
  (async () => {
    /** @type {Uint8Array[]} */
    let pieces = [];
    let due = false;
    const send = () => {
      due = false;
      if (pieces.length > 0) go("bytes", joined(pieces.splice(0)));
    };
    try {
      /** @type {import("../shim/tabernetes").TabernetesInit["tabernetes"]} */
      const note = { origin: /** @type {any} */ (origin), quiet, target: /** @type {any} */ (target || undefined),
        owner: OWN.has(origin) };
      const res = await window.tabernetes.fetch(path, {
        method,
        headers,
        body: body === "" || method === "GET" || method === "HEAD" ? undefined : body,
        signal: stop.signal,
        tabernetes: note,
      });
      go("head", res.status, packFields([...res.headers]), note?.id ?? 0);
      if (res.body) {
        const reader = res.body.getReader();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          if (!wanted) continue;
          pieces.push(value);
          if (!due) {
            due = true;
            before(() => due && send());
          }
        }
      }
      send();
      go("end");
      if (origin === "console") attend(); // a person waits for it
    } catch (err) {
      send();
      go("fail", err instanceof Error ? err.message : String(err));
    }
  })();
  return () => stop.abort();
}

/** What Go does with views, requests and manifests that come from elsewhere.
 * @type {{look: () => string, act: (what: string, ...args: any[]) => void}} */
let views = { look: () => "null", act() {} };
/** @type {ReturnType<typeof followView> | undefined} */
let address;

/** Without popovers a menu is a part of the page that is always there. */
const popovers = "popover" in HTMLElement.prototype;

/** @type {any} */
let toasting = 0;

/** What the lab calls. */
const lab = {
  begun() {
    hasBegun = true;
    begin();
    setTimeout(catchUp);
  },
  patch,
  announce,
  request,
  tap,
  caughtUp: () => caughtUp(),
  async settled() {
    await settled(window.tabernetes);
    await caughtUp();
  },
  /** @param {string} name @param {(el: Element, ev: Event) => void} f */
  action(name, f) {
    actions.set(name, f);
    if (hasBegun && early.some((e) => e.name === name)) setTimeout(catchUp);
  },
  /** @param {string} key @param {(ev: KeyboardEvent) => boolean} f */
  key: (key, f) => void keys.set(key, [f, ...(keys.get(key) ?? [])]),
  /** Tells f what is pointed at. @param {(refs: string) => void} f */
  onRelate(f) {
    onRelate = f;
  },
  /**
   * Lights up what belongs to the one thing that is chosen.
   * @param {string} refs
   * @param {boolean} [lit] it is lit up only: there is no answer to it
   */
  choose(refs, lit) {
    if (!lit) choose(refs !== "");
    chosen = refs.split(" ").filter(Boolean);
    refreshRelated(true);
    // For the terminal, which is no part of the lab.
    dispatchEvent(new CustomEvent("tabernetes-chosen", { detail: refs }));
  },
  /** The cluster is another one. */
  moved: () => void dispatchEvent(new Event("tabernetes-moved")), // for the terminal, too
  /** @param {() => string} look @param {(what: string, ...args: any[]) => void} act */
  views(look, act) {
    views = { look, act };
    const shown = () => (/^(tab|devserver)$/.test(window.tabernetes.place) ? JSON.parse(look()) : null);
    address = followView(window, shown, (view) => act("show", JSON.stringify(view)), Date.now);
  },
  viewed: () => address?.changed(),
  /** @param {string} hash */
  setPlace: (hash) => address?.setPlace(hash),
  look: () => views.look(),
  /** @param {string} what @param {any[]} args */
  act: (what, ...args) => views.act(what, ...args),
  /** Calls f before a paint that there is time for. */
  soon,
  /** The same, after what else is drawn then. */
  after,
  /** Calls f before the next paint: it is what is left of this one. */
  rest,
  /** Draws for a moment whatever is due: it is what a person waits for. */
  attend,
  turn,
  /** @param {Uint8Array<ArrayBuffer>} body @param {(size: number) => void} go */
  zipped: (body, go) => void zipped(body).then(go, () => go(0)),
  takeSnapshot,
  putSnapshot,
  dropSnapshot,
  load: lateScript,
  /** Fetches a text of the site that is not needed at first. @param {string} name */
  file: (name) => late(fileOf(name)),
  /** @param {string} id @param {string} s */
  text(id, s) {
    const el = document.getElementById(id);
    if (el && el.textContent !== s) el.textContent = s;
  },
  /** Sets a field as if it had been typed, so that the editor draws it. @param {string} id @param {string} s */
  setText(id, s) {
    const el = area(id);
    if (el.value === s) return;
    el.value = s;
    el.dispatchEvent(new Event("input", { bubbles: true }));
  },
  /** @param {string} id */
  fit: (id) => fit(area(id)),
  /** @param {string} id @param {string} s */
  retype: (id, s) => retype(area(id), s),
  /** @param {string} id */
  caretToEnd: (id) => area(id).setSelectionRange(area(id).value.length, area(id).value.length),
  /** @param {string} id */
  selectAll: (id) => area(id).select(),
  /** Checks that of the radio buttons of a name which has the value. @param {string} name @param {string} value */
  check(name, value) {
    for (const el of document.getElementsByName(name)) {
      const box = /** @type {HTMLInputElement} */ (el);
      box.checked = box.value === value;
    }
  },
  /** Does what the reader's typing into a field does. @param {string} id */
  typed: (id) => area(id).dispatchEvent(new Event("input", { bubbles: true })),
  /** Does what a key does that the reader presses. @param {string} key */
  press: (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })),
  /** Reports whether a choice of that name has the value. @param {string} name @param {string} value */
  offers: (name, value) => !!document.querySelector(`[name="${name}"][value="${value}"]`),
  /**
   * Places an open menu under the button that opened it, or above it, where there is more space.
   * @param {string} menu
   * @param {string} button
   */
  below(menu, button) {
    const at = /** @type {Element} */ (document.querySelector(button)).getBoundingClientRect();
    const { style } = /** @type {HTMLElement} */ (document.getElementById(menu));
    const px = (/** @type {number} */ n) => `${Math.trunc(Math.max(8, n))}px`;
    style.right = px(innerWidth - at.right);
    const high = at.top > innerHeight / 2;
    style.top = high ? "auto" : px(at.bottom);
    style.bottom = high ? px(innerHeight - at.top) : "auto";
  },
  /** @param {string} id */
  checked: (id) => /** @type {HTMLInputElement} */ (document.getElementById(id)).checked,
  /** Sets or removes an attribute of the whole page. @param {string} name @param {boolean} on */
  mark: (name, on) => document.documentElement.toggleAttribute(name, on),
  /** Notes what keeps the cluster from being saved. @param {string} trouble */
  trouble: (trouble) => window.tabernetes.note({ trouble }),
  /** @param {string} s */
  info: (s) => console.info(s),
  /** Adds to the element with an id. @param {string} id @param {string} html */
  insert: (id, html) => document.getElementById(id)?.insertAdjacentHTML("beforeend", html),
  /**
   * The elements below one that have an attribute: that, and their text, as JSON.
   * @param {string} id
   * @param {string} name
   */
  texts: (id, name) => JSON.stringify([...document.querySelectorAll(`#${id} [${name}]`)].map(
    (el) => ({ name: el.getAttribute(name), text: el.textContent }))),
  /**
   * How elements lie in rows, as JSON: which has the focus, how many are in the first row, and how many there are.
   * @param {string} all
   */
  grid(all) {
    const found = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(all)]);
    const first = found.filter((el) => el.offsetTop === found[0].offsetTop);
    return JSON.stringify([found.indexOf(/** @type {any} */ (document.activeElement)), first.length, found.length]);
  },
  /** Moves the focus to one of several elements. @param {string} all @param {number} i */
  focusOne: (all, i) => /** @type {HTMLElement} */ (document.querySelectorAll(all)[i]).focus(),
  /** The address without its fragment. */
  here: () => location.origin + location.pathname,
  /** Takes a fragment off the address that begins so. @param {string} start */
  leaveHash: (start) => location.hash.startsWith(start) && history.replaceState(null, "", location.pathname),
  openTerminal: async () => (await lateScript("terminal.js")).open(),
  /** Types commands into the terminal, and returns the last request that they have made. @param {string} text */
  command: async (text) => String(await (await lateScript("terminal.js")).run(text)),
  /**
   * Pulls a lever of a program: web/lesson/format, Lever.
   *
   * @param {[string, string, string, number]} lever
   */
  programLever: async (...lever) =>
    (await lateScript("controlplane.js")).controlPlane(window.tabernetes).lever(...lever),
  /** Opens a menu, if it is not open. @param {string} id */
  openMenu: (id) => lab.menuIsOpen(id) || document.getElementById(id)?.showPopover(),
  /** The room that the page is in, as JSON. */
  room: () => JSON.stringify(window.tabernetes.room),
  /** Notes what has changed of the room until setRoom is called. @param {string} room as JSON */
  noteRoom: (room) => Object.assign(window.tabernetes.room ?? {}, JSON.parse(room)),
  /** @param {string} room as JSON */
  setRoom: (room) => window.tabernetes.setRoom(JSON.parse(room)),
  /** @param {string} token */
  roomLink: (token) => window.tabernetes.roomLink(token),
  /** @param {string} link */
  qrCode: async (link) => JSON.stringify((await lateScript("room.js")).qrCode(link)),
  /** Reads what the member may list of the room; copyRoom writes it into the cluster of the tab. */
  readRoom: async () => void (copy = await (await lateScript("room.js")).readRoom()),
  copyRoom: () => copy.copy(),
  /** Asks before the tab closes, or no longer. @param {boolean} on */
  guard: (on) => (on ? addEventListener : removeEventListener)("beforeunload", ask),
  hash: () => location.hash,
  /** @param {string} hash */
  setHash: (hash) => (location.hash = hash),
  /** Goes again to the place that the address names. */
  hashAgain: () => dispatchEvent(new HashChangeEvent("hashchange")),
  /** @param {string} url */
  visit: (url) => void globalThis.open(url, "_blank", "noopener"),
  /** @param {string} s */
  toast(s) {
    const box = document.getElementById("toast");
    if (!box) return;
    box.textContent = s;
    box.hidden = false;
    clearTimeout(toasting);
    toasting = setTimeout(() => (box.hidden = true), 2500);
  },
  /** Reports a new size to a list of which only the visible part is drawn, as a scroll. @param {Element} el */
  watchSize: (el) =>
    globalThis.ResizeObserver && new ResizeObserver(() => el.dispatchEvent(new Event("scroll"))).observe(el),
  closeMenus() {
    if (!popovers) return;
    for (const m of document.querySelectorAll("[popover]")) {
      if (m.matches(":popover-open")) /** @type {HTMLElement} */ (m).hidePopover();
    }
  },
  /** @param {string} id */
  menuIsOpen: (id) => !popovers || document.getElementById(id)?.matches(":popover-open") === true,
  /** @param {string} id */
  reveal: (id) => drawnNow(id, (el) => el.scrollIntoView({ block: "nearest" })),
  /** Brings what is around an element into view, at once. @param {string} id */
  revealAround: (id) => document.getElementById(id)?.parentElement?.scrollIntoView({ block: "nearest" }),
  /** @param {string} s */
  async copy(s) {
    try {
      await navigator.clipboard.writeText(s);
    } catch {
      // No permission, or not a secure context: the old way.
      const t = document.createElement("textarea");
      t.value = s;
      t.className = "visually-hidden";
      document.body.append(t);
      t.select();
      document.execCommand("copy");
      t.remove();
    }
  },
  showAnswer,
  /** Brings a panel into view. @param {string} panel */
  open: (panel) => showPanel(panel),
  /** Shows the stage and one line, large. @param {boolean} on */
  present,
  /** Brings the lesson back to its place at the left, if that panel is there. @param {string} panel */
  closeLeft: (panel) => leftPanel() === panel && showLeft(""),
  /** @param {string} panel */
  isLeft: (panel) => leftPanel() === panel,
  /** Moves the focus when what is drawn now is there. @param {string} id @param {boolean} [still] does not scroll */
  focus: (id, still = false) => drawnNow(id, (el) => el.focus({ preventScroll: still })),
};

/** What readRoom has read. @type {{ copy: () => Promise<string> }} */
let copy;

/** @param {BeforeUnloadEvent} ev */
function ask(ev) {
  ev.preventDefault();
  ev.returnValue = "?"; // older browsers need this instead of preventDefault; they show their text, not this one
}

/** @param {string} id @returns {HTMLTextAreaElement} */
const area = (id) => /** @type {any} */ (document.getElementById(id));

/** @typedef {typeof lab} Lab */
/** @type {any} */ (globalThis).tabernetesLab = lab;
