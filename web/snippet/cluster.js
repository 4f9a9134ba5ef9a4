// @ts-check
/**
 * The cluster of a page: in memory, in a worker, with a client for each snippet's frame. It keeps nothing and asks for
 * no storage, which a frame of another site's page may not have.
 *
 * @import { CelProgress } from "../../wasm/protocol"
 */
import { start } from "../npm/cluster.js";
import { fileURL } from "../browser/files.js";
import { freeLocks } from "../shim/ownership.js";
import { fetchProgram, isKept, loadProgram } from "../shim/program.js";
import { ask } from "./ask.js";
import { parse } from "./http.js";

/**
 * Starts a cluster in a worker of this page.
 *
 * @param {(loaded: number) => void} progress in bytes
 * @param {(cel: CelProgress) => void} [cel] gets how far the evaluator of CEL is loaded
 */
export async function startHere(progress, cel) {
  /** @type {import("../shim/program.js").Open} */
  const open = (url, cache) => fetchProgram(fetch, url, !cache && !isKept(), fileURL("unlzma.js"), cache);
  /** @type {Worker[]} */
  const workers = [];
  const cluster = await start({ cluster: "" }, () => Promise.reject(new Error("there is one cluster")), {
    module: loadProgram(open, fileURL("tabernetes.wasm"), progress),
    createWorker: () => {
      const worker = new Worker(fileURL("worker.js"));
      workers.push(worker);
      if (cel) worker.addEventListener("message", ({ data }) => data?.type === "cel" && cel(data));
      return worker;
    },
    wasmExec: fileURL("wasm_exec.js"),
    locks: freeLocks,
    listen: () => Promise.reject(new Error("a page cannot listen")),
    close() {},
  });
  return { cluster, worker: workers[0] };
}

/**
 * The cluster of a page of others.
 *
 * @param {string[]} setup blocks of requests that it is sent at first
 * @param {(loaded: number) => void} progress in bytes
 */
export async function openCluster(setup, progress) {
  const { cluster, worker } = await startHere(progress);
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
