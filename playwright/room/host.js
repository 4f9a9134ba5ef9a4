// What the journeys need to be in rooms: pages that open in one, and servers that keep theirs.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Page } from "../engines/page.js";
import { startServer } from "../server.js";

/** A page that opens, the first time, as the teacher of a new room. */
export class RoomPage extends Page {
  async open(path = "/") {
    if (this.entered) return super.open(path);
    this.entered = true;
    this.target = "room"; // and not its copy in the page, which is a moment behind
    const answer = await fetch(this.url + "/rooms", { method: "POST" });
    if (answer.status !== 201) throw new Error(`no room was opened: ${answer.status} ${await answer.text()}`);
    const { id, token } = await answer.json();
    const [before, hash] = path.split("#");
    await super.open(`${before}#room=${id}&token=${token}`);
    if (hash) await this.evaluate((hash) => void (location.hash = hash), hash);
  }

  async ready() {
    await super.ready();
    if (this.entered) await inside(this);
  }
}

/** Waits until the page knows the room, and the stage shows the room's revisions. @param {Page} page */
export async function inside(page) {
  await page.poll("the page knows the room", () => // a phone has the button in a menu
    page.evaluate(() => /^Room · \d+$/.test(document.querySelector("#room-button")?.textContent?.trim() ?? "")));
  await page.poll("the stage shows the room", async () => {
    const { body } = await page.fetch("/api/v1/namespaces?limit=1");
    const head = Number(body.metadata.resourceVersion);
    return page.evaluate((n) => Number(document.querySelector(".st-big")?.textContent) >= n, head);
  });
}

/**
 * A server that has rooms and keeps them, so that it can be started again where it was.
 *
 * @typedef {object} Rooms
 * @property {string} url
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} close ends it, and removes what it has kept
 */

/** @param {{dist?: string}} [site] @returns {Promise<Rooms>} */
export async function startRooms(site) {
  const data = await mkdtemp(join(tmpdir(), "tabernetes-rooms-"));
  const args = ["--rooms", "--data", data];
  let server = await startServer({ ...site, args });
  const { url } = server;
  return {
    url,
    stop: () => server.stop(),
    async start() {
      server = await startServer({ ...site, args, port: Number(new URL(url).port) });
    },
    async close() {
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
