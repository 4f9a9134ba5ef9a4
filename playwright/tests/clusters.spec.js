// What belongs to a cluster stays with it when requests go to another one.
import { ownServerTest as test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

test("an act can be undone in its own cluster only", async ({ lab, page }) => {
  await lab.open();
  const undo = new Timeline(page).bar.getByRole("button", { name: /^Undo/ });
  await lab.fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: lab.configMap("a") });
  await lab.lever("Compact now");
  await expect(undo).toBeVisible();
  const clusters = page.getByRole("radiogroup", { name: "Cluster that requests go to" });
  await clusters.getByText("Devserver").click();
  await expect(undo).toHaveCount(0);
  await clusters.getByText("In this tab").click();
  await expect(undo).toBeVisible();
});
