// What people do with a Deployment, by kubectl in the page's terminal, while the control plane's programs run in the
// page. The site has to have both: TABERNETES_CONTROLPLANE.
import assert from "node:assert/strict";
import { DEPLOYMENTS, deployment } from "../deployment.js";
import { installed, keeps, switchOn } from "./parts.js";
import { output, run, show } from "./terminal.js";

const WEB = `${DEPLOYMENTS}/web`;
const REPLICASETS = "/apis/apps/v1/namespaces/default/replicasets";
const PODS = "/api/v1/namespaces/default/pods";

/** @typedef {import("../engines/page.js").Page} Page */

/**
 * A request that has to succeed.
 *
 * @param {Page} page
 * @param {Parameters<typeof page.fetch>} how
 */
async function ask(page, ...how) {
  const { status, text, body } = await page.fetch(...how);
  assert.ok(status < 300, `${how[1] ?? "GET"} ${how[0]}: ${status} ${text}`);
  return body;
}

/** The images of the Pods that are not being deleted. @param {Page} page */
const images = async (page) => (await ask(page, PODS)).items.filter(({ metadata }) => !metadata.deletionTimestamp)
  .map(({ spec }) => spec.containers[0].image);

/** Waits until a rollout has come to its end: so many Pods of that image are ready, and no others are there. */
async function ends(page, replicas, image) {
  await page.poll(`${replicas} Pods of ${image} are ready`, async () => {
    const { metadata, status } = await ask(page, WEB);
    const { items } = await ask(page, PODS);
    return status.observedGeneration === metadata.generation &&
      [status.replicas, status.updatedReplicas, status.readyReplicas].every((n) => n === replicas) &&
      items.length === replicas && items.every((pod) => pod.spec.containers[0].image === image &&
        pod.status.conditions.some(({ type, status }) => type === "Ready" && status === "True"));
  });
  for (const { spec, status, metadata } of (await ask(page, REPLICASETS)).items) {
    assert.equal(status.replicas, spec.replicas, metadata.name);
  }
}

/** Changes the image of a Deployment. */
const setImage = (page, image) => ask(page, WEB, "PATCH",
  { spec: { template: { spec: { containers: [{ name: "c", image }] } } } },
  { "Content-Type": "application/strategic-merge-patch+json" });

/** Waits until a rollout is under way: Pods of both images are there. */
const halfway = (page, image) => page.poll(`some Pods are of ${image}, and some of another`, async () => {
  const all = await images(page);
  return all.includes(image) && all.some((other) => other !== image);
});

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "control plane: kubectl in the terminal creates, scales, rolls, undoes, exposes, drains and deletes",
    tab: "the programs run beside the tab's cluster",
    troubles: /deprecated/,
    async run({ page, engine }) {
      await page.open();
      // Said at once, so that it is known of one that does not end, too.
      const say = (what, took) => console.log(`${engine}: ${what} ${(took / 1000).toFixed(1)} s`);
      say("switched on", await switchOn(page));
      await show(page);
      /** A command that has to print that; nothing is said of what is missing on this cluster. */
      const kubectl = async (command, prints) => {
        assert.match(await run(page, `kubectl ${command}`), prints, command);
        assert.equal(await output(page, ".term-after"), "", command);
      };
      /** A change, and the wait for its end. */
      const roll = async (command, prints, image, replicas = 5) => {
        const begin = Date.now();
        await kubectl(command, prints);
        await kubectl("rollout status deployment/web", /deployment "web" successfully rolled out\n$/);
        say(`${command}, and rollout status:`, Date.now() - begin);
        assert.deepEqual(await images(page), Array(replicas).fill(image), command);
      };
      await roll("create deployment web --image=nginx:1 --replicas=3", /^deployment.apps\/web created\n$/, "nginx:1",
        3);
      await kubectl("get deployment web", /^NAME +READY.*\nweb +3\/3 +3 +3 /);
      await roll("scale deployment web --replicas=5", /^deployment.apps\/web scaled\n$/, "nginx:1");
      await roll("set image deployment/web nginx=nginx:2", /^deployment.apps\/web image updated\n$/, "nginx:2");
      await kubectl("rollout history deployment/web", /\n1 +<none>\n2 +<none>\n/);
      await roll("rollout undo deployment/web", /^deployment.apps\/web rolled back\n$/, "nginx:1");
      await kubectl("rollout history deployment/web", /\n2 +<none>\n3 +<none>\n/);

      await kubectl("expose deployment web --port=80", /^service\/web exposed\n$/);
      await page.poll("the Service has five endpoints", async () =>
        (await ask(page, "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices")).items.some(({ endpoints }) =>
          endpoints?.length === 5 && endpoints.every(({ conditions }) => conditions.ready)));

      await roll("drain node-1 --ignore-daemonsets",
        /^node\/node-1 cordoned\n(evicting pod default\/web-\S+\n)+(pod\/web-\S+ evicted\n)+node\/node-1 drained\n$/,
        "nginx:1");
      assert.ok((await ask(page, PODS)).items.every(({ spec }) => spec.nodeName !== "node-1"));
      await kubectl("uncordon node-1", /^node\/node-1 uncordoned\n$/);

      await kubectl("delete deployment web", /^deployment.apps "web" deleted/);
      await page.poll("nothing of it is left", async () => (await ask(page, PODS)).items.length === 0 &&
        (await ask(page, REPLICASETS)).items.length === 0);
    },
  },
  {
    name: "control plane: a rollout ends right, though the page is reloaded and the browser killed in its middle",
    tab: "the programs run beside the tab's cluster",
    troubles: /deprecated/,
    async run({ mortal }) {
      const { page, kill } = await mortal();
      await page.open();
      await switchOn(page);
      const web = deployment("web", 4);
      // Its Pods count when they have been ready for some seconds, so a rollout that is in its middle stays there.
      await ask(page, DEPLOYMENTS, "POST", { ...web, spec: { ...web.spec, minReadySeconds: 5 } });
      await ends(page, 4, "i");
      await setImage(page, "i:2");
      await halfway(page, "i:2");
      await page.reload();
      await ends(page, 4, "i:2");
      await setImage(page, "i:3");
      await halfway(page, "i:3");
      const again = await kill();
      await again.open();
      assert.equal((await ask(again, WEB)).spec.template.spec.containers[0].image, "i:3");
      await ends(again, 4, "i:3");
      assert.equal((await ask(again, REPLICASETS)).items.length, 3);
    },
  },
  {
    name: "control plane: after the first use, kubectl and the programs work without the page's server",
    tab: "the programs run beside the tab's cluster",
    troubles: /deprecated/,
    installs: true,
    async run({ page, serve }) {
      const server = await installed(page, serve);
      await switchOn(page);
      await show(page);
      assert.match(await run(page, "kubectl create deployment web --image=nginx:1"), /created/);
      await keeps(page, "/kubectl/kubectl.json");
      for (const name of ["controlplane", "terminal"]) await keeps(page, `/${name}-worker.js`);
      await server.stop();
      await page.reload();
      await show(page);
      const said = await run(page, "kubectl scale deployment web --replicas=2");
      assert.match(said, /scaled/, `${said} ${await output(page, ".term-after")}`);
      assert.match(await run(page, "kubectl rollout status deployment/web"), /successfully rolled out\n$/);
      assert.deepEqual(await images(page), ["nginx:1", "nginx:1"]);
    },
  },
];
