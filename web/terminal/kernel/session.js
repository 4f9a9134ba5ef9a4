// @ts-check
/**
 * A terminal, as the panel has it: it runs inputs one after another, and takes lines for the commands that read.
 */
import { Fault } from "./instance.js";
import { Terminal } from "./tty.js";

/** @import { Drawer } from "./drawer.js" */
/** @import { Shell } from "./shell.js" */

/** The status of an input whose shell has died. */
const DIED = 1;

/** The status of an input that was interrupted. */
const INTERRUPTED = 130;

/**
 * @typedef {object} Result of an input
 * @property {number} status
 * @property {string} dir where the session is now
 * @property {number} command which input it was, from 1 on
 * @property {boolean} exited whether it was left by exit
 */

/** @typedef {{text: string, description?: string}} Item */
/** @typedef {{start: number, end: number, items: Item[], note?: string}} Completion */

export class Session {
  terminal = new Terminal();
  /** How many inputs were run. */ command = 0;
  running = false;
  dir = "";
  #interrupted = false;
  /** Ends the wait for the shell. */ #stop = () => {};

  /**
   * @param {number} n
   * @param {Shell} shell
   * @param {Drawer} files
   * @param {{interrupt: (all: boolean) => Promise<void>, close: () => void}} acts
   */
  constructor(n, shell, files, acts) {
    this.n = n;
    this.shell = shell;
    this.files = files;
    this.acts = acts;
  }

  /** Runs an input; rejects if the binary cannot be had. @param {string} text @returns {Promise<Result>} */
  async run(text) {
    const command = ++this.command;
    this.running = true;
    this.#interrupted = false;
    this.terminal.reset();
    try {
      const stopped = new Promise((resolve) => (this.#stop = () => resolve(null)));
      const instance = await Promise.race([this.#instance(), stopped]);
      if (!instance || this.#interrupted) return { status: INTERRUPTED, dir: this.dir, command, exited: false };
      const { status, dir, exited } = await instance.ask("run", this.n, text, command);
      this.dir = dir;
      return { status, dir, command, exited };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { status: this.#interrupted ? INTERRUPTED : DIED, dir: this.dir, command, exited: false };
    } finally {
      this.running = false;
      this.terminal.reset();
    }
  }

  /** @returns {Promise<import("./instance.js").Instance>} */
  async #instance() {
    await this.files.settle();
    return this.shell.session(this.n, this.terminal);
  }

  /** A line was typed while a command reads. @param {string} line */
  input(line) {
    this.terminal.input(line);
  }

  /** The end of what is typed, as by Ctrl-D. */
  endInput() {
    this.terminal.endInput();
  }

  /** Ctrl-C. Resolves when the shell has taken note. @param {boolean} [all] what runs in the background ends, too */
  interrupt(all = false) {
    this.#interrupted = true;
    this.#stop();
    return this.acts.interrupt(all);
  }

  /** @param {string} line @param {number} cursor @returns {Promise<Completion>} */
  async complete(line, cursor) {
    return (await this.#instance()).ask("complete", this.n, line, cursor);
  }

  /** Whether an input needs more lines. @param {string} text @returns {Promise<boolean>} */
  async incomplete(text) {
    return (await this.#instance()).ask("incomplete", text);
  }

  /**
   * The simple commands of an input, as far as their words are known.
   *
   * @param {string} text
   * @returns {Promise<string[][]>}
   */
  async commands(text) {
    return (await this.#instance()).ask("commands", text);
  }

  /** @param {number} columns @param {number} lines */
  async resize(columns, lines) {
    Object.assign(this.terminal, { columns, lines });
    const running = this.shell.present;
    if (running?.sessions.has(this.n)) await running.instance.ask("resize", this.n, columns, lines).catch(() => {});
  }

  /** @param {(bytes: Uint8Array, stream: "stdout" | "stderr") => void} listener */
  onOutput(listener) {
    return this.terminal.onOutput(listener);
  }

  /** Whether a command waits for a line. */
  get reading() {
    return this.terminal.reading;
  }

  /** @param {(reading: boolean) => void} listener */
  onReading(listener) {
    return this.terminal.onReading(listener);
  }

  /** Ends the terminal, with what runs in it. */
  async close() {
    this.acts.close();
    const running = this.shell.present;
    if (running?.sessions.delete(this.n)) await running.instance.ask("close", this.n).catch(() => {});
  }
}
