// @ts-check
/**
 * The package in browsers: a worker for each cluster, the private file system or IndexedDB for those that are kept.
 *
 * @import { Cluster, ClusterOptions } from "./index"
 */
import { loadProgram } from "../shim/program.js";
import { start } from "./cluster.js";

export { StatusError } from "./cluster.js";

/** @type {Promise<WebAssembly.Module> | undefined} */
let module;

/** Grants every lock: a cluster in memory is its own. */
const free = /** @type {any} */ ({
  request: (/** @type {string} */ _name, /** @type {object} */ _options, /** @type {() => unknown} */ held) => held(),
  query: async () => ({ held: [] }),
});

/** @param {ClusterOptions} [options] @returns {Promise<Cluster>} */
export async function createCluster({ persistence = "", ...options } = {}) {
  module ??= loadProgram((url) => fetch(url), new URL("./tabernetes.wasm", import.meta.url).href);
  module.catch(() => (module = undefined));
  return start({ ...options, cluster: persistence }, createCluster, {
    module,
    createWorker: () => new Worker(new URL("./worker.js", import.meta.url)),
    wasmExec: new URL("./wasm_exec.js", import.meta.url).href,
    locks: persistence ? navigator.locks : free,
    listen: () => Promise.reject(new Error("a page cannot listen: use fetch")),
    close() {},
  });
}
