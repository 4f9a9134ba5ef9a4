// @ts-check
/**
 * The dedicated worker that holds a cluster: opens its storage, runs the Go side
 * and connects the ports of its clients. Bundled as a classic script, since
 * wasm_exec.js is one. See ../PROTOCOL.md.
 *
 * @import { Api, FromWorker, GoApi, Host, OnDamage, ToWorker } from "../protocol"
 * @import { Storage } from "./storage.js"
 */
import { Bridge } from "./bridge.js";
import { Cel } from "./cel.js";
import { ServedChannel } from "./channel.js";
import { Client } from "./client.js";
import { writeBlock } from "./headers.js";
import { Programs } from "./programs.js";
import { servePort } from "./serve.js";
import { erase, openStorage, savedLog } from "./storage.js";

/**
 * @typedef {object} GoRuntime what wasm_exec.js defines
 * @property {string[]} argv
 * @property {WebAssembly.Imports} importObject
 * @property {(code: number) => void} exit
 * @property {(instance: WebAssembly.Instance) => Promise<void>} run
 */

const scope = /** @type {DedicatedWorkerGlobalScope & {
 *   Go: new () => GoRuntime,
 *   fs: {writeSync(fd: number, bytes: Uint8Array): number},
 *   tabernetesHost: Host,
 *   tabernetesPlace?: string,
 * }} */ (/** @type {unknown} */ (self));

/**
 * How long opening the storage may take, in milliseconds. A browser that never answers must not leave the page
 * waiting.
 */
const STORAGE_PATIENCE = 30_000;

/** @type {(m: FromWorker, transfer?: Transferable[]) => void} */
const post = (m, transfer = []) => scope.postMessage(m, transfer);

/** @type {(opened: Promise<Storage>) => void} */
let open;
/** The storage, which may be asked for before it is known which one it is. @type {Promise<Storage>} */
const storage = new Promise((resolve) => (open = resolve));
/** @type {Api | null} */
let api = null;
/** Ports that came before the server was ready. @type {import("./serve.js").Port[]} */
const waiting = [];
/** Clients in other tabs, by the names of their channels. @type {Map<string, ServedChannel>} */
const channels = new Map();
/** Asks what stands in for kubelets, while that runs. @type {Client | null} */
let kubelets = null;
const programs = new Programs();
let printed = "";
/** Where the files beside this script are: in the page as one file nowhere, unless what runs before it says so. */
const place = scope.tabernetesPlace ?? scope.location?.href ?? "";
/** The evaluator of CEL, which answers only once it is needed. */
const cel = new Cel({
  base: place,
  run: async (argv, module) => {
    const go = new scope.Go();
    go.argv = argv;
    go.exit = () => {};
    await go.run(await WebAssembly.instantiate(module, go.importObject));
  },
  progress: (progress) => post({ type: "cel", ...progress }),
});
/** @type {OnDamage} */
let onDamage = "refuse";
let replica = false;
/** Whether the program has ended because the saved cluster is damaged. */
let damaged = false;

scope.onmessage = (/** @type {MessageEvent<ToWorker>} */ { data: m }) => {
  switch (m.type) {
    case "start":
      connect(m.port);
      onDamage = m.onDamage;
      replica = m.replica ?? false;
      open(Promise.race([openStorage(m.cluster, m.owner, m.store), new Promise((_, reject) =>
        setTimeout(() => reject(new Error("the browser's storage does not respond")), STORAGE_PATIENCE))]));
      storage.catch(died);
      scope.importScripts(m.wasmExec);
      listen();
      break;
    case "module":
      run(m.module).catch(died);
      break;
    case "connect":
      connect(m.program ? programs.add(m.program, m.port) : m.port);
      break;
    case "disconnect":
      programs.remove(m.program);
      break;
    case "channel": {
      channels.get(m.name)?.close();
      channels.delete(m.name);
      if (!m.on) break;
      const channel = new ServedChannel(new BroadcastChannel(m.name));
      channels.set(m.name, channel);
      connect(channel);
      break;
    }
    case "kubelets":
      kubelets?.close("the kubelets have ended");
      kubelets = m.port && new Client(m.port);
      break;
    case "storage":
      ask(m);
      break;
    case "answered":
      api?.answered(m.id, m.status, m.body && new Uint8Array(m.body), m.error);
      break;
    case "ping":
      post({ type: "pong" });
      break;
    case "crash":
      if (api) api.crash();
      else died("asked to crash");
      break;
  }
};

scope.addEventListener("error", (event) => {
  event.preventDefault();
  died(event.message);
});
scope.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  died(event.reason);
});

/** @param {import("./serve.js").Port} port */
function connect(port) {
  if (!api) return void waiting.push(port);
  servePort(port, api.serve, api.owner);
  if (port instanceof ServedChannel) port.open();
}

/** @param {WebAssembly.Module} module */
async function run(module) {
  const { store, copy, problem } = await storage;
  const go = new scope.Go();
  go.argv = ["tabernetes"];
  let code = 0;
  go.exit = (c) => {
    code = c;
  };
  const bridge = new Bridge();
  scope.tabernetesHost = {
    bridge: bridge.host,
    storage: store,
    copy,
    onDamage,
    replica,
    damaged(reason, sound) {
      damaged = true;
      post({ type: "damaged", reason, sound });
    },
    ...(/^(https?|file):/.test(place) && { cel: () => cel.get() }),
    webhook: (id, url, { buffer: body }) => post({ type: "webhook", id, url, body }, [body]),
    clock: (...state) => programs.show(...state),
    settle: () => programs.settle(),
    async kubelet(method, url, block, signal) {
      if (!kubelets) return null;
      const { status, headers, body } = await kubelets.fetch({ method, url, headers: block, body: null, signal });
      return { status, headers: writeBlock(headers), reader: (body ?? new Blob().stream()).getReader() };
    },
    ready(/** @type {GoApi} */ ready) {
      api = bridge.api(ready);
      for (const port of waiting.splice(0)) connect(port);
      post({
        type: "ready",
        persistent: store !== null,
        setAside: store ? ready.setAside : "", // a copy in memory is nowhere to be found
        problem: [problem, ready.problem].filter(Boolean).join(" "),
      });
    },
  };
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  if (!damaged) died(`the server ended with code ${code}`);
}

/** Keeps the end of what Go prints, where a crash says what it was. */
function listen() {
  const decoder = new TextDecoder();
  const { writeSync } = scope.fs;
  scope.fs.writeSync = function (fd, bytes) {
    printed = (printed + decoder.decode(bytes, { stream: true })).slice(-16384);
    return writeSync.call(this, fd, bytes);
  };
}

/** @param {unknown} why */
function died(why) {
  const said = printed.match(/^(panic|fatal error): .*/m)?.[0];
  const reason = said ?? (why instanceof Error ? why.message : String(why));
  post({ type: "crashed", reason });
}

/** @param {Extract<ToWorker, {type: "storage"}>} question */
async function ask({ id, what, name }) {
  try {
    const kept = await storage;
    const answers = {
      log: () => savedLog(kept),
      erase: () => erase(kept),
      listAside: () => kept.listAside(),
      readAside: () => kept.readAside(name),
      removeAside: () => kept.removeAside(name),
    };
    post({ type: "storage", id, value: await answers[what](), error: "" });
  } catch (error) {
    post({ type: "storage", id, value: null, error: (error instanceof Error && error.message) || String(error) });
  }
}
