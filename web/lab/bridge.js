// The part of the lab that is cheaper in JavaScript than across the border to
// Go: batching of events, patching of the DOM, delegation, announcements.
// The Go side is app.go. Nothing here knows what is drawn.

import { pagePacer } from "./frames.js";

const { soon } = pagePacer(window);

// --- patching ---------------------------------------------------------------

const keyOf = (n) => (n.nodeType === 1 ? n.id || n.getAttribute("data-key") : null);

/** Makes the children of `to` look like those of `from`, moving and reusing what it can. */
function morphChildren(to, from) {
  let keyed = null;
  for (let c = to.firstChild; c; c = c.nextSibling) {
    const k = keyOf(c);
    if (k) (keyed ??= new Map()).set(k, c);
  }
  let at = to.firstChild;
  for (let want = from.firstChild; want; ) {
    const next = want.nextSibling;
    const k = keyOf(want);
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

function morph(have, want) {
  if (have.nodeType !== 1) {
    if (have.data !== want.data) have.data = want.data;
    return;
  }
  // data-keep: the element looks after itself once it is there (an editor, an open menu).
  if (have.hasAttribute("data-keep")) return;
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
    // "open" belongs to the person who opened it, "is-related" to the shared selection.
    if (!want.hasAttribute(name) && name !== "open") {
      have.removeAttribute(name);
      if (name === "checked" || name === "selected") have[name] = false;
    }
  }
  morphChildren(have, want);
}

/** What was last drawn where: the same again costs a comparison. */
const drawn = new WeakMap();

function patch(el, html) {
  if (drawn.get(el) === html) return;
  drawn.set(el, html);
  // A body that follows its end goes on doing so.
  const scroller = el.closest("[data-stick]");
  const stick = scroller && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 24;
  patchNow(el, html);
  if (stick) scroller.scrollTop = scroller.scrollHeight;
  refreshRelated();
}

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

// --- actions ----------------------------------------------------------------

const actions = new Map();
const defaultEvent = (el) =>
  el.nodeName === "FORM" ? "submit" : /^(INPUT|SELECT|TEXTAREA)$/.test(el.nodeName) ? "change" : "click";

function act(ev) {
  let el = ev.target.closest?.("[data-action]");
  // An outer action is used when the inner one listens to another event.
  while (el && !(el.dataset.on ?? defaultEvent(el)).split(" ").includes(ev.type)) {
    el = el.parentElement?.closest("[data-action]");
  }
  if (!el) return;
  if (ev.type === "submit" || (el.nodeName === "A" && el.getAttribute("href") === "#")) ev.preventDefault();
  if (el.getAttribute("aria-disabled") === "true") return;
  actions.get(el.dataset.action)?.(el, ev);
}
for (const type of ["click", "submit", "change", "input", "keydown", "focusin", "focusout", "dblclick"]) document.addEventListener(type, act);
// These two do not bubble.
for (const type of ["toggle", "scroll"]) document.addEventListener(type, act, { capture: true, passive: true });

// --- announcements ----------------------------------------------------------

let said = [];
let saying = 0;
function announce(text, now) {
  if (now) {
    document.getElementById("alerts").textContent = text;
    return;
  }
  said.push(text);
  saying ||= setTimeout(() => {
    document.getElementById("status").textContent = said.join(". ");
    said = [];
    saying = 0;
  }, 1000);
}

// --- shared selection -------------------------------------------------------
// Elements that share one of the names in data-ref light up together.

let related = [];
function refsAt(target) {
  return target?.closest?.("[data-ref]")?.dataset.ref?.split(" ").filter(Boolean) ?? [];
}
function mark() {
  const now = new Set();
  for (const r of related) {
    for (const el of document.querySelectorAll(`[data-ref~="${CSS.escape(r)}"]`)) now.add(el);
  }
  for (const el of document.querySelectorAll(".is-related")) if (!now.has(el)) el.classList.remove("is-related");
  for (const el of now) el.classList.add("is-related");
}
let marking = false;
function relate(refs) {
  if (refs.join() === related.join()) return;
  related = refs;
  refreshRelated(true);
}
function refreshRelated(force) {
  if (marking || (!related.length && !force)) return;
  marking = true;
  soon(() => {
    marking = false;
    mark();
  });
}
document.addEventListener("pointerover", (ev) => relate(refsAt(ev.target)));
document.addEventListener("focusin", (ev) => relate(refsAt(ev.target)));
document.addEventListener("focusout", () => relate([]));

// --- requests and events ----------------------------------------------------
// Fields of an event are joined with \x1f and events with \x1e: one string
// crosses per frame, whatever the number of events. JSON cannot hold these
// characters unescaped; anywhere else they are shown as U+FFFD.

const clean = (s) => (s ?? "").toString().replace(/[\x1c-\x1f]/g, "\ufffd");
const packFields = (fields) => (fields ?? []).map(([n, v]) => clean(n) + "\x1c" + clean(v)).join("\x1d");

/** The size of a batch that goes at once, in characters: Go never gives back the memory that it takes. */
const LARGE_BATCH = 1 << 20;

/** Calls go with a packed batch of tap events, once per frame or when it is large. */
function tap(go) {
  let batch = [];
  let size = 0;
  let due = false;
  const send = () => {
    const b = batch;
    batch = [];
    size = 0;
    if (b.length) go(b.join("\x1e"));
  };
  tabernetes.onTap((e) => {
    if (!due) {
      due = true;
      soon(() => {
        due = false;
        send();
      });
    }
    size += (e.body?.length ?? 0) + (e.text?.length ?? 0);
    batch.push(
      [e.type, e.id, e.time, e.method, e.url, packFields(e.headers), e.body, e.origin, e.status, e.text, e.error, e.aborted ? 1 : "", e.source]
        .map((v, i) => (i === 5 ? v : clean(v)))
        .join("\x1f"),
    );
    if (size > LARGE_BATCH) send();
  });
}

/**
 * Makes a request; calls go("head", status, fields), go("text", piece)…, then go("end") or go("fail", why).
 * Pieces that arrive within a frame are joined. Returns a function that aborts it.
 */
function request(method, path, header, body, origin, quiet, go) {
  const stop = new AbortController();
  const headers = [];
  for (let i = 0; i < header.length; i += 2) headers.push([header[i], header[i + 1]]);
  (async () => {
    let text = "";
    let due = false;
    const send = () => {
      due = false;
      if (text) {
        const t = text;
        text = "";
        go("text", t);
      }
    };
    try {
      const res = await tabernetes.fetch(path, {
        method,
        headers,
        body: body === "" || method === "GET" || method === "HEAD" ? undefined : body,
        signal: stop.signal,
        tabernetes: { origin, quiet },
      });
      go("head", res.status, packFields([...res.headers]));
      if (res.body) {
        const reader = res.body.getReader();
        const decoder = new TextDecoder();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          text += decoder.decode(value, { stream: true });
          if (!due) {
            due = true;
            soon(() => due && send());
          }
        }
      }
      send();
      go("end");
    } catch (err) {
      send();
      go("fail", String(err?.message ?? err));
    }
  })();
  return () => stop.abort();
}

/** Without popovers a menu is a part of the page that is always there. */
const popovers = "popover" in HTMLElement.prototype;

let toasting = 0;
globalThis.tabernetesLab = {
  patch,
  announce,
  request,
  tap,
  refreshRelated: () => refreshRelated(),
  action: (name, f) => actions.set(name, f),
  /** Calls f before a paint that there is time for. */
  soon,
  text(id, s) {
    const el = document.getElementById(id);
    if (el && el.textContent !== s) el.textContent = s;
  },
  /** Sets a field as if it had been typed, so that the editor draws it. */
  setText(el, s) {
    if (el.value === s) return;
    el.value = s;
    el.dispatchEvent(new Event("input", { bubbles: true }));
  },
  caretToEnd(el) {
    el.setSelectionRange(el.value.length, el.value.length);
    el.scrollLeft = el.scrollWidth;
  },
  toast(s) {
    const box = document.getElementById("toast");
    box.textContent = s;
    box.hidden = false;
    clearTimeout(toasting);
    toasting = setTimeout(() => (box.hidden = true), 2500);
  },
  /** A list that is drawn as far as it is seen is told of a new size as of a scroll. */
  watchSize: (el) => globalThis.ResizeObserver && new ResizeObserver(() => el.dispatchEvent(new Event("scroll"))).observe(el),
  closeMenus() {
    if (!popovers) return;
    for (const m of document.querySelectorAll("[popover]")) if (m.matches(":popover-open")) m.hidePopover();
  },
  menuIsOpen: (id) => !popovers || document.getElementById(id).matches(":popover-open"),
  reveal: (id) => soon(() => document.getElementById(id)?.scrollIntoView({ block: "nearest" })),
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
  open(panel) {
    document.querySelector(`[data-view][data-panels~="${panel}"]`)?.click();
    document.getElementById("panel-" + panel)?.scrollIntoView({ block: "nearest" });
  },
};
