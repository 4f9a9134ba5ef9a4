/** A client in a separate thread, which does what the worker in the sandbox does: for tests. */
import { MessageChannel, Worker } from "node:worker_threads";
import { PortClient } from "./portclient.js";

/**
 * Starts a thread, which ends with the test.
 *
 * @param {import("node:test").TestContext} t
 * @param {object} [parts] what the client is given besides
 */
export function threadClient(t, parts = {}) {
  const script = `
    import { parentPort } from "node:worker_threads";
    import { serveGuest } from ${JSON.stringify(new URL("frame.js", import.meta.url).href)};
    parentPort.once("message", (port) => serveGuest(port));
  `;
  const worker = new Worker(new URL("data:text/javascript," + encodeURIComponent(script)));
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  const client = new PortClient(port1, { end: () => void worker.terminate(), ...parts });
  t.after(async () => {
    client.close();
    await exited;
  });
  return { client, exited };
}
