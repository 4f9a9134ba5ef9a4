// The terminal of the page, as a person meets it.
import { expect } from "@playwright/test";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);

/**
 * Gives the page a terminal whose kernel is a fake one: what its few commands ask of the server is real. load is the
 * body of a function that takes the progress of the download, and rejects if it fails.
 *
 * @param {import("@playwright/test").Page} page
 */
export async function fakeTerminal(page, load = "") {
  await page.route(/\/terminal\.js$/, (route) => route.fulfill({ contentType: "text/javascript", body: `
    import { openPanel } from "/source/web/panels/terminal/open.js";
    import { openFake } from "/source/web/panels/terminal/fake.js";
    export const open = () => openPanel(new URL(".", import.meta.url).href, (progress, edit) => openFake({
      fetch: window.tabernetes.fetch, progress, edit, load: async (progress) => { ${load} } }));` }));
  await page.route(/\/source\//, async (route) => {
    const { pathname } = new URL(route.request().url());
    const path = fileURLToPath(new URL(pathname.replace("/source/", ""), root));
    await route.fulfill({ contentType: "text/javascript", body: await readFile(path, "utf8") });
  });
}

export class Terminal {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.panel = page.getByRole("tabpanel", { name: "Terminal", exact: true });
    this.field = this.panel.getByRole("textbox", { name: /^(Command|Input of the command)$/ });
    this.tab = page.getByRole("tab", { name: "Terminal", exact: true });
    this.tabs = page.getByRole("group", { name: "Terminals" });
  }

  async open() {
    await this.tab.click();
    await this.ready();
  }

  /** Waits until its scripts are there. */
  async ready() {
    await expect(this.panel.getByRole("log")).toBeAttached();
  }

  /** Types a command, and waits until it has ended. */
  async run(text) {
    await this.start(text);
    await this.ended();
  }

  async start(text) {
    await this.field.fill(text);
    await this.field.press("Enter");
    await expect(this.field).toHaveValue("");
  }

  async ended() {
    await expect(this.panel.locator(".term-blocks:not([hidden]) .is-running")).toHaveCount(0);
  }

  /** The newest command, or the one that many before it. */
  block(back = 0) {
    return this.panel.locator(".term-blocks:not([hidden]) > .term-block").nth(-1 - back);
  }

  /** What a command printed. */
  async output(back = 0) {
    return this.block(back).locator(".term-text").evaluate((el) => el.textContent);
  }

  /** The requests of a command, each as "PATCH configmaps/a: why [chip]". */
  async requests(back = 0) {
    const fold = this.block(back).getByRole("button", { name: /^Requests of/ });
    if ((await fold.getAttribute("aria-expanded")) !== "true") await fold.click();
    return this.block(back).locator(".term-request").evaluateAll((all) => all.map((li) => {
      const part = (s) => li.querySelector(s)?.textContent ?? "";
      const chip = part(".chip");
      return `${part(".term-method")} ${part(".term-path > .mono")}: ${part(".term-why")}${chip && ` [${chip}]`}`;
    }));
  }
}
