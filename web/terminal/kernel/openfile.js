// @ts-check
/**
 * What a descriptor leads to. Several descriptors, of several processes, may lead to the same: it is closed with the
 * last of them.
 */
import { O_APPEND, O_RDWR, O_WRONLY, S_IFCHR } from "../system/constants.js";
import { Errno } from "./errno.js";
import { stat } from "./node.js";

/** @import { Files } from "./files.js" */
/** @import { Node, Stat } from "./node.js" */

export class OpenFile {
  #holders = 0;
  /** Where it was opened, if it has a path. */ path = "";
  /** The file, if it is one. @type {Node | null} */ node = null;
  /** Whether it is a terminal. @type {import("./tty.js").Terminal | null} */ terminal = null;

  retain() {
    this.#holders++;
    return this;
  }

  release() {
    if (--this.#holders === 0) this.closed();
  }

  /** Nobody has it any more. */
  closed() {}

  /** Ends what a descriptor, which is closed, waits for. @param {object} descriptor */
  forget(descriptor) {}

  /**
   * @param {number} length
   * @param {number | null} position
   * @param {object} descriptor which reads
   * @returns {Uint8Array | Promise<Uint8Array>}
   */
  read(length, position, descriptor) {
    throw new Errno("EBADF");
  }

  /**
   * @param {Uint8Array} bytes given away
   * @param {number | null} position
   * @param {object} descriptor which writes
   * @returns {number | Promise<number>}
   */
  write(bytes, position, descriptor) {
    throw new Errno("EBADF");
  }

  /** @param {number} size */
  truncate(size) {
    throw new Errno("EINVAL");
  }

  /** @returns {Stat} */
  stat() {
    throw new Errno("EBADF");
  }
}

/** A file or a directory of the tree. */
export class TreeFile extends OpenFile {
  #at = 0;

  /** @param {Files} files @param {Node} node @param {string} path @param {number} flags */
  constructor(files, node, path, flags) {
    super();
    this.files = files;
    this.node = node;
    this.path = path;
    this.flags = flags;
    /** @type {Node} */ this.file = node;
  }

  /** @param {number} length @param {number | null} position */
  read(length, position) {
    if (this.flags & O_WRONLY) throw new Errno("EBADF");
    if (this.file.kind === "dir") throw new Errno("EISDIR");
    const at = position ?? this.#at;
    const bytes = this.file.content.slice(at, at + length);
    if (position === null) this.#at += bytes.length;
    return bytes;
  }

  /** @param {Uint8Array} bytes @param {number | null} position */
  write(bytes, position) {
    if (!(this.flags & (O_WRONLY | O_RDWR))) throw new Errno("EBADF");
    const at = this.flags & O_APPEND ? this.file.size : (position ?? this.#at);
    this.files.writeNode(this.file, bytes, at, this.path);
    if (position === null) this.#at = at + bytes.length;
    return bytes.length;
  }

  /** @param {number} size */
  truncate(size) {
    if (!(this.flags & (O_WRONLY | O_RDWR))) throw new Errno("EBADF");
    this.files.truncateNode(this.file, size, this.path);
  }

  stat() {
    return this.file.stat();
  }
}

/** /dev/null. */
export class Nothing extends OpenFile {
  read() {
    return new Uint8Array(0);
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    return bytes.length;
  }

  truncate() {}

  stat() {
    return stat(S_IFCHR | 0o666);
  }
}
