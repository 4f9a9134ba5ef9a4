// @ts-check
/** Runs the worker of the page in a thread of Node, with what that finds in a browser. */
import { readFileSync } from "node:fs";
import process from "node:process";
import { runInThisContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { Directory, FileHandle } from "./files.js";

const scope = /** @type {any} */ (globalThis);
const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
const beside = (/** @type {string} */ name) => new URL(name, import.meta.url);

scope.self = scope;
scope.postMessage = (/** @type {any} */ m, /** @type {any} */ transfer) => port.postMessage(m, transfer);
scope.importScripts = (/** @type {string} */ url) =>
  runInThisContext(readFileSync(new URL(url), "utf8"), { filename: url });
scope.addEventListener = (/** @type {"error" | "unhandledrejection"} */ type, /** @type {any} */ listener) => {
  const event = type === "error" ? "uncaughtException" : "unhandledRejection";
  process.on(event, (/** @type {any} */ error) =>
    listener({ message: String(error?.message ?? error), reason: error, preventDefault() {} }));
};
Object.defineProperty(scope, "location", { value: beside("./worker.js") });
// It asks for files of its build: the descriptions of its types by their name, the evaluator of CEL by its URL.
scope.fetch = async (/** @type {any} */ name) => new Response(readFileSync(beside(name)));
const storage = { getDirectory: async () => new Directory(workerData.directory) };
Object.defineProperty(scope, "navigator", { value: { userAgent: "node", storage } });
scope.FileSystemFileHandle = FileHandle;

scope.importScripts(beside("./worker.js").href);
port.on("message", (data) => scope.onmessage({ data }));
