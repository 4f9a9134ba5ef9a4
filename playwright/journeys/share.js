// What is taken to another page: links to clusters.
import assert from "node:assert/strict";
import { configMap, configMaps, headAt, rev } from "./parts.js";

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "a cluster is shared by a link, which asks before it replaces another one",
    long: true,
    tab: "a room's cluster is not taken out of it",
    async run({ page, fromFile }) {
      await page.open();
      const head = rev(await page.fetch(configMaps, "POST", configMap("shared")));
      await headAt(page, head);
      await page.click({ css: "[data-left=share]" });
      if (fromFile) {
        await page.see({ css: "#share-length" }, "This page is a file, to which no link can lead.");
        return;
      }
      const link = await page.until("the link is made", () => document.getElementById("share-link").value);
      await page.fetch(configMaps + "/shared", "DELETE");
      await page.fetch(configMaps, "POST", configMap("mine"));

      // In this page: its address has a query, which the link has not.
      await page.evaluate((link) => location.assign(new URL(link).hash), link);
      await page.see({ css: "#share-opened" }, "A whole cluster with its history");
      assert.equal((await page.fetch(configMaps + "/mine")).status, 200, "nothing is done before it is asked");
      await page.click({ css: "#share-open" });
      await page.see({ css: "#share-result" }, "It is open.");
      assert.equal((await page.fetch(configMaps + "/shared")).status, 200);
      assert.equal((await page.fetch(configMaps + "/mine")).status, 404);
      await headAt(page, head); // or a later one, if controllers still wrote

      await page.click({ css: "#share-result button", name: "Restore my cluster" });
      await page.see({ css: "#share-result" }, "Your cluster is back.");
      assert.equal((await page.fetch(configMaps + "/mine")).status, 200);
      await page.evaluate(() => location.assign("#share=1.AAAA"));
      await page.see({ css: "#share-result" }, "The link cannot be opened: it is cut off, or damaged.");
    },
  },
  {
    name: "back and forward lead through what was looked at, and a reload keeps log and address",
    long: true,
    async run({ page }) {
      await page.open();
      const head = rev(await page.fetch(configMaps, "POST", configMap("seen")));
      await headAt(page, head);
      await page.send("GET", configMaps);
      await page.see({ css: "#panel-history" }, /configmaps/);
      await page.evaluate((at) => location.assign(`#at=${at}`), head - 1);
      await page.see({ css: ".st-big" }, String(head - 1));
      await page.evaluate(() => history.back());
      await headAt(page, head); // or a later one, if controllers still wrote
      await page.evaluate(() => history.forward());
      await page.see({ css: ".st-big" }, String(head - 1));
      await page.reload();
      await page.see({ css: ".st-big" }, String(head - 1));
      await page.see({ css: "#panel-history" }, /configmaps/);
    },
  },
];
