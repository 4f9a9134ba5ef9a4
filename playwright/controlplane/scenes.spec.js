// Scenes in whose clusters the real programs run, by the keyboard in the presenter.
import { expect, test } from "../fixtures.js";

test.use({ tolerated: [/deprecated|503|429/], viewport: { width: 1280, height: 720 } });

for (const [scene, last, long] of [
  ["rollout", /A new ReplicaSet has its Pod at \d+/],
  ["level", /There are 2: a controller compares/],
  ["hanging-namespace", /`?old`? went at \d+/],
  ["budget", /201: the Pod goes/],
  ["block-owner", /then boss may go, at \d+, though b is still there/],
  ["failing-node", /A new Pod, .*: it runs on node-\d/],
  ["job", /It failed too: BackoffLimitExceeded/],
  ["silent-node", /Its kubelet ends the Pod: it is gone at \d+/, "@long"],
  ["leader", /page-2 has taken it over, and makes the second Pod at \d+/, "@long"],
  ["two-leaders", /page-2. The other one works until its renew deadline/, "@long"],
  ["stale-controller", /its status says 3: it has read what it wrote/, "@long"],
  ["unchecked", /It sees 5, wants 3, and deletes two/, "@long"],
]) {
  test(`the scene ${scene}, by keyboard${long ? " @long" : ""}`, async ({ lab, page }) => {
    await lab.open(`/#scene=${scene}&present`);
    const edge = page.getByRole("region", { name: "Presenter" });
    const steps = edge.getByRole("img", { name: /^Step/ });
    const says = edge.locator("#present-text");
    await expect(steps).toHaveAccessibleName(/^Step 1 of/);
    const of = Number((await steps.getAttribute("aria-label")).split(" ").pop());
    for (let step = 1; ; step++) {
      await expect(steps).toHaveAccessibleName(`Step ${step} of ${of}`);
      await expect(edge.locator("[data-do=next]")).toHaveAttribute("aria-disabled", "false");
      const said = await says.textContent();
      expect(said).not.toMatch(/\{\{|undefined|did not|could not/);
      if (step === of) {
        expect(said).toMatch(last);
        break;
      }
      await page.keyboard.press(" ");
    }
    // The programs of the scene have rows on the stage.
    await expect(page.locator("#st-rows > .is-written").filter({ hasText: "kube-scheduler" })).toHaveCount(1);
  });
}
