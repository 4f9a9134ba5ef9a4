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
    const create = (name, labels) => send("POST", configMaps, { metadata: { name, labels } });

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
    const kinds = { label: "mutating", refuse: "validating", hang: "validating", absent: "validating" };
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
  const failed = (name, why) =>
    `Internal error occurred: failed calling webhook "${name}.example.com": failed to call webhook: ` +
    `Post "https://hooks.example/${name}?timeout=1s": ${why}`;
  expect(got.hang).toMatchObject({ status: 500, message: failed("hang", "context deadline exceeded") });
  expect(got.absent).toMatchObject(
    { status: 500, message: failed("absent", "dial tcp: lookup hooks.example: no such host") });
  expect(got.unseen).toMatchObject({ status: 201 });
});
