// The lab, used with the mouse, a finger and the keyboard.
import assert from "node:assert/strict";
import { configMap, configMaps, headAt, lane, rev, says, watch } from "./parts.js";

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "console: a request by the mouse, its answer, and an error",
    long: true,
    async run({ page }) {
      await page.open();
      await page.send("GET", "/api/v1/namespaces");
      await page.see({ css: "#panel-answer" }, "200");
      await page.see({ css: "#panel-answer" }, "kube-system");
      await page.send("GET", "/api/v1/namespaces/default/pods/none");
      await page.see({ css: "#panel-answer" }, "404");
      await page.see({ css: "#panel-history" }, "/api/v1/namespaces/default/pods/none");
    },
  },
  {
    name: "keyboard alone: from panel to panel, send, leave the editor, close a menu",
    async run({ page }) {
      await page.open();
      const focused = (css, is = true) =>
        page.until(`the focus is ${is ? "in" : "outside"} ${css}`,
          (css, is) => Boolean(document.activeElement.closest(css)) === is, css, is);
      await page.press("Alt+3");
      await focused("#req-path");
      await page.press("Control+a");
      await page.tab.type("/api/v1/namespaces/default");
      await page.press("Escape"); // the list of completions
      await page.press("Control+Enter");
      await page.see({ css: "#panel-answer" }, "200");
      // The editor takes Tab for itself until Escape is pressed.
      await page.choose({ css: "#req-method" }, "POST");
      await page.click({ css: "#req-body" });
      const written = (text) => page.until(`the body is "${text}"`,
        (text) => document.getElementById("req-body").value === text, text);
      await page.see({ css: ".editor.is-live" }); // the editor is loaded when it is first used
      await page.tab.type("  a: b");
      await page.press("Tab");
      await written("  a: b  ");
      await page.press("Shift+Tab");
      await focused("#req-body");
      await written("a: b  ");
      await page.press("Escape");
      await page.press("Tab");
      await focused("#req-body", false);
      await page.press("Alt+2");
      await focused("#st-ruler");
      await page.press("Alt+4");
      await focused("#panel-history");
      await page.click({ css: "header button", name: /^Help/ });
      await page.see({ css: "#panel-help" });
      await page.press("Escape");
      await page.gone({ css: "#panel-help" });
    },
  },
  {
    name: "a manifest typed into the editor is applied",
    long: true,
    async run({ page }) {
      await page.open();
      await page.choose({ css: "#req-method" }, "POST");
      await page.click({ css: "#req-body" });
      await page.tab.type("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: typed}\ndata: {k: one}\n");
      await page.click({ css: "button", name: "Apply manifest" });
      await page.poll("it is there", async () => (await page.fetch(configMaps + "/typed")).status === 200);
      assert.deepEqual((await page.fetch(configMaps + "/typed")).body.data, { k: "one" });
      // What is drawn stays up to date with what is typed, up to the last line and beyond the longest.
      const apart = await page.evaluate(async () => {
        const area = document.getElementById("req-body");
        area.value = Array.from({ length: 60 }, (_, i) => `line${i}: ${"x".repeat(i === 30 ? 400 : 4)}`).join("\n");
        area.dispatchEvent(new Event("input", { bubbles: true }));
        area.scrollTo(1e6, 1e6);
        const drawn = document.querySelector(".editor .colours");
        const lines = document.querySelector(".editor .gutter");
        for (let i = 0; i < 20; i++) await new Promise((r) => setTimeout(r, 20));
        return [area.scrollTop - drawn.scrollTop, area.scrollLeft - drawn.scrollLeft, area.scrollTop - lines.scrollTop,
          area.scrollTop > 0];
      });
      assert.deepEqual(apart, [0, 0, 0, true]);
      await page.click({ css: "#tab-objects" });
      await page.click({ css: "#objects-tree tr", text: /^configmaps/ });
      await page.see({ css: "#panel-objects" }, "typed");
    },
  },
  {
    name: "lanes: a watch, an event in it, cut, and resumed in its lane without a loss",
    async run({ page }) {
      await page.open();
      await watch(page, configMaps, "from the current state");
      await says(page, "w1", "open|initial state");
      const first = rev(await page.fetch(configMaps, "POST", configMap("one")));
      await says(page, "w1", `resume after ${first}(;|$)`);
      await page.click({ css: "#st-bar button", name: "Cut the watches" });
      await page.see({ within: lane("w1"), css: "button", name: /^Resume watch w1/ });
      const missed = rev(await page.fetch(configMaps, "POST", configMap("two")));
      await page.click({ within: lane("w1"), css: "button", name: /^Resume watch w1/ });
      await says(page, "w1", `open.*cut after ${first}, resume after ${missed}(;|$)`);
    },
  },
  {
    name: "410: history is compacted, a resume fails, a new list recovers",
    long: true,
    async run({ page }) {
      await page.open();
      await watch(page, configMaps);
      const seen = rev(await page.fetch(configMaps, "POST", configMap("seen")));
      await says(page, "w1", `resume after ${seen}(;|$)`);
      await page.lever("Cut the watches");
      await page.fetch(configMaps, "POST", configMap("missed"));
      await page.lever("Compact now");
      await page.see(lane("w1"), "is gone");
      await page.click({ within: lane("w1"), css: "button", name: /^Resume watch w1/ });
      await says(page, "w1", "error 410");
      await page.click({ within: lane("w1"), css: "button", name: /^List again/ });
      await says(page, "w2", "open");
    },
  },
  {
    name: "paging: three pages of one snapshot",
    long: true,
    async run({ page }) {
      await page.open();
      for (const name of ["a", "b", "c", "d", "e"]) await page.fetch(configMaps, "POST", configMap("p-" + name));
      await page.send("GET", configMaps + "?limit=2");
      await says(page, "p1", "1 page, .*4 remain"); // with kube-root-ca.crt
      await page.fetch(configMaps + "/p-e", "DELETE");
      await page.click({ within: lane("p1"), css: "button", name: /^Next page of list/ });
      await says(page, "p1", "2 pages, .*2 remain");
      await page.click({ within: lane("p1"), css: "button", name: /^Next page of list/ });
      await says(page, "p1", "3 pages, as of \\d+, whole");
    },
  },
  {
    name: "levers: a frozen cache answers with the past until it thaws; compacting is undone",
    long: true,
    async run({ page }) {
      await page.open();
      await page.click({ css: "#st-bar button", name: /^Servers/ });
      await page.click({ css: "#panel-servers button", name: "Freeze cache" });
      await page.see({ css: "#panel-servers button[aria-pressed=true]", name: "Freeze cache" });
      await page.press("Escape");
      const held = rev(await page.fetch(configMaps, "POST", configMap("held")));
      const names = async () =>
        (await page.fetch(configMaps + "?resourceVersion=0")).body.items.map((o) => o.metadata.name);
      assert.ok(!(await names()).includes("held"));
      await says(page, "C0", "1 behind, frozen");
      await page.click({ within: lane("C0"), css: "button", name: "Thaw cache" });
      await page.poll("the cache has caught up", async () => (await names()).includes("held"));
      await page.until("its row is gone", () => !document.querySelector('#st-rows li[data-row="C0"]'));
      await headAt(page, held);
      await page.click({ css: "#st-bar button", name: "Compact" });
      await page.click({ css: "#panel-compact button", name: "Compact now" });
      await page.see({ css: "#st-revision" }, "etcd from");
      await page.click({ css: "#st-bar button", name: /^Undo/ });
      await page.see({ css: "#st-revision" }, "all history kept");
    },
  },
  {
    name: "levers: RBAC by the keyboard and by the mouse; somebody else is refused, a link of it is short",
    long: true,
    tab: "in a room the settings that say who gets in stay as they are",
    async run({ page, fromFile }) {
      await page.open();
      const jane = async () => (await page.fetch(configMaps, "GET", undefined, { "Impersonate-User": "jane" })).status;
      const answered = (status) => page.poll(`jane is answered ${status}`, async () => (await jane()) === status);
      const says = () => page.see({ css: "#levers-result" }, "Authorization RBAC: Roles decide who may do what.");
      await answered(200);
      await page.tabTo({ css: "#st-bar button", name: "More levers" });
      await page.press("Enter");
      await page.see({ css: "#panel-levers" });
      const at = () => page.evaluate(() => document.activeElement?.getAttribute("name"));
      for (let i = 0; i < 60 && (await at()) !== "lever-authorization.mode"; i++) await page.press("Tab");
      assert.equal(await at(), "lever-authorization.mode", "Tab leads to the switch");
      await page.press("ArrowDown");
      await says();
      await answered(403);
      assert.equal((await page.fetch(configMaps)).status, 200, "the page itself is not refused");
      await page.press("Escape");
      // A browser does that a moment later; until then keys are for what is in it.
      await page.until("the menu is closed",
        () => document.querySelector("#panel-levers")?.getClientRects().length === 0);
      await page.press("u");
      await answered(200);

      await page.levers();
      await page.click({ css: "#panel-levers .choices label", name: "RBAC" });
      await says();
      await answered(403);
      await page.press("Escape");
      if (fromFile) return;
      await page.click({ css: "[data-left=share]" });
      const link = await page.until("the link is made", () => document.getElementById("share-link").value);
      assert.ok(link.length < 2000, `a link with RBAC on has ${link.length} characters`);
    },
  },
  {
    name: "the stage: a revision chosen, the axis dragged, zoomed and followed, and travelled",
    long: true,
    async run({ page }) {
      await page.open();
      let last = 0;
      for (let i = 0; i < 30; i++) last = rev(await page.fetch(configMaps, "POST", configMap("r" + i)));
      await headAt(page, last);
      const x = (n) =>
        page.evaluate((n) =>
          [...document.querySelectorAll("#st-ruler text")].find((t) => t.textContent === String(n))
            ?.getBoundingClientRect().left, n);
      const near = last - (last % 10); // a number that is written at any scale
      await page.poll("the number is on the axis", async () => (await x(near)) > 0);
      const before = await x(near);
      await page.drag({ css: "#st-ruler" }, -200, 0);
      await page.poll("the axis has moved with the mouse",
        async () => (await x(near)) === undefined || (await x(near)) < before - 100);
      // The button is released outside: the axis does not stick to the mouse.
      const at = await page.point({ css: "#st-ruler" });
      await page.tab.move(at.x, at.y);
      await page.tab.down();
      await page.tab.move(at.x + 1, at.y + 300);
      await page.tab.up();
      await page.tab.move(at.x + 60, at.y);
      await page.tab.move(at.x + 120, at.y);
      assert.equal(await page.evaluate(() => Boolean(document.querySelector(".is-dragging"))), false);
      await page.click({ css: "#st-bar button", name: "Fit" });
      await page.click({ css: "#st-bar button", name: "Live" });
      await page.poll("the newest is in view again", async () => (await x(near)) > 0);
      await page.press("Alt+2");
      await page.press("ArrowLeft");
      await page.press("Enter");
      await page.see({ css: "#panel-answer" }, /created the ConfigMap r\d+/);
      await page.click({ css: "#st-bar button", name: /^One revision back/ });
      await page.see({ css: "#st-revision" }, "showing revision");
      await page.click({ css: "#st-bar button", name: "Back to live" });
      await page.see({ css: "#st-revision" }, "caches");
    },
  },
  {
    name: "narrow: panels by a finger, one at a time, nothing wider than the screen",
    async run({ page }) {
      await page.open();
      await page.tab.resize(360, 740);
      const width = await page.evaluate(() => innerWidth);
      assert.ok(width <= 500, `the window did not become narrow: ${width}`);
      for (const [tab, shown, hidden] of [
        ["Lesson", "#panel-lesson", "#req-path"],
        ["Console", "#req-path", "#panel-lesson"],
        ["Objects", "#panel-objects", "#req-path"],
      ]) {
        await page.touch({ css: ".tabs button", name: tab });
        await page.see({ css: shown });
        await page.gone({ css: hidden });
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width,
          `${tab} is wider than the screen`);
      }
      // What the browser lacks is said at the top, and takes the room of an answer until it is dismissed.
      const notices = await page.evaluate(() => document.querySelectorAll("#banners .banner").length);
      for (let i = 0; i < notices; i++) await page.touch({ css: "#banners button", name: "Dismiss" });
      await page.touch({ css: ".tabs button", name: "Console" });
      await page.send("GET", "/api/v1/namespaces");
      await page.see({ css: "#res-body" }, "NamespaceList");
      await page.see({ css: "#send" });
    },
  },
  {
    name: "small: at 200 % an answer is in sight, lanes are a button away; a phone's Levers close",
    long: true,
    async run({ page }) {
      await page.open();
      await page.tab.resize(640, 360);
      const notices = await page.evaluate(() => document.querySelectorAll("#banners .banner").length);
      for (let i = 0; i < notices; i++) await page.click({ css: "#banners button", name: "Dismiss" });
      await page.send("GET", "/api/v1/namespaces");
      await page.see({ css: ".verdict h3" });
      const [body, gap, end, high] = await page.evaluate(() => {
        const box = (id) => document.getElementById(id).getBoundingClientRect();
        const [body, request] = [box("res-body"), box("request")];
        return [body.height, request.top - body.bottom, request.bottom, innerHeight];
      });
      assert.ok(body > 60 && gap > -2 && end <= high, `body ${body}, gap ${gap}, end ${end} of ${high}`);
      await page.click({ css: ".dock-lanes" });
      await page.see({ css: "#st-rows" });
      await page.gone({ css: "#res-body" });
      await page.press("Escape");
      await page.see({ css: "#res-body" });
      await page.tab.resize(390, 844);
      await page.touch({ css: ".tabs button", name: "Levers" });
      await page.see({ css: "#panel-levers" });
      await page.see({ css: ".tabs button" }, "Console");
      await page.touch({ css: "#panel-levers .menu-close" });
      await page.gone({ css: "#panel-levers" });
    },
  },
  {
    name: "clipboard: a request is copied",
    long: true,
    async run({ page }) {
      await page.open();
      await page.evaluate(() => {
        // What is on the clipboard cannot be read by every driver: what is put there can.
        window.copied = "";
        const { clipboard } = navigator;
        if (clipboard) clipboard.writeText = async (text) => void (window.copied = text);
        else document.addEventListener("copy",
          () => (window.copied = String(document.activeElement.value ?? getSelection())));
      });
      await page.click({ css: ".lesson-http button", name: /Copy/ });
      await page.until("it was copied", () => /^(GET|POST) \//.test(window.copied));
    },
  },
  {
    name: "colours and lasting choices: the theme is kept",
    long: true,
    async run({ page }) {
      await page.open();
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await ground();
      await page.click({ css: "#theme" });
      await page.until("the theme is dark", () => document.documentElement.dataset.theme === "dark");
      assert.notEqual(await ground(), light);
      await page.reload();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    },
  },
];
