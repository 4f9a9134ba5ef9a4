// Pages of others that frame what they may: nothing of theirs runs with the site's origin, keeps or reads anything.
import { expect, ownServerTest as test } from "../fixtures.js";
import { expected, kept, SANDBOXES, startAttacker } from "../attacker.js";
import { startPlainHost } from "../plainhost.js";
import { pathOf } from "../site.js";

// The storage is empty; what the browser refuses the attacker's page, it reports.
test.use({ first: true, tolerated: [/./] });

const CAPSTONE = ["/embed/capstone-frame.html", pathOf("capstone-frame.html")];

/** Opens the attacker's page. @param {(urls: {port: string, site: string}) => string} which */
async function open(page, which) {
  const attacker = await startAttacker();
  await page.goto(which(attacker));
  return attacker;
}

for (const from of /** @type {const} */ (["port", "site"])) {
  for (const headers of [true, false]) {
    const of = `a page of another ${from}, of a host ${headers ? "with" : "without"} headers`;
    test(`the capstone's frame in ${of}`, { tag: "@long" }, async ({
      page, server,
    }) => {
      const plain = headers ? null : await startPlainHost();
      const site = plain?.url ?? server.url;
      const attacker = await open(page, (urls) => urls[from]);
      for (const path of CAPSTONE) {
        for (const sandbox of SANDBOXES) {
          const got = await page.evaluate(([...args]) => window.attack(...args), [site, path, sandbox]);
          const what = `${path} with sandbox=${sandbox}`;
          expect(got.guest, what).toEqual(expected(path, sandbox, headers));
          expect(got.inside, what).toEqual([]);
          expect(got.heard, what).toEqual(got.guest ? [{ origin: "null", data: "ready" }] : []);
        }
      }
      await page.goto(`${site}/licenses.txt`);
      expect(await page.evaluate(kept), "what is left").toEqual([]);
      expect(await server.apiRequests()).toBe(0);
      await attacker.stop();
      await plain?.stop();
    });
  }
}

for (const headers of [true, false]) {
  test(`the other files in pages of another port, of a host ${headers ? "with" : "without"} headers`, {
    tag: headers ? "@long" : [],
  }, async ({ page, server }) => {
    const plain = headers ? null : await startPlainHost();
    const site = plain?.url ?? server.url;
    const attacker = await open(page, ({ port }) => port);
    for (const path of ["/embed/frame.html", "/embed/examples.html", "/embed/lab.html", "/index.html"]) {
      for (const sandbox of SANDBOXES) {
        const got = await page.evaluate(([...args]) => window.attack(...args), [site, path, sandbox]);
        expect(got.guest, path).toBe(null);
        expect(got.inside, path).toEqual([]);
        for (const { data } of got.heard) expect(data, path).toMatchObject({ tabernetes: "opened" });
      }
    }
    const made = { method: "POST", url: `${site}/api/v1/namespaces` };
    const asked = await page.evaluate(([...args]) => window.cluster(...args), [site, ["GET /api/v1/namespaces"],
      [{ method: "GET", url: "/api/v1/namespaces/default" }, made, { method: "GET", url: "/embed/embed.js" }]]);
    // They are the frame's own cluster's, which is the attacker's.
    expect(asked).toEqual({ setup: "", answers: [200, expect.anything(), 404] });
    const beside = await page.evaluate(([...args]) => window.cluster(...args),
      [site, [`GET ${site}/api/v1/nodes`], []]);
    expect(beside.setup).toContain("a path that starts with / is needed");
    const workers = ["worker.js", "capstone-judge.js", "terminal-worker.js"].map(pathOf);
    expect(await page.evaluate(([...args]) => window.workers(...args), [site, [...workers, "/sw.js"]])).toEqual([]);
    await page.goto(`${site}/licenses.txt`);
    expect(await page.evaluate(kept), "what is left").toEqual([]);
    expect(await server.apiRequests()).toBe(0);
    await attacker.stop();
    await plain?.stop();
  });
}

test.describe("the service worker's cache", () => {
  test.use({ first: false, installs: true, tolerated: [/ERR_CONNECTION_REFUSED|Failed to load resource/] });

  /** Runs in the page: puts something else in the place of each document, script and program. */
  const foul = async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const { url } of await cache.keys()) {
        const ending = /[^./]*$/.exec(url)?.[0] ?? "";
        const type = { "": "text/html", js: "text/javascript", wasm: "application/wasm" }[ending];
        const body = type === "text/html" ? "<title>foul</title>" : "window.foul = true;";
        if (type) await cache.put(url, new Response(body, { headers: { "content-type": type } }));
      }
    }
  };

  test("what a script put there is gone after a reload", { tag: "@long" }, async ({ page, lab, server }) => {
    await lab.open();
    await lab.installed();
    await page.evaluate(foul);
    await page.reload();
    expect(await page.evaluate(() => [document.title === "foul", "foul" in window])).toEqual([false, false]);
    await lab.ready();
    // It was fetched again, so the page opens offline still.
    await server.stop();
    await page.reload();
    await lab.ready();
  });

  test("offline it is said to be damaged", { tag: "@long" }, async ({ page, lab, server }) => {
    await lab.open();
    await lab.installed();
    await page.evaluate(foul);
    await server.stop();
    await page.reload();
    await expect(page.getByText("This browser's copy of the file is damaged")).toBeVisible();
  });
});
