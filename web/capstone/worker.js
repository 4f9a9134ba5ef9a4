// @ts-check
/**
 * The judge's worker in a page: plays one run after another, each with a cluster of its own in this very worker. The
 * learner's code is elsewhere, at the other end of a port. See README.md.
 *
 * @import { Go } from "./cluster.js"
 * @import { Result } from "./world.js"
 */
import { startCluster } from "./cluster.js";
import { play } from "./play.js";
import { PortClient } from "./portclient.js";

/**
 * A run to play. The port leads to a new sandbox; the answer, of the same id, is the last that is done with it.
 *
 * @typedef {object} Order
 * @property {number} id
 * @property {number} level
 * @property {string} seed
 * @property {string} code
 * @property {MessagePort} port
 * @property {WebAssembly.Module} module tabernetes.wasm, compiled
 * @property {string} wasmExec the URL of wasm_exec.js
 */

/**
 * A result; or why there is none: the code cannot be imported, or the judge has failed.
 *
 * @typedef {{id: number, result: Result | null, problem: string}} Reply
 */

const scope = /** @type {any} */ (self);

/** @param {Order} order @returns {Promise<Reply>} */
async function serve({ id, level, seed, code, port, module, wasmExec }) {
  const client = new PortClient(port);
  try {
    if (!scope.Go) await import(wasmExec);
    await client.load(code, seed);
    /** @type {new () => Go} */ const Go = scope.Go;
    return { id, result: await play({ newCluster: (seed) => startCluster({ Go, module, seed }), client, level, seed }), problem: "" };
  } catch (error) {
    return { id, result: null, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    client.close();
  }
}

/** Runs take turns: two clusters at a time would take the memory of two. */
let last = Promise.resolve();
scope.onmessage = (/** @type {MessageEvent<Order>} */ { data }) => {
  last = last.then(async () => scope.postMessage(await serve(data)));
};
