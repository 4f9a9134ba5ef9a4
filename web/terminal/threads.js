// For tests: workers that are threads of Node.
import { Worker } from "node:worker_threads";

const script = new URL("worker/thread.js", import.meta.url);

/** A thread, as a browser's Worker. */
export class Thread {
  onmessage = null;
  onerror = null;

  /** @param {string} wasmExec the path of Go's script */
  constructor(wasmExec) {
    this.thread = new Worker(script, { workerData: { wasmExec } });
    this.thread.on("message", (data) => this.onmessage?.({ data }));
    this.thread.on("error", (error) => this.onerror?.({ message: String(error) }));
  }

  postMessage(m, transfer) {
    this.thread.postMessage(m, transfer);
  }

  terminate() {
    this.thread.terminate();
  }
}
