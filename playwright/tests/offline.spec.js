// After one visit the page opens with the server stopped.
import { expect, ownServerTest as test } from "../fixtures.js";
import { Lab } from "../lab.js";

// The browser reports that a page does not reach its server.
test.use({ installs: true, tolerated: [/ERR_CONNECTION_REFUSED|Failed to load resource/] });

test("opens with the server stopped", async ({ lab, page, context, server }) => {
  await lab.open();
  await lab.installed();
  await lab.fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: lab.configMap("from-before") });
  await server.stop();
  await page.close();

  const later = new Lab(await context.newPage(), server.url);
  await later.open();
  await expect(later.page.getByRole("heading", { name: "Tabernetes" })).toBeVisible();
  expect((await later.fetch("/api/v1/namespaces/default/configmaps/from-before")).status).toBe(200);
  await later.request("GET", "/api/v1/namespaces");
  await expect(later.response).toContainText("200");
  await expect(later.page.getByRole("region", { name: "Lesson" }).getByRole("heading", { level: 2 })).not.toBeEmpty();
  // And again, by its own address bar.
  await later.page.reload();
  await later.ready();
});

test("its files are fetched once the page draws, which they would slow down",
  { tag: "@long" }, async ({ lab, page, context }) => {
  let release;
  const held = new Promise((go) => (release = go));
  await context.route(/lab[^/]*\.wasm/, async (route) => {
    await held;
    await route.continue();
  });
  await lab.open();
  const registered = () => page.evaluate(async () => Boolean(await navigator.serviceWorker.getRegistration()));
  expect(await registered()).toBe(false);
  release();
  await lab.installed();
  expect(await registered()).toBe(true);
});
