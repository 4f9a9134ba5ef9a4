// @ts-check
/**
 * The clock of a program: the cluster's. Go for js has its time from functions that it imports, and these take their
 * place: the wall clock is the cluster's, and the monotonic one runs and stands with it, is advanced with it, is as
 * fast, and never goes back. Timers fire by it. All times are in milliseconds.
 *
 * @import { ClockMessage, ClockState } from "../../../wasm/protocol"
 */
import { AS_HOST, timeAt } from "../../../wasm/host/clock.js";

/**
 * @typedef {object} Host what a clock is made of
 * @property {() => number} now since 1970
 * @property {(run: () => void, milliseconds: number) => any} setTimeout
 * @property {(timer: any) => void} clearTimeout
 */

/** @type {Host} */
const HOST = {
  now: () => Date.now(), // as the server's: performance.now stands while the machine sleeps
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer),
};

export class Clock {
  #state = AS_HOST;
  /** The monotonic time, and the cluster's when it was that. */
  #mono;
  #was;
  /**
   * When timers fire, by the monotonic time.
   *
   * @type {Map<number | symbol, {due: number, fire: () => void, timer: any}>}
   */
  #timers = new Map();
  #held = false;

  /** @param {Host} [host] */
  constructor(host = HOST) {
    this.host = host;
    this.#mono = this.#was = host.now();
  }

  /** The cluster's time. */
  now(host = this.host.now()) {
    return timeAt(this.#state, host);
  }

  /** The monotonic time. */
  mono(host = this.host.now()) {
    return this.#mono + Math.max(0, this.now(host) - this.#was);
  }

  /** The cluster's clock was paused, moved, let go, or is faster or slower than before. @param {ClockState} state */
  set(state) {
    const host = this.host.now();
    this.#mono = this.mono(host);
    const before = this.now(host);
    this.#state = state;
    this.#was = this.now(host);
    this.#mono += Math.max(0, this.#was - before);
    for (const [id, { due }] of [...this.#timers]) {
      if (due <= this.#mono && !this.#held) this.#fire(id);
      else this.#arm(id);
    }
  }

  /**
   * Calls a function after some time, unless it is stopped.
   *
   * @param {number | symbol} id
   * @param {number} delay
   * @param {() => void} fire
   */
  start(id, delay, fire) {
    this.#timers.set(id, { due: this.mono() + delay, fire, timer: null });
    this.#arm(id);
  }

  /** @param {number | symbol} id */
  stop(id) {
    this.host.clearTimeout(this.#timers.get(id)?.timer);
    this.#timers.delete(id);
  }

  /** Lets no timer fire, though time passes; or those that are due, and from then on all. @param {boolean} on */
  hold(on) {
    this.#held = on;
    for (const id of [...this.#timers.keys()]) this.#arm(id);
  }

  /** The cluster's time when the next timer fires; null without timers. */
  next() {
    if (this.#held) return null;
    const host = this.host.now();
    const due = Math.min(...Array.from(this.#timers.values(), ({ due }) => due));
    return Number.isFinite(due) ? this.now(host) + due - this.mono(host) : null;
  }

  /** @param {number | symbol} id */
  #arm(id) {
    const timer = this.#timers.get(id);
    if (!timer) return;
    this.host.clearTimeout(timer.timer);
    const left = Math.max(0, timer.due - this.mono());
    const fires = !this.#held && (this.#state.at === null || left === 0);
    timer.timer = fires ? this.host.setTimeout(() => this.#fire(id), Math.ceil(left / this.#state.rate)) : null;
  }

  /** @param {number | symbol} id */
  #fire(id) {
    const timer = this.#timers.get(id);
    if (!timer) return;
    this.host.clearTimeout(timer.timer);
    this.#timers.delete(id);
    timer.fire();
  }
}

/**
 * Gives an instance of Go's runtime a clock. No two readings of the wall clock are the same, as on a real machine:
 * Events have names of their times, and of two with one name the server refuses one. So each reading at the same time
 * is a nanosecond later than the one before.
 *
 * @param {any} go what wasm_exec.js defines
 * @param {Clock} clock
 */
export function install(go, clock) {
  const { gojs } = go.importObject;
  const set = (/** @type {number} */ address, /** @type {number} */ value) => {
    go.mem.setUint32(address, value, true);
    go.mem.setUint32(address + 4, Math.floor(value / 2 ** 32), true);
  };
  let last = 0;
  let [read, again] = [NaN, 0];
  gojs["runtime.nanotime1"] = (/** @type {number} */ sp) => set((sp >>> 0) + 8, clock.mono() * 1e6);
  gojs["runtime.walltime"] = (/** @type {number} */ sp) => {
    const now = clock.now();
    again = now === read ? (again + 1) % 1e6 : 0;
    read = now;
    const seconds = Math.floor(now / 1000);
    const nanoseconds = Math.floor((now - seconds * 1000) * 1000) * 1000 + again;
    set((sp >>> 0) + 8, seconds + Math.floor(nanoseconds / 1e9));
    go.mem.setInt32((sp >>> 0) + 16, nanoseconds % 1e9, true);
  };
  gojs["runtime.scheduleTimeoutEvent"] = (/** @type {number} */ sp) => {
    const at = (sp >>> 0) + 8;
    const delay = go.mem.getUint32(at, true) + go.mem.getInt32(at + 4, true) * 2 ** 32;
    const id = ++last;
    clock.start(id, delay, () => go.exited || go._resume());
    go.mem.setInt32(at + 8, id, true);
  };
  gojs["runtime.clearTimeoutEvent"] = (/** @type {number} */ sp) => clock.stop(go.mem.getInt32((sp >>> 0) + 8, true));
}

/**
 * Has a program follow the cluster's clock by its port, on which it is also asked when it waits. Returns what ends
 * that.
 *
 * @param {MessagePort} port
 * @param {Clock} clock
 * @param {() => boolean} busy whether a request of it is not answered
 */
export function follow(port, clock, busy) {
  const turn = new MessageChannel();
  /** What is to be answered once all that has come is handled, promises too. */
  turn.port1.onmessage = () => port.postMessage({ type: "settled", id: 0, next: clock.next(), busy: busy() });
  port.addEventListener("message", (/** @type {MessageEvent<ClockMessage>} */ { data: m }) => {
    if (m.type !== "clock") return;
    clock.set(m);
    if (m.ask) turn.port2.postMessage(null);
  });
  return () => turn.port1.close();
}
