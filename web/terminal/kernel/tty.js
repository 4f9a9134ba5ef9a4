// @ts-check
/**
 * A terminal, as processes see it: they read whole lines, and what they write is handed on at once, in its order.
 *
 * Invariants:
 *   - A line that nobody has read waits for the next read, until the input that it was typed for has ended (reset).
 *   - The end of the input is read once, as after Ctrl-D at a real terminal.
 *   - An interrupt ends the reads that wait, with the end of the input: Go repeats a read that fails with EINTR.
 *   - Who writes fast waits for the page after each PIECE bytes, so that the page can still act.
 */
import { S_IFCHR } from "../system/constants.js";
import { stat } from "./node.js";
import { OpenFile } from "./openfile.js";

/** After so many bytes a writer waits for a turn of the event loop. */
const PIECE = 64 << 10;

/** @typedef {"stdout" | "stderr"} Stream */
/** @typedef {{length: number, descriptor: object, resolve: (bytes: Uint8Array) => void}} Reader */

export class Terminal {
  columns = 80;
  lines = 24;
  /** @type {Uint8Array[]} */ #typed = [];
  #ended = false;
  /** @type {Reader[]} */ #readers = [];
  /** @type {Set<(bytes: Uint8Array, stream: Stream) => void>} */ #outputs = new Set();
  /** @type {Set<(reading: boolean) => void>} */ #watchers = new Set();
  #written = 0;
  #reading = false;
  /** What processes read from. */ stdin = new Input(this);
  stdout = new Output(this, "stdout");
  stderr = new Output(this, "stderr");

  /** Whether a process waits for a line. */
  get reading() {
    return this.#reading;
  }

  /** Reports whether a process waits for a line, when that changes. @param {(reading: boolean) => void} listener */
  onReading(listener) {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  }

  /** Reports what is written. @param {(bytes: Uint8Array, stream: Stream) => void} listener */
  onOutput(listener) {
    this.#outputs.add(listener);
    return () => void this.#outputs.delete(listener);
  }

  /** A line was typed. @param {string} line without its end */
  input(line) {
    this.#typed.push(new TextEncoder().encode(`${line}\n`));
    this.#answer();
  }

  /** Ctrl-D on an empty line. */
  endInput() {
    this.#ended = true;
    this.#answer();
  }

  interrupt() {
    this.#typed = [];
    for (const reader of this.#readers.splice(0)) reader.resolve(new Uint8Array(0));
    this.#tell();
  }

  /** Another input begins: what was typed for the one before is gone. */
  reset() {
    this.interrupt();
    this.#ended = false;
  }

  /** @param {number} length @param {object} descriptor @returns {Promise<Uint8Array>} */
  read(length, descriptor) {
    return new Promise((resolve) => {
      this.#readers.push({ length, descriptor, resolve });
      this.#answer();
    });
  }

  /** Ends the reads of a descriptor that is closed. @param {object} descriptor */
  forget(descriptor) {
    for (const r of this.#readers) if (r.descriptor === descriptor) r.resolve(new Uint8Array(0));
    this.#readers = this.#readers.filter((r) => r.descriptor !== descriptor);
    this.#tell();
  }

  #answer() {
    while (this.#readers.length > 0 && (this.#typed.length > 0 || this.#ended)) {
      const reader = /** @type {Reader} */ (this.#readers.shift());
      const line = this.#typed[0] ?? new Uint8Array(0);
      if (line.length > reader.length) this.#typed[0] = line.subarray(reader.length);
      else if (this.#typed.length > 0) this.#typed.shift();
      else this.#ended = false;
      reader.resolve(line.slice(0, reader.length));
    }
    this.#tell();
  }

  #tell() {
    const reading = this.#readers.length > 0;
    if (reading === this.#reading) return;
    this.#reading = reading;
    for (const listener of this.#watchers) listener(reading);
  }

  /** @param {Uint8Array} bytes @param {Stream} stream @returns {number | Promise<number>} */
  write(bytes, stream) {
    for (const listener of this.#outputs) listener(bytes, stream);
    this.#written += bytes.length;
    if (this.#written < PIECE) return bytes.length;
    this.#written = 0;
    return new Promise((resolve) => setTimeout(() => resolve(bytes.length)));
  }
}

class Line extends OpenFile {
  /** @param {Terminal} terminal */
  constructor(terminal) {
    super();
    this.terminal = terminal;
    this.path = "/dev/tty";
    this.of = terminal;
  }

  stat() {
    return stat(S_IFCHR | 0o620);
  }
}

class Input extends Line {
  /** @param {number} length @param {number | null} _ @param {object} descriptor */
  read(length, _, descriptor) {
    return this.of.read(length, descriptor);
  }

  /** @param {object} descriptor */
  forget(descriptor) {
    this.of.forget(descriptor);
  }
}

class Output extends Line {
  /** @param {Terminal} terminal @param {Stream} stream */
  constructor(terminal, stream) {
    super(terminal);
    this.stream = stream;
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    return this.of.write(bytes, this.stream);
  }
}
