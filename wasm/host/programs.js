// @ts-check
/**
 * Programs whose time is the cluster's, as the server's worker sees them: what the clock shows is sent to them on the
 * port on which they make requests, and they are asked when they wait. See ../PROTOCOL.md.
 *
 * That all of them wait is known when each has said so after a message to which nothing was added: a port keeps the
 * order, so what was sent to a program before it was asked has been handled when it answers, and what it has sent
 * before it answers has come. Who waited then, and has got nothing since, is asked again when its timer is due.
 *
 * @import { ClockState, FromFollower } from "../protocol"
 */
import { AS_HOST, timeAt } from "./clock.js";

/** How long a program may be silent, in milliseconds, until it is no longer waited for: it has ended, or hangs. */
const SILENCE = 20_000;

/**
 * How long is waited for the answer to a request of a program, in milliseconds, while nothing else happens: then it is
 * one that waits for time to pass.
 */
const PATIENCE = 1000;

/** The time between two questions while a request is open, in milliseconds. */
const PAUSE = 5;

/** By how much times that were computed may differ, in milliseconds. */
const ROUNDING = 0.01;

const wait = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The port of a program, for servePort. */
export class Followed {
  /** @type {((event: {data: any}) => void) | null} */ onmessage = null;
  /** @type {(() => void) | null} */ #answered = null;
  /** It was asked, and has not answered in time: it is not waited for until it does. */
  silent = false;
  /** Whether a request of it is open, and when its next timer fires, as it has said. */
  busy = true;
  next = -Infinity;

  /** @param {Programs} programs @param {MessagePort} port */
  constructor(programs, port) {
    this.programs = programs;
    this.port = port;
    port.onmessage = (event) => {
      if (event.data.type === "settled") return this.#hear(event.data);
      programs.traffic++;
      this.onmessage?.(event);
    };
  }

  /** @param {() => void} listener */
  set onmessageerror(listener) {
    this.port.onmessageerror = listener;
  }

  /** @param {any} m @param {Transferable[]} [transfer] */
  postMessage(m, transfer = []) {
    this.programs.traffic++;
    this.port.postMessage(m, transfer);
  }

  /** @param {string} type @param {() => void} listener */
  addEventListener(type, listener) {
    this.port.addEventListener(type, listener);
  }

  /** @param {ClockState} state */
  show(state) {
    this.port.postMessage({ type: "clock", ...state, ask: false });
  }

  /**
   * Learns when it waits, and until when; not if it is silent, or ends.
   *
   * @param {ClockState} state
   * @returns {Promise<void>}
   */
  ask(state) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.silent = true;
        this.end();
      }, this.programs.silence);
      this.#answered = () => {
        clearTimeout(timer);
        this.#answered = null;
        resolve();
      };
      this.port.postMessage({ type: "clock", ...state, ask: true });
    });
  }

  /** @param {FromFollower} m */
  #hear(m) {
    this.busy = m.busy;
    this.next = m.next ?? Infinity;
    this.silent = false;
    this.end();
  }

  /** Whether it may do something at a time, though nothing is sent to it. @param {number} now */
  due(now) {
    return this.busy || this.next <= now;
  }

  /** Its answer is not waited for any longer. */
  end() {
    this.#answered?.();
  }
}

export class Programs {
  /** @type {Map<string, Followed>} */ #followed = new Map();
  #state = AS_HOST;
  /** The question that is open, which the next one waits for. @type {Promise<unknown>} */ #asked = Promise.resolve();
  /** How many messages of requests and answers there were. */
  traffic = 0;
  /** How many there were when all programs waited. */
  #settled = -1;
  silence = SILENCE;
  patience = PATIENCE;

  /**
   * A program begins, or begins again.
   *
   * @param {string} name
   * @param {MessagePort} port
   */
  add(name, port) {
    this.remove(name);
    const followed = new Followed(this, port);
    this.#followed.set(name, followed);
    followed.show(this.#state);
    return followed;
  }

  /** A program has ended. @param {string} name */
  remove(name) {
    this.#followed.get(name)?.end();
    this.#followed.delete(name);
  }

  /**
   * As Host.clock.
   *
   * @param {number} offset
   * @param {number | null} at
   * @param {number} rate
   * @param {number} since
   */
  show(offset, at, rate, since) {
    const state = { offset, at, rate, since };
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    for (const followed of this.#followed.values()) followed.show(this.#state);
  }

  /** As Host.settle. @returns {Promise<number | null>} */
  settle() {
    const settled = this.#asked.then(() => this.#settle());
    this.#asked = settled;
    return settled;
  }

  async #settle() {
    let quiet = performance.now();
    for (let before = this.#settled; ;) {
      // What waited when nothing was sent any more still does, unless a timer of it is due.
      const now = timeAt(this.#state, Date.now()) + ROUNDING;
      const all = this.traffic !== before;
      before = this.traffic;
      const heard = () => [...this.#followed.values()].filter(({ silent }) => !silent);
      await Promise.all(heard().map((one) => (all || one.due(now)) && one.ask(this.#state)));
      const followed = heard();
      if (this.traffic !== before) {
        quiet = performance.now();
      } else if (!followed.some(({ busy }) => busy) || performance.now() - quiet > this.patience) {
        this.#settled = this.traffic;
        const next = Math.min(...followed.map(({ next }) => next));
        return Number.isFinite(next) ? next : null;
      } else {
        await wait(PAUSE);
      }
    }
  }
}
