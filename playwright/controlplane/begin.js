// What specs of the control plane begin with.
import { expect } from "../fixtures.js";
import { DEPLOYMENTS, deployment } from "../deployment.js";

export { DEPLOYMENTS, deployment };

/** Switches the programs on, and waits until a Pod may run. @param {import("../lab.js").Lab} lab @param {any} page */
export async function begin(lab, page, path = "/") {
  await lab.open(path);
  const menu = await lab.openMenu("Levers");
  await menu.getByRole("button", { name: "Switch it on", exact: true }).click();
  await expect.poll(() => lab.readyNodes()).toBe(3);
  await page.keyboard.press("Escape");
}

/** How many Pods of a Deployment are ready. @param {import("../lab.js").Lab} lab @param {string} name */
export const ready = async (lab, name) => (await lab.fetch(`${DEPLOYMENTS}/${name}`)).body.status.readyReplicas ?? 0;

/** Changes how many Pods a Deployment wants. */
export const scale = (lab, name, replicas) => lab.fetch(`${DEPLOYMENTS}/${name}/scale`, { method: "PATCH",
  body: { spec: { replicas } }, headers: { "Content-Type": "application/merge-patch+json" } });
