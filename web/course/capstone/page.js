// @ts-check
/**
 * What the lab loads to have a reflector judged: it keeps the judge's worker, makes a sandboxed frame for each run, and
 * takes it away. See README.md.
 *
 * @import { Report } from "./judge.worker.js"
 * @import { Tabernetes } from "../../shim/tabernetes"
 */

import { fileURL } from "../../browser/files.js";
import { embedded } from "../../browser/framed.js";
import { late, notLoaded } from "../../browser/late.js";

/** How long the sandbox may take to load, in milliseconds. */
const PATIENCE = 10_000;

/** @type {Worker | undefined} */
let worker;
let runs = 0;
/** @type {Map<number, (report: Report) => void>} */
const waiting = new Map();

function judge() {
  if (worker) return worker;
  worker = new Worker(fileURL("capstone-judge.js"));
  worker.onmessage = ({ data }) => waiting.get(data.run)?.(data);
  worker.onerror = (event) => {
    stop();
    notLoaded();
    for (const [run, done] of waiting) done({ run, error: `The judge has failed: ${event.message}` });
  };
  return worker;
}

/**
 * A frame of an opaque origin, whose code reaches nothing but the port.
 * @returns {Promise<{port: MessagePort, close: () => void}>}
 */
function sandbox() {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.hidden = true;
  frame.title = "Sandbox of your reflector";
  // In the page that others may frame it needs one whose policy lets them, too: beside that page.
  frame.src = embedded ? new URL("capstone-frame.html", document.baseURI).href : fileURL("capstone-frame.html");
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      close();
      reject(new Error("The sandbox could not be loaded. It needs a connection to the server of this page."));
    }, PATIENCE);
    const close = () => {
      clearTimeout(late);
      removeEventListener("message", ready);
      frame.remove();
    };
    const ready = (/** @type {MessageEvent} */ event) => {
      // The frame is ready only where its origin is opaque.
      if (event.source !== frame.contentWindow || event.origin !== "null" || event.data !== "ready") return;
      clearTimeout(late);
      removeEventListener("message", ready);
      const { port1, port2 } = new MessageChannel();
      frame.contentWindow?.postMessage(null, "*", [port2]);
      resolve({ port: port1, close });
    };
    addEventListener("message", ready);
    document.body.append(frame);
  });
}

/**
 * Judges code with one seed.
 *
 * @param {string} code exports reflect
 * @param {number} level
 * @param {number} seed
 * @returns {Promise<string>} the Result as JSON
 */
export async function run(code, level, seed) {
  const program = await window.tabernetes.module;
  const { port, close } = await late(sandbox());
  try {
    const run = ++runs;
    /** @type {Report} */
    const report = await new Promise((resolve) => {
      waiting.set(run, resolve);
      judge().postMessage({ run, module: program, code, level, seed }, [port]);
    });
    waiting.delete(run);
    if (report.result) return JSON.stringify(report.result);
    throw new Error(report.error);
  } finally {
    close();
  }
}

/** Ends what is running. */
export function stop() {
  worker?.terminate();
  worker = undefined;
  for (const [run, done] of waiting) done({ run, error: "stopped" });
}
