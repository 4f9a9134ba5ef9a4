// Measures a large cluster in the page, with the real controllers, the real scheduler and nodes, in Chromium:
//
//   TABERNETES_DIST=SITE node playwright/bench-controlplane.js [--pods 100,300,1000] [--nodes 50] [--minutes 15]
//
// The site has to have the programs (make bench-controlplane builds one). A Deployment is scaled to each number of
// Pods; meanwhile the page is asked, each half second, for one object, and how long its main thread was busy.
import { parseArgs } from "node:util";
import { findEngine } from "./engines/engines.js";
import { memory } from "./engines/memory.js";
import { Page } from "./engines/page.js";
import { startServer } from "./server.js";

const { values } = parseArgs({ options: {
  pods: { type: "string", default: "100,300,1000" }, nodes: { type: "string", default: "50" },
  minutes: { type: "string", default: "15" },
} });

/** How many nodes the page's own programs register. */
const OWN_NODES = 3;
const NODES = "/api/v1/nodes";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const deployment = {
  metadata: { name: "web" },
  spec: { replicas: 0, selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "c", image: "i" }] } } },
};

const found = await findEngine("chromium");
if (!found) throw new Error("Chromium is not here, and cannot be installed");
const server = await startServer();
const engine = await found.launch();
let most = 0;
const watching = setInterval(() => (most = Math.max(most, memory())), 2000);
try {
  const page = new Page(await (await engine.profile()).tab(), server.url);
  await page.open();
  await page.evaluate(probe);
  const before = memory();
  await page.evaluate(() => void document.getElementById("control-plane")?.click());
  await page.until("they run", () => /They run/.test(document.getElementById("control-plane-status").textContent));
  for (let n = OWN_NODES + 1; n <= Number(values.nodes); n++) {
    await page.fetch(NODES, "POST", { metadata: { name: `node-${n}`, annotations: { "kwok.x-k8s.io/node": "" } } });
  }
  const begun = Date.now();
  const ready = ({ status }) =>
    status.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  await page.poll("all nodes are ready",
    async () => (await page.fetch(NODES)).body.items.filter(ready).length === Number(values.nodes));
  await page.fetch(DEPLOYMENTS, "POST", deployment);
  console.log(`${values.nodes} nodes: ready after ${seconds(Date.now() - begun)}; memory ${mb(memory())}, ` +
    `${mb(before)} without the programs`);
  for (const pods of values.pods.split(",").map(Number)) {
    await page.evaluate(() => bench.reset());
    most = memory();
    const start = Date.now();
    await page.fetch(DEPLOYMENTS + "/web/scale", "PATCH", { spec: { replicas: pods } },
      { "Content-Type": "application/merge-patch+json" });
    const limit = start + Number(values.minutes) * 60_000;
    let done = 0;
    while (done < pods && Date.now() < limit) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      done = (await page.fetch(DEPLOYMENTS + "/web")).body.status.availableReplicas ?? 0;
    }
    const took = Date.now() - start;
    const { longest, answers } = await page.evaluate(() => bench.read());
    const peak = most;
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    console.log(`${done} of ${pods} Pods run after ${seconds(took)}; longest task ${Math.round(longest)} ms; ` +
      `a GET took ${Math.round(answers[answers.length >> 1])} ms, ${Math.round(answers.at(-1))} ms at most; ` +
      `memory at most ${mb(peak)}, ${mb(memory())} at rest`);
  }
} finally {
  clearInterval(watching);
  await engine.close();
  await server.stop();
}

function seconds(/** @type {number} */ ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

function mb(/** @type {number} */ n) {
  return `${Math.round(n)} MB`;
}

/** What the page notes: its longest task, and how long it waits for one object. */
function probe() {
  let longest = 0;
  let answers = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: "longtask" });
  setInterval(async () => {
    const begun = performance.now();
    await fetch("/api/v1/namespaces/default", { tabernetes: { quiet: true } }).then((answer) => answer.text());
    answers.push(performance.now() - begun);
  }, 500);
  window.bench = {
    reset() {
      longest = 0;
      answers = [];
    },
    read: () => ({ longest, answers: answers.toSorted((a, b) => a - b) }),
  };
}
