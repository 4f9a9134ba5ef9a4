// Chromium and Firefox, driven by puppeteer: over the DevTools protocol and over WebDriver BiDi.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { PATIENCE } from "./patience.js";

/** @typedef {import("./driver").Engine} Engine */

/** Firefox asks people whether a page may keep its data; here nobody answers. */
const KEEPS = { "dom.storageManager.prompt.testing": true, "dom.storageManager.prompt.testing.allow": false };
const BASELINE = { "javascript.options.wasm_optimizingjit": false };

/** Chromium would report the crash, which takes a process outside of its group. */
const UNREPORTED = { chromium: ["--disable-breakpad", "--disable-crash-reporter", "--hide-crash-restore-bubble"],
  firefox: [] };
/** What a killed browser leaves behind, by which the next one would find it. */
const LOCKS = ["SingletonLock", "SingletonSocket", "SingletonCookie", "lock", ".parentlock"];

/**
 * Starts a browser, which can be killed with all of its processes.
 *
 * @param {"chromium" | "firefox"} name
 * @param {{executablePath: string, args: string[]}} browser
 * @param {{baseline?: boolean, profile?: string}} [options] profile: a directory, which outlives it
 */
export async function startBrowser(name, { executablePath, args }, { baseline, profile } = {}) {
  for (const lock of profile ? LOCKS : []) await rm(join(String(profile), lock), { force: true });
  const browser = await puppeteer.launch({
    browser: name === "firefox" ? "firefox" : "chrome",
    executablePath,
    args: [...args, ...(profile ? UNREPORTED[name] : [])],
    userDataDir: profile,
    headless: true,
    defaultViewport: { width: 1440, height: 900 },
    extraPrefsFirefox: { ...KEEPS, ...(baseline ? BASELINE : {}) },
    protocolTimeout: PATIENCE,
    // One listener for each browser is too many where they are killed again and again.
    ...(profile ? { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false } : {}),
  });
  const process_ = browser.process();
  if (!process_?.pid) throw new Error("the browser has no process");
  const { pid } = process_;
  const exited = new Promise((resolve) => process_.once("exit", resolve));
  return {
    browser,
    /** Ends all of its processes at once, and resolves when they have ended. */
    async kill() {
      killGroup(pid);
      await exited;
      while (killGroup(pid)) await new Promise((wake) => setTimeout(wake, 5));
    },
  };
}

/** Puppeteer starts a browser as the first of a group of processes. Whether any was left. @param {number} pid */
function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {"chromium" | "firefox"} name
 * @param {{executablePath: string, args: string[]}} found
 * @param {import("./driver").Options} [options]
 * @returns {Promise<Engine>}
 */
export async function launchPuppeteer(name, found, { baseline, kept } = {}) {
  const profile = kept ? await mkdtemp(join(tmpdir(), "tabernetes-profile-")) : undefined;
  let started = await startBrowser(name, found, { baseline, profile });
  const front = { tab: null };
  return {
    name,
    version: (await started.browser.version()).split("/").at(-1) ?? "",
    manyProfiles: !kept,
    async profile() {
      const context = kept ? undefined : await started.browser.createBrowserContext();
      return {
        tab: async () => new PuppeteerTab(await (context ?? started.browser).newPage(), front),
        async kill() {
          if (!kept) throw new Error("nothing of this profile outlives its browser");
          await started.kill();
          started = await startBrowser(name, found, { baseline, profile });
        },
        close: async () => context?.close(),
      };
    },
    async close() {
      await started.browser.close();
      if (profile) await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** @implements {import("./driver").Tab} */
class PuppeteerTab {
  /**
   * @param {import("puppeteer-core").Page} page
   * @param {{tab: PuppeteerTab | null}} front the tab of the browser that was brought to the front last
   */
  constructor(page, front) {
    this.page = page;
    this.front = front;
    front.tab = null; // it may lie before the others, or behind them
  }
  /** In Firefox, keys do not press what is in a window behind others. */
  async #toFront() {
    if (this.front.tab === this) return;
    this.front.tab = this;
    await this.page.bringToFront();
  }
  async goto(url) {
    await this.page.goto(url);
  }
  async reload() {
    await this.page.reload();
  }
  async back() {
    await this.page.goBack();
  }
  evaluate(f, ...args) {
    return this.page.evaluate(f, ...args);
  }
  move(x, y) {
    return this.page.mouse.move(x, y);
  }
  down() {
    return this.page.mouse.down();
  }
  up() {
    return this.page.mouse.up();
  }
  touch(x, y) {
    return this.page.touchscreen.tap(x, y);
  }
  async keyDown(key) {
    await this.#toFront();
    return this.page.keyboard.down(key);
  }
  keyUp(key) {
    return this.page.keyboard.up(key);
  }
  async type(text) {
    await this.#toFront();
    return this.page.keyboard.type(text);
  }
  async resize(width, height) {
    await this.page.setViewport({ width, height });
    await this.page.waitForFunction((w) => innerWidth === w, {}, width);
  }
  async screenshot(path) {
    await this.page.screenshot({ path });
  }
  close() {
    return this.page.close();
  }
}
