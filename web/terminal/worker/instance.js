// @ts-check
/**
 * The worker's end of an instance: runs the binary with the kernel's files and fetch, and tells how it has ended.
 *
 * Invariants:
 *   - The binary is started when the worker is prepared, before it is known what it is called with: Go's start takes
 *     longer than most commands. It waits in process.called; nothing is sent to the kernel before it is called.
 *   - It is called once; nothing of it happens after its exit.
 *   - What Go's runtime prints of a panic is reported with the exit.
 *
 * @import { FromInstance, ToInstance } from "../system/protocol"
 */
import { HOME } from "../system/constants.js";
import { portFetch } from "./fetch.js";
import { Syscalls } from "./syscalls.js";

/**
 * @typedef {object} Scope what an instance runs in
 * @property {(m: FromInstance, transfer?: Transferable[]) => void} postMessage
 * @property {any} global has what wasm_exec.js defines
 */

/**
 * @typedef {object} GoRuntime what wasm_exec.js defines
 * @property {string[]} argv
 * @property {Record<string, string>} env
 * @property {WebAssembly.Imports} importObject
 * @property {(code: number) => void} exit
 * @property {(instance: WebAssembly.Instance) => Promise<void>} run
 * @property {Map<number, any>} _scheduledTimeouts
 * @property {() => void} _resume lets Go run on
 */

/**
 * What an instance is started with. wasm_exec.js has room for 8 KB of arguments and environment: LONG_ARGUMENTS has the
 * program take them from process.
 */
const FIRST = { LONG_ARGUMENTS: "1", HOME, TZ: "UTC" };

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

export class Runner {
  #ended = false;
  /** What cannot be sent yet; null once the instance is called. @type {[FromInstance, Transferable[]][] | null} */
  #held = [];

  /** @param {Scope} scope */
  constructor(scope) {
    this.scope = scope;
    this.syscalls = new Syscalls((m, transfer) => this.#post(m, transfer));
    Object.assign(scope.global, { fs: this.syscalls.fs(), path: this.syscalls.path() });
  }

  /** @param {FromInstance} m @param {Transferable[]} [transfer] */
  #post(m, transfer = []) {
    if (this.#held) this.#held.push([m, transfer]);
    else this.scope.postMessage(m, transfer);
  }

  /** @param {ToInstance} m */
  receive(m) {
    switch (m.type) {
      case "prepare":
        this.#run(m.module).catch((error) => this.died(error));
        break;
      case "start": {
        this.#define("fetch", portFetch(m.port));
        this.syscalls.start(m);
        const held = this.#held ?? [];
        this.#held = null;
        for (const [message, transfer] of held) this.#post(message, transfer);
        break;
      }
      case "answer":
        this.syscalls.answer(m.id, m.error, m.result);
        break;
      case "ask":
        this.#ask(m.id, m.name, m.args);
        break;
    }
  }

  /** The instance broke. @param {unknown} error */
  died(error) {
    if (this.#ended) return;
    this.#ended = true;
    this.#post({ type: "died", text: [words(error), this.syscalls.said].filter(Boolean).join("\n") });
  }

  /** Defines a global: some of them are getters of the scope. @param {string} name @param {any} value */
  #define(name, value) {
    Object.defineProperty(this.scope.global, name, { value, configurable: true, writable: true });
  }

  /** @param {WebAssembly.Module} module */
  async #run(module) {
    const { global } = this.scope;
    this.#define("process", this.syscalls.process);
    this.#define("shellReady", () => this.#post({ type: "ready", names: [...(global.shell.programs?.() ?? [])] }));
    /** @type {GoRuntime} */ const go = new global.Go();
    go.argv = ["kubectl"];
    go.env = FIRST;
    let status = 0;
    go.exit = (code) => {
      status = code;
      this.#ended = this.syscalls.over = true;
      for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer);
      go._scheduledTimeouts.clear();
      go._resume = () => {}; // what Go waited for comes all the same: promises, answers
    };
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    await this.syscalls.output.drained();
    const said = /^(panic|fatal error|runtime): /m.test(this.syscalls.said) ? this.syscalls.said : "";
    this.#post({ type: "exit", status, said });
  }

  /**
   * Calls a function that the shell offers: those of CALLING tell their result to a callback.
   *
   * @param {number} id
   * @param {string} name
   * @param {any[]} args
   */
  #ask(id, name, args) {
    /** @param {any} result @param {string} [error] */
    const say = (result, error = "") => this.#post({ type: "said", id, result: result ?? null, error });
    try {
      const shell = this.scope.global.shell;
      const call = CALLING[name];
      if (call) call(shell, args, say);
      else say(shell[name]?.(...args));
    } catch (error) {
      say(null, words(error));
    }
  }
}

/** @type {Record<string, (shell: any, args: any[], say: (result: any) => void) => void>} */
const CALLING = {
  run: (shell, [session, text, command], say) =>
    shell.run(session, text, (/** @type {number} */ status, /** @type {string} */ dir, /** @type {boolean} */ exited) =>
      say({ status, dir, exited: exited ?? false }), command),
  complete: (shell, args, say) => shell.complete(...args, say),
  runProgram: (shell, args, say) => shell.runProgram(...args, say),
};
