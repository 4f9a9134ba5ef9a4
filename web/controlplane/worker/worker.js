// @ts-check
/**
 * The worker of one of the control plane's programs. Bundled as a classic script, since Go's wasm_exec.js is one.
 *
 * Its requests go to the cluster by a port, and not through the page: they are those of the page's owner, as whom the
 * program's flags say, but for those that have a token.
 *
 * @import { FromProgram, ToProgram } from "../protocol"
 */
import { servePort } from "../../../wasm/host/serve.js";
import { portFetch } from "../../terminal/worker/fetch.js";
import { Line, programFetch } from "./client.js";
import { Clock, follow, install } from "./clock.js";

const scope = /** @type {DedicatedWorkerGlobalScope & {Go: new () => any, fs: any, listen: unknown}} */ (
  /** @type {unknown} */ (self));

/** @param {FromProgram} m @param {Transferable[]} [transfer] */
const post = (m, transfer = []) => scope.postMessage(m, transfer);

const clock = new Clock();
const line = new Line(clock);

/** Ends standard input, which the program ends with. */
let endInput = () => {};

scope.onmessage = (/** @type {MessageEvent<ToProgram>} */ { data: m }) => {
  if (m.type === "stop") endInput();
  else if (m.type === "pause") line.pause(m.on);
  else if (m.type === "lag") line.lag = m.milliseconds;
  else if (m.type === "cut") line.cut();
  else run(m).catch((error) => post({ type: "ended", text: String(error) }));
};

/** @param {Extract<ToProgram, {type: "run"}>} m */
async function run({ wasmExec, module, argv, port }) {
  scope.importScripts(wasmExec);
  let open = 1; // requests that are not answered, and the start
  const shown = new Promise((resolve) => port.addEventListener("message", resolve, { once: true }));
  follow(port, clock, () => open > 0);
  const request = portFetch(port, (headers) => !headers.has("authorization"));
  /** @param {string} url @param {any} init */
  const counted = async (url, init) => {
    open++;
    try {
      return await request(url, init);
    } finally {
      open--;
    }
  };
  scope.fetch = /** @type {any} */ (programFetch(counted, argv[0], line)); // what a pause holds back is not waited for
  const decoder = new TextDecoder();
  let unended = "";
  scope.fs.writeSync = (/** @type {number} */ fd, /** @type {Uint8Array} */ bytes) => {
    const lines = (unended + decoder.decode(bytes, { stream: true })).split("\n");
    unended = lines.pop() ?? "";
    if (lines.length > 0) post({ type: "printed", lines });
    return bytes.length;
  };
  const { read } = scope.fs;
  scope.fs.read = (/** @type {number} */ fd, /** @type {any[]} */ ...rest) => {
    if (fd === 0) endInput = () => rest.at(-1)(null, 0);
    else read(fd, ...rest);
  };
  scope.listen = (/** @type {import("../../../wasm/protocol").Serve} */ serve) => {
    const { port1, port2 } = new MessageChannel();
    servePort(port1, line.served(serve));
    post({ type: "listens", port: port2 }, [port2]);
  };
  const go = new scope.Go();
  go.argv = argv;
  let status = 0;
  go.exit = (/** @type {number} */ code) => {
    status = code;
  };
  install(go, clock);
  await shown; // else it would begin with the host's time
  const instance = await WebAssembly.instantiate(module, go.importObject);
  const ended = go.run(instance);
  open--;
  await ended;
  post({ type: "ended", text: status === 0 ? "" : `exit status ${status}` });
}
