// @ts-check
/**
 * The worker in which the judge runs, with a separate cluster for each run: begun by page.js for one series of seeds.
 * The build puts Go's wasm_exec.js before it: devserver/internal/site/bundle.go.
 *
 * @import { Result } from "./world.js"
 */
import { startCluster } from "./cluster.js";
import { play } from "./play.js";
import { PortClient } from "./portclient.js";
import { LEVEL } from "./controller-plan.js";

/**
 * @typedef {{run: number, module: WebAssembly.Module, code: string, level: number, seed: number}} Order
 */
/** @typedef {{run: number, result?: Result, error?: string}} Report */

const scope = /** @type {any} */ (globalThis);

scope.onmessage = async (/** @type {MessageEvent<Order>} */ event) => {
  const { data: { run, module, code, level, seed }, ports: [port] } = event;
  /** @type {Report} */
  let report;
  const client = new PortClient(port);
  try {
    await client.load(code, seed, level === LEVEL ? "reconcile" : "reflect");
    const newCluster = (/** @type {number | string} */ name) => startCluster({ Go: scope.Go, module, seed: name });
    report = { run, result: await play({ newCluster, client, level, seed }) };
  } catch (error) {
    report = { run, error: error instanceof Error ? error.message : String(error) };
  }
  client.close();
  scope.postMessage(report);
};
