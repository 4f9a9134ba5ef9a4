// @ts-check
/**
 * The shell: one instance for all terminals. It is started when it is first needed, and again after a fault.
 *
 * Invariants:
 *   - A terminal has a session of it, which is opened before anything is asked for the terminal.
 *   - A shell that does not answer within PATIENCE after an interrupt is ended: it is busy, and cannot be asked.
 */
import { HOME } from "../system/constants.js";
import { Fault } from "./instance.js";

/** @import { Instance } from "./instance.js" */
/** @import { Process } from "./process.js" */
/** @import { Terminal } from "./tty.js" */

/** How long a shell may take to take note of an interrupt, in milliseconds. */
const PATIENCE = 4000;

/** What a person has to know when it has stopped. */
const AGAIN = "The next command starts it again: files are as they were, variables that you have set are gone.";

/**
 * @typedef {object} Running a shell that runs
 * @property {Instance} instance
 * @property {Process} process
 * @property {Set<string>} names of its programs
 * @property {Map<number, Promise<void>>} sessions that are open
 */

export class Shell {
  /** @type {Promise<Running> | null} */ #running = null;
  /** The shell, while it can be asked. @type {Running | null} */ present = null;
  /** What is known of a fault until those who wait have heard of it. */ #said = "";
  /** Whether it was ended since it did not answer. */ #busy = false;

  /**
   * @param {() => Promise<{instance: Instance, process: Process}>} start
   * @param {string[]} env of sessions
   * @param {(sentence: string, text: string) => void} fault called when it has stopped, and what is known of why
   */
  constructor(start, env, fault) {
    this.start = start;
    this.env = env;
    this.fault = fault;
  }

  /** Starts it, if it does not run. Rejects if the binary cannot be had. @returns {Promise<Running>} */
  ready() {
    this.#running ??= this.#begin().catch((error) => {
      this.#running = null;
      throw error;
    });
    return this.#running;
  }


  /** @returns {Promise<Running>} */
  async #begin() {
    this.#said = "";
    this.#busy = false;
    const { instance, process } = await this.start();
    instance.onfault = (text) => (this.#said = text);
    process.ended.then(() => {
      this.#running = this.present = null;
      this.fault((this.#busy ? "The shell was busy and did not answer Ctrl-C, so it was ended. "
        : "The shell has stopped because of a fault in it. ") + AGAIN, this.#said);
    });
    const names = await new Promise((resolve, reject) => {
      instance.onready = resolve;
      process.ended.then(() => reject(new Fault("The shell could not be started.", this.#said)));
    });
    this.present = { instance, process, names: new Set(names), sessions: new Map() };
    return this.present;
  }

  /** The shell with a terminal's session open. @param {number} session @param {Terminal} terminal */
  async session(session, terminal) {
    const running = await this.ready();
    let opened = running.sessions.get(session);
    if (!opened) {
      const { instance, process } = running;
      const size = [`COLUMNS=${terminal.columns}`, `LINES=${terminal.lines}`];
      const fds = [terminal.stdin, terminal.stdout, terminal.stderr].map((file) => process.add(file));
      const [stdin, stdout, stderr] = fds;
      const options = { env: [...this.env, ...size], dir: HOME, stdin, stdout, stderr };
      opened = instance.ask("open", session, options);
      running.sessions.set(session, opened);
    }
    await opened;
    return running.instance;
  }

  /** Interrupts what a session runs. @param {number} session @param {boolean} all with what it has in the background */
  async interrupt(session, all) {
    if (!this.present?.sessions.has(session)) return;
    const { instance, process } = this.present;
    const timer = setTimeout(() => {
      this.#busy = true;
      process.exit(137);
    }, PATIENCE);
    await instance.ask("interrupt", session, all).catch(() => {});
    clearTimeout(timer);
  }
}
