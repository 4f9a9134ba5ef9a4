// @ts-check
/** Puts the kernel into a page: its workers, the binary, where files are kept. */
import { isAbsent } from "../browser/absent.js";
import { notLoaded } from "../browser/late.js";
import { controlled } from "./controlled.js";
import { Kernel } from "./kernel/kernel.js";
import { KeptFiles } from "./kept.js";
import { loadBinary } from "./load.js";

/** @import { Tabernetes } from "../shim/tabernetes" */
/** @import { Progress } from "./load.js" */

/**
 * @typedef {object} Options
 * @property {Tabernetes} tabernetes
 * @property {string} build the URL of the folder that has the scripts of this build
 * @property {(path: string, signal: AbortSignal) => Promise<number | void>} edit opens a file in the page's editor: see
 *   Parts of the kernel
 * @property {() => string[]} history what was typed, oldest first
 * @property {(progress: Progress) => void} [progress] of the download
 */

/**
 * Makes the kernel of a page. Nothing is downloaded until load is called, or an input is run. A load that has failed is
 * tried again by the next call.
 *
 * @param {Options} options
 */
export function openTerminal({ tabernetes, build, edit, history, progress }) {
  /** @type {Promise<WebAssembly.Module> | null} */
  let module = null;
  const load = () => {
    module ??= loadBinary({
      isAbsent: isAbsent("kubectl"), base: new URL("kubectl/", document.baseURI).href, fetch: tabernetes.networkFetch,
      progress,
    }).then((compiled) => {
      keepOffline();
      return compiled;
    }, (error) => {
      module = null;
      throw error;
    });
    return module;
  };
  let storage = null;
  try {
    storage = new KeptFiles();
  } catch {
    // the browser has no IndexedDB here
  }
  const kernel = new Kernel({
    fetch: (url, init) => tabernetes.fetch(url, init),
    module: load,
    makeWorker: () => {
      const worker = new Worker(new URL("terminal-worker.js", build));
      worker.addEventListener("error", (event) => {
        if (!(event instanceof ErrorEvent)) notLoaded(); // the script, and not something in it
      });
      return /** @type {any} */ (worker);
    },
    edit,
    history,
    storage,
    place: () => tabernetes.place,
    controlled: () => controlled(tabernetes),
    origin: location.origin,
  });
  return { kernel, load };
}

/** Has the service worker keep the terminal's scripts, so that it works without the network from now on. */
async function keepOffline() {
  const registration = await navigator.serviceWorker?.ready;
  registration?.active?.postMessage({ type: "keep-late" });
}
