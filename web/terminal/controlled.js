// @ts-check
/**
 * Whether controllers and nodes work in the cluster that the page speaks with. The tab's is asked of the page, which
 * runs them there; of another one its server says who has the controllers' Lease, and whether there is a Node.
 *
 * @import { Tabernetes } from "../shim/tabernetes"
 */
import { isOn } from "../browser/controlplane.js";

/** A list, which is found also without one: a browser reports an object that is missing as an error. */
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases" +
  "?fieldSelector=metadata.name%3Dkube-controller-manager";
const NODES = "/api/v1/nodes?limit=1";

/** @param {Pick<Tabernetes, "target" | "fetch">} tabernetes @returns {boolean | Promise<boolean>} */
export function controlled(tabernetes, now = Date.now) {
  const { target } = tabernetes;
  if (target === "tab") return isOn();
  const get = async (/** @type {string} */ path) => {
    const response = await tabernetes.fetch(path, { tabernetes: { quiet: true, target } });
    return response.ok ? response.json() : {};
  };
  return Promise.all([get(LEASES), get(NODES)]).then(([leases, { items: nodes }]) => {
    const lease = leases.items?.[0]?.spec;
    return Boolean(lease?.holderIdentity && nodes?.length) &&
      Date.parse(lease.renewTime) + lease.leaseDurationSeconds * 1000 > now();
  }, () => false);
}
