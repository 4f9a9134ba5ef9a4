// What pages of others can do with the files that they may frame, and what a script leaves in a cache.
import assert from "node:assert/strict";
import { expected, kept, SANDBOXES, startAttacker } from "../attacker.js";
import { startPlainHost } from "../plainhost.js";
import { pathOf } from "../site.js";
import { installed } from "./parts.js";

const CAPSTONE = ["/embed/capstone-frame.html", pathOf("capstone-frame.html")];

/** @type {import("./parts.js").Journey[]} */
export default [
  ...[true, false].map((headers) => ({
    name: `foreign code: the capstone's frame in a page of another port, of a host with${headers ? "" : "out"} headers`,
    long: !headers,
    tab: "rooms have no frames",
    troubles: /./, // of the attacker's page
    async run({ page, serve }) {
      const site = headers ? await serve() : await startPlainHost();
      const attacker = await startAttacker();
      try {
        await page.tab.goto(attacker.port);
        for (const path of CAPSTONE) {
          for (const sandbox of SANDBOXES) {
            const { guest, inside } = await page.evaluate((...args) => window.attack(...args), site.url, path, sandbox);
            const what = `${path} with sandbox=${sandbox}`;
            // WebKit gives a frame of an opaque origin caches that are not the site's, which are looked at below.
            if (guest?.origin === "null") guest.reached = guest.reached.filter((place) => place !== "caches");
            assert.deepEqual(guest, expected(path, sandbox, headers), what);
            assert.deepEqual(inside, [], what);
          }
        }
        await page.tab.goto(`${site.url}/licenses.txt`);
        assert.deepEqual(await page.evaluate(kept), [], "what is left");
        if (headers) assert.equal(await site.apiRequests(), 0);
      } finally {
        await attacker.stop();
        if (!headers) await site.stop();
      }
    },
  })),
  {
    name: "foreign code: a page that a script has put into the cache is gone after a reload",
    long: true,
    installs: true,
    tab: "the service worker is the page's",
    async run({ page, serve, without }) {
      if (without.has("service worker")) return;
      const server = await installed(page, serve);
      await page.evaluate(async () => {
        for (const name of await caches.keys()) {
          const cache = await caches.open(name);
          if (!(await cache.match("/"))) continue;
          const headers = { "content-type": "text/html" };
          await cache.put("/", new Response("<title>foul</title><h1>foul</h1>", { headers }));
        }
      });
      await page.reload();
      await page.see({ css: "h1", text: /Tabernetes/ });
      await server.stop();
      await page.reload(); // the right one is there again
    },
  },
];
