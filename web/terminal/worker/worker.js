// @ts-check
/** The worker of an instance. Bundled as a classic script, since Go's wasm_exec.js is one. */
import { Runner } from "./instance.js";

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self));

const runner = new Runner({
  postMessage: (m, transfer = []) => scope.postMessage(m, transfer),
  load: (url) => scope.importScripts(url),
  global: scope,
});

scope.onmessage = ({ data }) => runner.receive(data);
scope.addEventListener("error", (event) => {
  event.preventDefault();
  runner.died(event.error ?? event.message);
});
scope.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  runner.died(event.reason);
});
