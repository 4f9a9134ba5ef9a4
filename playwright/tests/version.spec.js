// A page without a service worker whose site is replaced by another build: what it loads late is of that build, or
// missing.
import { test as base, expect } from "@playwright/test";
import { Lab } from "../lab.js";
import { Lesson } from "../lesson.js";
import { startServer } from "../server.js";
import { deployedSite, refuseServiceWorkers, visited } from "../site.js";

const test = base.extend({
  site: async ({}, use) => {
    const site = await deployedSite();
    await use(site);
    await site.remove();
  },
  lab: async ({ page, context, site }, use) => {
    const server = await startServer({ dist: site.dir });
    await context.addInitScript(refuseServiceWorkers);
    await context.addInitScript(visited); // the scene of a first visit has a fork
    await use(new Lab(page, server.url));
    await server.stop();
  },
});

/** The page loads late, each in its way. @type {Record<string, (lab: Lab) => Promise<unknown>>} */
const late = {
  "the editor": async ({ method }) => method.selectOption("POST"),
  "a fork": ({ page }) => page.evaluate(() => window.tabernetesLab.load("fork.js").catch(() => {})),
  "rooms": ({ page }) => page.evaluate(() => window.tabernetesLab.load("room.js").catch(() => {})),
  "a lesson": ({ page }) => page.evaluate(() => window.tabernetesLab.file("course/paging.html").catch(() => {})),
};

for (const [what, load] of Object.entries(late)) {
  test(`${what} is not of another build`, { tag: "@long" }, async ({ page, lab, site }) => {
    const answered = [];
    await lab.open();
    await page.waitForFunction(() => window.tabernetesLab && document.querySelector("#st-ruler .st-fold"));
    const url = await page.evaluate(() => document.querySelector('script[type="module"]').src);
    await site.deploy();
    page.on("response", (r) => answered.push([new URL(r.url()).pathname, r.status()]));
    await load(lab);
    const banner = page.getByRole("alert").filter({ hasText: "This page is an older version" });
    await expect(banner).toBeVisible();
    const { pathname } = new URL(url);
    const own = pathname.slice(0, pathname.lastIndexOf("/") + 1);
    for (const [path, status] of answered) {
      expect(path.startsWith(own), `${path} is of the page's build`).toBe(true);
      expect(status).toBe(404);
    }
    await banner.getByRole("button", { name: "Reload the page" }).click();
    await page.waitForFunction((old) => document.querySelector('script[type="module"]')?.src !== old, url);
    await lab.ready();
    await load(lab);
    expect(await page.evaluate(() => window.tabernetesLab.load("fork.js").then((fork) => typeof fork.makeFork))).toBe(
      "function");
    await expect(banner).toBeHidden();
  });
}

test("a service worker goes over to another build as a whole", { tag: "@long" }, async ({ context, site }) => {
  const server = await startServer({ dist: site.dir });
  const other = await context.browser().newContext();
  await other.addInitScript(visited);
  const lab = new Lab(await other.newPage(), server.url);
  await lab.open();
  await lab.installed();
  const scripts = () => lab.page.evaluate(() => performance.getEntriesByType("resource").map((e) => e.name));
  const base = () => lab.page.evaluate(() => new URL(".", document.querySelector('script[type="module"]').src).href);
  const before = await base();
  await lab.page.reload();
  await lab.ready();
  await site.deploy();
  await lab.page.evaluate(() => navigator.serviceWorker.getRegistration().then((r) => r.update()));
  // What it loads meanwhile is of its build, which the server no longer has.
  await lab.page.evaluate(() => window.tabernetesLab.load("fork.js"));
  const newer = lab.page.getByRole("status").filter({ hasText: "newer version" });
  await newer.getByRole("button", { name: "Load it" }).click();
  await lab.page.waitForFunction((old) => {
    const script = document.querySelector('script[type="module"]');
    return script && !script.src.startsWith(old);
  }, before);
  await lab.ready();
  await lab.page.evaluate(() => window.tabernetesLab.load("fork.js"));
  const after = await base();
  expect(after).not.toBe(before);
  const built = (await scripts()).filter((url) => /\.(js|wasm|css)$/.test(new URL(url).pathname));
  expect(built.length).toBeGreaterThan(4);
  for (const url of built) expect(url.startsWith(after), url).toBe(true);
  await other.close();
  await server.stop();
});

test("an update waits in the middle of a lesson, which goes on in it", { tag: "@long" }, async ({ context, site }) => {
  const server = await startServer({ dist: site.dir });
  const other = await context.browser().newContext();
  await other.addInitScript(visited);
  const lab = new Lab(await other.newPage(), server.url);
  const { page } = lab;
  const lesson = new Lesson(page);
  /** The files that the page has loaded since it was opened, by the folder of their build. */
  const builds = () => page.evaluate(() => [...new Set(performance.getEntriesByType("resource").map(
    ({ name }) => /\/build\/[^/]+\//.exec(new URL(name).pathname)?.[0]).filter(Boolean))]);
  await lab.open();
  await lab.installed();
  await lab.page.reload();
  await lab.open("/#lesson-addresses");
  await lesson.isOpen("addresses");
  await lesson.at(1);
  await lesson.solve("right");
  await lesson.goOn();
  const [before] = await builds();
  await lesson.at(2);
  await site.deploy();
  await page.evaluate(() => navigator.serviceWorker.getRegistration().then((r) => r.update()));
  const newer = page.getByRole("status").filter({ hasText: "newer version" });
  await expect(newer).toBeVisible();

  // Nothing has changed for the one who learns: the next step is done with the build that the lesson was begun with,
  // and so is what is loaded meanwhile.
  await lesson.solve("right");
  await page.evaluate(() => window.tabernetesLab.load("fork.js"));
  await page.evaluate(() => window.tabernetesLab.file("course/paging.html"));
  expect(await builds()).toEqual([before]);
  await lesson.goOn();
  await lesson.at(3);
  const names = async () => (await lab.fetch("/api/v1/namespaces")).body.items.map((n) => n.metadata.uid);
  const objects = await names();

  // And then it takes over, as a whole, with the server stopped.
  await server.stop();
  await newer.getByRole("button", { name: "Load it" }).click();
  await page.waitForFunction((old) => {
    const script = document.querySelector('script[type="module"]');
    return script && !script.src.includes(old);
  }, before);
  await lab.ready();
  await lesson.isOpen("addresses");
  await lesson.at(3);
  for (const n of [1, 2]) await expect(lesson.step(n)).toHaveAttribute("data-state", "passed");
  expect(await names()).toEqual(objects);
  await lesson.solve("right");
  await page.evaluate(() => window.tabernetesLab.load("fork.js"));
  const after = await builds();
  expect(after).toHaveLength(1);
  expect(after).not.toContain(before);
  await expect.poll(() => page.evaluate(() => caches.keys().then((all) => all.length))).toBe(1);
  await other.close();
});

test("a worker is started again from what the browser keeps", { tag: "@long" }, async ({ page, lab, site }) => {
  await lab.open();
  await site.deploy();
  await page.evaluate(() => window.tabernetes.restart());
  await lab.ready();
});

test("a page has the files of its build, which browsers keep", { tag: "@long" }, async ({ page, lab }) => {
  const kept = {};
  page.on("response", (r) => (kept[new URL(r.url()).pathname] = r.headers()["cache-control"]));
  await lab.open();
  await expect(async () => {
    // A choice from before the lab has started has no effect.
    await lab.method.selectOption("GET");
    await lab.method.selectOption("POST");
    expect(Object.keys(kept).some((path) => path.endsWith("/editor.js"))).toBe(true);
  }).toPass();
  const files = Object.keys(kept).filter((path) => /\.(js|css|wasm|html|json)$/.test(path));
  expect(files.length).toBeGreaterThan(6);
  for (const path of files) {
    expect(path).toMatch(/^\/build\/[0-9a-f]{12}\//);
    expect(kept[path]).toBe("public, max-age=31536000, immutable");
  }
  expect(kept["/"]).toBe("no-cache");
});
