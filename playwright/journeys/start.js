// Opening the page: for the first time, without the network, and coming back to it.
import assert from "node:assert/strict";
import { startPlainHost } from "../plainhost.js";
import { configMap, configMaps, headAt, rev } from "./parts.js";

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "first visit",
    async run({ page, without, fromFile }) {
      await page.open();
      await page.see({ css: "h1", text: /Tabernetes/ });
      // The revisions' stream has reached the page: the stage has a number, and the ruler what the cluster began with.
      await page.until("the stage knows the revision", () => /\d+/.test(document.querySelector(".st-big").textContent));
      await page.until("the start of the cluster is drawn",
        () => Boolean(document.querySelector("#st-ruler .st-fold")));
      await page.see({ css: "#panel-lesson .lesson[data-open] h2", text: /./ });
      const names = (await page.fetch("/api/v1/namespaces")).body.items.map((n) => n.metadata.name);
      assert.deepEqual(names, ["default", "kube-node-lease", "kube-public", "kube-system"]);
      const size = await page.evaluate(
        () => [document.documentElement.scrollWidth, innerWidth, document.documentElement.scrollHeight, innerHeight]);
      assert.ok(size[0] <= size[1], `the page is ${size[0]} wide in ${size[1]}`);
      const told = await page.evaluate(
        () => [...document.querySelectorAll(".banner")].map((b) => b.textContent).join("\n"));
      if (without.has("locks")) assert.match(told, /cannot keep tabs apart.*not saved/);
      if (without.has("service worker"))
        assert.match(told, /Without service workers the page does not open without the network/);
      if (fromFile) {
        assert.match(told, /^This page is one file[^\n]*$/);
        await page.evaluate(() => void (location.hash = "#bench-managers")); // as lessons link to it
        await page.see({ css: ".banner[data-banner=bench]" }, "This file has no bench.");
      } else if (without.size === 0) assert.equal(told, "");
    },
  },
  {
    name: "first visit: a scene plays by itself, and what is run goes to the own cluster",
    long: true,
    async run({ page, fromFile }) {
      await page.tab.goto(page.url + (fromFile ? "" : "/"));
      await page.ready();
      await page.see({ css: ".st-intro", text: /created the Secret keep/ });
      for (const [width, height] of [[1280, 720], [1366, 768], [1024, 768], [390, 844]]) {
        await page.tab.resize(width, height);
        await page.poll(`at ${width}x${height} what is to be pressed is in sight`, () => page.evaluate(() => {
          const button = document.querySelector(".lesson-bar [data-action=lesson-go]");
          const { left, right, top, bottom } = button.getBoundingClientRect();
          return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight &&
            button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
        }));
      }
      await page.tab.resize(1440, 900);
      await page.click({ css: ".lesson-bar [data-action=lesson-go]" });
      await page.until("the step has passed", () => document.querySelector(".lesson [data-segment=passed]") !== null);
      await page.gone({ css: ".st-intro" });
      assert.equal(await page.evaluate(() => window.tabernetes.target), "tab");
      assert.equal((await page.fetch("/api/v1/namespaces/first-event")).status, 200);
    },
  },
  {
    name: "a request before the page's script is there",
    long: true,
    tab: "it is answered by the tab's own cluster",
    async run({ page, serve, without }) {
      // It stands before the script's own first line.
      const ask = `window.early = fetch("${configMaps}/early", { headers: { Accept: "application/json" } }).then(
        async (r) => [r.status, (await r.json()).metadata?.resourceVersion]);`;
      const server = await serve([{ page: ask }]);
      page.url = server.url;
      await page.open();
      assert.equal((await page.evaluate(() => window.early))[0], 404);
      const { body } = await page.fetch(configMaps, "POST", configMap("early"));
      await page.reload();
      const kept = !without.has("locks"); // else every page has its own cluster
      const [status, version] = await page.evaluate(() => window.early);
      assert.deepEqual([status, version ?? ""], kept ? [200, body.metadata.resourceVersion] : [404, ""]);
      assert.equal(await server.apiRequests(), 0, "API requests left the page");
    },
  },
  {
    name: "offline: the page opens with its server stopped",
    installs: true,
    tab: "a room is away when its server is",
    async run({ page, serve, without, fromFile }) {
      const server = fromFile ? null : await serve(); // a file has none from the first
      page.url = server?.url ?? page.url;
      await page.open();
      if (without.has("service worker")) {
        await page.see({ css: ".banner" }, "does not open without the network");
        return;
      }
      if (!fromFile) await page.installed();
      await page.fetch(configMaps, "POST", configMap("from-before"));
      await server?.stop();
      await page.reload();
      await page.see({ css: "h1", text: /Tabernetes/ });
      if (!without.has("locks")) assert.equal((await page.fetch(configMaps + "/from-before")).status, 200);
      await page.send("GET", "/api/v1/namespaces");
      await page.see({ css: "#panel-answer" }, "200");
    },
  },
  {
    name: "from a host that does not compress",
    long: true,
    tab: "a room's host compresses",
    async run({ page, fromFile }) {
      if (fromFile) return;
      const host = await startPlainHost();
      try {
        page.url = host.url;
        await page.open();
        await page.until("the start of the cluster is drawn",
          () => Boolean(document.querySelector("#st-ruler .st-fold")));
        const programs = host.sent.filter(({ path }) => /\/(lab|tabernetes)\.wasm\.(lzma|gz)$/.test(path));
        // The browser decides which of the two it asks for first.
        assert.deepEqual(programs.map(({ path }) => path.split("/").at(-1)).sort(),
          ["lab.wasm.lzma", "tabernetes.wasm.lzma"]);
      } finally {
        await host.stop();
      }
    },
  },
  {
    name: "away to another page and back",
    long: true,
    async run({ page, without, fromFile }) {
      await page.open();
      const { body } = await page.fetch(configMaps, "POST", configMap("left-behind"));
      await page.tab.goto(fromFile ? "about:blank" : page.url + "/icon.svg");
      await page.tab.back();
      await page.ready();
      if (without.has("locks")) return;
      const after = await page.fetch(configMaps + "/left-behind");
      assert.equal(after.body.metadata.resourceVersion, body.metadata.resourceVersion);
      assert.equal(await page.evaluate(() => tabernetes.status.secondTab), false,
        "the page before still holds the cluster");
      await headAt(page, rev(await page.fetch(configMaps, "POST", configMap("after"))));
    },
  },
];
