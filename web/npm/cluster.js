// @ts-check
/**
 * A cluster for programs: what the page starts, without the page. What differs between Node and browsers is a Platform.
 *
 * @import { Cluster, ClusterOptions, Levers } from "./index"
 */
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { Boot } from "../shim/boot.js";
import { createFetch } from "../shim/shim.js";
import { Tap } from "../shim/tap.js";
import { messageOf } from "../browser/status.js";

/** What relative URLs are relative to: requests go nowhere. */
const URL_OF_CLUSTERS = "http://tabernetes.invalid";

/**
 * @typedef {object} Platform
 * @property {Promise<WebAssembly.Module>} module
 * @property {() => Worker} createWorker
 * @property {string} wasmExec the URL of wasm_exec.js
 * @property {LockManager} locks
 * @property {(fetch: typeof globalThis.fetch) => Promise<{url: string, close: () => Promise<void>}>} listen
 * @property {() => void} close
 */

/** An answer of the API that says what was wrong with a request. */
export class StatusError extends Error {
  name = "StatusError";

  /** @param {number} code @param {string} text */
  constructor(code, text) {
    super(`${code}: ${messageOf(text)}`);
    this.code = code;
  }
}

/** @param {Response} response */
async function checked(response) {
  if (response.ok) return response;
  throw new StatusError(response.status, await response.text());
}

/**
 * @param {Omit<ClusterOptions, "persistence"> & {cluster: string}} options cluster: what it is saved as; "": nowhere
 * @param {(options: ClusterOptions) => Promise<Cluster>} another makes one more cluster
 * @param {Platform} platform
 * @returns {Promise<Cluster>}
 */
export async function start({ cluster, snapshot, seed, clock }, another, platform) {
  const wrong = snapshot && seed !== undefined ? "a snapshot has no seed: give one of them"
    : seed !== undefined && !Number.isFinite(seed) ? "seed: has to be a whole number" // JSON has no other numbers
    : clock && clock !== "paused" && clock !== "running" ? 'clock: has to be "paused" or "running"' : "";
  if (wrong) {
    platform.close();
    throw new TypeError(wrong);
  }
  /** @type {Cluster["webhooks"]} */
  const webhooks = new Map();
  const boot = new Boot({
    fetch: () => Promise.reject(new TypeError("the program is there")),
    module: platform.module,
    createWorker: platform.createWorker,
    wasm: "",
    wasmExec: platform.wasmExec,
    size: 0,
    locks: platform.locks,
    cluster,
    patience: 500,
    webhooks,
  });
  const tap = new Tap();
  const ask = createFetch({
    networkFetch: async (input) => {
      throw new TypeError(`${input instanceof Request ? input.url : input} is no path of the API`);
    },
    client: () => boot.client,
    target: () => "tab",
    place: () => "tab",
    scene: () => null,
    room: () => null,
    replica: async () => null,
    socket: async () => null,
    tap,
    base: () => URL_OF_CLUSTERS,
  });
  /** @type {typeof globalThis.fetch} */
  const fetch = (input, init) => ask(input, { ...init, tabernetes: { quiet: true } });
  /** That of the levers, which no setting of the cluster keeps out. @type {typeof globalThis.fetch} */
  const fetchAsOwner = (input, init) => ask(input, { ...init, tabernetes: { quiet: true, owner: true } });
  /** @type {Set<{close: () => Promise<void>}>} */
  const servers = new Set();
  const close = async () => {
    boot.leave();
    tap.close(); // its port would keep the process
    await Promise.all([...servers].map((server) => server.close()));
    platform.close();
  };
  const levers = leversOf(fetchAsOwner);
  try {
    await new Promise((/** @type {(v?: undefined) => void} */ resolve, reject) => {
      boot.onState(({ state, reason, secondTab, problem }) => {
        if (state === "ready" && cluster && (secondTab || problem)) {
          reject(new Error(problem || "another page or process has the saved cluster"));
        } else if (state === "ready") resolve();
        else if (state !== "loading") reject(new Error(reason));
      });
    });
    if (seed !== undefined) await levers.reset(seed);
    if (snapshot) await levers.restore(snapshot);
    if (clock) await levers.set({ clock: { paused: clock === "paused" } });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: URL_OF_CLUSTERS,
    fetch,
    levers,
    webhooks,
    fork: async () => another({ snapshot: await levers.snapshot() }),
    async listen() {
      const server = await platform.listen(fetch);
      servers.add(server);
      return server;
    },
    close,
  };
}

/**
 * The levers: requests to the cluster's ControlPlane.
 *
 * @param {typeof globalThis.fetch} fetch
 * @returns {Levers}
 */
function leversOf(fetch) {
  const json = { "Content-Type": "application/json" };
  /** @type {Levers["act"]} */
  const act = async (name, body = {}) => {
    const init = { method: "POST", headers: json, body: JSON.stringify(body) };
    await (await checked(await fetch(`${CONTROL_PLANE}/${name}`, init))).arrayBuffer();
  };
  return {
    act,
    advance: (seconds) => act("advance", { seconds }),
    compact: (options) => act("compact", options),
    disconnect: () => act("disconnect"),
    purge: (...namespaces) => act("purge", { namespaces }),
    reset: (seed) => act("reset", seed === undefined ? {} : { seed }),
    restart: (options) => act("restart", options),
    async get() {
      return (await checked(await fetch(CONTROL_PLANE))).json();
    },
    async set(spec) {
      const headers = { "Content-Type": "application/merge-patch+json" };
      const body = JSON.stringify({ spec });
      return (await checked(await fetch(CONTROL_PLANE, { method: "PATCH", headers, body }))).json();
    },
    async snapshot({ revision } = {}) {
      const query = revision === undefined ? "" : `?revision=${revision}`;
      return new Uint8Array(await (await checked(await fetch(`${CONTROL_PLANE}/snapshot${query}`))).arrayBuffer());
    },
    async restore(snapshot) {
      const headers = { "Content-Type": "application/octet-stream" };
      const body = /** @type {Uint8Array<ArrayBuffer>} */ (snapshot);
      await (await checked(await fetch(`${CONTROL_PLANE}/snapshot`, { method: "PUT", headers, body }))).arrayBuffer();
    },
  };
}
