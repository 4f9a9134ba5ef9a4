// What people do with a Deployment, by the requests of kubectl, while the control plane's programs run in the page. The
// site has to have them: TABERNETES_CONTROLPLANE.
import assert from "node:assert/strict";
import { switchOn } from "./parts.js";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const WEB = `${DEPLOYMENTS}/web`;
const PODS = "/api/v1/namespaces/default/pods";
const MERGE = { "Content-Type": "application/merge-patch+json" };
const STRATEGIC = { "Content-Type": "application/strategic-merge-patch+json" };

const web = {
  metadata: { name: "web" },
  spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "c", image: "nginx:1" }] } } },
};

/**
 * A request that has to succeed.
 *
 * @param {import("../engines/page.js").Page} page
 * @param {Parameters<typeof page.fetch>} how
 */
async function ask(page, ...how) {
  const { status, text, body } = await page.fetch(...how);
  assert.ok(status < 300, `${how[1] ?? "GET"} ${how[0]}: ${status} ${text}`);
  return body;
}

/**
 * Waits as rollout status does, until so many Pods of an image run and no other, none of which is being deleted, and
 * says how long it took: a status may be of before that.
 */
async function rolledOut(page, replicas, image) {
  const begin = Date.now();
  await page.poll(`${replicas} Pods of ${image} run`, async () => {
    const { metadata, spec, status } = await ask(page, WEB);
    const { items } = await ask(page, PODS);
    return spec.replicas === replicas && status.observedGeneration >= metadata.generation &&
      [status.replicas, status.updatedReplicas, status.availableReplicas].every((n) => n === replicas) &&
      items.length === replicas && items.every((pod) => pod.status.phase === "Running" &&
        !pod.metadata.deletionTimestamp && pod.spec.containers[0].image === image);
  });
  return Date.now() - begin;
}

const setImage = (page, image) => ask(page, WEB, "PATCH",
  { spec: { template: { spec: { containers: [{ name: "c", image }] } } } }, STRATEGIC);

const revision = (object) => object.metadata.annotations["deployment.kubernetes.io/revision"];

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "control plane: a Deployment is created, scaled, rolled, undone, exposed, drained and deleted",
    tab: "the programs run beside the tab's cluster",
    troubles: /deprecated/,
    async run({ page, engine }) {
      await page.open();
      // Said at once, so that it is known of one that does not end, too.
      const say = async (what, took) => console.log(`${engine}: ${what} ${((await took) / 1000).toFixed(1)} s`);
      await say("switched on", switchOn(page));
      await ask(page, DEPLOYMENTS, "POST", web);
      await say("created", rolledOut(page, 3, "nginx:1"));
      await ask(page, `${WEB}/scale`, "PATCH", { spec: { replicas: 5 } }, MERGE);
      await say("scaled", rolledOut(page, 5, "nginx:1"));
      await setImage(page, "nginx:2");
      await say("rolled", rolledOut(page, 5, "nginx:2"));

      const { items } = await ask(page, "/apis/apps/v1/namespaces/default/replicasets");
      const { template } = items.find((set) => revision(set) === "1").spec;
      delete template.metadata.labels["pod-template-hash"];
      await ask(page, WEB, "PATCH", [{ op: "replace", path: "/spec/template", value: template }],
        { "Content-Type": "application/json-patch+json" });
      await say("undone", rolledOut(page, 5, "nginx:1"));
      assert.equal(revision(await ask(page, WEB)), "3");

      await ask(page, "/api/v1/namespaces/default/services", "POST",
        { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } });
      await page.poll("the Service has five endpoints", async () =>
        (await ask(page, "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices")).items.some(({ endpoints }) =>
          endpoints?.length === 5 && endpoints.every(({ conditions }) => conditions.ready)));

      const [{ spec: { nodeName } }] = (await ask(page, PODS)).items;
      await ask(page, `/api/v1/nodes/${nodeName}`, "PATCH", { spec: { unschedulable: true } }, MERGE);
      for (const pod of (await ask(page, PODS)).items.filter(({ spec }) => spec.nodeName === nodeName)) {
        await ask(page, `${PODS}/${pod.metadata.name}/eviction`, "POST", { apiVersion: "policy/v1", kind: "Eviction",
          metadata: { name: pod.metadata.name } });
      }
      await say("drained", rolledOut(page, 5, "nginx:1"));
      assert.ok((await ask(page, PODS)).items.every(({ spec }) => spec.nodeName !== nodeName));

      await setImage(page, "nginx:3");
      await page.reload(); // in the middle of it
      await say("rolled while the page is reloaded", rolledOut(page, 5, "nginx:3"));

      await ask(page, WEB, "DELETE", { propagationPolicy: "Background" });
      await page.poll("nothing of it is left", async () => (await ask(page, PODS)).items.length === 0 &&
        (await ask(page, "/apis/apps/v1/namespaces/default/replicasets")).items.length === 0);
    },
  },
];
