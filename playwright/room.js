// Rooms as people meet them, and the servers that have them.
import { expect } from "@playwright/test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lab, Timeline } from "./lab.js";
import { startServer } from "./server.js";

/**
 * A server that has rooms and serves the page, and can be started anew with all that it keeps.
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
    this.menu = page.getByRole("dialog", { name: "Room", exact: true });
    this.button = page.getByRole("button", { name: /^Room/ });
    /** What matters of the room at present. */
    this.line = page.locator("#room-line");
  }

  /** Waits until the page has all that was said of the room at first. */
  async inside() {
    await expect(this.button).toHaveText(/^Room · \d+$/);
  }

  async openMenu() {
    if (!(await this.menu.isVisible())) await this.button.click();
    await expect(this.menu).toBeVisible();
    return this.menu;
  }

  async closeMenu() {
    if (await this.menu.isVisible()) await this.page.keyboard.press("Escape");
    await expect(this.menu).toBeHidden();
  }

  /** Presses a button of the menu. */
  async press(name) {
    await (await this.openMenu()).getByRole("button", { name, exact: true }).click();
  }

  /** Opens a room on the page's server. */
  async open(name) {
    await this.lab.open("/?nosw#rooms");
    await this.menu.getByRole("textbox", { name: /^Your name/ }).fill(name);
    await this.menu.getByRole("button", { name: "Open a room" }).click();
    await this.inside();
    await this.closeMenu();
  }

  /** The link of an invitation, as it stands on the projector. */
  async invite(whom) {
    await this.press(whom);
    const dialog = this.page.getByRole("dialog", { name: "Invitation", exact: true });
    await expect(dialog.getByRole("img", { name: "QR code of the link" })).toBeVisible();
    const link = await dialog.locator(".room-link").innerText();
    await dialog.getByRole("button", { name: "Close" }).click();
    return link.trim();
  }

  /** Joins by a link. */
  async join(link, name, { share = false } = {}) {
    await this.page.goto(link.replace("/#", "/?nosw#"));
    const field = this.menu.getByRole("textbox", { name: /^Your name/ });
    await field.fill(name);
    if (share) await this.menu.getByRole("checkbox", { name: /^Show the teachers/ }).check();
    await this.menu.getByRole("button", { name: "Join", exact: true }).click();
    await this.inside();
    await this.lab.ready();
  }

  /** The people in the menu, each as a line. */
  async people() {
    const menu = await this.openMenu();
    const lines = await menu.getByRole("listitem").allInnerTexts();
    return lines.map((line) => line.replace(/\s+/g, " ").replace(/ (Hand over|Take the lead).*/, "").trim());
  }

  /** Sends a request to the room, which the lab does not show. */
  fetch(path, init) {
    return this.lab.fetch(path, init);
  }
}
