// The real controllers, the scheduler and nodes, in a site that has them: make test-controlplane builds it.
import assert from "node:assert/strict";
import { switchOn } from "./parts.js";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const PODS = "/api/v1/namespaces/default/pods";

const labels = { app: "web" };
const web = {
  metadata: { name: "web" },
  spec: { replicas: 2, selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i:1" }] } } },
};

/** @param {number} n how many Pods are ready */
const ready = (page, n) => page.poll(`${n} Pods are ready`, async () =>
  (await page.fetch(`${DEPLOYMENTS}/web`)).body.status?.readyReplicas === n);

/** Switches the programs on, and has them run two Pods. @param {import("../engines/page.js").Page} page */
async function begin(page) {
  await page.open();
  await switchOn(page);
  await page.fetch(DEPLOYMENTS, "POST", web);
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

/** @type {import("./parts.js").Journey[]} */
export default [
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
