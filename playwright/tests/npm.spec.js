// The package for npm in a browser: plain scripts, without the page.
import { test, expect } from "@playwright/test";
import { startPlainHost } from "../plainhost.js";

test("a cluster in a page of one's own", async ({ page }) => {
  const host = await startPlainHost({ dist: process.env.TABERNETES_NPM ?? "dist/npm" });
  await page.route("**/page", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><p>mine" }));
  await page.goto(host.url + "/page");
  const got = await page.evaluate(async () => {
    const { createCluster } = await import(new URL("/browser.js", location.href).href);
    const path = "/api/v1/namespaces/default/configmaps";
    const create = async (cluster, name) => (await cluster.fetch(path, { method: "POST",
      headers: { "Content-Type": "application/json" }, body: JSON.stringify({ metadata: { name } }) })).status;
    const has = async (cluster, name) => (await cluster.fetch(`${path}/${name}`)).status;
    const seen = {};
    const cluster = await createCluster({ persistence: "mine" });
    seen.created = await create(cluster, "a");
    const fork = await cluster.fork();
    seen.forked = [await has(fork, "a"), await create(fork, "b"), await has(cluster, "b")];
    await fork.close();
    await cluster.close();
    const again = await createCluster({ persistence: "mine" });
    seen.kept = await has(again, "a");
    seen.second = await createCluster({ persistence: "mine" }).then(() => "it was opened", (error) => error.message);
    seen.described = (await (await again.fetch("/openapi/v3/api/v1")).text()).includes('"description"');
    seen.listen = await again.listen().then(() => "it listens", (error) => error.message);
    await again.close();
    return seen;
  });
  expect(got).toEqual({ created: 201, forked: [200, 201, 404], kept: 200, described: true,
    second: "another page or process has the saved cluster", listen: "a page cannot listen: use fetch" });
  await host.stop();
});
