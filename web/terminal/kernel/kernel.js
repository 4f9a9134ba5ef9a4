// @ts-check
/**
 * The kernel of the terminal: it runs commands in workers, and gives them files, pipes, terminals and the page's fetch.
 *
 * Invariants:
 *   - A process has a separate worker, but for the programs of the shell, which run in the shell's.
 *   - What listeners get of a process comes in its order, and its exit last.
 *   - The files are those of the place that the page speaks with when a command begins.
 *
 * Costs: a worker with an instance takes about 50 MB until its command has ended.
 *
 * @import { Asked, Fetch } from "./requests.js"
 * @import { WorkerLike } from "./instance.js"
 * @import { Storage } from "./places.js"
 * @import { OpenFile } from "./openfile.js"
 * @import { Machine } from "./syscalls.js"
 */
import { HOME, SIGINT, killedBy } from "../system/constants.js";
import { absolute } from "../system/paths.js";
import { Errno } from "./errno.js";
import { Drawer } from "./drawer.js";
import { Instance } from "./instance.js";
import { Nothing } from "./openfile.js";
import { Places } from "./places.js";
import { Process } from "./process.js";
import { of, Requests } from "./requests.js";
import { Session } from "./session.js";
import { Shell } from "./shell.js";
import { Workers } from "./workers.js";

/** How many workers may run at once. */
const WORKERS = 16;

/** How many processes that have ended are remembered, for those who wait for them later. */
const ENDED = 256;

/**
 * @typedef {object} Parts
 * @property {Fetch} fetch the page's
 * @property {() => Promise<WebAssembly.Module>} module
 * @property {() => WorkerLike} makeWorker
 * @property {(path: string, signal: AbortSignal) => Promise<number | void>} edit opens a file in the page's editor. It
 *   ends when that is closed; the signal tells that the command which waits for it was interrupted. A status other than
 *   0 says that it was given up.
 * @property {() => string[]} [history] what was typed, oldest first
 * @property {Storage | null} [storage] where files are kept
 * @property {() => string} [place] names the cluster that the page speaks with
 * @property {string[]} [env] more of it, K=V
 * @property {() => boolean | Promise<boolean>} [controlled] whether controllers and nodes work in the cluster
 * @property {string} origin of the page
 */

/**
 * @typedef {{type: "start", pid: number, argv: string[], session: number, command: number}
 *   | ({type: "request"} & Asked)
 *   | {type: "file", pid: number, session: number, command: number, path: string, op: "read" | "write"}
 *   | {type: "fault", pid: number, session: number, command: number, sentence: string, text: string}
 *   | {type: "note", pid: number, session: number, command: number, text: string, running: boolean}
 *   | {type: "exit", pid: number, session: number, command: number, status: number}} ProcessEvent
 */

export class Kernel {
  /** @type {Map<number, Process>} */ #processes = new Map();
  #lastPid = 0;
  #workers = 0;
  /** @type {Set<(event: ProcessEvent) => void>} */ #listeners = new Set();
  /** @type {Map<number, Session>} */ #sessions = new Map();
  /** The names of the shell's programs. @type {Set<string>} */ #names = new Set();
  /** @type {Machine} */ #machine;

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    const env = [
      `HOME=${HOME}`, "USER=user", "PATH=/bin", "TERM=xterm-256color", "EDITOR=edit", "TZ=UTC",
      `KUBERNETES_MASTER=${parts.origin}`, ...(parts.env ?? []),
    ];
    this.workers = new Workers(parts.makeWorker);
    this.requests = new Requests(parts.fetch, (asked) => this.#tell({ type: "request", ...asked }));
    this.shell = new Shell(() => this.#startShell(env), env, (...why) => this.#shellFaulted(...why));
    const places = new Places(parts.storage ?? null, (sentence) => this.#say(sentence));
    /** The files, for the page. */
    this.files = new Drawer(places, parts.place ?? (() => "tab"));
    const { files } = this;
    this.#machine = {
      get files() {
        return files.present;
      },
      terminalOf: (process) => this.#sessions.get(process.session)?.terminal,
      cacheUsed: ({ pid, session, command }, path, op) => this.#tell({ type: "file", pid, session, command, path, op }),
      spawn: (...args) => this.#spawn(...args),
      wait: (pid) => this.#wait(pid),
      kill: (pid, signal) => this.#kill(pid, signal),
      which: (name) => this.#which(name),
    };
  }

  /** Reports what processes do. Returns what ends the reports. @param {(event: ProcessEvent) => void} listener */
  onProcess(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A terminal, by its number from 1 on. @param {number} n */
  terminal(n) {
    let session = this.#sessions.get(n);
    if (!session) {
      session = new Session(n, this.shell, this.files, {
        interrupt: (all) => this.#interrupt(n, all ? undefined : session?.command),
        close: () => {
          this.#sessions.delete(n);
          this.#interrupt(n);
        },
      });
      this.#sessions.set(n, session);
    }
    return session;
  }

  /** Ends all that runs. */
  close() {
    this.workers.close();
    for (const process of this.#processes.values()) this.#end(process, killedBy(SIGINT));
  }

  /** @param {ProcessEvent} event */
  #tell(event) {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        console.error(error);
      }
    }
  }

  /** Writes a sentence into every terminal. @param {string} sentence */
  #say(sentence) {
    const bytes = new TextEncoder().encode(`${sentence}\n`);
    for (const { terminal } of this.#sessions.values()) terminal.write(bytes, "stderr");
  }

  /** @param {string[]} env */
  async #startShell(env) {
    const module = await this.parts.module();
    await this.files.settle();
    const process = this.#process({ argv: ["sh"], env, dir: HOME });
    for (let fd = 0; fd < 3; fd++) process.add(new Nothing(), fd);
    const instance = this.#instance(process, module);
    this.workers.prepare(module); // the command that it is started for
    this.shell.ready().then(({ names }) => (this.#names = names)).catch(() => {});
    return { instance, process };
  }

  /** @param {string} sentence @param {string} text */
  #shellFaulted(sentence, text) {
    for (const process of this.#processes.values()) this.#end(process, killedBy(SIGINT));
    const running = [...this.#sessions.values()].filter((session) => session.running);
    const none = { n: 0, command: 0 }; // it was completing, say
    for (const { n, command } of running.length > 0 ? running : [none]) {
      this.#tell({ type: "fault", pid: 0, session: n, command, sentence, text });
    }
  }

  /** @param {import("./process.js").Call} call */
  #process(call) {
    const process = new Process(++this.#lastPid, call);
    this.#processes.set(process.pid, process);
    process.ended.then(() => {
      if (this.#processes.size <= ENDED) return;
      for (const [pid, { status }] of this.#processes) {
        if (status !== null) return void this.#processes.delete(pid);
      }
    });
    return process;
  }

  /** Starts a worker for a process. @param {Process} process @param {WebAssembly.Module} module */
  #instance(process, module) {
    const instance = new Instance(this.workers.take(module), this.#machine, process);
    this.#workers++;
    process.ended.then(() => {
      this.#workers--;
      this.workers.prepare(module);
    });
    const { port1, port2 } = new MessageChannel();
    this.requests.serve(port1, process);
    instance.start(port2);
    return instance;
  }

  /**
   * @param {Process} parent
   * @param {string} argv0
   * @param {string[]} argv
   * @param {string[]} env
   * @param {string} dir
   * @param {(OpenFile | null)[]} files
   */
  #spawn(parent, argv0, argv, env, dir, files) {
    const name = argv0.replace(/^\/bin\//, "");
    this.#which(name);
    const external = name === "kubectl";
    if (external && this.#workers >= WORKERS) throw new Errno("EAGAIN");
    const terminal = files[1]?.terminal;
    const own = env.filter((entry) => !/^(COLUMNS|LINES|CONTROL_PLANE)=/.test(entry));
    if (terminal) own.push(`COLUMNS=${terminal.columns}`, `LINES=${terminal.lines}`);
    const process = this.#process({ argv, env: own, dir });
    process.session ||= parent.session;
    process.command ||= parent.command;
    for (const [fd, file] of files.entries()) if (file) process.add(file, fd);
    const { pid, session, command } = process;
    this.#tell({ type: "start", pid, argv, session, command });
    process.ended.then((status) => this.#tell({ type: "exit", pid, session, command, status }));
    if (external) this.#runBinary(process);
    else if (name === "edit") this.#runEditor(process);
    else if (name === "history") this.#runHistory(process);
    else this.#runProgram(process, files);
    return pid;
  }

  /** @param {Process} process */
  async #runBinary(process) {
    const [module, controlled] = await Promise.all([
      this.parts.module(), // compiled long ago: the shell runs
      this.parts.controlled?.(),
    ]);
    if (process.status !== null) return;
    if (controlled) process.env.push("CONTROL_PLANE=on");
    const instance = this.#instance(process, module);
    const { pid, session, command } = process;
    instance.onnote = (text, running) => this.#tell({ type: "note", pid, session, command, text, running });
    instance.onfault = (text) => {
      const sentence = `${process.argv[0]} has stopped because of a fault in it.`;
      this.#tell({ type: "fault", pid, session, command, sentence, text });
    };
  }

  /** @param {Process} process */
  async #runEditor(process) {
    let status = 1;
    try {
      const path = process.argv.at(-1) ?? "";
      status = (await this.parts.edit(absolute(path, process.dir), process.requests.signal)) ?? 0;
    } catch (error) {
      console.error(error);
    }
    process.exit(status);
  }

  /** Prints what was typed, or the newest entries of it, numbered as bash does. @param {Process} process */
  async #runHistory(process) {
    const [, most, ...more] = process.argv;
    const problem = more.length > 0 ? "too many arguments"
      : /^\d+$/.test(most ?? "0") ? "" : `${most}: numeric argument required`;
    const all = (this.parts.history?.() ?? []).map((text, i) => `${String(i + 1).padStart(5)}  ${text}\n`);
    const out = problem ? `bash: history: ${problem}\n`
      : all.slice(Math.max(0, all.length - Number(most ?? all.length))).join("");
    let status = problem ? 1 : 0;
    try {
      const to = process.descriptor(problem ? 2 : 1);
      await to.file.write(new TextEncoder().encode(out), null, to);
    } catch {
      status = 141; // nobody reads it
    }
    process.exit(status);
  }

  /** @param {Process} process @param {(OpenFile | null)[]} files */
  async #runProgram(process, files) {
    let status = 127;
    const shell = this.shell.present;
    if (shell) {
      const fds = files.map((file) => (file ? shell.process.add(file) : -1));
      process.stop = () => {
        for (const fd of fds) if (fd >= 0 && shell.process.status === null) closeQuietly(shell.process, fd);
      };
      const { argv, env, dir } = process;
      status = await shell.instance.ask("runProgram", argv, env, dir, fds).catch(() => 126);
    }
    process.exit(Number(status) & 0xff);
  }

  /** @param {number} pid */
  async #wait(pid) {
    const process = this.#processes.get(pid);
    if (!process) throw new Errno("ECHILD");
    const status = await process.ended;
    this.#processes.delete(pid);
    return status;
  }

  /** @param {number} pid @param {number} signal */
  #kill(pid, signal) {
    const process = this.#processes.get(pid);
    if (!process || process.status !== null) throw new Errno("ESRCH");
    if (signal > 0) this.#end(process, killedBy(signal));
  }

  /** @param {Process} process @param {number} status */
  #end(process, status) {
    process.exit(status);
  }

  /** @param {string} name */
  #which(name) {
    if (["kubectl", "edit", "history"].includes(name) || this.#names.has(name)) return `/bin/${name}`;
    throw new Errno("ENOENT");
  }

  /** Ends what a terminal runs. @param {number} n @param {number} [command] of this input only; other jobs continue */
  #interrupt(n, command) {
    this.#sessions.get(n)?.terminal.interrupt();
    for (const process of this.#processes.values()) {
      if (process.session === n && of(process.command, command)) this.#end(process, killedBy(SIGINT));
    }
    this.requests.interrupt(n, command);
    return this.shell.interrupt(n, command === undefined);
  }
}

/** @param {Process} process @param {number} fd */
function closeQuietly(process, fd) {
  try {
    process.close(fd);
  } catch {
    // the program has closed it itself
  }
}
