// @ts-check
/**
 * What a process writes to its standard streams, on its way to the kernel. kubectl writes tables cell by cell: what it
 * writes before it waits for something is one message, and it does not wait for the kernel's answer until much is under
 * way.
 *
 * Invariants:
 *   - The order of all that is written is kept, and send is called before anything else is asked of the kernel.
 *   - No more than LIMIT bytes, and one write, are under way: who writes faster waits.
 *   - A failure is reported to the write after it. The kernel ends a process that writes to a pipe which nobody reads.
 */

/** How many bytes may be under way. */
const LIMIT = 64 << 10;

/** So many bytes are sent at once. */
const PIECE = 16 << 10;

/** @typedef {(error: Error | null, result?: any) => void} Callback */

export class Output {
  #fd = 0;
  /** @type {Uint8Array[]} */ #chunks = [];
  #size = 0;
  #underWay = 0;
  /** @type {Error | null} */ #failed = null;
  /** @type {(() => void)[]} */ #waiting = [];
  #due = false;

  /** @param {(fd: number, bytes: Uint8Array<ArrayBuffer>, done: Callback) => void} write to the kernel */
  constructor(write) {
    this.write = write;
  }

  /** @param {number} fd @param {Uint8Array} bytes given away @param {Callback} callback */
  add(fd, bytes, callback) {
    if (this.#failed) {
      callback(this.#failed);
      this.#failed = null;
      return;
    }
    if (fd !== this.#fd) this.send();
    this.#fd = fd;
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= PIECE) this.send();
    else if (!this.#due) {
      this.#due = true;
      queueMicrotask(() => {
        this.#due = false;
        this.send();
      });
    }
    const done = () => callback(null, bytes.length);
    if (this.#underWay + this.#size <= LIMIT) done();
    else this.#waiting.push(done);
  }

  /** Sends what waits. */
  send() {
    if (this.#size === 0) return;
    const all = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    this.#size = 0;
    this.#underWay += all.length;
    const { length } = all;
    this.write(this.#fd, all, (error) => {
      this.#underWay -= length;
      this.#failed ??= error;
      if (this.#underWay <= LIMIT / 2) for (const done of this.#waiting.splice(0)) done();
    });
  }

  /** Resolves when the kernel has taken all. @returns {Promise<void>} */
  async drained() {
    this.send();
    while (this.#underWay > 0) await new Promise((resolve) => this.#waiting.push(() => resolve(null)));
  }
}
