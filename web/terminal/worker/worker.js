// @ts-check
/** The worker of an instance. The build puts Go's wasm_exec.js before it: devserver/internal/site/bundle.go. */
import { Runner } from "./instance.js";

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self));

const runner = new Runner({
  postMessage: (m, transfer = []) => scope.postMessage(m, transfer),
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
