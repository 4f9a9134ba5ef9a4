// For tests: an instance in a thread of Node.
import { createRequire } from "node:module";
import process from "node:process";
import { parentPort } from "node:worker_threads";
import { Runner } from "./instance.js";

const runner = new Runner({
  postMessage: (m, transfer) => parentPort.postMessage(m, transfer),
  load: (url) => createRequire(import.meta.url)(url),
  global: globalThis,
});

parentPort.on("message", (m) => runner.receive(m));
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, (error) => runner.died(error));
