// @ts-check
/**
 * The page's script. Its siblings on the server are tabernetes.wasm, lab.wasm, wasm_exec.js,
 * worker.js and sw.js.
 *
 * @import { Tabernetes, Target, Webhook } from "../shim/tabernetes"
 */
import { Banners, watchState } from "../shim/banner.js";
import { Boot } from "../shim/boot.js";
import { missingFeatures, tellMissing } from "../shim/features.js";
import { keepStorage } from "../shim/keep.js";
import { loadProgram } from "../shim/program.js";
import { createFetch } from "../shim/shim.js";
import { Tap } from "../shim/tap.js";
import "./page.js";
import { forgiving } from "../browser/stored.js";
import { registerServiceWorker } from "../sw/register.js";

/** @param {string} name */
const sibling = (name) => new URL(name, import.meta.url).href;

const TARGET = "tabernetes.target";

const session = forgiving(() => sessionStorage);
const local = forgiving(() => localStorage);

const tap = new Tap();
const networkFetch = window.fetch.bind(window);
/** @type {Target} */
let target = session.getItem(TARGET) === "devserver" ? "devserver" : "tab";

/** @type {Boot} */
let boot;
const fetch = createFetch({
  networkFetch,
  client: () => boot.client,
  target: () => target,
  tap,
  base: () => document.baseURI,
});
window.fetch = /** @type {typeof window.fetch} */ (fetch);

/** @type {Map<string, Webhook>} */
const webhooks = new Map();

const program = document.querySelector('link[rel="preload"][data-size]');
boot = new Boot({
  fetch: networkFetch,
  createWorker: () => new Worker(sibling("worker.js")),
  wasm: sibling("tabernetes.wasm"),
  wasmExec: sibling("wasm_exec.js"),
  size: Number(program?.getAttribute("data-size") ?? 0),
  locks: navigator.locks,
  cluster: "default",
  webhooks,
});

/** @type {Tabernetes} */
const tabernetes = {
  fetch,
  networkFetch,
  onTap: (listener) => tap.subscribe(listener),
  abort: (id) => tap.abort(id),
  get state() {
    return boot.status.state;
  },
  get status() {
    return boot.status;
  },
  onState: (listener) => boot.onState(listener),
  ready: boot.ready,
  restart: (onDamage) => boot.restart(onDamage),
  get target() {
    return target;
  },
  setTarget(wanted) {
    target = wanted === "devserver" ? "devserver" : "tab";
    session.setItem(TARGET, target);
  },
  webhooks,
  crash: () => boot.crash(),
  get module() {
    return boot.module;
  },
  setAsides: () => boot.storage("listAside"),
  setAsideFile: async (name) => new Blob([await boot.storage("readAside", name)]),
  removeSetAside: (name) => boot.storage("removeAside", name),
  savedLog: () => boot.storage("log"),
  erase: () => boot.erase(),
  note: (change) => boot.note(change),
};
window.tabernetes = tabernetes;

// A page that the browser keeps to come back to must not keep the saved cluster from others meanwhile.
window.addEventListener("pagehide", () => boot.leave());
window.addEventListener("pageshow", (event) => {
  if (event.persisted) boot.restart().catch(() => {}); // a failure shows as a crash
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) boot.check();
});

const banners = new Banners(document, local);
tellMissing(missingFeatures(window), banners);
keepStorage({
  storage: navigator.storage,
  onTap: tabernetes.onTap,
  memory: local,
  tell: (evictable) => boot.note({ evictable }),
});
watchState(tabernetes, banners);
lab();
if (location.protocol.startsWith("http") && !new URLSearchParams(location.search).has("nosw")) {
  const text = "A newer version of this page is ready.";
  registerServiceWorker({
    onUpdate: (run) => banners.set("update", { kind: "notice", text, actions: [{ label: "Load it", run }] }),
  });
}

/** Runs the program that draws the page. It is asked for when the API server's has arrived, which comes first. */
async function lab() {
  let reason = "";
  try {
    await boot.module;
    const [module] = await Promise.all(
      [loadProgram(networkFetch, sibling("lab.wasm"), 0, () => {}), import(sibling("wasm_exec.js"))]);
    const go = new /** @type {any} */ (globalThis).Go();
    go.argv = ["lab"];
    go.exit = (/** @type {number} */ code) => {
      reason = `it ended with code ${code}`;
    };
    await go.run(await WebAssembly.instantiate(module, go.importObject));
  } catch (error) {
    if (boot.status.state === "crashed") return; // the program could not be had: that is on display
    reason = error instanceof Error ? error.message : String(error);
  }
  banners.set("lab", {
    kind: "error",
    text: "The page's own program has stopped. The cluster is not touched by that.",
    detail: reason,
    actions: [{ label: "Reload the page", run: () => location.reload() }],
    lasting: true,
  });
}
