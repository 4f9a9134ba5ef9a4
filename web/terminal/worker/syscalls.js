// @ts-check
/**
 * globalThis.fs and globalThis.process for Go's wasm_exec.js: each call is a message to the kernel, and its callback is
 * called with the answer. What Go asks for synchronously is kept here: directory, umask and pid.
 */
import {
  O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_RDWR, O_TRUNC, O_WRONLY, S_IFDIR, S_IFMT,
} from "../system/constants.js";
import { absolute } from "../system/paths.js";
import { Output } from "./output.js";

/** @typedef {(error: Error | null, result?: any) => void} Callback */

/** How much of what Go's runtime prints is kept, in characters. */
const SAID = 16 << 10;

/** What Go asks of what stat answers. @param {any} stat */
function withIsDirectory(stat) {
  if (stat) stat.isDirectory = () => (stat.mode & S_IFMT) === S_IFDIR;
  return stat;
}

export class Syscalls {
  /** @type {Map<number, Callback>} */ #waiting = new Map();
  #last = 0;
  #dir = "/";
  #umask = 0o022;
  #started = false;
  /** @type {(() => void)[]} */ #called = [];
  /** What Go's runtime has printed: of a panic, or by print. */ said = "";
  #decoder = new TextDecoder();
  /**
   * Files that came when they were opened, by their descriptors.
   *
   * @type {Map<number, {stat: any, content: Uint8Array, at: number}>}
   */
  #ahead = new Map();
  /** Whether the program has ended. */ over = false;
  /** Standard output and error. */
  output = new Output((fd, bytes, done) => this.#send("write", [fd, bytes, null], done, [bytes.buffer]));

  /** @param {(m: import("../system/protocol").FromInstance, transfer?: Transferable[]) => void} post */
  constructor(post) {
    this.post = post;
  }

  /** @param {string} call @param {any[]} args @param {Callback} callback @param {Transferable[]} [transfer] */
  call(call, args, callback, transfer = []) {
    this.output.send();
    this.#send(call, args, this.#whileRunning(callback), transfer);
  }

  /**
   * Go's callbacks cannot be called any more when the program has ended.
   *
   * @param {Callback} callback
   * @returns {Callback}
   */
  #whileRunning(callback) {
    return (error, result) => {
      if (!this.over) callback(error, result);
    };
  }

  /** @param {string} call @param {any[]} args @param {Callback} callback @param {Transferable[]} transfer */
  #send(call, args, callback, transfer) {
    const id = ++this.#last;
    this.#waiting.set(id, callback);
    this.post({ type: "call", id, call, args }, transfer);
  }

  /** The kernel answers a call. @param {number} id @param {string | null} error @param {any} result */
  answer(id, error, result) {
    const callback = this.#waiting.get(id);
    this.#waiting.delete(id);
    callback?.(error === null ? null : Object.assign(new Error(error), { code: error }), result);
  }

  /** @param {string} path */
  #path(path) {
    return absolute(path, this.#dir);
  }

  /** What wasm_exec.js takes as globalThis.fs. */
  fs() {
    /** Calls whose first arguments, so many of them, are paths. @param {string} name @param {number} paths */
    const plain = (name, paths) => [name, (/** @type {any[]} */ ...args) => {
      const callback = args.pop();
      this.call(name, args.map((arg, i) => (i < paths ? this.#path(arg) : arg)), callback);
    }];
    /** @param {string} name */
    const stat = (name) => [name, (/** @type {string} */ path, /** @type {Callback} */ callback) => {
      this.call(name, [this.#path(path)], (error, result) => callback(error, withIsDirectory(result)));
    }];
    return {
      constants: { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_EXCL, O_DIRECTORY },
      ...Object.fromEntries(["chmod", "chown", "lchown", "readdir", "readlink", "rmdir", "truncate", "unlink", "utimes"]
        .map((name) => plain(name, 1))),
      ...Object.fromEntries(["rename", "link"].map((name) => plain(name, 2))),
      ...Object.fromEntries(["fchmod", "fchown", "fsync", "ftruncate", "pipe"].map((name) => plain(name, 0))),
      ...Object.fromEntries([stat("stat"), stat("lstat")]),
      open: (
        /** @type {string} */ path, /** @type {number} */ flags, /** @type {number} */ mode,
        /** @type {Callback} */ callback,
      ) =>
        this.call("open", [this.#path(path), flags, mode & ~this.#umask], (error, result) => {
          if (result?.content) this.#ahead.set(result.fd, { ...result, at: 0 });
          callback(error, result?.fd ?? result);
        }),
      fstat: (/** @type {number} */ fd, /** @type {Callback} */ callback) => {
        const { stat } = this.#ahead.get(fd) ?? {};
        if (stat) callback(null, withIsDirectory(stat));
        else this.call("fstat", [fd], (error, result) => callback(error, withIsDirectory(result)));
      },
      close: (/** @type {number} */ fd, /** @type {Callback} */ callback) => {
        const ahead = this.#ahead.delete(fd);
        this.call("close", [fd], ahead ? () => {} : callback);
        if (ahead) callback(null);
      },
      mkdir: (/** @type {string} */ path, /** @type {number} */ mode, /** @type {Callback} */ callback) =>
        this.call("mkdir", [this.#path(path), mode & ~this.#umask], callback),
      symlink: (/** @type {string} */ target, /** @type {string} */ path, /** @type {Callback} */ callback) =>
        this.call("symlink", [target, this.#path(path)], callback),
      read: (
        /** @type {number} */ fd, /** @type {Uint8Array} */ buffer, /** @type {number} */ offset,
        /** @type {number} */ length, /** @type {number | null} */ position, /** @type {Callback} */ callback,
      ) => {
        const ahead = this.#ahead.get(fd);
        if (ahead) {
          const at = position ?? ahead.at;
          const bytes = ahead.content.subarray(at, at + length);
          if (position === null) ahead.at += bytes.length;
          buffer.set(bytes, offset);
          callback(null, bytes.length);
          return;
        }
        this.call("read", [fd, length, position], (error, bytes) => {
          if (bytes) buffer.set(bytes, offset);
          callback(error, bytes?.length ?? 0);
        });
      },
      write: (
        /** @type {number} */ fd, /** @type {Uint8Array} */ buffer, /** @type {number} */ offset,
        /** @type {number} */ length, /** @type {number | null} */ position, /** @type {Callback} */ callback,
      ) => {
        const bytes = buffer.slice(offset, offset + length);
        if (fd === 1 || fd === 2) this.output.add(fd, bytes, this.#whileRunning(callback));
        else this.call("write", [fd, bytes, position], callback, [bytes.buffer]);
      },
      // Go's runtime alone prints by it.
      writeSync: (/** @type {number} */ _, /** @type {Uint8Array} */ bytes) => {
        this.said = (this.said + this.#decoder.decode(bytes, { stream: true })).slice(-SAID);
        return bytes.length;
      },
    };
  }

  /** What Go is called with is known now. @param {{argv: string[], env: string[], dir: string, pid: number}} call */
  start({ argv, env, dir, pid }) {
    this.#dir = dir;
    const pairs = env.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]);
    Object.assign(this.process, { argv, pid, env: Object.fromEntries(pairs) });
    this.#started = true;
    for (const callback of this.#called.splice(0)) callback();
  }

  /** What it takes as globalThis.process. */
  process = this.#process();

  #process() {
    const user = () => 1000;
    return {
      // In a process whose name is node Go does not use fetch.
      argv0: "kubectl", argv: ["kubectl"], env: {}, pid: -1, ppid: 1,
      getuid: user, getgid: user, geteuid: user, getegid: user, getgroups: () => [1000],
      called: (/** @type {() => void} */ callback) => {
        if (this.#started) callback();
        else this.#called.push(callback);
      },
      umask: (/** @type {number} */ mask) => {
        const before = this.#umask;
        this.#umask = mask & 0o777;
        return before;
      },
      cwd: () => this.#dir,
      chdir: (/** @type {string} */ path) => void (this.#dir = this.#path(path)),
      spawn: (
        /** @type {string} */ argv0, /** @type {string[]} */ args, /** @type {string[]} */ vars,
        /** @type {string} */ where, /** @type {number[]} */ fds, /** @type {Callback} */ callback,
      ) => this.call("spawn", [argv0, [...args], [...vars], where ? this.#path(where) : this.#dir, [...fds]], callback),
      wait: (/** @type {number} */ child, /** @type {Callback} */ callback) => this.call("wait", [child], callback),
      kill: (/** @type {number} */ child, /** @type {number} */ signal, /** @type {Callback} */ callback) =>
        this.call("kill", [child, signal], callback),
      which: (/** @type {string} */ name, /** @type {Callback} */ callback) => this.call("which", [name], callback),
      note: (/** @type {string} */ text, /** @type {boolean} */ running) => {
        this.output.send();
        this.post({ type: "note", text, running });
      },
    };
  }

  /** What it takes as globalThis.path. */
  path() {
    return { resolve: (/** @type {string[]} */ ...parts) => this.#path(parts.join("/")) };
  }
}
