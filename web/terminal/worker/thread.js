// For tests: an instance in a thread of Node.
import { createRequire } from "node:module";
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { Runner } from "./instance.js";

createRequire(import.meta.url)(workerData.wasmExec);

const runner = new Runner({
  postMessage: (m, transfer) => parentPort.postMessage(m, transfer),
  global: globalThis,
});

parentPort.on("message", (m) => runner.receive(m));
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, (error) => runner.died(error));
