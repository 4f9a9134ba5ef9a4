// @ts-check
/**
 * A separate cluster for each run: the page's API server (wasm/main.go) in this very thread, with a clock and random
 * numbers that are given to it. Go's runtime asks JavaScript for the time, for timers and for random bytes; here it
 * gets the run's time, its timers wait in a list, and the bytes come from the seed. So no time passes unless pass() is
 * called, all that the server can do is done when a call returns, and the same seed and the same calls give the same
 * answers, uids included.
 *
 * Costs: 30 to 50 ms and 16 MB for a cluster, 0.5 ms for a small request.
 *
 * @import { Api, GoApi, HeaderBlock, Sink } from "../../../wasm/protocol"
 */
import { EXPLAIN_HEADER, REPLICA_HEADER, SOURCE_HEADER } from "../../../core/wellknown/wellknown.js";
import { Bridge } from "../../../wasm/host/bridge.js";
import { writeBlock } from "../../../wasm/host/headers.js";
import { Random } from "./random.js";

/**
 * @typedef {object} Go what wasm_exec.js defines
 * @property {string[]} argv
 * @property {{gojs: Record<string, (sp: number) => void>} & WebAssembly.Imports} importObject
 * @property {(instance: WebAssembly.Instance) => Promise<void>} run
 * @property {DataView} mem
 * @property {Map<number, unknown>} _scheduledTimeouts
 * @property {() => void} _resume
 */

/**
 * @typedef {object} Cluster
 * @property {() => number} now the cluster's time in milliseconds since the run began
 * @property {() => number} due when its next timer fires, Infinity if it has none
 * @property {(to: number) => void} pass lets time pass; what is due by then happens
 * @property {(method: string, path: string, headers: HeaderBlock, body: Uint8Array | null, sink: Sink) => void} serve
 *   begins a request. The sink has all that does not take time when this returns; its cancel ends the request
 */

/** When runs begin: the same instant for all. */
const EPOCH = Date.UTC(2030, 0, 1);

/** The name of the host in what the server is asked; nothing is looked up. */
const HOST = "http://cluster";

/**
 * Starts a cluster.
 *
 * @param {object} parts
 * @param {new () => Go} parts.Go
 * @param {WebAssembly.Module} parts.module tabernetes.wasm
 * @param {number | string} parts.seed
 * @returns {Promise<Cluster>}
 */
export async function startCluster({ Go, module, seed }) {
  const go = new Go();
  const draw = new Random(`${seed}/cluster`);
  let now = 0;
  let lastTimer = 0;
  /** @type {Map<number, number>} */ const timers = new Map();
  const imports = go.importObject.gojs;
  /** @type {(at: number, n: number) => void} */
  const setInt64 = (at, n) => go.mem.setBigInt64(at, BigInt(n), true);
  const getInt64 = (/** @type {number} */ at) => Number(go.mem.getBigInt64(at, true));

  imports["runtime.nanotime1"] = (sp) => go.mem.setBigInt64((sp >>> 0) + 8, BigInt(EPOCH + now) * 1_000_000n, true);
  imports["runtime.walltime"] = (sp) => {
    setInt64((sp >>> 0) + 8, Math.floor((EPOCH + now) / 1000));
    go.mem.setInt32((sp >>> 0) + 16, (now % 1000) * 1_000_000, true);
  };
  imports["runtime.scheduleTimeoutEvent"] = (sp) => {
    timers.set(++lastTimer, now + getInt64((sp >>> 0) + 8));
    go.mem.setInt32((sp >>> 0) + 16, lastTimer, true);
  };
  imports["runtime.clearTimeoutEvent"] = (sp) => void timers.delete(go.mem.getInt32((sp >>> 0) + 8, true));
  imports["runtime.getRandomData"] = (sp) => {
    const at = getInt64((sp >>> 0) + 8);
    for (let i = getInt64((sp >>> 0) + 16) - 1; i >= 0; i--) go.mem.setUint8(at + i, draw.word() >>> 24);
  };

  // Between pieces of long work the server posts itself a message and continues when that comes: here at once.
  let posted = 0;
  /** @type {{onmessage: (() => void) | null}} */ const end = { onmessage: null };
  class Line {
    port1 = { postMessage: () => void posted++ };
    port2 = end;
  }
  const scope = /** @type {any} */ (globalThis);
  /** Calls what leads into Go, and returns when Go has nothing left to do. @param {() => void} call */
  const enter = (call) => {
    const { MessageChannel } = scope;
    scope.MessageChannel = Line;
    try {
      for (call(); posted > 0; end.onmessage?.()) posted--;
    } finally {
      scope.MessageChannel = MessageChannel;
    }
  };

  /** @type {Api | null} */ let api = null;
  const instance = await WebAssembly.instantiate(module, go.importObject);
  const bridge = new Bridge();
  scope.tabernetesHost = {
    bridge: bridge.host,
    storage: null,
    copy: null,
    onDamage: "refuse",
    webhook() {},
    damaged() {},
    ready: (/** @type {GoApi} */ ready) => (api = bridge.api(ready)),
  };
  let ended = "";
  enter(() => go.run(instance).then(() => (ended = "the server has ended")));
  delete scope.tabernetesHost;
  if (!api) throw new Error("the cluster does not start");
  const { serve } = /** @type {Api} */ (api);

  const due = () => {
    let first = Infinity;
    for (const at of timers.values()) first = Math.min(first, at);
    return first;
  };
  return {
    now: () => now,
    due,
    pass(to) {
      for (let at = due(); at <= to; at = due()) {
        now = Math.max(now, at);
        for (const [id, due] of timers) if (due <= now) timers.delete(id);
        enter(go._resume.bind(go));
      }
      now = Math.max(now, to);
    },
    serve(method, path, headers, body, sink) {
      if (ended) throw new Error(ended);
      let over = false;
      /** @type {Sink} */
      const inner = {
        whole: (status, block, bytes) => ((over = true), sink.whole(status, block, bytes)),
        head: (status, block) => sink.head(status, block),
        chunk: (bytes) => {
          sink.chunk(bytes);
          inner.pull?.(bytes.length);
        },
        end: () => ((over = true), sink.end()),
        fail: (why) => ((over = true), sink.fail(why)),
      };
      sink.cancel = () => {
        const cancel = !over && inner.cancel;
        over = true;
        if (cancel) enter(cancel);
      };
      enter(() => serve(method, HOST + path, headers, body, inner));
    },
  };
}

/**
 * The outcome of a request that ended.
 * @typedef {{status: number, headers: HeaderBlock, body: Uint8Array<ArrayBuffer>}} Answer
 */

/**
 * Makes a request and returns its answer, which must not take any of the cluster's time.
 *
 * @param {Cluster} cluster
 * @param {string} method
 * @param {string} path
 * @param {{headers?: HeaderBlock, body?: Uint8Array | null}} [init]
 * @returns {Answer}
 */
export function ask(cluster, method, path, { headers = "", body = null } = {}) {
  /** @type {Answer | null} */ let answer = null;
  let failed = "";
  let status = 0;
  /** @type {HeaderBlock} */ let block = "";
  /** @type {Uint8Array[]} */ const chunks = [];
  const sink = {
    whole: (/** @type {number} */ s, /** @type {HeaderBlock} */ h, /** @type {Uint8Array<ArrayBuffer>} */ b) =>
      void (answer = { status: s, headers: h, body: b }),
    head: (/** @type {number} */ s, /** @type {HeaderBlock} */ h) => void ([status, block] = [s, h]),
    chunk: (/** @type {Uint8Array} */ b) => void chunks.push(b),
    end: () => void (answer = { status, headers: block, body: join(chunks) }),
    fail: (/** @type {string} */ why) => void (failed = why),
  };
  cluster.serve(method, path, headers, body, sink);
  if (!answer) throw new Error(`${method} ${path}: ${failed || "no answer without time passing"}`);
  return answer;
}

/** The revision that an answer names, in its headers. */
const WROTE = new RegExp(`^${SOURCE_HEADER}:.*wrote=\\(([0-9]+)`, "im");

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * A request of the judge's, which must succeed, to the first server and without faults.
 *
 * @param {Cluster} cluster
 * @param {string} method
 * @param {string} path
 * @param {string} by who makes it
 * @param {any} [body]
 * @returns {{body: any, bytes: Uint8Array, revision: number}} with the revision that it made, or NaN
 */
export function must(cluster, method, path, by, body) {
  const raw = body instanceof Uint8Array;
  const type = raw ? "application/octet-stream" : method !== "PATCH" ? "application/json" : null;
  const patch = path.includes("fieldManager=") ? "application/apply-patch+yaml" : "application/merge-patch+json";
  const headers = writeBlock([
    ["Content-Type", type ?? patch],
    ["User-Agent", by],
    [REPLICA_HEADER, "0"],
    [EXPLAIN_HEADER, "1"],
  ]);
  const answer = ask(cluster, method, path,
    { headers, body: raw ? body : body ? encoder.encode(JSON.stringify(body)) : null });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${decoder.decode(answer.body)}`);
  const json = /^content-type: *application\/json/im.test(answer.headers);
  return { body: json ? JSON.parse(decoder.decode(answer.body)) : null, bytes: answer.body,
    revision: Number(WROTE.exec(answer.headers)?.[1] ?? NaN) };
}

/** @param {Uint8Array[]} chunks */
export function join(chunks) {
  const out = new Uint8Array(chunks.reduce((n, c) => n + c.length, 0));
  let at = 0;
  for (const c of chunks) {
    out.set(c, at);
    at += c.length;
  }
  return out;
}
