// Snippets in a page of another site that blocks their storage.
import assert from "node:assert/strict";
import { startEmbedHost, withoutStorage } from "../embedhost.js";

const BODY = `<h1>A post</h1>
<tabernetes-snippet><pre>POST /api/v1/namespaces/default/configmaps

{"metadata": {"name": "written"}}</pre></tabernetes-snippet>
<tabernetes-snippet><pre># @name all
GET /api/v1/namespaces/default/configmaps

###
GET /api/v1/namespaces/default/configmaps?watch=1&amp;resourceVersion={{all.response.body.metadata.resourceVersion}}

###
DELETE /api/v1/namespaces/default/configmaps/written</pre></tabernetes-snippet>
<script src="SITE/embed/embed.js" defer></script>`;

/** Runs in a snippet's frame: shows the page around it what it has, as a test of that page cannot see it. */
function report() {
  const tell = () => parent.postMessage({ seen: document.querySelector("main")?.innerText ?? "" }, "*");
  addEventListener("DOMContentLoaded", () => new MutationObserver(tell).observe(document.querySelector("main"),
    { childList: true, subtree: true, characterData: true }));
  addEventListener("message", ({ data }) => data.press !== undefined &&
    document.querySelectorAll("section button")[data.press].click());
  const warn = console.warn;
  console.warn = (said) => (parent.postMessage({ asked: String(said) }, "*"), warn(said));
}

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "snippets in a page of another site, without storage",
    tab: "snippets have no rooms",
    async run({ page, serve }) {
      const server = await serve([{ frame: `(${withoutStorage})();(${report})();`, worker: `(${withoutStorage})();` }]);
      const host = await startEmbedHost(BODY, server.url);
      try {
        await page.tab.goto(host.url);
        await page.evaluate(() => {
          const window_ = /** @type {any} */ (window);
          window_.seen = ["", ""];
          window_.asked = [];
          window_.snippets = [...document.querySelectorAll("tabernetes-snippet")];
          const frames = () => window_.snippets.map((s) => s.shadowRoot.querySelector("iframe")?.contentWindow);
          window_.press = (/** @type {number} */ at, /** @type {number} */ press) =>
            frames()[at].postMessage({ press }, "*");
          addEventListener("message", ({ source, data }) => {
            if (data.seen !== undefined) window_.seen[frames().indexOf(source)] = data.seen;
            if (data.asked !== undefined) window_.asked.push(data.asked);
          });
          window_.snippets[0].open();
        });
        await page.until("it is created", () => /201 Created/.test(window.seen[0]));
        await page.evaluate(() => window.snippets[1].open());
        await page.until("the other snippet lists it", () => /200 OK[^]*"written"/.test(window.seen[1]));
        await page.evaluate(() => window.press(1, 1));
        await page.until("a watch is open", () => /200 OK, 0 events/.test(window.seen[1]));
        await page.evaluate(() => window.press(1, 2));
        await page.until("the watch brings the deletion",
          () => /200 OK, 1 event[^]*DELETED ConfigMap default.written/.test(window.seen[1]));
        await page.evaluate(() => window.press(1, 1));
        await page.until("the watch is stopped", () => /1 event, stopped/.test(window.seen[1]));
        assert.deepEqual(await page.evaluate(() => window.asked), [], "storage that was asked for");
      } finally {
        await host.stop();
      }
    },
  },
];
