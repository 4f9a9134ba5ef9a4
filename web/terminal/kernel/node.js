// @ts-check
/**
 * What the tree of files consists of. A node does not know its name: directories do, so that a file may have several.
 *
 * Costs: the bytes of a file lie in one buffer that grows by doubling.
 */
import { S_IFCHR, S_IFDIR, S_IFLNK, S_IFREG } from "../system/constants.js";
import { Errno } from "./errno.js";

/** The user of all processes. */
export const USER = 1000;

/** The largest file, in bytes. */
export const LARGEST = 64 << 20;

let lastNode = 0;

/** @typedef {"file" | "dir" | "link" | "device"} Kind */

const TYPES = { file: S_IFREG, dir: S_IFDIR, link: S_IFLNK, device: S_IFCHR };

export class Node {
  number = ++lastNode;
  names = 0;
  changed = Date.now();
  /** Of a directory. @type {Map<string, Node>} */ entries = new Map();
  /** Of a link, where it leads; of a device, which one. */ target = "";
  #bytes = new Uint8Array(0);
  size = 0;

  /** @param {Kind} kind @param {number} mode the permissions @param {number} [owner] */
  constructor(kind, mode, owner = USER) {
    this.kind = kind;
    this.mode = mode & 0o7777;
    this.owner = owner;
  }

  /** The content: valid until the next write. */
  get content() {
    return this.#bytes.subarray(0, this.size);
  }

  /** @param {number} size */
  #grow(size) {
    if (size > LARGEST) throw new Errno("EFBIG");
    if (size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(size, Math.min(2 * this.#bytes.length, LARGEST)));
    larger.set(this.content);
    this.#bytes = larger;
  }

  /** @param {Uint8Array} bytes @param {number} at */
  write(bytes, at) {
    const end = at + bytes.length;
    this.#grow(end);
    this.#bytes.set(bytes, at);
    this.size = Math.max(this.size, end);
    this.touch();
  }

  /** @param {number} size */
  truncate(size) {
    if (size < 0) throw new Errno("EINVAL");
    if (size < this.size) this.#bytes = this.#bytes.slice(0, size);
    this.#grow(size);
    this.size = size;
    this.touch();
  }

  touch() {
    this.changed = Date.now();
  }

  /** Whether the user may: 4 reads, 2 writes, 1 executes a file or goes through a directory. @param {number} wanted */
  allows(wanted) {
    const bits = this.owner === USER ? this.mode >> 6 : this.mode;
    return (bits & wanted) === wanted;
  }

  /** What stat answers. */
  stat() {
    const { size, changed } = this;
    return stat(TYPES[this.kind] | this.mode, {
      ino: this.number, nlink: this.names, uid: this.owner, gid: this.owner, size, changed,
    });
  }
}

/** @typedef {ReturnType<typeof stat>} Stat */

/**
 * What stat answers of something.
 *
 * @param {number} mode with the type
 * @param {{ino?: number, nlink?: number, uid?: number, gid?: number, size?: number, changed?: number}} [more]
 */
export function stat(mode, { ino = 0, nlink = 1, uid = USER, gid = USER, size = 0, changed = Date.now() } = {}) {
  return {
    dev: 1, ino, mode, nlink, uid, gid, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512),
    atimeMs: changed, mtimeMs: changed, ctimeMs: changed,
  };
}
