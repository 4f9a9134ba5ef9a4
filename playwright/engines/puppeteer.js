// Chromium and Firefox, driven by puppeteer: over the DevTools protocol and over WebDriver BiDi.
import puppeteer from "puppeteer-core";
import { PATIENCE } from "./patience.js";

/** @typedef {import("./driver").Engine} Engine */

/** Firefox asks people whether a page may keep its data; here nobody answers. */
const KEEPS = { "dom.storageManager.prompt.testing": true, "dom.storageManager.prompt.testing.allow": false };
const BASELINE = { "javascript.options.wasm_optimizingjit": false };

/**
 * @param {"chromium" | "firefox"} name
 * @param {{executablePath: string, args: string[]}} browser
 * @param {import("./driver").Options} [options]
 * @returns {Promise<Engine>}
 */
export async function launchPuppeteer(name, { executablePath, args }, { baseline } = {}) {
  const browser = await puppeteer.launch({
    browser: name === "firefox" ? "firefox" : "chrome",
    executablePath,
    args,
    headless: true,
    defaultViewport: { width: 1440, height: 900 },
    extraPrefsFirefox: { ...KEEPS, ...(baseline ? BASELINE : {}) },
    protocolTimeout: PATIENCE,
  });
  const front = { tab: null };
  return {
    name,
    version: (await browser.version()).split("/").at(-1) ?? "",
    manyProfiles: true,
    async profile() {
      const context = await browser.createBrowserContext();
      return { tab: async () => new PuppeteerTab(await context.newPage(), front), close: () => context.close() };
    },
    close: () => browser.close(),
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
