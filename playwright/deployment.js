// A Deployment, for specs and pictures of the control plane.

export const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

/** @param {string} name @param {number} replicas */
export const deployment = (name, replicas, cpu = "100m") => ({
  apiVersion: "apps/v1", kind: "Deployment", metadata: { name },
  spec: {
    replicas, selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }] },
    },
  },
});
