// @ts-check
/**
 * A process: its descriptors, what it was called with, and how it ends. What runs it is given to it: a worker, the
 * shell, or the page.
 *
 * Invariants:
 *   - It ends once: its descriptors are closed, its requests aborted, its worker ended; then those who wait learn it.
 *   - A descriptor's number is not used again: Go closes files that it has lost, at some time.
 */
import { Errno } from "./errno.js";

/** @import { OpenFile } from "./openfile.js" */

/**
 * @typedef {object} Call what a process is called with
 * @property {string[]} argv
 * @property {string[]} env K=V
 * @property {string} dir
 */

/** What a descriptor is: closing it ends what it waits for. @typedef {{file: OpenFile}} Descriptor */

export class Process {
  /** @type {Map<number, Descriptor>} */ #descriptors = new Map();
  #next = 0;
  /** How it has ended. @type {number | null} */ status = null;
  /** Resolves to the status. @type {Promise<number>} */ ended;
  #end = /** @type {(status: number) => void} */ (() => {});
  /** Ends what runs it. @type {() => void} */ stop = () => {};
  /** Ends its requests. */ requests = new AbortController();

  /** @param {number} pid @param {Call} call */
  constructor(pid, { argv, env, dir }) {
    this.pid = pid;
    this.argv = argv;
    this.env = env;
    this.dir = dir;
    this.session = Number(this.variable("TABERNETES_SESSION") ?? 0);
    this.command = Number(this.variable("TABERNETES_COMMAND") ?? 0);
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** @param {string} name */
  variable(name) {
    return this.env.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  }

  /** Gives it a descriptor. @param {OpenFile} file @param {number} [fd] */
  add(file, fd = this.#next) {
    this.#next = Math.max(this.#next, fd + 1);
    this.#descriptors.set(fd, { file: file.retain() });
    return fd;
  }

  /** @param {number} fd @returns {Descriptor} */
  descriptor(fd) {
    const found = this.#descriptors.get(fd);
    if (!found) throw new Errno("EBADF");
    return found;
  }

  /** @param {number} fd @returns {OpenFile} */
  file(fd) {
    return this.descriptor(fd).file;
  }

  /** @param {number} fd */
  close(fd) {
    const descriptor = this.descriptor(fd);
    this.#descriptors.delete(fd);
    descriptor.file.forget(descriptor);
    descriptor.file.release();
  }

  /** It has ended, or is made to. Says whether that is news. @param {number} status */
  exit(status) {
    if (this.status !== null) return false;
    this.status = status;
    this.requests.abort(new Error("the process has ended"));
    for (const fd of [...this.#descriptors.keys()]) this.close(fd);
    this.#end(status); // heard of when this has returned
    this.stop();
    return true;
  }
}
