// A real manifest, applied with a click, arrives in a watch's lane.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

test("the guestbook's events are seen in a lane", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await timeline.showTables();
  await timeline.watch("/apis/apps/v1/namespaces/default/deployments");
  await expect(timeline.lane("w1")).toBeVisible();
  await lab.method.selectOption("POST");
  await lab.body.fill("what I was writing");
  await lab.sample("Guestbook");
  await expect.poll(async () => (await timeline.events()).filter((e) => /added/i.test(e.event)).length).toBe(3);
  await page.keyboard.press("Escape");

  const deployments = (await lab.fetch("/apis/apps/v1/namespaces/default/deployments")).body.items;
  const services = (await lab.fetch("/api/v1/namespaces/default/services")).body.items;
  expect(deployments.map((d) => d.metadata.name)).toEqual(["frontend", "redis-follower", "redis-leader"]);
  expect(services.map((s) => s.metadata.name)).toEqual(
    expect.arrayContaining(["frontend", "redis-follower", "redis-leader"]));
  const events = (await timeline.events()).filter((e) => /added/i.test(e.event)); // and a bookmark before them
  expect(events.map((e) => e.revision)).toEqual(
    deployments.map((d) => Number(d.metadata.resourceVersion)).sort((a, b) => a - b));

  // What was being written is left alone; what the manifest made is reported, and is among the requests.
  await expect(lab.body).toHaveValue("what I was writing");
  await expect(lab.response).toContainText("6 of 6");
  await expect(lab.requests).toContainText("POST");
  await expect(lab.requests).toContainText("/apis/apps/v1/namespaces/default/deployments");
  // Applying it again changes nothing, and says so without an error.
  await lab.sample("Guestbook");
  await expect(lab.requests).toContainText("409");
  await expect(lab.response).toContainText("6 of 6");
  await expect.poll(async () =>
    (await lab.fetch("/apis/apps/v1/namespaces/default/deployments")).body.items.map((d) => d.metadata.resourceVersion))
      .toEqual(deployments.map((d) => d.metadata.resourceVersion));
});
