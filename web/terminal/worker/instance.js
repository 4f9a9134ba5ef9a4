// @ts-check
/**
 * The worker's end of an instance: runs the binary with the kernel's files and fetch, and tells how it has ended.
 *
 * Invariants:
 *   - The binary is run once; nothing of it happens after its exit.
 *   - What Go's runtime prints of a panic is told with the exit.
 *
 * @import { FromInstance, ToInstance } from "../protocol"
 */
import { portFetch } from "./fetch.js";
import { Syscalls } from "./syscalls.js";

/**
 * @typedef {object} Scope what an instance runs in
 * @property {(m: FromInstance, transfer?: Transferable[]) => void} postMessage
 * @property {(url: string) => void | Promise<void>} load runs a script
 * @property {any} global
 */

/**
 * @typedef {object} GoRuntime what wasm_exec.js defines
 * @property {string[]} argv
 * @property {Record<string, string>} env
 * @property {WebAssembly.Imports} importObject
 * @property {(code: number) => void} exit
 * @property {(instance: WebAssembly.Instance) => Promise<void>} run
 * @property {Map<number, any>} _scheduledTimeouts
 */

/** What wasm_exec.js has room for, of arguments and environment, in bytes; it needs more than their text. */
const ROOM = 6000;

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

export class Runner {
  /** @type {void | Promise<void>} */ #loaded = undefined;
  #ended = false;

  /** @param {Scope} scope */
  constructor(scope) {
    this.scope = scope;
    this.syscalls = new Syscalls((m, transfer) => scope.postMessage(m, transfer));
    Object.assign(scope.global, { fs: this.syscalls.fs(), path: this.syscalls.path() });
  }

  /** @param {ToInstance} m */
  receive(m) {
    switch (m.type) {
      case "prepare":
        this.#loaded = this.scope.load(m.wasmExec);
        break;
      case "start":
        this.#run(m).catch((error) => this.died(error));
        break;
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
    this.scope.postMessage({ type: "died", text: [words(error), this.syscalls.said].filter(Boolean).join("\n") });
  }

  /** @param {Extract<ToInstance, {type: "start"}>} start */
  async #run({ module, argv, env, dir, pid, port }) {
    const { global } = this.scope;
    await this.#loaded;
    const process = this.syscalls.process({ argv, env, dir, pid });
    const shellReady = () => this.scope.postMessage({ type: "ready", names: [...(global.shell.programs?.() ?? [])] });
    // By assignment: some of them are getters of the scope.
    for (const [name, value] of Object.entries({ process, fetch: portFetch(port), shellReady })) {
      Object.defineProperty(global, name, { value, configurable: true, writable: true });
    }
    /** @type {GoRuntime} */ const go = new global.Go();
    const fits = [...argv, ...env].reduce((sum, text) => sum + text.length * 3 + 16, 0) < ROOM;
    go.argv = fits ? argv : argv.slice(0, 1);
    go.env = fits ? process.env : { LONG_ARGUMENTS: "1" };
    let status = 0;
    go.exit = (code) => {
      status = code;
      this.#ended = this.syscalls.over = true;
      for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer);
      go._scheduledTimeouts.clear();
    };
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    await this.syscalls.output.drained();
    const said = /^(panic|fatal error|runtime): /m.test(this.syscalls.said) ? this.syscalls.said : "";
    this.scope.postMessage({ type: "exit", status, said });
  }

  /**
   * Calls a function that the shell offers: those of CALLING tell their result to a callback.
   *
   * @param {number} id
   * @param {string} name
   * @param {any[]} args
   */
  async #ask(id, name, args) {
    /** @param {any} result @param {string} [error] */
    const say = (result, error = "") => this.scope.postMessage({ type: "said", id, result: result ?? null, error });
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
