// What the journeys share.

/**
 * @typedef {object} Around What a journey has around it.
 * @property {import("../engines/page.js").Page} page a tab of a fresh profile, with nothing opened yet
 * @property {() => Promise<import("../engines/page.js").Page>} another one more tab of that profile
 * @property {() => Promise<import("../engines/page.js").Page>} guest a window of somebody else: of another profile,
 *   where several can be open
 * @property {() => Promise<{page: import("../engines/page.js").Page, kill: () => Promise<import(
 *   "../engines/page.js").Page>}>} mortal a page of another browser, which is killed in the middle of what it does, and
 *   a page of its profile afterwards
 * @property {(changes?: {page?: string, worker?: string}[]) => Promise<Awaited<ReturnType<
 *   typeof import("../server.js").startServer>>>} serve a server of the journey's own, with code before its scripts
 * @property {() => Promise<{url: string, stop(): Promise<void>}>} serveStoppable one whose page has a worker that can
 *   be stopped dead
 * @property {() => Promise<import("../room/host.js").Rooms>} serveRooms one that has rooms, and can be started again
 * @property {boolean} inRoom whether the pages open in a room, as its teacher
 * @property {boolean} fromFile whether the page is the one file, from the disk
 * @property {Set<string>} without the features that were removed
 * @property {string} engine
 *
 * @typedef {object} Journey
 * @property {string} name
 * @property {(around: Around) => Promise<void>} run
 * @property {boolean} [long] whether it is made with --all only: what differs between engines is in others
 * @property {boolean} [installs] whether pages of the servers that it starts register their service worker; with --all,
 * all do
 * @property {Record<string, string>} [undrivable] engines in which the driver, not the page, prevents it, and why
 * @property {string} [tab] why it is about the tab's own cluster, and not made in a room
 * @property {RegExp} [troubles] what the page may complain of by itself
 */

export const configMaps = "/api/v1/namespaces/default/configmaps";

export const configMap =
  (name, data = {}, labels = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data });

/** The resourceVersion of an answer, as a number. */
export const rev = ({ body }) => Number(body.metadata.resourceVersion);

/** A row of the stage: the watch, or the list, with that id. */
export const lane = (id, more = {}) => ({ css: `#st-rows li[data-row="${id}"]`, ...more });

/**
 * Waits until a row of the stage says so, in the sentence that it is to a screen reader.
 * @param {import("../engines/page.js").Page} page
 */
export const says = (page, id, words) =>
  page.until(
    `${id} says ${words}`,
    (id, words) => new RegExp(words).test(
      document.querySelector(`#st-rows li[data-row="${id}"] .st-plot`)?.getAttribute("aria-label") ?? ""),
    id,
    String(words),
  );

/** Opens a watch in its own lane. */
export async function watch(page, path, from) {
  await page.fill({ css: "#st-watch-path" }, path);
  if (from) await page.choose({ css: "#st-watch-from" }, from);
  await page.click({ css: "#st-add" });
}

/** Waits until the stage shows a revision, or a later one. */
export const headAt = (page, revision) =>
  page.until("the stage has come to revision " + revision,
    (n) => Number(document.querySelector(".st-big").textContent) >= n, revision);

/**
 * Switches the programs of the control plane on, and waits until a Pod may run on each node.
 *
 * @param {import("../engines/page.js").Page} page
 * @returns {Promise<number>} how long that took, in milliseconds
 */
export async function switchOn(page) {
  await page.levers();
  await page.click({ css: "#control-plane", name: "Switch it on" });
  const begin = Date.now();
  await page.poll("three nodes are ready", async () =>
    (await page.fetch("/api/v1/nodes")).body.items.filter(({ spec }) => !spec.taints).length === 3);
  await page.press("Escape");
  return Date.now() - begin;
}

/** Opens the page of a server that the journey can stop, and waits until it opens without it. Returns the server. */
export async function installed(/** @type {import("../engines/page.js").Page} */ page, serve) {
  const server = await serve();
  page.url = server.url;
  await page.open();
  await page.installed();
  return server;
}

/** Waits until a file is there without the page's server. @param {import("../engines/page.js").Page} page */
export const keeps = (page, path) =>
  page.until(`${path} is kept`, async (path) => {
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) if (url.endsWith(path)) return true;
    }
    return false;
  }, path);
