// @ts-check
/**
 * The judge's end of the port to a sandbox: a client that is not trusted. Code that gives no sign of life is ended.
 *
 * @import { Client, FromGuest, ToGuest } from "./protocol"
 */

/** How long a sign of life may take, in milliseconds of the person's time. */
export const PATIENCE = 5000;

/** The code is busy forever, or its sandbox is gone. */
export class Silent extends Error {
  name = "Silent";
}

/** @typedef {{set: (f: () => void, ms: number) => unknown, clear: (timer: any) => void}} Timer */

/**
 * What is waited for: the answer to load, for which n is 0, or to the turn of that number.
 *
 * @typedef {{n: number, resolve: () => void, reject: (e: Error) => void, timer: unknown}} Waiting
 */

/** @type {Timer} */
const wallTime = { set: (f, ms) => setTimeout(f, ms), clear: (timer) => clearTimeout(timer) };

/** @implements {Client} */
export class PortClient {
  /** @type {(m: FromGuest) => void} */ onmessage = () => {};
  /** @type {Waiting | null} */ #waiting = null;
  #turn = 0;
  #closed = false;
  /** @type {ToGuest | null} */ #loaded = null;
  #port;
  #timer;
  #end;

  /**
   * @param {MessagePort} port
   * @param {object} [parts]
   * @param {() => void} [parts.end] ends the sandbox: removes the frame
   * @param {Timer} [parts.timer]
   */
  constructor(port, { end = () => {}, timer = wallTime } = {}) {
    this.#port = port;
    this.#timer = timer;
    this.#end = end;
    port.onmessage = ({ data }) => this.#heard(data);
  }

  /**
   * Has the code imported; rejects with what is wrong with it.
   *
   * @param {string} code
   * @param {number | string} seed
   * @param {import("./protocol").Entrance} [entrance] what it has to export
   */
  load(code, seed, entrance = "reflect") {
    this.#loaded = { type: "load", code, seed: String(seed), entrance };
    return this.#wait(0, this.#loaded);
  }

  /** Has the code imported again, without what it has kept. */
  restart() {
    return this.#loaded ? this.#wait(0, this.#loaded) : Promise.resolve();
  }

  /** @param {ToGuest} m */
  post(m) {
    if (!this.#closed) this.#port.postMessage(m);
  }

  /** @param {number} now */
  idle(now) {
    const n = ++this.#turn;
    return this.#wait(n, { type: "turn", n, now });
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#port.close();
    this.#end();
    this.#over()?.reject(new Silent("The code was stopped."));
  }

  /** @param {number} n @param {ToGuest} m @returns {Promise<void>} */
  #wait(n, m) {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Silent("The code was stopped."));
      const timer = this.#timer.set(() => {
        this.#over();
        reject(new Silent(`Your code did not respond for ${PATIENCE / 1000} s and was stopped.`));
        this.close();
      }, PATIENCE);
      this.#waiting = { n, resolve, reject, timer };
      this.post(m);
    });
  }

  /** Nothing is waited for any longer. */
  #over() {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) this.#timer.clear(waiting.timer);
    return waiting;
  }

  /** @param {FromGuest} m */
  #heard(m) {
    if (Object(m) !== m) return; // no message of the guest's, but its code's
    const n = m.type === "idle" ? m.n : m.type === "ready" || m.type === "broken" ? 0 : null;
    if (n === null) this.onmessage(m);
    else if (this.#waiting?.n !== n) return;
    else if (m.type === "broken") this.#over()?.reject(new Error(m.message));
    else this.#over()?.resolve();
  }
}
