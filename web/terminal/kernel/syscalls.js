// @ts-check
/**
 * The system calls: what a process asks for, by name, with the arguments of globalThis.fs and the few that are added to
 * globalThis.process. Paths are absolute already.
 */
import { KUBE_CACHE, O_CREAT, O_RDWR, O_WRONLY } from "../system/constants.js";
import { Errno } from "./errno.js";
import { Nothing, TreeFile } from "./openfile.js";
import { within } from "../system/paths.js";
import { pipe } from "./pipes.js";

/** @import { Files } from "./files.js" */
/** @import { OpenFile } from "./openfile.js" */
/** @import { Process } from "./process.js" */
/** @import { Terminal } from "./tty.js" */

/**
 * @callback Spawn starts a process, and returns its number
 * @param {Process} parent
 * @param {string} argv0
 * @param {string[]} argv
 * @param {string[]} env
 * @param {string} dir
 * @param {(OpenFile | null)[]} files its descriptors, from 0 on
 * @returns {number}
 */

/**
 * @typedef {object} Machine what the calls are about
 * @property {Files} files
 * @property {(process: Process) => Terminal | undefined} terminalOf the terminal of a process' session
 * @property {(process: Process, path: string, op: "read" | "write") => void} cacheUsed a file of its cache
 * @property {Spawn} spawn
 * @property {(pid: number) => Promise<number>} wait
 * @property {(pid: number, signal: number) => void} kill
 * @property {(name: string) => string} which
 */

/** @typedef {(machine: Machine, process: Process, ...args: any[]) => any} Syscall */

/** What a device is, opened. @param {Machine} machine @param {Process} process @param {string} device */
function openDevice(machine, process, device) {
  const terminal = () => machine.terminalOf(process);
  switch (device) {
    case "null":
      return new Nothing();
    case "stdin":
      return process.file(0);
    case "stdout":
      return process.file(1);
    case "stderr":
      return process.file(2);
    default: // tty
      if (!terminal()) throw new Errno("ENXIO");
      return null;
  }
}

/**
 * Files of kubectl's cache up to this size, in bytes, are handed out when they are opened to be read: it reads dozens
 * of them at a time, each in six calls. They are replaced as a whole, never changed.
 */
const AHEAD = 256 << 10;

/** @type {Record<string, Syscall>} */
export const syscalls = {
  open(machine, process, path, flags, mode) {
    const { files } = machine;
    const { node, path: found } = files.open(path, flags, mode);
    if (node.kind === "device") {
      const writes = flags & (O_WRONLY | O_RDWR);
      const terminal = machine.terminalOf(process);
      const tty = writes ? terminal?.stdout : terminal?.stdin;
      const file = openDevice(machine, process, node.target) ?? tty;
      return process.add(/** @type {OpenFile} */ (file));
    }
    const fd = process.add(new TreeFile(files, node, found, flags));
    if (!within(found, KUBE_CACHE) || node.kind !== "file") return fd;
    const writes = flags & (O_WRONLY | O_RDWR | O_CREAT);
    machine.cacheUsed(process, found, writes ? "write" : "read");
    if (writes || node.size > AHEAD) return fd;
    return { fd, stat: node.stat(), content: node.content.slice() };
  },
  close: (_, process, fd) => process.close(fd),
  read(_, process, fd, length, position) {
    const descriptor = process.descriptor(fd);
    return descriptor.file.read(length, position, descriptor);
  },
  write(_, process, fd, bytes, position) {
    const descriptor = process.descriptor(fd);
    return descriptor.file.write(bytes, position, descriptor);
  },
  fstat: (_, process, fd) => process.file(fd).stat(),
  fsync: (_, process, fd) => void process.file(fd),
  ftruncate: (_, process, fd, size) => process.file(fd).truncate(size),
  fchmod(machine, process, fd, mode) {
    const { node, path } = process.file(fd);
    if (!node) return;
    node.mode = mode & 0o7777;
    machine.files.changed(path);
  },
  stat: ({ files }, _, path) => files.find(path).stat(),
  lstat: ({ files }, _, path) => files.find(path, false).stat(),
  readdir: ({ files }, _, path) => files.readdir(path),
  mkdir: ({ files }, _, path, mode) => files.mkdir(path, mode),
  rmdir: ({ files }, _, path) => files.rmdir(path),
  unlink: ({ files }, _, path) => files.unlink(path),
  rename: ({ files }, _, from, to) => files.rename(from, to),
  link: ({ files }, _, path, name) => files.link(path, name),
  symlink: ({ files }, _, target, path) => files.symlink(target, path),
  readlink: ({ files }, _, path) => files.readlink(path),
  truncate: ({ files }, _, path, size) => files.truncate(path, size),
  chmod: ({ files }, _, path, mode) => files.chmod(path, mode),
  utimes: ({ files }, _, path, _accessed, modified) => files.utimes(path, modified),
  // There is one user: each one who may change a file owns it.
  chown: ({ files }, _, path) => void files.find(path),
  lchown: ({ files }, _, path) => void files.find(path, false),
  fchown: (_, process, fd) => void process.file(fd),
  pipe: (_, process) => pipe().map((end) => process.add(end)),
  /** The descriptors of the child are the caller's, by their numbers; -1 is no descriptor. */
  spawn(machine, process, argv0, argv, env, dir, /** @type {number[]} */ fds) {
    const files = fds.map((fd) => (fd < 0 ? null : process.file(fd)));
    return machine.spawn(process, argv0, argv, env, dir, files);
  },
  wait: (machine, _, pid) => machine.wait(pid),
  kill: (machine, _, pid, signal) => machine.kill(pid, signal),
  which: (machine, _, name) => machine.which(name),
};
