// Rooms as people meet them, and the servers that have them.
import { test as base, expect } from "@playwright/test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchContext } from "../fixtures.js";
import { Lab, Timeline } from "../lab.js";
import { startServer } from "../server.js";
import { refuseServiceWorkers } from "../site.js";

/**
 * A server that has rooms and serves the page, and can be restarted with all that it keeps.
 *
 * @typedef {object} Host
 * @property {string} url
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} start again, where it was
 * @property {() => Promise<void>} close
 */

/**
 * @param {string[]} flags
 * @param {boolean} edge whether the rooms are Durable Objects
 * @returns {Promise<Host>}
 */
async function keeping(flags, edge) {
  const data = await mkdtemp(join(tmpdir(), "tabernetes-rooms-"));
  const args = [...flags, "--data", data];
  let server = await startServer({ args, edge });
  const { url } = server;
  return {
    url,
    stop: () => server.stop(),
    async start() {
      server = await startServer({ args, edge, port: Number(new URL(url).port) });
    },
    async close() {
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** The devserver, and workerd as the devserver runs it. */
const hosts = { devserver: () => keeping(["--rooms"], false), edge: () => keeping([], true) };

/** Starts the host that TABERNETES_ROOM_HOST names. @returns {Promise<Host>} */
export const startHost = () => hosts[process.env.TABERNETES_ROOM_HOST || "devserver"]();

/** Somebody in a room: a page, and what is of the room on it. */
export class Person {
  /** @param {import("@playwright/test").Page} page @param {string} url of the host */
  constructor(page, url) {
    this.page = page;
    this.lab = new Lab(page, url);
    this.timeline = new Timeline(page);
    /** The column that opens in the lesson's place. */
    this.column = page.getByRole("region", { name: "Room", exact: true });
    this.button = page.locator("#room-button");
    /** What matters of the room at present. */
    this.line = page.locator("#room-line");
  }

  /** Waits until the page has all that was said of the room at first. */
  async inside() {
    await expect(this.button).toHaveText(/^\s*Room · \d+$/); // after its picture
  }

  async openColumn() {
    if (!(await this.column.isVisible())) {
      const menu = this.page.getByRole("button", { name: "Search, room, help and more" });
      if (await menu.isVisible()) await menu.click(); // where the bar has no room for it
      await this.button.click();
    }
    await expect(this.column).toBeVisible();
    return this.column;
  }

  async closeColumn() {
    if (await this.column.isVisible()) await this.column.getByRole("button", { name: "Back to the lesson" }).click();
    await expect(this.column).toBeHidden();
  }

  /** Presses a button of the column. */
  async press(name) {
    await (await this.openColumn()).getByRole("button", { name, exact: true }).click();
  }

  /** The row of a member, opened, to a teacher. */
  async row(who) {
    const column = await this.openColumn();
    const row = column.locator(".room-members > li").filter({ has: this.page.locator(".room-name", { hasText: who }) });
    const button = row.locator(".room-row");
    if ((await button.getAttribute("aria-expanded")) !== "true") await button.click();
    await expect(button).toHaveAttribute("aria-expanded", "true");
    return row;
  }

  /** Presses a button in the row of a member. */
  async act(who, name) {
    await (await this.row(who)).getByRole("button", { name }).click();
  }

  /** Copies the own link back, and returns it. */
  async linkBack() {
    await this.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await this.press("Copy my link back");
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** Opens a room on the page's server. */
  async open(name) {
    await this.lab.open("/?nosw#rooms");
    await this.column.getByRole("textbox", { name: /^Your name/ }).fill(name);
    await this.column.getByRole("button", { name: "Open a room" }).click();
    await this.inside();
    await this.closeColumn();
  }

  /** The link of an invitation, as it stands on the projector. */
  async invite(whom) {
    await this.press(whom);
    const dialog = this.page.getByRole("dialog", { name: "Invitation", exact: true });
    await expect(dialog.getByRole("img", { name: "QR code of the link" })).toBeVisible();
    const link = await dialog.locator(".room-link").innerText();
    await dialog.getByText("Close", { exact: true }).click(); // a phone has a second one, without a word
    return link.trim();
  }

  /** Joins by a link. */
  async join(link, name, { share = false } = {}) {
    await this.page.goto(link.replace("/#", "/?nosw#"));
    const field = this.column.getByRole("textbox", { name: /^Your name/ });
    await field.fill(name);
    if (share) await this.column.getByRole("checkbox", { name: /^Show the teachers/ }).check();
    await this.column.getByRole("button", { name: "Join", exact: true }).click();
    await this.inside();
    await this.closeColumn();
    await this.lab.ready();
  }

  /** The people in the column, each as a line, by their names. */
  async people() {
    const column = await this.openColumn();
    const lines = await column.locator(".room-members > li").evaluateAll((rows) => rows.map((row) =>
      [".room-name", ".room-role"].map((part) => row.querySelector(part).textContent).join(" ")));
    return lines.map((line) => line.replace(/\s+/g, " ").replaceAll(" ,", ",").trim()).sort();
  }

  /** Sends a request to the room, which the lab does not show. */
  fetch(path, init) {
    return this.lab.fetch(path, init);
  }
}

/** What a browser writes down of an answer that is an error, or of a server that is away. */
const TOLERATED = [/Failed to load resource/, /net::ERR_/, /WebSocket connection to/];

/** A test with its own host, and people on it. */
export const test = base.extend({
  host: async ({}, use) => {
    const host = await startHost();
    await use(host);
    await host.close();
  },
  /** Makes people, each with a browser context. */
  person: async ({ browser, host }, use) => {
    const contexts = [];
    const problems = [];
    await use(async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      contexts.push(context);
      await watchContext(context, problems);
      await context.addInitScript(refuseServiceWorkers);
      return new Person(await context.newPage(), host.url);
    });
    for (const context of contexts) await context.close();
    expect.soft(problems.filter((p) => !TOLERATED.some((t) => t.test(p))), "errors on the pages").toEqual([]);
  },
  /** A teacher and three learners, who have joined by the same link. */
  people: async ({ person }, use) => use(await classOf(person, ["Ada", "Bob", "Cleo"])),
  /** A teacher and a learner. */
  pair: async ({ person }, use) => use(await classOf(person, ["Ada"])),
});

/** Opens a room, and has learners join. */
export async function classOf(person, names) {
  const teacher = await person();
  await teacher.open("Ms Hopper");
  const link = await teacher.invite("Learners");
  const learners = names.map(async (name) => {
    const learner = await person();
    await learner.join(link, name, { share: name === "Ada" });
    return learner;
  });
  return [teacher, ...(await Promise.all(learners))];
}
