// @ts-check
/**
 * The package in Node: a thread for each cluster, a directory for those that are kept.
 *
 * @import { Cluster, ClusterOptions } from "./index"
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { Worker as NodeWorker } from "node:worker_threads";
import { freeLocks } from "../shim/ownership.js";
import { start } from "./cluster.js";
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

/**
 * Holds a directory for this process, and returns what lets it go.
 *
 * @param {string} directory
 */
function hold(directory) {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "lock");
  for (let again = false; ; again = true) {
    try {
      const opened = openSync(file, "wx");
      writeSync(opened, String(process.pid));
      closeSync(opened);
      return () => rmSync(file, { force: true });
    } catch (/** @type {any} */ error) {
      if (error.code !== "EEXIST" || again || lives(Number(readFileSync(file, "utf8")))) {
        const why = error.code === "EEXIST" ? "another process has it, or another cluster of this one" : error.message;
        throw new Error(`${directory}: ${why}`);
      }
      rmSync(file, { force: true }); // its process has ended without letting go
    }
  }
}

/** Whether there is a process. @param {number} id */
function lives(id) {
  try {
    return id > 0 && process.kill(id, 0);
  } catch (/** @type {any} */ error) {
    return error.code === "EPERM";
  }
}

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
