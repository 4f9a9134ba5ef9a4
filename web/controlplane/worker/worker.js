// @ts-check
/**
 * The worker of one of the control plane's programs. The build puts Go's wasm_exec.js before it:
 * devserver/internal/site/bundle.go.
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

const scope = /** @type {DedicatedWorkerGlobalScope & {Go: new () => any, fs: any, listen: unknown,
 *   inside: (inside: (level: number | null, answer: (text: string) => void) => void) => void}} */ (
  /** @type {unknown} */ (self));

/** @param {FromProgram} m @param {Transferable[]} [transfer] */
const post = (m, transfer = []) => scope.postMessage(m, transfer);

const clock = new Clock();
const line = new Line(clock);

/** Ends standard input, which the program ends with. */
let endInput = () => {};

/**
 * Asks the program what it knows of its work, once it can be asked, and has it log more or less.
 *
 * @type {(level: number | null) => void}
 */
let ask = () => {};

scope.onmessage = (/** @type {MessageEvent<ToProgram>} */ { data: m }) => {
  if (m.type === "stop") endInput();
  else if (m.type === "pause") m.on ? line.pause(true) : line.proceed();
  else if (m.type === "stop-before") line.stopBefore(m.resource, () => post({ type: "stopped" }));
  else if (m.type === "lag") line.lag(m.milliseconds, m.resource);
  else if (m.type === "ask") ask(m.level);
  else if (m.type === "cut") line.cut();
  else run(m).catch((error) => post({ type: "ended", text: String(error) }));
};

/** @param {Extract<ToProgram, {type: "run"}>} m */
async function run({ module, argv, port, label }) {
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
  // What a pause holds back is not waited for.
  scope.fetch = /** @type {any} */ (programFetch(counted, argv[0], line, label));
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
  scope.inside = (inside) => {
    ask = (level) => inside(level, (text) => post({ type: "inside", text }));
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
