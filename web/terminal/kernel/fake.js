// For tests: a kernel whose workers are functions, which get what a program would have.
import { after } from "node:test";
import { Kernel } from "./kernel.js";

export const bytes = (s) => new TextEncoder().encode(s);
export const text = (b) => new TextDecoder().decode(b);

/** Waits until what is true; fails by the test's own timeout. */
export async function until(what) {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** A worker that runs a program when it is started. */
class FakeWorker {
  onmessage = null;
  onerror = null;
  #waiting = new Map();
  #last = 0;
  #over = false;

  constructor(programs, ended) {
    Object.assign(this, { programs, ended });
  }

  postMessage(m) {
    if (this.#over) return;
    setImmediate(() => this.#receive(m));
  }

  terminate() {
    this.#over = true;
    this.port?.close();
    if (this.name) this.ended.push(this.name);
  }

  #receive(m) {
    if (m.type === "answer") {
      const { resolve, reject } = this.#waiting.get(m.id);
      if (m.error) reject(Object.assign(new Error(m.error), { code: m.error }));
      else resolve(m.result);
    } else if (m.type === "start") {
      this.name = m.argv[0];
      this.port = m.port;
      const post = (message) => setImmediate(() => !this.#over && this.onmessage?.({ data: message }));
      const call = (name, ...args) => new Promise((resolve, reject) => {
        const id = ++this.#last;
        this.#waiting.set(id, { resolve, reject });
        post({ type: "call", id, call: name, args });
      });
      const exit = (status) => post({ type: "exit", status, said: "" });
      this.onask = this.programs[this.name]({ call, post, exit, start: m, port: m.port });
    } else if (m.type === "ask") {
      this.onask?.(m);
    }
  }
}

/**
 * A shell each of whose inputs is run by a function.
 *
 * @param {(it: any) => any} run gets call, the text, and the session's descriptors; returns the status
 * @param {any} [more] begin, interrupt: get what happens; programs: names, which program runs; silent: no answer
 */
export function fakeShell(run, more = {}) {
  return ({ call, post }) => {
    more.begin?.();
    const sessions = new Map();
    const acts = {
      open: (n, options) => void sessions.set(n, options),
      run: async (n, input) => {
        const status = await run({ call, text: input, session: sessions.get(n) });
        return { status, dir: "/home/user", exited: false };
      },
      interrupt: () => more.interrupt?.(),
      runProgram: (argv, env, dir, fds) => more.program({ call, argv, env, dir, fds }),
    };
    post({ type: "ready", names: more.programs ?? [] });
    return async ({ id, name, args }) => {
      if (more.silent && name === "interrupt") return;
      try {
        post({ type: "said", id, result: (await acts[name]?.(...args)) ?? null, error: "" });
      } catch (error) {
        console.error(error);
        post({ type: "said", id, result: null, error: String(error) });
      }
    };
  };
}

/** A worker that runs the programs. */
export const fakeOr = (programs, ended = []) => new FakeWorker(programs, ended);

/** A kernel with programs, and the names of those whose workers were ended. */
export function kernelOf(programs, parts = {}) {
  const ended = [];
  const kernel = new Kernel({
    fetch: async () => new Response(""),
    module: async () => null,
    makeWorker: () => new FakeWorker(programs, ended),
    edit: async () => 0,
    origin: "http://tab.example",
    ...parts,
  });
  after(() => kernel.close());
  return { kernel, ended };
}
