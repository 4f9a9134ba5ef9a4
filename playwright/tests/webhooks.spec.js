// Admission webhooks that are functions of the page.
import { test, expect } from "../fixtures.js";

test.beforeEach(async ({ lab }) => lab.open());

test("functions of the page admit, change and refuse what is written", async ({ page }) => {
  const got = await page.evaluate(async () => {
    const send = async (method, path, body) => {
      const r = await fetch(path,
        { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      const o = await r.json();
      return { status: r.status, message: o.message, labels: o.metadata.labels, warning: r.headers.get("Warning") };
    };
    const configurations = "/apis/admissionregistration.k8s.io/v1/";
    const configMaps = "/api/v1/namespaces/default/configmaps";
    const webhook = (name, url) => ({
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: { url },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
          sideEffects: "None",
          timeoutSeconds: 1,
          admissionReviewVersions: ["v1"],
          objectSelector: { matchLabels: { seen: name } },
        },
      ],
    });
    const create = (name, labels) => send("POST", configMaps, { metadata: { name, labels }, data: { k: "v" } });

    window.tabernetes.webhooks.set("https://hooks.example/label", async ({ request }) => {
      const r = await fetch("/api/v1/namespaces/" + request.namespace); // the cluster answers while it waits
      const patch = [{ op: "add", path: "/metadata/labels/namespace", value: (await r.json()).metadata.name }];
      return { allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(patch)), warnings: ["labelled"] };
    });
    window.tabernetes.webhooks.set("https://hooks.example/refuse", ({ request }) => ({
      allowed: false,
      status: { message: `${request.userInfo.username} may not`, code: 403 },
    }));
    window.tabernetes.webhooks.set("https://hooks.example/hang", () => new Promise(() => {}));
    const patch = (patchType, operations) =>
      () => ({ allowed: true, patchType, patch: btoa(JSON.stringify(operations)) });
    window.tabernetes.webhooks.set("https://hooks.example/secret",
      patch("JSONPatch", [{ op: "replace", path: "/kind", value: "Secret" }]));
    window.tabernetes.webhooks.set("https://hooks.example/nothing", patch("application/json-patch+json", []));
    const kinds = { label: "mutating", refuse: "validating", hang: "validating", absent: "validating",
      secret: "mutating", nothing: "mutating" };
    for (const [name, kind] of Object.entries(kinds)) {
      await send("POST", `${configurations}${kind}webhookconfigurations`,
        webhook(name, `https://hooks.example/${name}`));
    }
    const out = {};
    for (const name of Object.keys(kinds)) out[name] = await create(name, { seen: name });
    out.unseen = await create("unseen", {});
    return out;
  });
  expect(got.label).toMatchObject(
    { status: 201, labels: { seen: "label", namespace: "default" }, warning: '299 - "labelled"' });
  expect(got.refuse).toMatchObject(
    { status: 403, message: 'admission webhook "refuse.example.com" denied the request: admin may not' });
  // What is patched is decoded as what it says that it is, and a patch without operations changes nothing.
  expect(got.secret).toMatchObject(
    { status: 500, message: "Internal error occurred: illegal base64 data at input byte 0" });
  expect(got.nothing).toMatchObject({ status: 201, labels: { seen: "nothing" } });
  const failed = (name, why) =>
    `Internal error occurred: failed calling webhook "${name}.example.com": failed to call webhook: ` +
    `Post "https://hooks.example/${name}?timeout=1s": ${why}`;
  expect(got.hang).toMatchObject({ status: 500, message: failed("hang", "context deadline exceeded") });
  expect(got.absent).toMatchObject(
    { status: 500, message: failed("absent", "dial tcp: lookup hooks.example: no such host") });
  expect(got.unseen).toMatchObject({ status: 201 });
});

test("a function of the page converts between the versions of a resource", { tag: "@long" }, async ({ page }) => {
  const got = await page.evaluate(async () => {
    const send = async (method, path, body) => {
      const r = await fetch(path,
        { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
      const text = await r.text(); // not JSON where no resource is served
      return { status: r.status, body: text.startsWith("{") ? JSON.parse(text) : text };
    };
    const group = "example.com";
    const version = (name, field, storage) => ({ name, served: true, storage, schema: { openAPIV3Schema: {
      type: "object", properties: { [field]: { type: "string" } } } } });
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await send("POST", definitions, {
      metadata: { name: "hosts.example.com" },
      spec: { group, scope: "Namespaced", names: { plural: "hosts", kind: "Host" },
        versions: [version("v1", "hostPort", true), version("v2", "host", false)],
        conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"],
          clientConfig: { url: "https://hooks.example/convert" } } } },
    });
    const path = (v) => `/apis/${group}/${v}/namespaces/default/hosts`;
    while ((await send("GET", path("v2"))).status !== 200) { // until it is served
      await new Promise((next) => setTimeout(next, 20));
    }
    const early = await send("POST", path("v2"),
      { apiVersion: group + "/v2", kind: "Host", metadata: { name: "early" } });

    const asked = [];
    window.tabernetes.webhooks.set("https://hooks.example/convert", ({ request }) => {
      asked.push(request.desiredAPIVersion);
      return request.objects.map(({ hostPort, host, ...rest }) => ({ ...rest, apiVersion: request.desiredAPIVersion,
        ...(request.desiredAPIVersion.endsWith("v2") ? { host: hostPort } : { hostPort: host }) }));
    });
    const made = await send("POST", path("v2"),
      { apiVersion: group + "/v2", kind: "Host", metadata: { name: "a" }, host: "localhost" });
    const stored = await send("GET", path("v1") + "/a");
    const list = await send("GET", path("v2"));
    window.tabernetes.webhooks.set("https://hooks.example/convert", () => {
      throw new Error("out of order");
    });
    await send("POST", path("v1"), { apiVersion: group + "/v1", kind: "Host", metadata: { name: "b" }, hostPort: "h" });
    const failed = await send("GET", path("v2") + "/b");
    const crd = await send("GET", definitions + "/hosts.example.com");
    return { early: early.status, made: [made.status, made.body.host], stored: stored.body.hostPort,
      list: list.body.items.map((o) => [o.apiVersion, o.host]), asked: [...new Set(asked)].sort(),
      failed: [failed.status, failed.body.message], versions: crd.body.status.storedVersions };
  });
  expect(got.early).toBe(500);
  expect(got.made).toEqual([201, "localhost"]);
  expect(got.stored).toBe("localhost");
  expect(got.list).toEqual([["example.com/v2", "localhost"]]);
  expect(got.asked).toEqual(["example.com/v1", "example.com/v2"]);
  expect(got.failed[0]).toBe(500);
  expect(got.failed[1]).toContain("conversion webhook for example.com/v1, Kind=Host failed: Post " +
    '"https://hooks.example/convert?timeout=30s": ');
  expect(got.versions).toEqual(["v1"]);
});
