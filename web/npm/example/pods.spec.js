// An example: a small controller is tested against an API server, with vitest.
import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";
import { createCluster } from "tabernetes";
import { afterEach, beforeEach, expect, test } from "vitest";

/** @type {import("tabernetes").Cluster} */ let cluster;
/** @type {CoreV1Api} */ let api;
/** @type {KubeConfig} */ let config;

beforeEach(async () => {
  cluster = await createCluster({ seed: 1 });
  const { url } = await cluster.listen();
  config = new KubeConfig();
  config.loadFromOptions({ clusters: [{ name: "test", server: url, skipTLSVerify: true }], users: [{ name: "me" }],
    contexts: [{ name: "test", cluster: "test", user: "me" }], currentContext: "test" });
  api = config.makeApiClient(CoreV1Api);
});
afterEach(() => cluster.close());

/** What is tested: it gives every ConfigMap a label. */
function labeller() {
  const list = () => api.listNamespacedConfigMap({ namespace: "default" });
  const informer = makeInformer(config, "/api/v1/namespaces/default/configmaps", list);
  const label = async ({ metadata: { name, labels } }) => {
    if (labels?.seen) return;
    await api.patchNamespacedConfigMap({ name, namespace: "default",
      body: [{ op: "add", path: "/metadata/labels", value: { seen: "yes" } }] });
  };
  informer.on("add", label);
  informer.on("update", label);
  informer.on("error", () => setTimeout(() => informer.start()));
  return informer;
}

const create = (name) => api.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name } } });
const labelOf = async (name) =>
  (await api.readNamespacedConfigMap({ name, namespace: "default" })).metadata.labels?.seen;

test("new objects are labelled", async () => {
  const informer = labeller();
  await informer.start();
  await create("a");
  await expect.poll(() => labelOf("a")).toBe("yes");
  await informer.stop();
});

test("and those that were created while its watch was gone, and its history too", async () => {
  const informer = labeller();
  await informer.start();
  await create("a");
  await expect.poll(() => labelOf("a")).toBe("yes");
  await cluster.levers.disconnect();
  await create("b");
  await cluster.levers.compact();
  await expect.poll(() => labelOf("b")).toBe("yes");
  await informer.stop();
});
