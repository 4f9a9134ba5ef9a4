// @ts-check
// One cluster in one profile, from kill to kill.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { install } from "./actors.js";
import { difference, FAULTS, Follower, Ledger } from "./ledger.js";
import { PATIENCE } from "../engines/patience.js";

/**
 * @typedef {object} Options
 * @property {string} url of the site
 * @property {() => ReturnType<typeof import("../engines/puppeteer.js").startBrowser>} start
 * @property {number} minutes
 * @property {number} kills the run ends when it has taken the minutes or killed so often
 * @property {boolean} gentle kill only while nothing is under way: nothing may be found then
 * @property {boolean} tabs kill the tab that leads, while another one works through it and takes over
 */

export class Run {
  ledger = new Ledger();
  kills = 0;
  unanswered = 0;
  #began = performance.now();
  /** @type {Follower[]} */ #followers = [];
  /** Wakes who waits for a follower. */
  #moved = () => {};

  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    for (let i = 0; i < 3; i++) this.#followers.push(new Follower(`follower ${i}`, this.ledger));
  }

  async go() {
    const { tabs, start } = this.options;
    if (tabs) return this.#goThroughTabs();
    for (let visit = 0; ; visit++) {
      const over = this.#isOver(visit);
      const browser = await start();
      try {
        await this.#visit(browser.browser, visit, over);
      } finally {
        await browser.kill();
      }
      if (over) return;
      this.kills++;
    }
  }

  /** Whether a visit is the last. @param {number} visit */
  #isOver(visit) {
    const { minutes, kills } = this.options;
    return this.kills >= kills || (minutes > 0 && visit > 0 && performance.now() > this.#began + minutes * 60_000);
  }

  /** One browser, in which the tab that leads is killed. */
  async #goThroughTabs() {
    const { browser, kill } = await this.options.start();
    try {
      let leader = await browser.newPage();
      await this.#open(leader);
      for (let visit = 0; ; visit++) {
        const over = this.#isOver(visit);
        const page = await this.#visit(browser, visit, over);
        if (over) return;
        await crash(leader);
        const leads = () => window.tabernetes.state === "ready" && window.tabernetes.status.tab === "tab 1";
        await page.waitForFunction(leads, { timeout: PATIENCE });
        await page.evaluate(() => window.torture.stop());
        this.kills++;
        leader = page;
      }
    } finally {
      await kill();
    }
  }

  /** @param {import("puppeteer-core").Page} page */
  async #open(page) {
    await page.goto(this.options.url + "/?link"); // by a link: a scene plays on a first visit
    await page.waitForFunction(() => window.tabernetes?.state === "ready", { timeout: PATIENCE });
  }

  /**
   * Opens the page, checks what its cluster tells, and lets it work for a while.
   *
   * @param {import("puppeteer-core").Browser} browser
   * @param {number} visit
   * @param {boolean} over
   */
  async #visit(browser, visit, over) {
    const page = await browser.newPage();
    page.on("console", (message) => {
      const text = message.text();
      if (text.startsWith("torture ")) this.#hear(JSON.parse(text.slice("torture ".length)));
    });
    await this.#open(page);
    const { persistent, setAside, problem, secondTab } = await page.evaluate(() => window.tabernetes.status);
    if (setAside) this.ledger.add("lost", `the saved cluster could not be read: ${problem}`);
    if (!persistent || secondTab) throw new Error(`the cluster of this page is not kept: ${problem}`);
    await page.evaluate(install, `${visit}`, this.options.tabs);
    if (visit === 0) {
      const { revision, items } = await page.evaluate(() => window.torture.list());
      const state = Object.fromEntries(items.map((v) => [v.key, v]));
      this.ledger.begin(revision, state);
      for (const f of this.#followers) f.begin(revision, state);
    }
    const follow = () => {
      const from = this.#followers.map((f) => /** @type {[string, number]} */ ([f.name, f.at]));
      return page.evaluate((from) => window.torture.follow(from), from);
    };
    await follow();
    if (!(await this.#check(page, visit))) await follow();
    if (over) return page;
    const forget = Math.random() < 0.7 ? this.ledger.base : 0;
    const compact = CONTROL_PLANE + "/compact";
    await page.evaluate((state, forget, compact) => window.torture.work(state, forget, compact), this.ledger.state,
      forget, compact);
    await new Promise((wake) => setTimeout(wake, 100 + Math.random() * 1500));
    if (!this.options.gentle) return page;
    await page.evaluate(async (token) => {
      window.torture.stop();
      const { revision } = await window.torture.list();
      await window.torture.history(revision, token); // all before it is durable once it is answered
    }, `${visit}.rest`);
    await page.evaluate(() => 0); // what the page has said by now is heard
    return page;
  }

  /**
   * Whether the cluster has kept its promise.
   *
   * @param {import("puppeteer-core").Page} page
   * @param {number} visit
   */
  async #check(page, visit) {
    const { ledger } = this;
    const before = ledger.findings;
    const shown = ledger.head;
    const base = ledger.base;
    const { head, marked, events, state, items } = await page.evaluate(
      (base, token) => window.torture.history(base, token),
      base,
      `${visit}.mark`,
    );
    const of = (versions) => Object.fromEntries(versions.map((v) => [v.key, v]));
    const end = marked.revision;
    if (end <= shown) ledger.add("reused", `revision ${shown} had been shown, and a write is answered ${end}`);
    await this.#reach(end);
    const history = { head, shown, from: base, state: of(state), events, end };
    const list = of(items);
    const d = difference(ledger.check(history), list);
    if (d) ledger.add("diverged", `the history ends with, and a list at ${end} shows: ${d}`);
    for (const f of this.#followers) f.check(history, list);
    if (ledger.findings === before) return true;
    // A fault is reported once.
    ledger.begin(end, list);
    for (const f of this.#followers) f.begin(end, list);
    return false;
  }

  /** Waits until all followers have reached a revision. @param {number} revision */
  async #reach(revision) {
    const late = () => this.#followers.filter((f) => f.at < revision);
    const deadline = performance.now() + PATIENCE;
    while (late().length > 0) {
      const left = deadline - performance.now();
      if (left < 0) {
        for (const f of late()) {
          this.ledger.add("diverged", `${f.name} is at ${f.at} and waits in vain for ${revision}`);
        }
        return;
      }
      await new Promise((wake) => {
        this.#moved = () => wake(undefined);
        setTimeout(wake, left);
      });
    }
  }

  /** What the page says. @param {any[]} line */
  #hear([kind, ...rest]) {
    const { ledger } = this;
    if (kind === "event") {
      const [name, type, v] = rest;
      this.#followers.find((f) => f.name === name)?.take(type, v);
      this.#moved();
    } else if (kind === "acknowledged") ledger.show(rest[0], rest[1], true);
    else if (kind === "deleted") ledger.acknowledgeDeletion(rest[0], rest[1]);
    else if (kind === "shown") ledger.show(rest[0], rest[1]);
    else if (kind === "list") ledger.showList(rest[0], rest[1], rest[2]);
    else if (kind === "refused") ledger.refuse(rest[0]);
    else if (kind === "unanswered") this.unanswered++;
    else if (kind === "wrong") ledger.add("diverged", rest[0]);
  }

  /** A line that says it all. @param {string} what */
  summary(what) {
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    const took = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
    const { acknowledged, shown } = this.ledger.figures;
    const n = (/** @type {number} */ x) => x.toLocaleString("en-US");
    const faults = FAULTS.map((f) => `${n(this.ledger.counts[f])} ${f}`).join(", ");
    const writes = `${n(acknowledged)} writes acknowledged, ${n(this.unanswered)} failed, ${n(shown)} versions shown`;
    return `torture tab (${what}): ${took}, ${this.kills} kills, ${writes}, ${faults}`;
  }
}

/** Ends the process of a page, as far as its browser can. @param {import("puppeteer-core").Page} page */
async function crash(page) {
  const gone = new Promise((resolve) => page.once("error", resolve));
  try {
    const session = await page.createCDPSession();
    session.send("Page.crash").catch(() => {}); // nobody is left to answer
    await gone;
  } catch {
    // a browser without it
  }
  await page.close().catch(() => {});
}
