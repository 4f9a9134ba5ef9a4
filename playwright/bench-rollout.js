// Measures how soon the real controllers are of use in the page, in Chromium, whose cache is warm:
//
//   TABERNETES_DIST=SITE node playwright/bench-rollout.js [--rounds 5]
//
// The site has to have the programs (make bench-controlplane builds one). Each round is a visit to a cluster without
// nodes: how long from switching the programs on until a Pod that waits for them runs, and how long a rollout of three
// replicas to another image takes, until the Deployment says that all are of that image and available.
import { parseArgs } from "node:util";
import { DEPLOYMENTS, deployment } from "./deployment.js";
import { findEngine } from "./engines/engines.js";
import { Page } from "./engines/page.js";
import { median } from "./median.js";
import { startServer } from "./server.js";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });

const found = await findEngine("chromium");
if (!found) throw new Error("Chromium is not here, and cannot be installed");
const server = await startServer();
const engine = await found.launch();
try {
  const tab = await (await engine.profile()).tab();
  const page = new Page(tab, server.url);
  const first = [], rollouts = [];
  for (let round = 0; round <= Number(values.rounds); round++) {
    const name = `web-${round}`;
    await page.open();
    await page.fetch(DEPLOYMENTS, "POST", deployment(name, 3));
    let start = Date.now();
    await page.evaluate(() => void document.getElementById("control-plane")?.click());
    await page.poll("a Pod runs", async () =>
      (await page.fetch("/api/v1/namespaces/default/pods")).body.items.some(({ metadata, status }) =>
        metadata.name.startsWith(name) && status.phase === "Running"));
    const took = Date.now() - start;
    const path = `${DEPLOYMENTS}/${name}`;
    const complete = async () => {
      const { spec, metadata, status } = (await page.fetch(path)).body;
      return status.observedGeneration === metadata.generation && status.updatedReplicas === spec.replicas &&
        status.replicas === spec.replicas && status.availableReplicas === spec.replicas;
    };
    await page.poll("it is complete", complete);
    start = Date.now();
    await page.fetch(path, "PATCH",
      { spec: { template: { spec: { containers: [{ name: "c", image: "i:2" }] } } } },
      { "Content-Type": "application/strategic-merge-patch+json" });
    await page.poll("the rollout is complete", complete);
    const rolled = Date.now() - start;
    console.log(`${round ? `round ${round}` : "cold"}: the first Pod runs after ${seconds(took)}, ` +
      `a rollout took ${seconds(rolled)}`);
    if (round) {
      first.push(took);
      rollouts.push(rolled);
    }
    await page.evaluate(() => void document.getElementById("control-plane")?.click());
    await page.fetch(path, "DELETE");
    await page.fetch("/api/v1/nodes", "DELETE");
  }
  console.log(`medians: ${seconds(median(first))}, ${seconds(median(rollouts))}`);
} finally {
  await engine.close();
  await server.stop();
}

function seconds(/** @type {number} */ ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
