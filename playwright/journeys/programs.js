// The real controllers, the scheduler and nodes, in a site that has them: make test-controlplane builds it.
import assert from "node:assert/strict";
import { DEPLOYMENTS, deployment } from "../deployment.js";
import { at } from "./present.js";
import { switchOn } from "./parts.js";

const PODS = "/api/v1/namespaces/default/pods";

/** @param {number} n how many Pods are ready */
const ready = (page, n) => page.poll(`${n} Pods are ready`, async () =>
  (await page.fetch(`${DEPLOYMENTS}/web`)).body.status?.readyReplicas === n);

/** Switches the programs on, and has them run two Pods. @param {import("../engines/page.js").Page} page */
async function begin(page) {
  await page.open();
  await switchOn(page);
  await page.fetch(DEPLOYMENTS, "POST", deployment("web", 2));
  await ready(page, 2);
}

/** Pulls a lever of a program by its key: the page presses another button then, so that a click seems to miss. */
async function pull(page, program, name) {
  await page.levers();
  await page.evaluate((program, name) => {
    const buttons = [...document.querySelectorAll(`#control-plane-programs [aria-label="${program}"] button`)];
    buttons.find((button) => button.textContent === name).focus();
  }, program, name);
  await page.press("Enter");
  await page.press("Escape");
}

/** The scenes with programs in the order of the menu: how many steps, and what the last one says. */
const SCENES = [
  ["A rollout", 4, /A new ReplicaSet has its Pod at \d+/],
  ["Level, not edge", 5, /There are 2: a controller compares/],
  ["A namespace that hangs", 4, /old went at \d+/],
  ["A disruption budget", 4, /201: the Pod goes/],
  ["blockOwnerDeletion", 3, /then boss may go, at \d+, though b is still there/],
  ["A node fails", 4, /A new Pod, .*: it runs on node-\d/],
  ["A Job that backs off", 2, /It failed too: BackoffLimitExceeded/],
  ["A node falls silent", 6, /Its kubelet ends the Pod: it is gone at \d+/],
  ["The leader ends", 3, /page-2 has taken it over, and makes the second Pod at \d+/],
  ["Two leaders", 6, /Both are Ready: where a controller wrote False/],
  ["A stale ReplicaSet controller", 5, /its status says 3: it has read what it wrote/],
  ["A stale controller, without the check", 5, /It sees 5, wants 3, and deletes two/],
];

/** What the presenter says. @param {import("../engines/page.js").Page} page */
const said = (page) => page.text({ css: "#present-text" });

/**
 * Plays a scene whose first step is done to its end.
 *
 * @param {import("../engines/page.js").Page} page
 * @param {() => Promise<void>} next leads to the next step
 */
async function play(page, [title, steps, last], next) {
  for (let step = 1; ; step++) {
    await at(page, title, step);
    assert.doesNotMatch(await said(page), /\{\{|undefined|did not|could not/, `${title}, step ${step}`);
    if (step === steps) break;
    await next();
  }
  assert.match(await said(page), last, title);
  await page.see({ css: "#st-rows > .is-written" }, "kube-scheduler"); // the programs have rows
}

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "control plane: each scene with programs, one after another, by keyboard alone",
    tab: "its programs run in the tab",
    troubles: /deprecated/,
    async run({ page, engine }) {
      await page.open();
      await page.press("p");
      await page.see({ css: "#panel-present" });
      await page.press("/");
      await page.tab.type("scene rollout");
      await page.press("Enter");
      for (const scene of SCENES) {
        const begin = Date.now();
        await play(page, scene, () => page.press(" "));
        console.log(`${engine}: ${scene[0]} ${((Date.now() - begin) / 1000).toFixed(1)} s`);
        if (scene !== SCENES.at(-1)) await page.press(" "); // the next scene
      }
    },
  },
  {
    name: "control plane: nodes with their Pods, why one is pending, and a scene, on a phone",
    tab: "its programs run in the tab",
    troubles: /deprecated/,
    async run({ page, engine }) {
      await begin(page);
      await page.fetch(DEPLOYMENTS, "POST", deployment("big", 1, "1000"));
      await page.click({ css: "#tab-objects" });
      await page.click({ css: "#panel-objects label", name: "By node" });
      const tiles = (css) => page.evaluate((css) => document.querySelectorAll(css).length, css);
      await page.poll("three nodes have two Pods that run", async () =>
        (await tiles(".node")) === 3 && (await tiles(".node .pod.is-running")) === 2);
      await page.see({ css: ".node" }, /Pods ask for 0\.[12] of \d+ CPU/);
      await page.click({ css: ".nowhere .pod", name: /Pending/ });
      await page.see({ css: ".why" }, "0/3 nodes are available: 3 Insufficient cpu.");
      await page.see({ css: ".why" }, "FailedScheduling");
      await page.see({ css: ".node .pod" }); // beside it

      const width = engine === "webkit" ? 450 : 390; // MiniBrowser's window is never narrower
      await page.tab.resize(width, 844);
      await page.touch({ css: ".tabs button", name: "Objects" });
      await page.see({ css: ".node .pod" });
      const wide = () => page.evaluate(() => 
        [".by-node", "html"].map((css) => document.querySelector(css).scrollWidth));
      assert.ok((await wide()).every((w) => w <= width), `${await wide()} of ${width} pixels`);
      await page.touch({ css: ".nowhere .pod", name: /Pending/ });
      await page.see({ css: "#objects .why" }, "FailedScheduling");
      await page.touch({ css: "#object-back" });
      await page.see({ css: ".node .pod" });

      await page.touch({ css: "button", name: "Search, room, help and more" });
      await page.touch({ css: "button", name: "Scenes" });
      await page.touch({ css: "#panel-scenes button", name: /^A rollout/ });
      await play(page, SCENES[0], () => page.touch({ css: "#panel-present [data-do=next]" }));
      assert.ok((await wide()).every((w) => w <= width), `${await wide()} of ${width} pixels`);
    },
  },
  {
    name: "control plane: a rollout is read from its chain",
    tab: "its programs run in the tab",
    async run({ page }) {
      await begin(page);
      await page.see({ css: "#st-rows > .is-written" }, "kube-controller-manager");
      await page.click({ css: "#st-rows button", name: /kube-controller-manager/ });
      await page.see({ css: "#st-rows > .is-written" }, "replicaset");
      const [pod] = (await page.fetch(PODS)).body.items;
      await page.click({ css: "#st-bar button", name: "Table" });
      await page.until("its revision is in the table", (revision) => {
        const shown = [...document.querySelectorAll('[data-action="st-select"]')];
        const at = shown.find((el) => el.dataset.rev === revision);
        at?.click();
        return Boolean(at);
      }, pod.metadata.resourceVersion);
      await page.see({ css: "#panel-answer" }, /One after another/);
      const said = await page.text({ css: "#panel-answer" });
      assert.match(said, /ReplicaSet → \d+ Pod → \d+ Pod bound → .*Pod status/);
    },
  },
  {
    name: "control plane: a controller is paused, the cluster changed, the controller let go",
    tab: "its programs run in the tab",
    async run({ page }) {
      await begin(page);
      await pull(page, "kube-controller-manager", "Pause");
      await page.see({ css: "#st-rows > .is-written" }, /kube-controller-manager.*paused/);
      await page.fetch(`${DEPLOYMENTS}/web/scale`, "PATCH", { spec: { replicas: 3 } },
        { "Content-Type": "application/merge-patch+json" });
      await page.fetch(`${PODS}/${(await page.fetch(PODS)).body.items[0].metadata.name}`, "PATCH",
        { metadata: { labels: { app: "other" } } }, { "Content-Type": "application/merge-patch+json" });
      assert.equal((await page.fetch(PODS)).body.items.length, 2, "nobody makes Pods");
      await pull(page, "kube-controller-manager", "Pause");
      await ready(page, 3);
      assert.equal((await page.fetch(PODS)).body.items.length, 4, "three of web, and the one that was let go");
    },
  },
];
