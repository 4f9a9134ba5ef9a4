// The levers, the choice of the cluster, and what several panels have in common.
import { test, expect, ownServerTest } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

test("reset makes a fresh cluster, and every panel follows", async ({ lab, page }) => {
  await lab.open();
  const uid = (await lab.fetch("/api/v1/namespaces/default")).body.metadata.uid;
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("before") });
  const timeline = new Timeline(page);
  await timeline.watch(configMaps);
  await expect(timeline.lane("w1")).toHaveCount(1);
  await lab.showTab("Objects");
  await expect(lab.objects.getByRole("row", { name: /^configmaps 6$/ })).toBeVisible();
  await lab.openMenu("Levers");
  await page.getByRole("button", { name: "Reset the cluster", exact: true }).click();
  await page.getByRole("button", { name: "Press again to delete all objects" }).click();
  await expect.poll(async () => (await lab.fetch("/api/v1/namespaces/default")).body?.metadata?.uid).not.toBe(uid);
  await page.keyboard.press("Escape");
  expect((await lab.fetch(configMaps + "/before")).status).toBe(404);
  await expect(timeline.lane("w1")).toHaveCount(0);
  await expect(lab.objects.getByRole("row", { name: /^configmaps 5$/ })).toBeVisible();
  // The ruler counts again.
  await lab.settled();
  const head = Number((await lab.fetch("/api/v1/namespaces")).body.metadata.resourceVersion);
  await expect.poll(() => timeline.revision()).toBe(head);
  await page.reload();
  await lab.ready();
  expect((await lab.fetch(configMaps + "/before")).status).toBe(404);
});

test("the levers' settings change what the server does", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.openMenu("Levers");
  const bookmarks = page.getByLabel(/bookmark every/);
  await expect(bookmarks).not.toHaveValue("");
  await bookmarks.fill("1");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await expect(page.getByText(/^Set: keep history for \d+ s, bookmark every 1 s\.$/).first()).toBeVisible();
  await page.keyboard.press("Escape");
  const type = await page.evaluate(async (path) => {
    const abort = new AbortController();
    const r = await fetch(path + "?watch=1&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnone",
      { signal: abort.signal });
    const { value } = await r.body.pipeThrough(new TextDecoderStream()).getReader().read();
    abort.abort();
    return JSON.parse(value).type;
  }, configMaps);
  expect(type).toBe("BOOKMARK");
});

// The one place where requests are meant to leave the page.
ownServerTest("a switch points the lab at the devserver's cluster, and back",
  { tag: "@long" }, async ({ lab, page, server }) => {
  await lab.open();
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("in-the-tab") });
  expect(await server.apiRequests()).toBe(0);
  await page.getByRole("radio", { name: "devserver" }).check();
  await lab.request("POST", configMaps, '{"metadata": {"name": "on-the-server"}}');
  await expect(lab.response).toContainText("201");
  expect(await server.apiRequests()).toBeGreaterThan(0);
  const there = await (await fetch(server.url + configMaps)).json();
  expect(there.items.map((o) => o.metadata.name)).toContain("on-the-server");
  expect(there.items.map((o) => o.metadata.name)).not.toContain("in-the-tab");

  await page.getByRole("radio", { name: "in this tab" }).check();
  const names = async () => (await lab.fetch(configMaps)).body.items.map((o) => o.metadata.name);
  await expect.poll(names).toContain("in-the-tab");
  expect(await names()).not.toContain("on-the-server");
});

test("an object tells who manages its fields, folded until asked", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const demo = "/api/v1/namespaces/default/configmaps/demo";
  await lab.apply("demo", "me", { colour: "green", speed: "slow" });
  await lab.apply("demo", "you", { colour: "green" });
  await lab.request("GET", demo);
  const managers = /^2 managers: (me, you|you, me)$/; // in the order of their last writes, to the second
  const fold = lab.answer.getByRole("button", { name: managers });
  await expect(fold).toHaveAttribute("aria-expanded", "false");
  await expect(lab.answer).not.toContainText("fieldsV1");
  await fold.click();
  await expect(fold).toHaveAttribute("aria-expanded", "true");
  await expect(lab.answer).toContainText('"f:speed"');

  // One stop for Tab, and arrows from field to field.
  const owned = (text) => lab.answer.locator(".own").filter({ hasText: text });
  const said = (text) => owned(text).evaluate((el) => getComputedStyle(el, "::after").content);
  expect(await said('"speed"')).toBe("none");
  await owned('"colour"').focus();
  await expect.poll(() => said('"colour"')).toContain("me (Apply); you (Apply)");
  await page.keyboard.press("ArrowDown");
  await expect(owned('"speed"')).toBeFocused();
  await expect.poll(() => said('"speed"')).toMatch(/me \(Apply\)/);
  await expect.poll(() => said('"colour"')).toBe("none");
  await expect(lab.answer.locator(".own[tabindex='0']")).toHaveCount(1);
  await owned('"colour"').hover();
  await expect.poll(() => said('"colour"')).toContain("you (Apply)");

  // The object's own view unfolds with it, and folds.
  await lab.showTab("Objects");
  await lab.objects.getByRole("row", { name: /^configmaps/ }).click();
  await lab.objects.getByRole("row", { name: /demo/ }).click();
  await expect(lab.objects.getByRole("button", { name: managers })).toHaveAttribute("aria-expanded", "true");
  await lab.objects.getByRole("button", { name: managers }).click();
  await expect(fold).toHaveAttribute("aria-expanded", "false");
  await expect(lab.objects).not.toContainText("fieldsV1");
});
