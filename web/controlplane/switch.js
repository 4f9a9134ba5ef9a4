// @ts-check
/**
 * The switch of the control plane, which is loaded with the page: its other scripts come once it is on.
 *
 * @import { Tabernetes } from "../shim/tabernetes"
 */
import { KEY, markOn } from "../browser/controlplane.js";
import { lateScript } from "../browser/late.js";

/** Has the control plane run as the switch says, and the page say so. @param {Tabernetes} tabernetes */
export function watchSwitch(tabernetes) {
  const load = async () => (await lateScript("controlplane.js")).controlPlane(tabernetes);
  if (markOn()) tabernetes.ready.then(load);
  addEventListener("storage", ({ key }) => void (key === KEY && markOn() && load()));
  document.addEventListener("click", async ({ target }) => {
    if (target instanceof Element && target.closest("#control-plane")) (await load()).toggle();
  });
}
