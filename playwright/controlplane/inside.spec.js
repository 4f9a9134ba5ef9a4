// What the programs say of their work, in the Client panel: their work queues, and what they have logged last.
import { expect, test } from "../fixtures.js";
import { begin, deployment, DEPLOYMENTS, ready, scale } from "./begin.js";

test.use({ tolerated: [/deprecated/] });

test("work queues, and what each controller has logged last", { tag: "@long" }, async ({ lab, page }) => {
  await begin(lab, page);
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 2) });
  await expect.poll(() => ready(lab, "web")).toBe(2);
  await lab.showTab("Client");
  const parts = page.locator("#control-plane-inside section");
  await expect(parts.locator("h4")).toHaveText(["kube-controller-manager", "kube-scheduler", "kubelets"]);
  const manager = page.getByRole("region", { name: "kube-controller-manager" });

  /** What a queue has counted: what waits in it, what was added, and what was added again. */
  const queue = async (name) => {
    const row = manager.getByRole("row").filter({ has: page.getByRole("cell", { name, exact: true }) });
    const cells = await row.getByRole("cell").allTextContents();
    return cells.slice(1).map(Number);
  };
  await expect.poll(() => queue("replicaset").then(([, added]) => added)).toBeGreaterThan(0);
  const [, before, retries] = await queue("deployment");
  expect(before).toBeGreaterThan(0);
  expect(retries).toBeGreaterThanOrEqual(0);
  await expect(manager).toContainText("other queues have had nothing.");

  // As usual a controller that works says nothing; with -v=2 the one of ReplicaSets says what it has decided.
  const last = manager.getByRole("row").filter({ hasText: "replicaset-controller" });
  await expect(last.filter({ hasText: "Too few replicas" })).toHaveCount(0);
  await manager.getByLabel("Logs").selectOption({ label: "decisions (-v=2)" });
  await scale(lab, "web", 3);
  await expect(last).toContainText(/\d\d:\d\d:\d\d.*Too few replicas/);
  await expect.poll(() => queue("deployment").then(([, added]) => added)).toBeGreaterThan(before);
  await expect.poll(() => ready(lab, "web")).toBe(3);
});
