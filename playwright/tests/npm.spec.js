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
    const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    const post = async (to, body) => (await again.fetch(to, { method: "POST",
      headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json();
    await post(policies, { metadata: { name: "b" }, spec: {
      validations: [{ expression: "object.metadata.name != 'b'" }],
      matchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"],
        resources: ["configmaps"] }] } } });
    await post(policies.replace("policies", "policybindings"), { metadata: { name: "b" }, spec: { policyName: "b",
      validationActions: ["Deny"] } });
    seen.rule = (await post(path, { metadata: { name: "b" } })).message;
    seen.listen = await again.listen().then(() => "it listens", (error) => error.message);
    await again.close();
    return seen;
  });
  expect(got).toEqual({
    rule: "configmaps \"b\" is forbidden: ValidatingAdmissionPolicy 'b' with binding 'b' denied request: failed " +
      "expression: object.metadata.name != 'b'",
    created: 201, forked: [200, 201, 404], kept: 200, described: true,
    second: "another page or process has the saved cluster", listen: "a page cannot listen: use fetch" });
  await host.stop();
});
