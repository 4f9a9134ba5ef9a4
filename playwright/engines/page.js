// The page as a person meets it, in any engine: elements are found by what they say, and used with a real mouse,
// finger and keyboard.
import assert from "node:assert/strict";
import { PATIENCE } from "./patience.js";
import { wayTo } from "./way.js";
import { NoAnswer } from "./webdriver.js";

/** How often a press may meet something else than what it was aimed at, since that moved. */
const MISSES = 50;
/** After how many steps with Tab something is out of the keyboard's reach. */
const TABS = 150;

/**
 * @typedef {string | {css?: string, name?: string | RegExp, text?: string | RegExp, within?: What}} What
 * An element: by a selector, by its name (its label or what stands on it), by what it contains. The first one counts.
 */

/** Installed in the page: finds elements. @param {Window & {journey?: any}} window */
function helpers() {
  const journey = (window.journey ??= { errors: [] });
  if (journey.find) return;
  addEventListener("error", (e) => {
    // That a size is reported a frame later is no error, though it is reported as one.
    if (!/^ResizeObserver loop completed/.test(e.message)) journey.errors.push(String(e.message));
  });
  addEventListener("unhandledrejection", (e) => journey.errors.push(String(e.reason)));
  const matches = (text, wanted) =>
    (wanted.source === undefined ? text === wanted.string : new RegExp(wanted.source, wanted.flags).test(text));
  const clean = (s) => (s ?? "").replace(/\s+/g, " ").trim();
  const nameOf = (el) => {
    const labelled = el.getAttribute("aria-labelledby");
    if (labelled) return clean(document.getElementById(labelled)?.textContent);
    return clean(el.getAttribute("aria-label") ?? el.labels?.[0]?.textContent ?? el.textContent);
  };
  journey.visible = (el) => {
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(el).visibility !== "hidden";
  };
  journey.all = ({ css = "button, a, summary, input, select, textarea, [role=button]", name, text, within }) => {
    const root = within ? journey.all(within)[0] : document;
    if (!root) return [];
    return [...root.querySelectorAll(css)].filter(
      (el) => (!name || matches(nameOf(el), name)) && (!text || matches(clean(el.textContent), text)));
  };
  journey.find = (what) => journey.all(what).find(journey.visible);
  journey.on = (el, at) => Boolean(at && (el.contains(at) || at.closest("label")?.contains(el)));
  // What is pressed is what was aimed at. Other elements that moved under the mouse meanwhile learn nothing of it.
  const guard = (e) => {
    const { aim } = journey;
    if (!aim?.el || !(e.target instanceof Element)) return;
    if (e.type === "pointermove") return void (aim.moved ||= aim.late);
    // What contains it counts only where that was met when it was pointed at: else the element has moved away from
    // under the mouse, before it was pressed or before it was released.
    if (e.type === "pointerdown" || (e.type === "click" && !aim.missed)) {
      const hit = journey.on(aim.el, e.target) || e.target === aim.met;
      aim.missed = hit ? "" : e.target.outerHTML.slice(0, 200);
    }
    if (e.type === "click") aim.clicked = true;
    if (!aim.missed) return;
    e.preventDefault();
    e.stopImmediatePropagation();
  };
  for (const type of ["pointermove", "pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
    addEventListener(type, guard, true);
  }
}

/**
 * Runs in the page: what was pressed instead of what was aimed at; empty if that was pressed, or is gone. The press of
 * an engine that is busy may be late: it is lost if a move that was made after it has come, and it has not.
 *
 * @param {boolean} moved whether there was one
 */
async function pressed(moved) {
  const { journey } = /** @type {any} */ (globalThis);
  const aim = journey?.aim; // none on another page
  const known = () => !aim || aim.missed || aim.clicked || !aim.el.isConnected;
  for (let waits = moved ? 400 : 20; waits > 0 && !known() && !aim.moved; waits--) {
    await new Promise((wake) => setTimeout(wake, 50));
  }
  if (!known() && !moved) return (aim.late = true) && "nothing";
  delete journey?.aim;
  return aim?.missed || (known() ? "" : "nothing");
}

/** Regular expressions do not cross into the page. @param {What} what */
function plain(what) {
  if (typeof what === "string") return { css: what };
  const of = (v) => (v instanceof RegExp ? { source: v.source, flags: v.flags }
    : v === undefined ? undefined : { string: v });
  return { ...what, name: of(what.name), text: of(what.text), within: what.within && plain(what.within) };
}

const words = (what) => JSON.stringify(what, (_, v) => (v instanceof RegExp ? String(v) : v));

export class Page {
  /** What this person presses with: see use. @type {"mouse" | "finger" | "keys"} */
  hand = "mouse";
  /** Which cluster the test's own requests go to, if not as the page's do. @type {string | null} */
  target = null;

  /**
   * @param {import("./driver").Tab} tab
   * @param {string} url
   */
  constructor(tab, url) {
    this.tab = tab;
    this.url = url;
  }

  /** Opens the page and waits until its server answers. It comes by a link: a scene plays on a first visit. */
  async open(path = "/") {
    await this.tab.goto(this.url + path + (/[?#]/.test(path) ? "" : "?link"));
    await this.ready();
  }

  async reload() {
    await this.tab.reload();
    await this.ready();
  }

  async ready() {
    await this.until("the server is ready",
      () => document.readyState === "complete" && window.tabernetes?.state === "ready");
    // Until the lab draws, what is to be pressed may still move.
    await this.until("the lab draws", () => /\d/.test(document.querySelector(".st-big")?.textContent));
    await this.help();
  }

  /** Waits until the page would open without its server. */
  async installed() {
    await this.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      while (active.state !== "activated") {
        await new Promise((done) => active.addEventListener("statechange", done, { once: true }));
      }
    });
  }

  /** Makes the page's elements findable. */
  async help() {
    await this.evaluate(helpers);
  }

  evaluate(f, ...args) {
    return this.tab.evaluate(f, ...args);
  }

  /** Waits until a function of the page returns something, and returns that. */
  async until(what, f, ...args) {
    return this.poll(what, () => this.evaluate(f, ...args));
  }

  /** Waits until a function of the test returns something, and returns that. @param {() => Promise<any>} look */
  async poll(what, look) {
    const deadline = Date.now() + PATIENCE;
    let said = "";
    for (;;) {
      try {
        const found = await look();
        if (found) return found;
        said = `the last answer was ${JSON.stringify(found)}`;
      } catch (error) {
        if (error instanceof NoAnswer) throw error;
        said = String(error); // between two pages there is no document
      }
      if (Date.now() > deadline) assert.fail(`waited in vain until ${what}; ${said}; ${await this.#condition()}`);
      await new Promise((wake) => setTimeout(wake, 25));
    }
  }

  /** What state the page is in, for people who read why a wait failed. */
  async #condition() {
    const state = () => ({ document: document.readyState, ...window.tabernetes?.status,
      draws: document.querySelector(".st-big")?.textContent,
      banners: [...document.querySelectorAll(".banner")].map((b) => b.textContent) });
    return this.evaluate(state).then((found) => `the page: ${JSON.stringify(found)}`, (error) => String(error));
  }

  /** A request of the page that the lab does not show. @returns {Promise<{status: number, text: string, body: any}>} */
  async fetch(path, method = "GET", body = undefined, headers = {}) {
    const init = { method,
      headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers } };
    if (body !== undefined) init.body = JSON.stringify(body);
    const got = await this.evaluate(
      async (path, init, target) => {
        const r = await fetch(path, { ...init, tabernetes: { quiet: true, target } });
        return { status: r.status, text: await r.text() };
      },
      path,
      init,
      this.target,
    );
    let parsed;
    try {
      parsed = JSON.parse(got.text);
    } catch {
      // not every answer is JSON
    }
    return { ...got, body: parsed };
  }

  /**
   * Waits until something can be seen that contains the text, if one is given.
   * @param {What} what
   * @param {string | RegExp} [text]
   */
  async see(what, text) {
    const wanted = text === undefined ? what
      : { ...(typeof what === "string" ? { css: what } : what),
        text: text instanceof RegExp ? text : new RegExp(escape(text)) };
    await this.until(`${words(wanted)} can be seen`, (w) => Boolean(journey.find(w)), plain(wanted));
  }

  /** Waits until it can no longer be seen. @param {What} what */
  async gone(what) {
    await this.until(`${words(what)} is gone`, (w) => !journey.find(w), plain(what));
  }

  /** @param {What} what */
  text(what) {
    return this.evaluate((w) => journey.find(w)?.textContent.replace(/\s+/g, " ").trim() ?? "", plain(what));
  }

  /**
   * Where to point at, once it does not move and nothing covers it.
   *
   * @param {What} what
   * @param {number} [rest] for how long it must not move, in milliseconds: what moves with events moves in steps
   */
  async point(what, rest = 30) {
    return this.until(
      `${words(what)} can be pointed at`,
      async (w, rest) => {
        const el = journey.find(w);
        if (!el) return null;
        const box = () => {
          const { left, top, width, height } = el.getClientRects()[0]; // of what has lines, the first one
          return { x: left + width / 2, y: top + height / 2, width, height };
        };
        const inView = ({ x, y }) => x > 0 && y > 0 && x < innerWidth && y < innerHeight;
        const met = ({ x, y }) => document.elementFromPoint(x, y);
        const hit = (at) => journey.on(el, met(at)) || met(at)?.contains(el);
        if (!inView(box()) || !hit(box())) el.scrollIntoView({ block: "center", inline: "center" });
        const before = box();
        await new Promise((r) => setTimeout(r, rest));
        const now = box();
        if (before.x !== now.x || before.y !== now.y || !inView(now) || !hit(now)) return null;
        journey.pointed = { el, met: met(now) };
        return now;
      },
      plain(what),
      rest,
    );
  }

  /** Presses an element, and again if it moved away under the mouse. @param {What} what @param {number} [rest] */
  async click(what, rest) {
    for (let tries = 1; ; tries++) {
      const { x, y } = await this.point(what, rest);
      await this.evaluate(() => void (journey.aim = journey.pointed));
      await this.tab.move(x, y);
      await this.tab.down();
      await this.tab.up();
      // Where the press led to another page, there is nothing to ask.
      let missed = await this.evaluate(pressed, false).catch(() => "");
      if (missed === "nothing") {
        await this.tab.move(x + 1, y);
        missed = await this.evaluate(pressed, true).catch(() => "");
      }
      if (!missed) return;
      if (tries === MISSES) assert.fail(`${words(what)} is at ${x}, ${y}; pressed is ${missed}`);
      // Firefox, when it is busy, can take a press at the border of what is scrolled for one of what is beside it.
      await this.evaluate((w) => journey.find(w)?.scrollIntoView({ block: "center", inline: "center" }), plain(what));
    }
  }

  /** @param {What} what */
  async touch(what) {
    const { x, y } = await this.point(what);
    await this.tab.touch(x, y);
  }

  /** Leads the focus to an element, by Tab. @param {What} what */
  async tabTo(what) {
    await this.see(what);
    for (let i = 0; i < TABS; i++) {
      const way = await this.evaluate(wayTo, plain(what));
      if (way === "here") return;
      if (way === "editor") await this.press("Escape");
      if (way !== "gone") await this.press(way === "back" ? "Shift+Tab" : "Tab");
    }
    assert.fail(`Tab does not lead to ${words(what)}`);
  }

  /** Presses an element as this person does: with the mouse, a finger, or Tab and Enter. @param {What} what */
  async use(what) {
    if (this.hand === "mouse") return this.click(what);
    if (this.hand === "finger") return this.touch(what);
    await this.tabTo(what);
    await this.press("Enter");
  }

  /** Moves the mouse from the middle of an element with its button down. @param {What} what */
  async drag(what, dx, dy, { at = 0 } = {}) {
    const { x, y } = await this.point(what);
    await this.tab.move(x + at, y);
    await this.tab.down();
    for (let i = 1; i <= 5; i++) await this.tab.move(x + at + (dx * i) / 5, y + (dy * i) / 5);
    await this.tab.up();
  }

  /** One key, with others held: "Control+Enter". */
  async press(keys) {
    const all = keys.split("+");
    for (const key of all) await this.tab.keyDown(key);
    for (const key of all.reverse()) await this.tab.keyUp(key);
  }

  /** Replaces what a field holds. @param {What} what */
  async fill(what, text) {
    // What moves at that moment may let the press fall beside the field, on what the field is in.
    for (let tries = 1; ; tries++) {
      await this.click(what);
      if (await this.evaluate((w) => journey.find(w)?.contains(document.activeElement), plain(what))) break;
      if (tries === MISSES) assert.fail(`${words(what)} does not take the focus`);
    }
    await this.press("Control+a");
    await this.tab.type(text);
    await this.poll(`${words(what)} holds ${text}`, async () => {
      const seen = await this.evaluate((w) => {
        const el = journey.find(w);
        const { activeElement: active } = document;
        const focused = active === el || active?.outerHTML.slice(0, 100);
        return { value: el?.value, focused, page: document.hasFocus() };
      }, plain(what));
      if (seen.value === text) return true;
      throw new Error(`it is ${JSON.stringify(seen)}`);
    });
  }

  /** Chooses an option by its words. @param {What} what */
  async choose(what, option) {
    await this.see(what);
    await this.evaluate(
      (w, option) => {
        const select = journey.find(w);
        const found = [...select.options].find((o) => o.textContent.trim() === option);
        if (!found) {
          throw new Error(`no option ${option} among ${[...select.options].map((o) => o.textContent.trim())}`);
        }
        select.focus();
        select.value = found.value;
        select.dispatchEvent(new Event("input", { bubbles: true }));
        select.dispatchEvent(new Event("change", { bubbles: true }));
      },
      plain(what),
      option,
    );
  }

  /** Sends a request through the console. */
  async send(method, path, body) {
    await this.choose({ css: "select", name: "Method" }, method);
    await this.fill({ css: "#req-path" }, path);
    if (body !== undefined) await this.fill({ css: "#req-body" }, body);
    await this.click({ css: "button", name: "Send" });
  }

  /** Opens the menu of the levers. */
  async levers() {
    await this.click({ css: "#st-bar button", name: "More levers" });
    await this.see({ css: "#panel-levers" });
  }

  /** Pulls a lever of that menu. */
  async lever(name) {
    await this.levers();
    await this.click({ css: "#panel-levers button", name });
    await this.see({ css: "#levers-result .result" });
    await this.press("Escape");
    await this.gone({ css: "#panel-levers" });
    await this.evaluate(() => document.querySelector("#levers-result").replaceChildren());
  }

  /** What went wrong in the page by itself, and what it says of that. */
  async troubles() {
    return this.evaluate(
      () => [...journey.errors, ...journey.all({ css: "[role=alert].banner" }).map((b) => b.textContent)]);
  }
}

const escape = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
