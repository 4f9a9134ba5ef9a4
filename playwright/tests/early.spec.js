// Requests of the API that a script makes before the page's own is there: they wait for it.
import { expect, ownServerTest as test } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Holds the page's script until it is released, and leaves the rest as it is. */
async function holdScript(context) {
  let release;
  const held = new Promise((go) => (release = go));
  await context.route(/\/app\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Makes requests as soon as there is a document, and notes how they end. It runs in the page. */
function askEarly(path) {
  addEventListener("DOMContentLoaded", () => {
    const json = { "Content-Type": "application/json" };
    const body = JSON.stringify({ metadata: { name: "early" } });
    const stop = new AbortController();
    const note = (asked) =>
      asked.then(async (r) => [r.status, (await r.text()).slice(0, 200)], (e) => [e.name, e.message]);
    const second = { method: "POST", headers: json, body: body.replace("early", "second") };
    window.early = Promise.all([
      fetch(path, { method: "POST", headers: json, body }),
      fetch(new Request(location.origin + path, second)),
      fetch("version"),
      fetch(path + "?watch=1", { signal: stop.signal }),
    ].map(note));
    stop.abort();
  });
}

test.use({ tolerated: [/ERR_|Failed to load resource/] });

test("they are answered in the page, also after a reload", async ({ page, context, server, lab }) => {
  await page.addInitScript(askEarly, configMaps);
  const release = await holdScript(context);
  await page.goto(lab.url + "/?nosw", { waitUntil: "commit" });
  await page.waitForFunction(() => Boolean(window.early));
  await expect(page.getByRole("heading", { name: "Tabernetes" })).toBeVisible(); // nothing on display waits for it
  release();
  const [created, request, version, aborted] = await page.evaluate(() => window.early);
  expect(created).toEqual([201, expect.stringContaining('"name": "early"')]);
  expect(request).toEqual([201, expect.stringContaining('"name": "second"')]);
  expect(version).toEqual([200, expect.stringContaining("v1.36")]);
  expect(aborted[0]).toBe("AbortError");
  await lab.ready();
  for (const name of ["early", "second"]) expect((await lab.fetch(`${configMaps}/${name}`)).status).toBe(200);

  await page.reload({ waitUntil: "commit" });
  const again = await page.evaluate(() => new Promise((resolve) => {
    const wait = () => (window.early ? resolve(window.early) : setTimeout(wait));
    wait();
  }));
  expect(again.map(([code]) => code)).toEqual([409, 409, 200, "AbortError"]);
  expect(await server.apiRequests()).toBe(0);
});

test("they fail if the page's script does not come", async ({ page, context, server, lab }) => {
  await page.addInitScript(askEarly, configMaps);
  await context.route(/\/app\.js$/, (route) => route.abort());
  await page.goto(lab.url + "/?nosw");
  const ended = await page.evaluate(() => window.early);
  for (const [name, message] of ended.slice(0, 3)) {
    expect(name).toBe("TypeError");
    expect(message).toBe("the API server of this page does not start: its script could not be loaded");
  }
  expect(await page.evaluate(() => fetch("/api").catch((e) => e.message))).toMatch(/does not start/);
  expect(await page.evaluate(() => fetch("/icon.svg").then((r) => r.status))).toBe(200);
  expect(await server.apiRequests()).toBe(0);
});

test("they fail if the page's script does", { tag: "@long" }, async ({ page, context, server, lab }) => {
  await page.addInitScript(askEarly, configMaps);
  await context.route(/\/app\.js$/, (route) => route.fulfill({ contentType: "text/javascript", body: "void 0;" }));
  await page.goto(lab.url + "/?nosw");
  for (const [, message] of (await page.evaluate(() => window.early)).slice(0, 3)) {
    expect(message).toBe("the API server of this page does not start: its script has failed");
  }
  expect(await server.apiRequests()).toBe(0);
});
