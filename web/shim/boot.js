// @ts-check
/**
 * Brings the cluster up: has the program compiled and the saved cluster for this
 * tab alone, starts the worker, and notices when it ends.
 *
 * @import { FromWorker, OnDamage, ToWorker } from "../../wasm/protocol"
 * @import { Ownership } from "./ownership.js"
 * @import { Status, Webhook } from "./tabernetes"
 */
import { Client } from "../../wasm/host/client.js";
import { StoreKeeper } from "../../wasm/host/pagestore.js";
import { own } from "./ownership.js";
import { loadProgram } from "./program.js";
import { callWebhook } from "./webhooks.js";

/**
 * How long a tab waits for another to let go of the saved cluster, in milliseconds: shortly, as it may stay; but after
 * a reload it is most likely the page before, which a busy machine takes its time to clear away.
 */
const PATIENCE = 500;
const PATIENCE_AFTER_RELOAD = 5000;

function ownPatience() {
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return visit?.type === "reload" ? PATIENCE_AFTER_RELOAD : PATIENCE;
}

/**
 * How long a worker may take to answer a ping, in milliseconds. A long request keeps it from
 * answering for seconds.
 */
const SILENCE = 20_000;

/**
 * @typedef {object} Config
 * @property {import("./program.js").Open} fetch
 * @property {() => Worker} createWorker
 * @property {string} wasm the URL of the program
 * @property {Promise<WebAssembly.Module>} [module] the program, if there is one already
 * @property {string} wasmExec the URL of wasm_exec.js
 * @property {number} size of the program uncompressed, 0 when not known
 * @property {LockManager | undefined} locks
 * @property {string} cluster the name of the saved cluster
 * @property {number} [patience] how long to wait for another tab to let go of the cluster, in milliseconds
 * @property {number} [silence] how long a worker may take to show that it lives, in milliseconds
 * @property {Map<string, Webhook>} webhooks
 */

export class Boot {
  /** @type {Status} */
  status = {
    state: "loading",
    phase: "download",
    loaded: 0,
    total: 0,
    persistent: false,
    setAside: "",
    problem: "",
    trouble: "",
    evictable: false,
    secondTab: false,
    reason: "",
    sound: "",
  };
  /** The connection to the cluster, or to the one that is starting. */
  client;
  /** @type {Promise<WebAssembly.Module>} */
  module;
  /** Resolves at the first "ready". @type {Promise<void>} */
  ready;

  /** @type {Set<(status: Status) => void>} */ #listeners = new Set();
  /** @type {Worker | null} */ #worker = null;
  /** @type {MessagePort} */ #port;
  #keeper;
  /** @type {Promise<Ownership> | null} */ #ownership = null;
  /** Counts starts, so that what a former one left unfinished ends. */
  #run = 0;
  /** Questions to the storage. @type {Map<number, (m: Extract<FromWorker, {type: "storage"}>) => void>} */
  #asked = new Map();
  #lastAsked = 0;
  /** What to do about a damaged cluster at the next start. @type {OnDamage} */ #onDamage = "refuse";
  /** When the worker's last message came, by performance.now. */ #heard = 0;
  #checking = false;

  /** @param {Config} config */
  constructor(config) {
    this.config = config;
    this.#keeper = new StoreKeeper(config.cluster);
    const { port1, port2 } = new MessageChannel();
    this.client = this.#connect(port1);
    this.#port = port2;
    this.ready = new Promise((resolve) => {
      const off = this.onState(({ state }) => {
        if (state !== "ready") return;
        resolve();
        queueMicrotask(() => off());
      });
    });
    this.module = config.module ?? this.#load();
    this.#start();
  }

  /** @param {(status: Status) => void} listener */
  onState(listener) {
    this.#listeners.add(listener);
    listener(this.status);
    return () => this.#listeners.delete(listener);
  }

  /** What somebody else has found out. @param {Partial<Pick<Status, "evictable" | "trouble">>} change */
  note(change) {
    const news = Object.entries(change).some(
      ([name, value]) => this.status[/** @type {keyof Status} */ (name)] !== value);
    if (news) this.#set(change);
  }

  /** @param {Partial<Status>} change */
  #set(change) {
    this.status = { ...this.status, ...change };
    for (const listener of [...this.#listeners]) {
      try {
        listener(this.status);
      } catch (error) {
        console.error(error);
      }
    }
  }

  #load() {
    const { fetch, wasm, size } = this.config;
    return loadProgram(fetch, wasm, (loaded, total) => this.#set({ loaded, total }), size);
  }

  /** @param {MessagePort} port */
  #connect(port) {
    return new Client(port, (why) => this.#died(this.#run, why));
  }

  async #start() {
    const run = ++this.#run;
    try {
      if (!(await this.#launch(run))) return;
      const module = await this.module;
      if (run !== this.#run) return;
      this.#set({ phase: "start" });
      this.#worker?.postMessage({ type: "module", module });
    } catch (error) {
      this.#died(run, error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * Starts the worker and has it open the storage. It resolves to whether that is still wanted.
   *
   * @param {number} run
   */
  async #launch(run) {
    const worker = (this.#worker = this.config.createWorker());
    worker.onmessage = (event) => run === this.#run && this.#hear(event.data);
    worker.onmessageerror = () => this.#died(run, "the worker could not read a message");
    worker.onerror = (event) => {
      event.preventDefault();
      this.#died(run, event.message || "the worker could not be started");
    };

    this.#ownership ??= own(this.config.locks, this.config.cluster, this.config.patience ?? ownPatience());
    const { owner } = await this.#ownership;
    if (run !== this.#run) return false;
    const { cluster, wasmExec } = this.config;
    const store = new MessageChannel();
    this.#keeper.serve(store.port1);
    /** @type {ToWorker} */
    const start = { type: "start", cluster, owner, onDamage: this.#onDamage, wasmExec, port: this.#port,
      store: store.port2 };
    worker.postMessage(start, [this.#port, store.port2]);
    return true;
  }

  /** @param {FromWorker} m */
  async #hear(m) {
    this.#heard = performance.now();
    switch (m.type) {
      case "ready": {
        const run = this.#run;
        const own = await this.#ownership;
        if (run !== this.#run) return;
        this.#onDamage = "refuse"; // what was wanted once is not wanted ever after
        this.#set({
          state: "ready",
          phase: "",
          persistent: m.persistent,
          setAside: m.setAside || this.status.setAside,
          problem: [own?.problem, m.problem].filter(Boolean).join(" "),
          secondTab: !own?.owner && !own?.problem,
        });
        break;
      }
      case "crashed":
        this.#died(this.#run, m.reason);
        break;
      case "damaged":
        this.client.close("the saved cluster is damaged");
        this.#set({ state: "damaged", phase: "", reason: m.reason, sound: m.sound });
        break;
      case "webhook":
        this.#answer(m);
        break;
      case "storage":
        this.#asked.get(m.id)?.(m);
        this.#asked.delete(m.id);
        break;
    }
  }

  /** @param {Extract<FromWorker, {type: "webhook"}>} call */
  async #answer({ id, url, body }) {
    const worker = this.#worker;
    const answer = await callWebhook(this.config.webhooks, url, body);
    worker?.postMessage({ type: "answered", id, ...answer }, answer.body ? [answer.body] : []);
  }

  /** @param {number} run @param {string} reason */
  #died(run, reason) {
    if (run !== this.#run) return;
    this.#stop(reason);
    if (this.status.state === "crashed") return; // it was there for the storage alone
    this.#set({ state: "crashed", phase: "", reason });
  }

  /** Ends the worker and fails what it has not answered. @param {string} why */
  #stop(why) {
    this.#run++;
    this.#worker?.terminate();
    this.#worker = null;
    this.client.close(why);
    for (const [id, answer] of this.#asked) answer({ type: "storage", id, value: null, error: why });
    this.#asked.clear();
  }

  /**
   * @param {OnDamage} [onDamage] what to do if the saved cluster is damaged
   * @returns {Promise<void>}
   */
  restart(onDamage = "refuse") {
    this.#stop("the cluster was restarted");
    this.#onDamage = onDamage;
    const { port1, port2 } = new MessageChannel();
    this.client = this.#connect(port1);
    this.#port = port2;
    if (this.status.secondTab) this.#ownership = null; // the other tab may be gone
    this.#set({ state: "loading", phase: "start", reason: "" });
    const failed = this.module.catch(() => {
      this.module = this.#load();
    });
    const ready = new Promise((/** @type {(v?: undefined) => void} */ resolve, reject) => {
      const off = this.onState(({ state, reason }) => {
        if (state === "loading") return;
        if (state === "ready") resolve();
        else reject(new Error(reason));
        queueMicrotask(() => off());
      });
    });
    failed.then(() => this.#start());
    return ready;
  }

  crash() {
    this.#worker?.postMessage({ type: "crash" });
  }

  /**
   * Asks the storage, whether or not the cluster runs: a worker is started for it if there is none, which does not
   * load the cluster.
   *
   * @param {Extract<ToWorker, {type: "storage"}>["what"]} what
   * @param {string} [name]
   * @returns {Promise<any>}
   */
  async storage(what, name = "") {
    if (!this.#worker) {
      const run = ++this.#run;
      this.#port = new MessageChannel().port2;
      if (!(await this.#launch(run))) throw new Error("the cluster was restarted");
    }
    const id = ++this.#lastAsked;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, (m) => (m.error ? reject(new Error(m.error)) : resolve(m.value)));
      this.#worker?.postMessage({ type: "storage", id, what, name });
    });
  }

  /** Forgets the saved cluster, and begins a new one. */
  async erase() {
    if (this.status.state === "ready") this.#stop("the saved cluster is removed");
    await this.storage("erase");
    await this.restart();
  }

  /**
   * Sends the worker a ping, and treats it as ended when it does not answer. Browsers that are short of memory
   * end what is in the background without a word.
   */
  check() {
    const worker = this.#worker;
    if (!worker || this.#checking || this.status.state !== "ready") return;
    const run = this.#run;
    const { silence = SILENCE } = this.config;
    this.#checking = true;
    const asked = performance.now();
    worker.postMessage({ type: "ping" });
    setTimeout(() => {
      this.#checking = false;
      if (run !== this.#run || this.#heard >= asked) return;
      // A page that was stopped meanwhile has not listened: it asks again.
      if (performance.now() - asked > 2 * silence) this.check();
      else this.#died(run, "the browser has ended the worker of the cluster, or the worker is stuck");
    }, silence);
  }

  /** Ends the worker, since the page is left, and lets another page own the saved cluster. A restart takes it back. */
  leave() {
    this.#stop("the page was closed");
    this.#keeper.close();
    this.#ownership?.then(({ release }) => release());
    this.#ownership = null;
  }
}
