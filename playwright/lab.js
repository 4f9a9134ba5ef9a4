// The page as a person meets it: everything here goes by roles, labels and
// visible text.
import { expect } from "@playwright/test";

export class Lab {
  /**
   * @param {import("@playwright/test").Page} page
   * @param {string} url
   */
  constructor(page, url) {
    this.page = page;
    this.url = url;
    this.method = page.getByLabel("Method", { exact: true });
    this.path = page.getByLabel("Path and query");
    this.body = page.getByLabel("Body, JSON or YAML");
    this.send = page.getByRole("button", { name: "Send", exact: true });
    this.response = page.getByRole("region", { name: "Response", exact: true });
    this.answer = page.getByRole("region", { name: "Response body" });
    this.requests = page.getByRole("region", { name: "Requests", exact: true });
    this.objects = page.getByRole("region", { name: "Objects", exact: true });
  }

  /** Opens the page and waits until its API server answers. */
  async open(path = "/") {
    await this.page.goto(this.url + path);
    await this.ready();
  }

  async ready() {
    await this.page.waitForFunction(() => window.tabernetes?.state === "ready");
    expect((await this.fetch("/readyz")).text).toBe("ok");
  }

  /**
   * A fetch by the page, which the lab does not show: what a test arranges or
   * looks up is not part of what the person did.
   * @returns {Promise<{status: number, headers: Record<string, string>, text: string, body: any}>}
   */
  async fetch(path, { method = "GET", body, headers = {} } = {}) {
    const init = { method, headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers } };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    const got = await this.page.evaluate(
      async ([path, init]) => {
        const r = await fetch(path, { ...init, tabernetes: { quiet: true } });
        return { status: r.status, headers: Object.fromEntries(r.headers), text: await r.text() };
      },
      [path, init],
    );
    let parsed;
    try {
      parsed = JSON.parse(got.text);
    } catch {
      // not every answer is JSON
    }
    return { ...got, body: parsed };
  }

  /** Sends a request through the console. */
  async request(method, path, body) {
    await this.method.selectOption(method);
    await this.path.fill(path);
    if (body !== undefined) await this.body.fill(typeof body === "string" ? body : JSON.stringify(body, null, 2));
    await this.send.click();
  }

  async openMenu(name) {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  /** Pulls one of the levers. */
  async lever(name) {
    await this.openMenu("Levers");
    await this.page.getByRole("button", { name, exact: true }).click();
    await this.page.keyboard.press("Escape");
  }

  /** Adds sample data and waits until it is there. */
  async sample(name) {
    await this.openMenu("Sample data");
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  configMap(name, data = {}) {
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
  }
}

/**
 * Moves the focus with Tab alone until it is on the element, backwards if that is
 * where it lies. The editor takes Tab for itself until Escape is pressed.
 */
export async function tabTo(locator, { limit = 150 } = {}) {
  const keyboard = locator.page().keyboard;
  for (let i = 0; i < limit; i++) {
    const where = await locator.evaluate((el) => {
      const at = document.activeElement;
      if (el === at) return "here";
      if (at?.matches("textarea")) return "editor";
      return at && at !== document.body && at.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_PRECEDING ? "back" : "on";
    });
    if (where === "here") return;
    if (where === "editor") await keyboard.press("Escape");
    await keyboard.press(where === "back" ? "Shift+Tab" : "Tab");
  }
  throw new Error(`Tab does not lead to ${locator}`);
}

/** The panels of watches and pages, read from their tables. */
export class Timeline {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.ruler = page.getByRole("region", { name: "Revisions", exact: true });
    this.lanes = page.getByRole("region", { name: "Watch streams", exact: true });
    this.pages = page.getByRole("region", { name: "Lists in pages", exact: true });
  }

  async showTables() {
    for (const panel of [this.lanes, this.pages]) {
      const button = panel.getByRole("button", { name: "Table", exact: true });
      if ((await button.getAttribute("aria-pressed")) !== "true") await button.click();
    }
  }

  /** Opens a watch in a lane of its own and waits for it. */
  async watch(path, from = "now") {
    await this.lanes.getByLabel("Collection to watch").fill(path);
    await this.lanes.getByLabel("Where the watch begins").selectOption(from);
    await this.lanes.getByRole("button", { name: "Watch", exact: true }).click();
  }

  lane(id) {
    return this.lanes.getByRole("listitem").filter({ has: this.page.getByRole("group", { name: new RegExp(`^Events of watch ${id}\\b`) }) });
  }

  /** The events that the lanes have received, oldest first: {revision, watch, event, object}. */
  async events() {
    const rows = await this.lanes.getByRole("table", { name: "Newest events" }).locator("tbody tr").all();
    const out = [];
    for (const row of rows) {
      const [revision, watch, event, object] = (await row.locator("th, td").allInnerTexts()).map((t) => t.replace(/\s+/g, " ").trim());
      out.push({ revision: Number(revision), watch, event: event.replace(/^\S+ /, ""), object });
    }
    return out.sort((a, b) => a.revision - b.revision);
  }
}
