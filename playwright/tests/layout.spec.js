// What can be seen at once, and pictures of it.
import { test, expect, results } from "../fixtures.js";
import { Timeline } from "../lab.js";

/**
 * A lab in use: a watch that came too late for what was compacted, a manifest
 * applied while another one watches, a list in pages.
 */
async function inUse(lab, page) {
  const timeline = new Timeline(page);
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const configMaps = "/api/v1/namespaces/default/configmaps";
  await timeline.watch(configMaps);
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("settings", { colour: "blue" }) });
  await expect(timeline.lane("w1")).toContainText("resumable");
  await lab.lever("Cut the watches");
  await lab.fetch(configMaps + "/settings", { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" }, body: { data: { colour: "green" } } });
  await lab.lever("Compact now");
  await timeline.lane("w1").getByRole("button", { name: /^Resume watch w1/ }).click();
  await expect(timeline.lane("w2")).toContainText("410");
  await timeline.watch(deployments);
  await lab.sample("Guestbook");
  await expect.poll(async () => (await lab.fetch(deployments)).body.items.length).toBe(3);
  await page.keyboard.press("Escape");
  await lab.fetch(deployments + "/frontend", { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" }, body: { spec: { replicas: 5 } } });
  await lab.objects.getByLabel("Resource type").selectOption({ label: "deployments" });
  await lab.request("GET", deployments + "?limit=2");
  await lab.fetch(deployments + "/redis-follower", { method: "DELETE" });
  await expect(lab.response).toContainText("200");
  await expect(timeline.lane("w3")).toContainText("resumable");
}

async function boxOf(locator) {
  const box = await locator.boundingBox();
  expect(box, String(locator)).not.toBeNull();
  return box;
}

for (const scheme of ["light", "dark"]) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });
    test(`wide, ${scheme}: console, ruler, lanes and lesson without scrolling`, async ({ lab, page }) => {
      await lab.open();
      await inUse(lab, page);
      const size = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
      expect(size).toEqual([1440, 900]);
      for (const name of ["Request", "Response", "Revisions", "Watch streams", "Lesson"]) {
        const box = await boxOf(page.getByRole("region", { name, exact: true }));
        expect.soft(box.x, name).toBeGreaterThanOrEqual(0);
        expect.soft(box.y, name).toBeGreaterThanOrEqual(0);
        expect.soft(box.x + box.width, name).toBeLessThanOrEqual(1440);
        expect.soft(box.y + box.height, name).toBeLessThanOrEqual(900);
        expect.soft(box.width, name).toBeGreaterThan(200);
        expect.soft(box.height, name).toBeGreaterThan(60);
      }
      await page.screenshot({ path: results + `wide-${scheme}.png` });
    });
  });
}

test.describe("narrow", () => {
  test.use({ viewport: { width: 360, height: 740 } });
  test("narrow: one panel at a time, the ruler pinned", async ({ lab, page }) => {
    await lab.open();
    await lab.fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: lab.configMap("seen") });
    const ruler = page.getByRole("region", { name: "Revisions" });
    for (const [tab, shown, hidden] of [
      ["Lesson", "Lesson", "Request"],
      ["Console", "Request", "Lesson"],
      ["Streams", "Watch streams", "Request"],
      ["Requests", "Requests", "Request"],
      ["Objects", "Objects", "Requests"],
    ]) {
      await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: tab }).click();
      await expect(page.getByRole("region", { name: shown, exact: true })).toBeVisible();
      await expect(page.getByRole("region", { name: hidden, exact: true })).toBeHidden();
      await expect(ruler).toBeInViewport();
      expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBeLessThanOrEqual(360);
      await page.screenshot({ path: results + `narrow-${tab.toLowerCase()}.png` });
    }
  });
});
