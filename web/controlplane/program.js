// @ts-check
/**
 * One of the control plane's programs: an instance of the binary in a worker.
 *
 * Invariants:
 *   - One that ends is started again, after a second at first, and a minute at most: twice as long each time, until one
 *     has run for two minutes. A kubelet does so, too, with longer times.
 *   - After stop nothing more happens. A program that is asked to end has GRACE to give back its Lease.
 *
 * @import { FromProgram, ToProgram } from "./protocol"
 */

/** How long a program may take to end, in milliseconds. */
const GRACE = 3000;

/** How long is waited before a program is started again, in milliseconds: at first, and at most. */
const FIRST_WAIT = 1000;
const LAST_WAIT = 60_000;

/** After how long a program is one that works, so that its next end is the first, in milliseconds. */
const WORKS = 2 * LAST_WAIT;

/** How many lines are kept of what a program prints. */
const LINES = 10;

/** How many parts of a program have the last that they have logged kept, and how many characters of that. */
const LOGGERS = 40;
const CHARACTERS = 300;

/**
 * A line of klog: which part of the program has logged it, what, and when. In a tab there is no process whose number it
 * would have.
 *
 * @typedef {{logger: string, text: string, time: string}} Logged
 * @param {string} line
 * @returns {Logged | null} null: it is another text
 */
export function logged(line) {
  const found = /^[IWEF]\d{4} (\d\d:\d\d:\d\d)\.\d+ +(?:\d+ )?[^ ]+\] (.*)$/s.exec(line);
  if (!found) return null;
  const logger = / logger="((?:[^"\\]|\\.)*)"/.exec(found[2]);
  const text = logger ? found[2].replace(logger[0], "") : found[2];
  return { logger: logger?.[1] ?? "", text: text.slice(0, CHARACTERS), time: found[1] };
}

/**
 * @typedef {object} Parts
 * @property {string[]} argv
 * @property {string} [label] what it is called, if there are several of that name
 * @property {WebAssembly.Module} module
 * @property {() => Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">} makeWorker
 * @property {() => MessagePort | null} connect a new connection to the cluster; null: it is in another tab
 * @property {(port: MessagePort) => void} [listens] gets where the program can be asked
 * @property {() => void} [ended] is called when the worker has ended
 * @property {(problem: string) => void} tell says why it has ended; "" once it is started
 * @property {(run: () => void, milliseconds: number) => any} [later] setTimeout
 * @property {() => number} [now] in milliseconds
 */

export class Program {
  /** @type {ReturnType<Parts["makeWorker"]> | null} */ #worker = null;
  #stopped = false;
  /** @type {() => void} */ #ended = () => {};
  #wait = FIRST_WAIT;
  /** When it was last started. */ #since = 0;
  #paused = false;
  #lag = 0;
  #lagged = "";
  /** The last that it has printed. @type {string[]} */ lines = [];
  /** The last that each of its parts has logged. @type {Map<string, Logged>} */ logged = new Map();
  /** How much it logs: klog's -v. */
  level = 0;
  /** Gets what it knows of its work, as JSON: wasm/controllers/inside, State. @type {(text: string) => void} */
  oninside = () => {};
  /** Is called when it has stopped by itself: see stopBefore. */
  onstopped = () => {};

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.later = parts.later ?? ((run, milliseconds) => setTimeout(run, milliseconds));
    this.now = parts.now ?? (() => performance.now());
    this.#start();
  }

  #start() {
    const { argv, module, makeWorker, connect, tell } = this.parts;
    const port = this.#stopped ? null : connect();
    if (!port) return;
    const worker = (this.#worker = makeWorker());
    this.#since = this.now();
    worker.onmessage = ({ data }) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.#hear({ type: "ended", text: /** @type {any} */ (event).message ?? "its worker could not be started" });
    };
    /** @type {ToProgram} */
    const run = { type: "run", module, argv, port, label: this.name };
    worker.postMessage(run, [port]);
    if (this.#paused) this.pause(true);
    if (this.#lag) this.lag(this.#lag, this.#lagged);
    if (this.level) this.ask(this.level);
    tell("");
  }

  /** @param {FromProgram} m */
  #hear(m) {
    if (m.type === "printed") {
      this.lines = [...this.lines, ...m.lines].slice(-LINES);
      for (const line of m.lines) this.#note(logged(line));
      return;
    }
    if (m.type === "inside") return this.oninside(m.text);
    if (m.type === "stopped") {
      this.#paused = true;
      return this.onstopped();
    }
    if (m.type === "listens") return this.parts.listens?.(m.port);
    this.#end();
    if (this.#stopped) return this.#ended();
    const wait = this.now() - this.#since < WORKS ? this.#wait : FIRST_WAIT;
    this.#wait = Math.min(2 * wait, LAST_WAIT);
    const why = this.lines.find((line) => /^(panic|fatal error): /.test(line)) ?? this.lines.at(-1) ?? m.text;
    this.parts.tell(`${this.name} has ended: ${why}. It is started again in ${wait / 1000} s.`);
    this.later(() => this.#start(), wait);
  }

  #end() {
    if (!this.#worker) return;
    this.#worker.terminate();
    this.parts.ended?.();
    this.#worker = null;
  }

  get name() {
    return this.parts.label ?? this.parts.argv[0];
  }

  /** @param {Logged | null} line */
  #note(line) {
    if (!line) return;
    this.logged.delete(line.logger); // the newest are last
    this.logged.set(line.logger, line);
    if (this.logged.size > LOGGERS) this.logged.delete(/** @type {string} */ (this.logged.keys().next().value));
  }

  /** Asks what it knows of its work. @param {number} [level] how much it logs from now on, also once started again */
  ask(level) {
    this.level = level ?? this.level;
    this.#post({ type: "ask", level: level ?? null });
  }

  get paused() {
    return this.#paused;
  }

  /** Has it wait for all that it asks for, also once it is started again; or lets it continue. @param {boolean} on */
  pause(on) {
    this.#paused = on;
    this.#post({ type: "pause", on });
  }

  get lags() {
    return this.#lag;
  }

  /**
   * Has it get what its watches bring so much later, also once it is started again.
   *
   * @param {number} milliseconds
   * @param {string} [resource] of which watches; "": of all
   */
  lag(milliseconds, resource = "") {
    this.#lag = milliseconds;
    this.#lagged = resource;
    this.#post({ type: "lag", milliseconds, resource });
  }

  /** Has it stop before its next write of a resource. It is paused then. @param {string} resource */
  stopBefore(resource) {
    this.#post({ type: "stop-before", resource });
  }

  /** Breaks its watches. */
  cut() {
    this.#post({ type: "cut" });
  }

  /** @param {ToProgram} m */
  #post(m) {
    this.#worker?.postMessage(m);
  }

  /** Ends it at once, as a process that is killed. It is started again. */
  restart() {
    if (this.#worker) this.#hear({ type: "ended", text: "killed" });
  }

  /** Ends it at once, as when the cluster is gone. */
  kill() {
    this.#stopped = true;
    this.#end();
  }

  /** Asks it to end. @returns {Promise<void>} */
  stop() {
    this.#stopped = true;
    if (!this.#worker) return Promise.resolve();
    return new Promise((/** @type {(v?: undefined) => void} */ resolve) => {
      this.#ended = resolve;
      this.#worker?.postMessage({ type: "stop" });
      this.later(() => {
        this.#end();
        resolve();
      }, GRACE);
    });
  }
}
