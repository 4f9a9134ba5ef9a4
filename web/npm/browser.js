// @ts-check
/**
 * The package in browsers: a worker for each cluster, the private file system or IndexedDB for those that are kept.
 *
 * @import { Cluster, ClusterOptions } from "./index"
 */
import { freeLocks } from "../shim/ownership.js";
import { loadProgram } from "../shim/program.js";
import { start } from "./cluster.js";

export { StatusError } from "./cluster.js";

/** @type {Promise<WebAssembly.Module> | undefined} */
let module;

/** @param {ClusterOptions} [options] @returns {Promise<Cluster>} */
export async function createCluster({ persistence = "", ...options } = {}) {
  module ??= loadProgram((url) => fetch(url), new URL("./tabernetes.wasm", import.meta.url).href);
  module.catch(() => (module = undefined));
  return start({ ...options, cluster: persistence }, createCluster, {
    module,
    createWorker: () => new Worker(new URL("./worker.js", import.meta.url)),
    wasmExec: new URL("./wasm_exec.js", import.meta.url).href,
    locks: persistence ? navigator.locks : freeLocks,
    listen: () => Promise.reject(new Error("a page cannot listen: use fetch")),
    close() {},
  });
}
