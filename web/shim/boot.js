// @ts-check
/**
 * More than 400 lines: the states of one start, of which each is short.
 *
 * Brings the cluster up: has the program compiled and the saved cluster for this
 * tab alone, starts the worker, and notices when it ends.
 *
 * @import { FromWorker, OnDamage, ToWorker } from "../../wasm/protocol"
 * @import { Ownership } from "./ownership.js"
 * @import { Tabs } from "./tabs.js"
 * @import { Status, Webhook } from "./tabernetes"
 */
import { Client } from "../../wasm/host/client.js";
import { StoreKeeper } from "../../wasm/host/pagestore.js";
import { follow } from "./follow.js";
import { own, ownPatience } from "./ownership.js";
import { loadProgram } from "./program.js";
import { callWebhook } from "./webhooks.js";

/**
 * How long a worker may take to answer a ping, in milliseconds. A long request keeps it from
 * answering for seconds.
 */
const SILENCE = 20_000;

/**
 * How long a tab that follows waits for the one that leads to say that it is there, in milliseconds. One of an older
 * version of the page does not.
 */
const LEADER_SILENCE = 10_000;

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
 * @property {((named: (names: Map<string, string>) => void) => Tabs) | null} [tabs] the tabs that share the cluster;
 *   null: they cannot, and a second one works on a copy
 * @property {string} [page] how servers call this page
 * @property {boolean} [alone] work on a copy if another tab has the cluster
 * @property {number} [leaderSilence] how long the tab that leads may be silent at first, in milliseconds
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
    tab: "",
    tabs: 1,
    reason: "",
    sound: "",
    cel: { loaded: 0, total: 0, problem: "" },
  };
  /** The connection to the cluster, or to the one that is starting. */
  client;
  /** @type {Promise<WebAssembly.Module>} */
  module;
  /** Resolves at the first "ready". @type {Promise<void>} */
  ready;

  /** The names of the tabs that share the cluster, by page. @type {Map<string, string>} */ tabs = new Map();

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
  /** The tabs that share the cluster. @type {Tabs | null} */ #tabs = null;
  /** Whether this tab works on a copy although it could share. */ #alone = false;
  /** Ends what a tab that follows has with the one that leads. @type {(() => void) | null} */ #unfollow = null;

  /** @param {Config} config */
  constructor(config) {
    this.config = config;
    this.#alone = config.alone ?? false;
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

  /** Whether the server runs in this tab. */
  get leads() {
    return this.status.state === "ready" && this.#worker !== null;
  }

  /**
   * A further connection to the server, if it runs in this tab.
   *
   * @param {string} [program] whose it is, if its time is the cluster's, until it disconnects
   * @returns {MessagePort | null}
   */
  connect(program) {
    if (!this.leads) return null;
    const { port1, port2 } = new MessageChannel();
    this.#worker?.postMessage({ type: "connect", port: port2, ...(program && { program }) }, [port2]);
    return port1;
  }

  /** @param {string} program */
  disconnect(program) {
    this.#worker?.postMessage({ type: "disconnect", program });
  }

  /**
   * Has the server, if it runs in this tab, ask what stands in for kubelets by a port; null: it has ended.
   *
   * @param {MessagePort | null} port
   */
  setKubelets(port) {
    this.#worker?.postMessage({ type: "kubelets", port }, port ? [port] : []);
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
    const { owner, problem } = await this.#ownership;
    if (run !== this.#run) return false;
    if (!this.#alone) this.#tabs ??= this.config.tabs?.((names) => this.#named(names)) ?? null;
    if (this.#tabs && !owner && !problem) {
      worker.terminate();
      this.#worker = null;
      this.#follow(run, this.#tabs);
      return false;
    }
    if (owner) {
      this.#tabs?.lead((name, on) => worker.postMessage({ type: "channel", name, on }),
        () => void (this.status.state === "crashed" && this.restart().catch(() => {})));
    }
    const { cluster, wasmExec } = this.config;
    const store = new MessageChannel();
    this.#keeper.serve(store.port1);
    /** @type {ToWorker} */
    const start = { type: "start", cluster, owner, onDamage: this.#onDamage, wasmExec, port: this.#port,
      store: store.port2 };
    worker.postMessage(start, [this.#port, store.port2]);
    return true;
  }

  /** @param {number} run @param {Tabs} tabs */
  #follow(run, tabs) {
    const { locks, cluster, leaderSilence: silence = LEADER_SILENCE } = this.config;
    this.#unfollow = follow({ tabs, locks: /** @type {LockManager} */ (locks), cluster, port: this.#port, silence }, {
      open: (persistent) => this.#set({ state: "ready", phase: "", persistent, secondTab: false }),
      lost: (why) => this.#again(why),
      stopped: (reason) => this.#died(run, reason),
      lead: (ownership) => {
        this.#ownership = Promise.resolve(ownership);
        this.#again("the tab that had the cluster was closed");
      },
      silent: () => {
        this.#alone = true;
        this.#again("the tab that has the cluster does not answer");
      },
    });
  }

  /** @param {Map<string, string>} names of the tabs, by page */
  #named(names) {
    this.tabs = names;
    this.#set({ tab: names.get(this.config.page ?? "") ?? "", tabs: names.size });
  }

  /** Works on a copy of the saved cluster, or shares it. @param {boolean} on */
  setAlone(on) {
    this.#alone = on;
    return this.restart();
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
        this.#tabs?.keeps(m.persistent);
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
      case "cel":
        this.#set({ cel: { loaded: m.loaded, total: m.total, problem: m.problem } });
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
    this.#tabs?.stopped(reason);
    this.#stop(reason);
    if (this.status.state === "crashed") return; // it was there for the storage alone
    this.#set({ state: "crashed", phase: "", reason });
  }

  /** Ends the worker and fails what it has not answered. @param {string} why */
  #stop(why) {
    this.#run++;
    this.#worker?.terminate();
    this.#worker = null;
    this.#unfollow?.();
    this.#unfollow = null;
    this.client.close(why);
    for (const [id, answer] of this.#asked) answer({ type: "storage", id, value: null, error: why });
    this.#asked.clear();
  }

  /**
   * @param {OnDamage} [onDamage] what to do if the saved cluster is damaged
   * @returns {Promise<void>}
   */
  restart(onDamage = "refuse") {
    if (this.status.state === "crashed") this.#tabs?.askRestart(); // where that leads
    this.#onDamage = onDamage;
    this.#again("the cluster was restarted");
    return new Promise((/** @type {(v?: undefined) => void} */ resolve, reject) => {
      const off = this.onState(({ state, reason }) => {
        if (state === "loading") return;
        if (state === "ready") resolve();
        else reject(new Error(reason));
        queueMicrotask(() => off());
      });
    });
  }

  /** Ends what there is, and starts. @param {string} why */
  #again(why) {
    this.#stop(why);
    const { port1, port2 } = new MessageChannel();
    this.client = this.#connect(port1);
    this.#port = port2;
    const led = this.#ownership;
    // The other tab may be gone.
    led?.then(({ owner }) => void (!owner && this.#ownership === led && (this.#ownership = null)));
    if (this.#alone) {
      this.#tabs?.close();
      this.#tabs = null;
    }
    this.#set({ state: "loading", phase: "start", reason: "" });
    const failed = this.module.catch(() => {
      this.module = this.#load();
    });
    failed.then(() => this.#start());
  }

  crash() {
    this.#worker?.postMessage({ type: "crash" });
  }

  /**
   * Asks the storage, whether or not the cluster runs: a worker is started for it if no one runs, which does not
   * load the cluster.
   *
   * @param {Extract<ToWorker, {type: "storage"}>["what"]} what
   * @param {string} [name]
   * @returns {Promise<any>}
   */
  async storage(what, name = "") {
    if (this.#unfollow) throw new Error("another tab has the saved cluster");
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
    this.#tabs?.close();
    this.#tabs = null;
  }
}
