// @ts-check
/**
 * The cluster of a page: in memory, in a worker, with a client for each snippet's frame. It keeps nothing and asks for
 * no storage, which a frame of another site's page may not have.
 */
import { start } from "../npm/cluster.js";
import { fileURL } from "../browser/files.js";
import { freeLocks } from "../shim/ownership.js";
import { fetchProgram, loadProgram } from "../shim/program.js";
import { ask } from "./ask.js";
import { parse } from "./http.js";

/**
 * @param {string[]} setup blocks of requests that it is sent at first
 * @param {(loaded: number) => void} progress in bytes
 */
export async function openCluster(setup, progress) {
  const open = (/** @type {string} */ url, plain = false) =>
    fetchProgram(fetch, url, !plain, fileURL("unlzma.js"));
  /** @type {Worker} */
  let worker;
  const cluster = await start({ cluster: "" }, () => Promise.reject(new Error("there is one cluster")), {
    module: loadProgram(open, fileURL("tabernetes.wasm"), progress),
    createWorker: () => (worker = new Worker(fileURL("worker.js"))),
    wasmExec: fileURL("wasm_exec.js"),
    locks: freeLocks,
    listen: () => Promise.reject(new Error("a page cannot listen")),
    close() {},
  });
  const prepare = async () => {
    for (const request of setup.flatMap(parse)) {
      for (let index = 1; index <= request.repeat; index++) {
        const { response } = await ask(cluster.fetch, request, index, () => null);
        const text = await response.text();
        if (!response.ok) throw new Error(`The page's setup failed: ${request.method} ${request.target}: ${text}`);
      }
    }
  };
  await prepare();
  return {
    fetch: cluster.fetch,
    /** @param {MessagePort} port */
    connect: (port) => worker.postMessage({ type: "connect", port }, [port]),
    async reset() {
      await cluster.levers.reset();
      await prepare();
    },
  };
}
