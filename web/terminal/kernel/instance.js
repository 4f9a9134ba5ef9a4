// @ts-check
/**
 * An instance of the binary in a worker, as the kernel sees it: it is started, its system calls are answered, and it is
 * asked for what it offers, if it is the shell.
 *
 * Invariants:
 *   - Calls are begun in the order in which they come, and each is answered when it is done.
 *   - After stop nothing comes from the worker, and what was asked is rejected.
 *
 * @import { FromInstance, ToInstance } from "../system/protocol"
 * @import { Process } from "./process.js"
 * @import { Machine } from "./syscalls.js"
 */
import { codeOf, Errno } from "./errno.js";
import { syscalls } from "./syscalls.js";
import { SIGPIPE, killedBy } from "../system/constants.js";

/**
 * @typedef {object} WorkerLike as much of a Worker as is used
 * @property {(message: any, transfer: any[]) => void} postMessage
 * @property {() => void} terminate
 * @property {((event: {data: any}) => void) | null} onmessage
 * @property {((event: any) => void) | null} onerror
 */

/** What instances have died of. */
export class Fault extends Error {
  /** @param {string} message a sentence @param {string} text what the program, or the browser, said of it */
  constructor(message, text) {
    super(message);
    this.text = text;
  }
}

export class Instance {
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */ #asked = new Map();
  #last = 0;
  /** What it says when it is ready, if it is the shell. @type {(names: string[]) => void} */ onready = () => {};
  /** It has a sentence for the person. @type {(text: string, running: boolean) => void} */ onnote = () => {};
  /** It has died of a fault: what is known of it. @type {(text: string) => void} */ onfault = () => {};

  /**
   * @param {WorkerLike} worker
   * @param {Machine} machine
   * @param {Process} process
   */
  constructor(worker, machine, process) {
    this.worker = worker;
    this.machine = machine;
    this.process = process;
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.#died(event.message ?? "the worker could not be started");
    };
    process.stop = () => this.#stop();
  }

  /** @param {MessagePort} port for its requests */
  start(port) {
    const { argv, env, dir, pid } = this.process;
    this.#post({ type: "start", argv, env, dir, pid, port }, [port]);
  }

  /** Calls a function that the shell offers. @param {string} name @param {any[]} args @returns {Promise<any>} */
  ask(name, ...args) {
    return new Promise((resolve, reject) => {
      if (this.process.status !== null) return reject(new Fault("The shell has ended.", ""));
      const id = ++this.#last;
      this.#asked.set(id, { resolve, reject });
      this.#post({ type: "ask", id, name, args });
    });
  }

  /** @param {ToInstance} m @param {any[]} [transfer] */
  #post(m, transfer = []) {
    this.worker.postMessage(m, transfer);
  }

  /** @param {FromInstance} m */
  #receive(m) {
    switch (m.type) {
      case "call":
        this.#call(m.id, m.call, m.args);
        break;
      case "ready":
        this.onready(m.names);
        break;
      case "said": {
        const asked = this.#asked.get(m.id);
        this.#asked.delete(m.id);
        if (m.error) asked?.reject(new Error(m.error));
        else asked?.resolve(m.result);
        break;
      }
      case "note":
        this.onnote(m.text, m.running);
        break;
      case "exit":
        // Go's runtime ends with 2 and says why; so do programs, but nothing is said by the runtime then.
        if (m.said) this.onfault(m.said);
        this.process.exit(m.status & 0xff);
        break;
      case "died":
        this.#died(m.text);
        break;
    }
  }

  /** @param {number} id @param {string} name @param {any[]} args */
  async #call(id, name, args) {
    let error = null;
    let result = null;
    try {
      const call = syscalls[name];
      if (!call) throw new Errno("ENOSYS");
      result = call(this.machine, this.process, ...args);
      if (result instanceof Promise) result = await result;
    } catch (thrown) {
      error = codeOf(thrown);
      result = null;
      if (!(thrown instanceof Errno)) console.error(thrown);
    }
    if (this.process.status !== null) return;
    // What writes to a pipe that nobody reads is ended, as on Unix, unless it has opened that itself.
    if (error === "EPIPE" && name === "write" && (args[0] === 1 || args[0] === 2)) {
      this.process.exit(killedBy(SIGPIPE));
      return;
    }
    const bytes = result instanceof Uint8Array && result.byteLength === result.buffer.byteLength;
    this.#post({ type: "answer", id, error, result: result ?? null }, bytes ? [result.buffer] : []);
  }

  /** @param {string} text */
  #died(text) {
    if (this.process.status !== null) return;
    this.onfault(text);
    this.process.exit(2);
  }

  #stop() {
    this.worker.onmessage = null;
    this.worker.onerror = null;
    this.worker.terminate();
    for (const { reject } of this.#asked.values()) reject(new Fault("The shell has ended.", ""));
    this.#asked.clear();
  }
}
