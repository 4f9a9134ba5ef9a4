// @ts-check
/**
 * The package in Node: a thread for each cluster, a directory for those that are kept.
 *
 * @import { Cluster, ClusterOptions } from "./index"
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Worker as NodeWorker } from "node:worker_threads";
import { freeLocks } from "../shim/ownership.js";
import { start } from "./cluster.js";
import { hold } from "./hold.js";
import { listen } from "./listen.js";

export { StatusError } from "./cluster.js";

/** A thread, as a browser's Worker. */
class Thread {
  /** @type {((event: {data: any}) => void) | null} */ onmessage = null;
  /** @type {((event: {message: string, preventDefault: () => void}) => void) | null} */ onerror = null;

  /** @param {string} directory */
  constructor(directory) {
    this.thread = new NodeWorker(new URL("./thread.js", import.meta.url), { workerData: { directory } });
    this.thread.on("message", (data) => this.onmessage?.({ data }));
    this.thread.on("error", (error) => this.onerror?.({ message: String(error), preventDefault() {} }));
  }

  /** @param {any} m @param {any[]} [transfer] */
  postMessage(m, transfer) {
    this.thread.postMessage(m, transfer);
  }

  terminate() {
    this.thread.terminate();
  }
}

/** @type {Promise<WebAssembly.Module> | undefined} */
let module;

/** @param {ClusterOptions} [options] @returns {Promise<Cluster>} */
export async function createCluster({ persistence = "", ...options } = {}) {
  module ??= readFile(new URL("./tabernetes.wasm", import.meta.url)).then((bytes) => WebAssembly.compile(bytes));
  module.catch(() => (module = undefined));
  const directory = persistence && resolve(persistence);
  const release = directory ? hold(directory) : () => {};
  return start({ ...options, cluster: directory && "cluster" }, createCluster, {
    module,
    createWorker: () => /** @type {any} */ (new Thread(directory)),
    wasmExec: new URL("./wasm_exec.js", import.meta.url).href,
    locks: freeLocks,
    listen,
    close: release,
  });
}
