// @ts-check
/**
 * The script that pages of others load: <tabernetes-snippet>, <tabernetes-lab> and <tabernetes-bench>. What it shows is
 * in frames of the site that it comes from, so the page's policy has to name that site in script-src and frame-src, and
 * nothing else. It stays small and knows nothing of requests: snippet.js in the frame does.
 *
 * A page has one cluster. It runs in a frame that is not shown; each snippet's frame has a port to it from here. None
 * of them needs storage, a service worker or cross-origin isolation.
 *
 * @import { FromFrame, Language, ToFrame } from "./messages"
 */

const script = /** @type {HTMLScriptElement} */ (document.currentScript);
const site = new URL(".", script.src);

const sheet = new CSSStyleSheet(); // which a policy without style-src allows, unlike a <style>
sheet.replaceSync(`:host { display: block; margin: 1em 0 }
:host([hidden]) { display: none }
iframe { display: block; width: 100%; border: 0; color-scheme: light dark }
.bar { display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: center; margin-top: .4em;
  font: 14px/1.4 system-ui, sans-serif }
button { font: inherit; font-weight: 600; padding: .4em 1em; border: 1px solid; border-radius: 6px; cursor: pointer }
button:focus-visible { outline: 3px solid #2f45cf; outline-offset: 2px }
[hidden] { display: none }`);

/** Those whom frames belong to, by the windows of the frames. @type {Map<unknown, (m: FromFrame) => void>} */
const frames = new Map();

addEventListener("message", ({ source, origin, data }) => {
  if (origin === site.origin && data?.tabernetes) frames.get(source)?.(data);
});

/** @param {HTMLIFrameElement} frame @param {ToFrame} message @param {Transferable[]} [ports] */
const post = (frame, message, ports = []) => frame.contentWindow?.postMessage(message, site.origin, ports);

/** @param {string} file @param {string} title */
function frameOf(file, title) {
  const frame = document.createElement("iframe");
  frame.src = new URL(file, site).href;
  frame.title = title;
  frame.allow = "clipboard-write; fullscreen";
  return frame;
}

/** How far a pointer may move while it presses, in CSS pixels. */
const STILL = 8;

/** The requests of an element, which may be folded. @param {Element} element */
const blockOf = (element) => (element.querySelector("pre") ?? element).textContent ?? "";

/** The snippets that are shown. @type {Set<Snippet>} */
const shown = new Set();

/** The frame of the cluster. @type {HTMLIFrameElement | null} */
let cluster = null;
/** How the cluster is: the last thing that its frame said. @type {FromFrame} */
let state = { tabernetes: "loading", loaded: 0 };

/** Starts the cluster, unless there is one. */
function start() {
  if (cluster?.isConnected) return;
  const frame = (cluster = frameOf("frame.html", "Kubernetes API server"));
  state = { tabernetes: "loading", loaded: 0 };
  frame.hidden = true;
  frame.style.display = "none";
  document.body.append(frame);
  frames.set(frame.contentWindow, (m) => {
    if (m.tabernetes === "opened") {
      const setup = [...document.querySelectorAll("tabernetes-snippet[setup]")].map(blockOf);
      return post(frame, { tabernetes: "cluster", setup });
    }
    state = m;
    for (const snippet of shown) snippet.tell();
  });
}

/** Begins a new cluster; one that did not start is tried again. */
function reset() {
  if (!cluster || state.tabernetes === "loading") return;
  if (state.tabernetes === "ready") return post(cluster, { tabernetes: "reset" });
  frames.delete(cluster.contentWindow);
  cluster.remove();
  start();
}

class Embed extends HTMLElement {
  /** @type {HTMLIFrameElement | null} */ frame = null;
  root = this.attachShadow({ mode: "open" });
  slotted = document.createElement("slot");
  bar = document.createElement("div");
  button = document.createElement("button");
  note = document.createElement("span");

  /** @param {string} label @param {string} note */
  constructor(label, note) {
    super();
    this.root.adoptedStyleSheets = [sheet];
    this.bar.className = "bar";
    this.button.textContent = label;
    this.note.textContent = note;
    this.bar.append(this.button, this.note);
    // A frame above may grow between the two halves of a press: the browser clicks what is there by then.
    /** @type {PointerEvent | null} */ let down = null;
    const still = (/** @type {MouseEvent} */ ev) =>
      !down || Math.hypot(ev.clientX - down.clientX, ev.clientY - down.clientY) < STILL;
    this.button.onpointerdown = (ev) => this.button.setPointerCapture((down = ev).pointerId);
    this.button.onpointerup = (ev) => void (ev.button === 0 && still(ev) && this.open());
    this.button.onclick = (ev) => {
      if (ev.detail === 0 || still(ev)) this.open(); // 0: a key
      down = null;
    };
    this.root.append(this.slotted, this.bar);
  }

  open() {}

  /** What is read of the element, for names. */
  get label() {
    return this.getAttribute("label") ?? "";
  }

  /** @param {HTMLIFrameElement} frame */
  show(frame) {
    this.frame = frame;
    this.root.append(frame);
  }

  /** A frame that is taken out of the page ends: the element is as it was before. */
  disconnectedCallback() {
    if (!this.frame) return;
    frames.delete(this.frame.contentWindow);
    this.frame.remove();
    this.frame = null;
    this.slotted.hidden = this.bar.hidden = false;
  }
}

class Snippet extends Embed {
  #linked = false;

  constructor() {
    super("Run", "");
  }

  connectedCallback() {
    this.bar.hidden = this.hasAttribute("setup");
    const commands = this.language === "kubectl";
    const first = (commands ? /^(?!\s*#).*\S.*/m : /^[A-Z]+ \/.*/m).exec(blockOf(this))?.[0].replace(/^\$ /, "");
    this.button.setAttribute("aria-label", `Run: ${this.label || first || "the request"}`);
    this.note.textContent = commands ? "with kubectl, on a Kubernetes API server in this page (10 MB, once)"
      : "on a Kubernetes API server in this page (2 MB, once)";
  }

  /** What its block is written in. @returns {Language} */
  get language() {
    const said = this.getAttribute("language") ?? (this.querySelector("code.language-kubectl") ? "kubectl" : "http");
    return said === "kubectl" ? "kubectl" : "http";
  }

  disconnectedCallback() {
    shown.delete(this);
    this.#linked = false;
    super.disconnectedCallback();
  }

  open() {
    if (this.frame) return;
    const text = blockOf(this);
    const name = this.label || text.trim().split("\n")[0];
    const frame = frameOf("frame.html", `Requests to a Kubernetes API server: ${name}`);
    frame.style.height = `${this.offsetHeight}px`;
    this.show(frame);
    shown.add(this);
    start();
    frames.set(frame.contentWindow, (m) => {
      if (m.tabernetes === "opened") {
        const theme = this.getAttribute("theme") ?? "";
        post(frame, { tabernetes: "snippet", text, theme, language: this.language });
        this.slotted.hidden = this.bar.hidden = true;
        frame.focus();
        this.tell();
      } else if (m.tabernetes === "height") frame.style.height = `${m.height}px`;
      else if (m.tabernetes === "reset") reset();
    });
  }

  /** Tells the frame how the cluster is, and gives it its port. */
  tell() {
    const { frame } = this;
    if (!frame || !this.slotted.hidden) return; // it tells when it is open
    /** @type {Transferable[]} */
    const ports = [];
    if (state.tabernetes === "ready" && cluster && !this.#linked) {
      const { port1, port2 } = new MessageChannel();
      post(cluster, { tabernetes: "connect", to: this.language === "kubectl" ? "shell" : "api" }, [port1]);
      ports.push(port2);
      this.#linked = true;
    }
    post(frame, { tabernetes: "state", state }, ports);
  }
}

/** A page of the site, in a frame. */
class Page extends Embed {
  /** @param {string} label @param {string} note @param {string} file @param {string} title */
  constructor(label, note, file, title) {
    super(label, note);
    this.file = file;
    this.titled = title;
  }

  /** What its address has after "#". */
  get link() {
    return (this.getAttribute("link") ?? "").replace(/^#/, "");
  }

  open() {
    if (this.frame) return;
    const { link } = this;
    const frame = frameOf(`${this.file}${link && "#"}${link}`, this.label || this.titled);
    frame.style.height = `${Number(this.getAttribute("height")) || 720}px`;
    this.slotted.hidden = this.bar.hidden = true;
    this.show(frame);
    frame.focus();
  }
}

class Lab extends Page {
  constructor() {
    super("Open the lab", "a Kubernetes API server and what it does, in this page (3.5 MB, once)", "lab.html",
      "The Tabernetes lab");
  }
}

class Bench extends Page {
  constructor() {
    super("Try it", "on a Kubernetes API server in this page (4 MB, once)", "bench.html", "The Tabernetes bench");
  }

  /** Without the attribute, its text is the table of tests. */
  get link() {
    const table = this.querySelector("pre") && blockOf(this);
    return super.link || (table ? `table=${encodeURIComponent(table)}` : "");
  }
}

if (!customElements.get("tabernetes-snippet")) {
  customElements.define("tabernetes-snippet", Snippet);
  customElements.define("tabernetes-lab", Lab);
  customElements.define("tabernetes-bench", Bench);
  // Fenced blocks of pages whose author writes Markdown: <script src="…/embed.js" data-fences defer>.
  const fences = () => {
    if (script.dataset.fences === undefined) return;
    for (const code of document.querySelectorAll("pre > :is(code.language-http, code.language-kubectl)")) {
      const pre = /** @type {HTMLElement} */ (code.parentElement);
      if (pre.closest("tabernetes-snippet")) continue;
      const snippet = document.createElement("tabernetes-snippet");
      pre.replaceWith(snippet);
      snippet.append(pre);
      /** @type {Snippet} */ (snippet).connectedCallback();
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", fences);
  else fences();
}
