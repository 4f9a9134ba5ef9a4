// What outlives a reload, a crash, a second tab, and the browser itself.
import assert from "node:assert/strict";
import { configMap, configMaps, headAt, rev } from "./parts.js";

/** The events after a version, as many as asked. */
const story = (page, version, count) =>
  page.evaluate(
    async (path, version, count) => {
      const watch = await fetch(`${path}?watch=1&resourceVersion=${version}`, { tabernetes: { quiet: true } });
      const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const lines = text.split("\n").slice(0, -1);
        if (lines.length >= count) {
          await reader.cancel();
          return lines.slice(0, count).map((l) => JSON.parse(l)).map(
            (e) => `${e.type} ${e.object.metadata.name} ${e.object.metadata.resourceVersion}`);
        }
        const { value, done } = await reader.read();
        if (done) return [text, "the watch ended"];
        text += value;
      }
    },
    configMaps,
    version,
    count,
  );

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "reload: objects, revisions and history are kept",
    async run({ page, without, inRoom }) {
      await page.open();
      const made = await page.fetch(configMaps, "POST", configMap("kept", { k: "1" }));
      const changed = await page.fetch(configMaps + "/kept", "PUT", { ...made.body, data: { k: "2" } });
      const before = await story(page, rev(made), 1);
      await page.reload();
      if (without.has("locks")) {
        await page.see({ css: ".banner" }, "not saved");
        assert.equal((await page.fetch(configMaps + "/kept")).status, 404);
        return;
      }
      assert.deepEqual((await page.fetch(configMaps + "/kept")).body, changed.body);
      assert.deepEqual(await story(page, rev(made), 1), before);
      assert.ok(rev(await page.fetch(configMaps, "POST", configMap("next"))) > rev(changed));
      await page.see({ css: "#kept" }, inRoom ? "shared" : "saved");
    },
  },
  {
    name: "crash: it is said, what is open fails, and a restart brings everything back",
    long: true,
    tab: "it is the program of the tab's cluster that crashes",
    troubles: /panic|asked for a crash|Go program|unreachable|stopped/i,
    async run({ page, without }) {
      await page.open();
      const made = await page.fetch(configMaps, "POST", configMap("kept"));
      const got = await page.evaluate(async (path) => {
        const watch = await fetch(path + "?watch=1&resourceVersion=1");
        const reader = watch.body.getReader();
        const broken = (async () => {
          while (!(await reader.read()).done);
        })().then(() => "ended as if it were whole", (e) => e.name);
        await fetch("/readyz");
        tabernetes.crash();
        return { broken: await broken, later: await fetch(path).then(() => "answered", (e) => e.name) };
      }, configMaps);
      assert.deepEqual(got, { broken: "TypeError", later: "TypeError" });
      await page.see({ css: ".banner" }, "The cluster in this tab has stopped");
      await page.click({ css: ".banner button", name: "Restart" });
      await page.ready();
      await page.gone({ css: ".banner", text: /has stopped/ });
      if (without.has("locks")) return;
      assert.deepEqual((await page.fetch(configMaps + "/kept")).body, made.body);
      // The lab follows the cluster again.
      await headAt(page, rev(await page.fetch(configMaps, "POST", configMap("next"))));
    },
  },
  {
    name: "a worker that the browser stopped in the background is noticed",
    long: true,
    tab: "it is the worker of the tab's cluster",
    troubles: /stopped/,
    async run({ page, serveStoppable }) {
      page.url = (await serveStoppable()).url;
      await page.open();
      await page.evaluate(() => {
        // Its patience is shorter here.
        const { setTimeout } = window;
        window.setTimeout = (f, ms, ...rest) => setTimeout(f, ms === 20_000 ? 300 : ms, ...rest);
        document.dispatchEvent(new Event("visibilitychange"));
      });
      // It lives, and is left alone.
      assert.equal((await page.fetch("/readyz")).status, 200);
      await page.evaluate(() => new Promise((r) => setTimeout(r, 400)));
      assert.equal(await page.evaluate(() => tabernetes.state), "ready");
      await page.evaluate(async () => {
        new BroadcastChannel("stop dead").postMessage(null);
        const lives = () => Promise.race(
          [fetch("/readyz", { tabernetes: { quiet: true } }).then(() => true), new Promise((r) => setTimeout(r, 200))]);
        while (await lives());
        window.waiting = fetch("/api/v1/namespaces").then(() => "answered", (e) => e.name);
        setTimeout(() => document.dispatchEvent(new Event("visibilitychange")), 50);
      });
      await page.see({ css: ".banner" }, "The cluster in this tab has stopped");
      assert.equal(await page.evaluate(() => window.waiting), "TypeError");
      await page.click({ css: ".banner button", name: "Restart" });
      await page.ready();
      assert.equal((await page.fetch("/api/v1/namespaces")).status, 200);
    },
  },
  {
    name: "a second tab shares the cluster, and takes over when the first is closed",
    tab: "who shares a room has no copy of it",
    async run({ page, another, without, fromFile, engine }) {
      await page.open();
      await page.fetch(configMaps, "POST", configMap("kept"));
      const second = await another();
      await second.open();
      if (without.has("locks")) {
        await second.see({ css: ".banner" }, "cannot keep tabs apart");
        return;
      }
      if (fromFile && engine === "webkit") { // which has no channels between pages from a disk
        await second.see({ css: ".banner", text: /Another tab has the saved cluster/ });
        return;
      }
      await second.see({ css: ".banner" }, "This is tab 2 of one cluster");
      await second.fetch(configMaps, "POST", configMap("of-the-second"));
      assert.equal((await page.fetch(configMaps + "/of-the-second")).status, 200);
      await page.fetch(configMaps, "POST", configMap("of-the-first"));
      await second.evaluate((path) => {
        fetch(path + "?watch=1").then((r) => r.text()).then(() => (window.cut = "ended"), (e) => (window.cut = e.name));
      }, configMaps);
      await page.tab.close();
      await second.until("the watch is cut", () => window.cut);
      await second.ready();
      const names = (await second.fetch(configMaps)).body.items.map((o) => o.metadata.name);
      assert.deepEqual(names.filter((n) => /kept|of-the/.test(n)), ["kept", "of-the-first", "of-the-second"]);
      await second.gone({ css: ".banner", text: /of one cluster/ });
      await second.reload();
      assert.equal((await second.fetch(configMaps + "/of-the-second")).status, 200);
    },
  },
  {
    name: "the cluster as a file: saved, and opened again",
    long: true,
    async run({ page }) {
      await page.open();
      await page.fetch(configMaps, "POST", configMap("in-the-file"));
      await page.evaluate(() => {
        // A download cannot be looked at by every driver: what it would hold is kept here.
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => make.call(URL, (window.saved = blob));
        HTMLAnchorElement.prototype.click = function () {
          window.savedAs = this.download;
        };
      });
      await page.levers();
      await page.click({ css: "button", name: "Save to a file" });
      await page.see({ css: "#cluster-file-result" }, ".tabernetes:");
      assert.match(await page.evaluate(() => window.savedAs), /^cluster-\d{4}-\d\d-\d\d\.tabernetes$/);
      await page.fetch(configMaps + "/in-the-file", "DELETE");
      const choose = (name, bytes) =>
        page.evaluate(
          async (name, bytes) => {
            const files = new DataTransfer();
            files.items.add(new File([bytes ?? (await window.saved.arrayBuffer())], name));
            const input = document.getElementById("cluster-file");
            input.files = files.files;
            input.dispatchEvent(new Event("change", { bubbles: true }));
          },
          name,
          bytes,
        );
      await choose("no-cluster.tabernetes", "something else");
      await page.see({ css: "#cluster-file-result.error" },
        "no-cluster.tabernetes could not be opened, and nothing was changed");
      await choose("mine.tabernetes", null);
      await page.see({ css: "#cluster-file-result" }, "mine.tabernetes is the cluster now");
      assert.equal((await page.fetch(configMaps + "/in-the-file")).status, 200);
    },
  },
];
