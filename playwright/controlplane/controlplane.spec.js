// The real controllers and the real scheduler in the page: make test-controlplane builds a site that has them.
import { expect, ownServerTest, test } from "../fixtures.js";
import { Lab } from "../lab.js";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const PODS = "/api/v1/namespaces/default/pods";
/** What the page says once the programs run. */
const RUNNING = "They run, with 3 nodes.";
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";

/** @param {string} name @param {number} replicas */
const deployment = (name, replicas) => ({
  apiVersion: "apps/v1", kind: "Deployment", metadata: { name },
  spec: {
    replicas, selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

/** How many Pods run. @param {Lab} lab */
const running = async (lab) =>
  (await lab.fetch(PODS)).body.items.filter((pod) => pod.status.phase === "Running" && !pod.metadata.deletionTimestamp)
    .length;

/** Presses the switch, and waits for what is said beside it. */
async function press(lab, page, name, said) {
  const menu = await lab.openMenu("Levers");
  await menu.getByRole("button", { name, exact: true }).click();
  await expect(menu.getByRole("region", { name: "Control plane" }).getByRole("status")).toHaveText(said);
  await page.keyboard.press("Escape");
}

/** Who has the manager's Lease; empty if nobody has. @param {Lab} lab */
const holder = async (lab) => (await lab.fetch(LEASE)).body.spec?.holderIdentity ?? "";

test.use({ tolerated: [/deprecated/] });

test("switched on, a Deployment gets its Pods, which run; off, nothing happens", async ({ lab, page }) => {
  await lab.open();
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 3) });
  const start = Date.now();
  await press(lab, page, "Switch it on", RUNNING);
  await expect.poll(() => running(lab)).toBe(3);
  console.log(`first Pods ${Date.now() - start} ms after the switch`);
  const scaled = Date.now();
  await lab.fetch(`${DEPLOYMENTS}/web/scale`, { method: "PATCH", body: { spec: { replicas: 5 } },
    headers: { "Content-Type": "application/merge-patch+json" } });
  await expect.poll(() => running(lab)).toBe(5);
  console.log(`scaled in ${Date.now() - scaled} ms`);
  const made = (await lab.fetch(`${PODS}?limit=1`)).body.items[0];
  expect(made.metadata.managedFields[0].manager).toBe("kube-controller-manager");
  expect(await holder(lab)).toBe("page");

  await press(lab, page, "Switch it off", "");
  await expect.poll(() => holder(lab)).toBe("");
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("late", 1) });
  await lab.fetch("/api/v1/namespaces", { method: "POST", body: { metadata: { name: "own" } } });
  // The server's own controllers work again.
  await expect.poll(async () => (await lab.fetch("/api/v1/namespaces/own/serviceaccounts/default")).status).toBe(200);
  expect((await lab.fetch(`${DEPLOYMENTS}/late`)).body.status.replicas).toBeUndefined();
});

test("after a reload they continue at once", async ({ lab, page }) => {
  await lab.open();
  await press(lab, page, "Switch it on", RUNNING);
  await expect.poll(() => holder(lab)).toBe("page");
  await page.reload();
  await lab.ready();
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 2) });
  await expect.poll(() => running(lab)).toBe(2);
});

test("with RBAC each controller has its rights", async ({ lab, page }) => {
  await lab.open();
  await lab.fetch("/apis/sandbox.tabernetes.dev/v1/controlplanes/default", { method: "PATCH",
    body: { spec: { authorization: { mode: "RBAC" } } }, headers: { "Content-Type": "application/merge-patch+json" } });
  await press(lab, page, "Switch it on", RUNNING);
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 2) });
  await expect.poll(() => running(lab)).toBe(2);
});

test("the tab that has the cluster runs them, and the next one when it is closed", async ({ lab, page, context }) => {
  await lab.open();
  await press(lab, page, "Switch it on", RUNNING);
  await expect.poll(() => holder(lab)).toBe("page");
  const second = await context.newPage();
  const other = new Lab(second, lab.url);
  await other.open();
  const menu = await other.openMenu("Levers");
  const said = menu.getByRole("region", { name: "Control plane" }).getByRole("status");
  await expect(said).toHaveText("They run in the tab that has the cluster.");
  await page.close();
  await expect(said).toHaveText(RUNNING);
  await other.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 1) });
  await expect.poll(() => running(other)).toBe(1);
});

ownServerTest.describe("without the network", () => {
  ownServerTest.use({ installs: true });

  ownServerTest("after the first use they run without the page's server", async ({ lab, page, server }) => {
    await lab.open();
    await lab.installed();
    await press(lab, page, "Switch it on", RUNNING);
    await page.waitForFunction(async () => (await Promise.all(
      (await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
    )).flat().some((url) => url.endsWith("/controlplane-worker.js")));
    await server.stop();
    await page.reload();
    await lab.ready();
      await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 1) });
    await expect.poll(() => running(lab)).toBe(1);
  });
});
