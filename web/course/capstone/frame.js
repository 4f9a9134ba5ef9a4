// @ts-check
/**
 * What runs in the sandbox beside the learner's code: takes the port that leads to the judge, imports the code, and
 * gives it the run's time and random numbers instead of the browser's. It runs in a worker inside a frame of an opaque
 * origin (README.md), so that code which loops forever blocks nothing else, and can be ended with the frame.
 *
 * @import { FromGuest, ToGuest } from "./protocol"
 */
import { Guest, lineOf } from "./guest.js";
import { Random } from "./random.js";

/** Turns of the event loop without a timer, which browsers would delay. @returns {() => Promise<void>} */
function hops() {
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */ const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}

/**
 * Replaces what would differ from run to run, and what leads elsewhere. It is no wall: that is the frame's policy.
 *
 * @param {any} scope
 * @param {Guest} guest
 * @param {Random} draw
 */
export function tame(scope, guest, draw) {
  scope.Math.random = () => draw.float();
  const began = Date.UTC(2030, 0, 1); // as the cluster's clock
  const RealDate = scope.Date;
  scope.Date = class extends RealDate {
    /** @param {any[]} args */
    constructor(...args) {
      if (args.length === 0) super(began + guest.now);
      else super(.../** @type {[any]} */ (args));
    }
    static now() {
      return began + guest.now;
    }
  };
  if (scope.console) scope.console.log = (/** @type {any[]} */ ...values) => guest.print(values);
  if (scope.performance) Object.defineProperty(scope.performance, "now", { value: () => guest.now });
  let last = 0;
  /** @type {Set<number>} */ const set = new Set();
  /** @type {(again: boolean) => (f: any, ms?: number, ...args: any[]) => number} */
  const timer =
    (again) =>
    (f, ms = 0, ...args) => {
      const id = ++last;
      set.add(id);
      const wait = () =>
        guest.sleep(Math.max(Number(ms) || 0, 1) / 1000).then(
          () => {
            if (!set.has(id)) return;
            if (again) wait();
            else set.delete(id);
            f(...args);
          },
          () => {},
        );
      wait();
      return id;
    };
  scope.setTimeout = timer(false);
  scope.setInterval = timer(true);
  scope.clearTimeout = scope.clearInterval = (/** @type {number} */ id) => void set.delete(id);
  const away = ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "Worker", "SharedWorker",
    "BroadcastChannel"];
  for (const name of [...away, "indexedDB", "caches", "importScripts", "postMessage", "close"]) {
    if (name in scope) Object.defineProperty(scope, name, { value: undefined, configurable: true });
  }
}

/**
 * The line in which code is no JavaScript, which engines tell nobody but the owner of a worker whose script it is, and
 * only of a script that is no module: so without its exports. 0: not known.
 *
 * @param {typeof Worker | undefined} Parser
 * @param {string} code
 * @returns {Promise<number>}
 */
function wrongLine(Parser, code) {
  return new Promise((resolve) => {
    if (!Parser) return resolve(0);
    try {
      const script = "if (0) {\n" + code.replace(/^(\s*)export\s+(default\s+)?/gm, "$1") + "\n}\npostMessage(0);";
      const worker = new Parser(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
      const done = (/** @type {number} */ line) => {
        worker.terminate();
        resolve(line);
      };
      worker.onmessage = () => done(0);
      worker.onerror = (event) => {
        event.preventDefault();
        done(Math.max(0, (event.lineno || 0) - 1));
      };
    } catch {
      resolve(0);
    }
  });
}

/**
 * Answers the judge at the other end of a port.
 *
 * @param {MessagePort} port
 * @param {any} [scope] the global object that is tamed
 */
export function serveGuest(port, scope = globalThis) {
  /** @type {(m: FromGuest) => void} */
  const post = (m) => port.postMessage(m);
  const guest = new Guest(post, hops());
  const { Worker: Parser } = scope;
  /** @type {any} */ let entry = null;
  let loads = 0;
  port.onmessage = async ({ data }) => {
    const m = /** @type {ToGuest} */ (data);
    if (m.type === "load") {
      try {
        if (++loads === 1) tame(scope, guest, new Random(`${m.seed}/client`));
        else guest.restart();
        // Another text is another module: what the first one has kept is not there.
        const text = loads === 1 ? m.code : `${m.code}\n// ${loads}`;
        const module = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(text));
        entry = module[m.entrance];
        if (typeof entry !== "function") throw new Error(`the code exports no function ${m.entrance}`);
        post({ type: "ready" });
      } catch (error) {
        const known = error instanceof Error;
        let line = known ? lineOf(String(error.stack ?? "")) : 0;
        if (!line && error instanceof SyntaxError) line = await wrongLine(Parser, m.code);
        const text = known ? `${error.name}: ${error.message}` : String(error);
        post({ type: "broken", message: line ? `Line ${line}: ${text}` : text });
      }
    } else if (m.type === "begin") {
      if (entry) guest.run(entry, m.path);
    } else if (m.type === "reconcile") {
      if (entry) guest.reconcile(entry, m.task);
    } else {
      guest.receive(m);
    }
  };
}
