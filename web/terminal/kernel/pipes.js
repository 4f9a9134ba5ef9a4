// @ts-check
/**
 * A pipe: what is written at one end is read at the other, in order.
 *
 * Invariants:
 *   - No more than CAPACITY bytes wait: a write is done when all of it has been taken.
 *   - A read is answered as soon as there is a byte; with an empty Uint8Array at the end, when nobody can write.
 *   - A write fails with EPIPE when nobody can read, also one that waits.
 */
import { S_IFIFO } from "../system/constants.js";
import { Errno } from "./errno.js";
import { stat } from "./node.js";
import { OpenFile } from "./openfile.js";

/** How many bytes may wait in a pipe. */
export const CAPACITY = 64 << 10;

/** Returns the ends of a new pipe: [reads, writes]. */
export function pipe() {
  const shared = new Pipe();
  return [new ReadEnd(shared), new WriteEnd(shared)];
}

/** @typedef {{length: number, descriptor: object, resolve: (bytes: Uint8Array) => void}} Reader */

/**
 * @typedef {object} Writer
 * @property {Uint8Array} bytes that have not been taken
 * @property {number} length
 * @property {object} descriptor
 * @property {(n: number) => void} resolve
 * @property {(error: Errno) => void} reject
 */

class Pipe {
  /** @type {Uint8Array[]} */ chunks = [];
  size = 0;
  read = true; // whether there is somebody who can read
  written = true; // whether there is somebody who can write
  /** @type {Reader[]} */ readers = [];
  /** @type {Writer[]} */ writers = [];

  /** Moves bytes as far as that can be done now. */
  move() {
    for (let moved = true; moved; ) {
      moved = false;
      const writer = this.writers[0];
      if (writer && !this.read) {
        this.writers.shift();
        writer.reject(new Errno("EPIPE"));
        moved = true;
      } else if (writer && this.size < CAPACITY) {
        const part = writer.bytes.subarray(0, CAPACITY - this.size);
        this.chunks.push(part);
        this.size += part.length;
        writer.bytes = writer.bytes.subarray(part.length);
        if (writer.bytes.length === 0) {
          this.writers.shift();
          writer.resolve(writer.length);
        }
        moved = true;
      }
      const reader = this.readers[0];
      if (reader && (this.size > 0 || !this.written)) {
        this.readers.shift();
        reader.resolve(this.take(reader.length));
        moved = true;
      }
    }
  }

  /** @param {number} length */
  take(length) {
    const bytes = new Uint8Array(Math.min(length, this.size));
    for (let at = 0; at < bytes.length; ) {
      const part = this.chunks[0].subarray(0, bytes.length - at);
      bytes.set(part, at);
      at += part.length;
      if (part.length === this.chunks[0].length) this.chunks.shift();
      else this.chunks[0] = this.chunks[0].subarray(part.length);
    }
    this.size -= bytes.length;
    return bytes;
  }
}

class End extends OpenFile {
  /** @param {Pipe} shared */
  constructor(shared) {
    super();
    this.shared = shared;
  }

  stat() {
    return stat(S_IFIFO | 0o600);
  }
}

class ReadEnd extends End {
  /** @param {number} length @param {number | null} _ @param {object} descriptor @returns {Promise<Uint8Array>} */
  read(length, _, descriptor) {
    return new Promise((resolve) => {
      this.shared.readers.push({ length, descriptor, resolve });
      this.shared.move();
    });
  }

  /** @param {object} descriptor */
  forget(descriptor) {
    const { shared } = this;
    for (const r of shared.readers) if (r.descriptor === descriptor) r.resolve(new Uint8Array(0));
    shared.readers = shared.readers.filter((r) => r.descriptor !== descriptor);
  }

  closed() {
    const { shared } = this;
    shared.read = false;
    shared.chunks = [];
    shared.size = 0;
    shared.move();
  }
}

class WriteEnd extends End {
  /** @param {Uint8Array} bytes @param {number | null} _ @param {object} descriptor @returns {Promise<number>} */
  write(bytes, _, descriptor) {
    if (!this.shared.read) return Promise.reject(new Errno("EPIPE"));
    if (bytes.length === 0) return Promise.resolve(0);
    return new Promise((resolve, reject) => {
      this.shared.writers.push({ bytes, length: bytes.length, descriptor, resolve, reject });
      this.shared.move();
    });
  }

  /** @param {object} descriptor */
  forget(descriptor) {
    const { shared } = this;
    for (const w of shared.writers) if (w.descriptor === descriptor) w.reject(new Errno("EBADF"));
    shared.writers = shared.writers.filter((w) => w.descriptor !== descriptor);
  }

  closed() {
    this.shared.written = false;
    this.shared.move();
  }
}
