// The page as a person meets it: everything here goes by roles, labels and
// visible text.
import { expect } from "@playwright/test";
import { wayTo } from "./engines/way.js";

/** Menus whose button is called otherwise than what it opens. */
const menus = {
  Levers: { button: "More levers", dialog: "Levers" },
  Buffers: { button: /^Buffers/, dialog: "Buffers" },
  Servers: { button: /^Servers/, dialog: "API servers" },
  Clock: { button: /^The cluster’s clock/, dialog: "Clock" },
  Help: { button: /^Help/, dialog: "Help" },
};

/** What a compaction may forget: buttons of the menu Compact. */
const compactions = ["Compact now", "Compact etcd", "Drop the caches’ history"];

/** What the page says when a lever of the bar has been pulled. */
const done = { "Compact now": "Compacted: older", "Compact etcd": "Compacted etcd",
  "Drop the caches’ history": "caches have dropped", "Cut the watches": "All open watches were cut" };

/** Where an element is, which can be seen. @param {import("@playwright/test").Locator} locator */
export async function boxOf(locator) {
  const box = await locator.boundingBox();
  expect(box, String(locator)).not.toBeNull();
  return box;
}

/** Where an element is once it is drawn and does not move. @param {import("@playwright/test").Locator} locator */
export async function boxAtRest(locator) {
  let box = null;
  await expect.poll(async () => {
    const was = box;
    box = await locator.boundingBox();
    return box !== null && JSON.stringify(box) === JSON.stringify(was);
  }, String(locator)).toBe(true);
  return box;
}

/** The parts of the page, by name. @param {import("@playwright/test").Page} page */
export const parts = (page) => ({
  Lesson: page.getByRole("region", { name: "Lesson", exact: true }),
  Stage: page.getByRole("region", { name: "Stage", exact: true }),
  Console: page.getByRole("tabpanel", { name: "Console", exact: true }),
  Requests: page.getByRole("region", { name: "Requests", exact: true }),
  Objects: page.getByRole("tabpanel", { name: "Objects", exact: true }),
  Answer: page.getByRole("region", { name: "Answer", exact: true }),
});

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
    /** The whole answer: status, what it means, and the body. */
    this.response = page.getByRole("region", { name: "Answer", exact: true });
    this.answer = page.getByRole("region", { name: "Response body" });
    this.requests = page.getByRole("region", { name: "Requests", exact: true });
    this.objects = page.getByRole("tabpanel", { name: "Objects", exact: true });
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

  /** Waits until the page would open without its server. */
  async installed() {
    await this.page.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      if (active.state === "activated") return;
      await new Promise((done) => active.addEventListener("statechange", () => active.state === "activated" && done()));
    });
  }

  /** Waits until the cluster has made what belongs to a new one, so that nobody but the test writes. */
  async settled() {
    const count = async (path) => (await this.fetch(path)).body.items.length;
    for (const [plural, name] of [["configmaps", "kube-root-ca.crt"], ["serviceaccounts", "default"]]) {
      await expect.poll(() => count(`/api/v1/${plural}?fieldSelector=metadata.name=${name}`)).toBe(
        await count("/api/v1/namespaces"));
    }
  }

  /** How many nodes take Pods. */
  async readyNodes() {
    return (await this.fetch("/api/v1/nodes")).body.items.filter(({ spec }) => !spec.taints).length;
  }

  /**
   * A fetch by the page, which the lab does not show: what a test arranges or
   * looks up is not part of what the person did.
   * @returns {Promise<{status: number, headers: Record<string, string>, text: string, body: any}>}
   */
  async fetch(path, { method = "GET", body, headers = {} } = {}) {
    const init = { method,
      headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers } };
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

  /** Shows what few requests need: Accept, headers, and which API server is asked. */
  async moreOfRequest() {
    const more = this.page.getByRole("button", { name: "Headers and Accept" });
    if ((await more.getAttribute("aria-expanded")) !== "true") await more.click();
  }

  /** Chooses a tab of the dock. */
  async showTab(name) {
    await this.page.getByRole("tab", { name, exact: true }).click();
  }

  /** Opens one of the menus, and returns it. */
  async openMenu(name) {
    await this.page.getByRole("button", { name: menus[name]?.button ?? name, exact: !menus[name] }).click();
    return this.page.getByRole("dialog", { name: menus[name]?.dialog ?? name, exact: true });
  }

  /** Pulls one of the levers of the stage's bar, and waits until it is answered. */
  async lever(name) {
    if (compactions.includes(name)) {
      const menu = await this.openMenu("Compact");
      await menu.getByRole("button", { name, exact: true }).click();
    } else {
      await this.page.getByRole("toolbar", { name: "Stage" }).getByRole("button", { name, exact: true }).click();
    }
    await this.says(done[name]);
  }

  /** Waits for what the page says for a moment; also if that was since the last call. */
  async says(text) {
    const status = this.page.getByRole("status").filter({ hasText: text });
    const fits = (said) => (text instanceof RegExp ? text.test(said) : said.includes(text));
    await expect.poll(async () => {
      const said = await this.page.evaluate(() => window.said ?? []);
      const at = said.findLastIndex(fits);
      if (at < 0) return (await status.count()) > 0;
      await this.page.evaluate((n) => window.said.splice(0, n), at + 1);
      return true;
    }, { message: `the page says ${text}` }).toBe(true);
  }

  /** Opens the menu of the scenes, and returns it. */
  async openScenes() {
    await this.page.getByRole("button", { name: "Scenes", exact: true }).click();
    const menu = this.page.getByRole("region", { name: "Scenes", exact: true });
    await expect(menu.getByRole("button", { name: /410 Gone/ })).toBeVisible(); // they are loaded late
    return menu;
  }

  /** Adds sample data. */
  async sample(name) {
    await this.openScenes();
    await this.page.getByRole("region", { name: "Sample data" }).getByRole("button", { name }).click();
  }

  configMap(name, data = {}) {
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
  }

  /** Applies a config map as a field manager. */
  async apply(name, manager, data) {
    const { status } = await this.fetch(`/api/v1/namespaces/default/configmaps/${name}?fieldManager=${manager}`,
      { method: "PATCH", headers: { "Content-Type": "application/apply-patch+yaml" },
        body: this.configMap(name, data) });
    expect([200, 201]).toContain(status);
  }
}

/**
 * Moves the focus with Tab alone until it is on the element, backwards if that is
 * where it lies. The editor takes Tab for itself until Escape is pressed.
 */
export async function tabTo(locator, { limit = 150 } = {}) {
  const keyboard = locator.page().keyboard;
  for (let i = 0; i < limit; i++) {
    const where = await locator.evaluate(wayTo);
    if (where === "here") return;
    if (where === "editor") await keyboard.press("Escape");
    await keyboard.press(where === "back" ? "Shift+Tab" : "Tab");
  }
  throw new Error(`Tab does not lead to ${locator}`);
}

/** The stage: revisions, servers, watches and lists in pages on one axis. */
export class Timeline {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.stage = page.getByRole("region", { name: "Stage", exact: true });
    this.bar = this.stage.getByRole("toolbar", { name: "Stage" });
    /** Where the cluster stands: the number, its caches, where history begins. */
    this.head = this.stage.getByRole("group", { name: "Where the cluster stands" });
    this.ruler = this.stage.getByRole("application");
    this.rows = this.stage.getByRole("list", { name: "Servers, watches and lists" });
    this.tables = this.stage.getByRole("region", { name: "The stage as tables" });
    this.add = this.stage.getByRole("form", { name: "Add a watch" });
  }

  /** The big number: the newest revision, or the one that is travelled to. */
  async revision() {
    const number = this.head.locator(".st-big");
    await expect(number).toHaveText(/^\d+$/);
    return Number(await number.innerText());
  }

  async showTables() {
    const button = this.bar.getByRole("button", { name: "Table", exact: true });
    if ((await button.getAttribute("aria-pressed")) !== "true") await button.click();
    await expect(this.tables).toBeVisible();
  }

  /** Opens a watch in its own lane. */
  async watch(path, from = "now") {
    await this.add.getByLabel("Collection to watch").fill(path);
    await this.add.getByLabel("Where the watch begins").selectOption(from);
    const lanes = this.page.locator("#st-rows > .is-lane");
    const before = await lanes.count();
    await this.add.getByRole("button", { name: "Add a watch" }).click();
    // The button moves down with each lane: what comes next would miss it.
    const refused = this.add.getByRole("alert");
    await expect.poll(async () => (await lanes.count()) !== before || (await refused.isVisible())).toBe(true);
  }

  /** Opens a watch that gets no bookmarks, so that its events are those that happen. It begins now. */
  async watchChanges(path) {
    await this.page.evaluate(async (path) => {
      const { metadata } = await (await fetch(path, { tabernetes: { quiet: true } })).json();
      fetch(path + "?watch=1&resourceVersion=" + metadata.resourceVersion).then((r) => r.text(), () => {});
    }, path);
  }

  /** A row below the ruler, by its name: w1, p1, C0. */
  row(id) {
    return this.rows.getByRole("listitem").filter(
      { has: this.page.getByRole("img", { name: new RegExp(`^(API server )?${id},`) }) });
  }

  lane(id) {
    return this.row(id);
  }

  /** Has the client of a lane that ended continue from where it was. */
  async resume(id) {
    const row = this.row(id);
    await row.hover();
    await row.getByRole("button", { name: new RegExp(`^Resume watch ${id} from`) }).click();
  }

  /** A row as a sentence: "w1, default/pods, open, 8 events, resume after 31". */
  words(id) {
    return this.row(id).getByRole("img");
  }

  /** Rows of one of the tables, each as the texts of its cells. */
  async table(name) {
    const table = this.tables.getByRole("table", { name });
    return table.locator("tbody tr").evaluateAll(
      (all) => all.map((r) => [...r.children].map((c) => c.textContent.replace(/\s+/g, " ").trim())));
  }

  /** The events that the lanes have received, oldest first: {revision, watch, event, object}. */
  async events() {
    const out = (await this.table("Newest events")).map(([revision, watch, event, object]) => ({
      revision: Number(revision),
      watch,
      event: event.replace(/^\S+ /, ""),
      object,
    }));
    return out.sort((a, b) => a.revision - b.revision);
  }

  /** Where a revision lies on the page, and the middle of its mark: found by its number below the axis. */
  async at(revision) {
    return this.place(this.ruler.locator("text").getByText(String(revision), { exact: true }).first());
  }

  /** Where a mark lies whose number this is. */
  async place(number) {
    const { x, y: axis } = await this.middle(number);
    const ruler = await this.ruler.boundingBox();
    return { x, y: ruler.y + ruler.height * 0.6, axis };
  }

  /** The middle of something drawn. A redrawing may take it away between two questions. */
  async middle(drawn) {
    let at;
    await expect(async () => {
      const box = await drawn.boundingBox({ timeout: 2000 });
      at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }).toPass();
    return at;
  }

  /** Chooses a revision by a click on its mark. */
  async choose(revision) {
    const { x, y } = await this.at(revision);
    await this.page.mouse.click(x, y);
  }

  /** Waits until nothing glides any more, so that places can be clicked at. */
  async settled() {
    let was = "";
    await expect
      .poll(async () => {
        const now = (await this.ruler.evaluateAll((all) => all.map((one) => one.innerHTML))).join(); // none: folded
        const same = now === was;
        was = now;
        return same;
      })
      .toBe(true);
  }
}
