// @ts-check
/**
 * The timers of a Go program. Go has one at a time, for what is due first. While a request is open, or if it is due
 * soon, that is a timer of JavaScript's. Otherwise no timer runs, so that the engine may evict the room: nobody sees
 * what happens late while nothing is asked. Some time after its last request an alarm lets the program, which is
 * started for that if need be, do for a while what is due: history that has become too old is forgotten then. Until
 * the next request nothing happens any more.
 *
 * Costs: a row is written for an alarm, one in REST at most.
 */

/** A timer that is due within this time is kept while nothing is open, in milliseconds. */
export const SOON = 5_000;

/** How long after the last request the alarm comes: the usual retention of history, and the time between two checks. */
export const REST = 310_000;

/** How long the alarm lets the program run: longer than the time between two checks of the history. */
export const ROUND = 15_000;

/**
 * @typedef {object} Runtime what wasm_exec.js makes
 * @property {string[]} argv
 * @property {{gojs: Record<string, (sp: number) => unknown>} & WebAssembly.Imports} importObject
 * @property {(code: number) => void} exit
 * @property {(instance: WebAssembly.Instance) => Promise<void>} run
 * @property {DataView} mem
 * @property {() => void} _resume
 */

export class Timers {
  /** @type {{id: number, due: number, handle: ReturnType<typeof setTimeout> | null} | null} */ #next = null;
  #last = 0; // the last timer's id
  #open = 0;
  #used = 0; // when the last request ended
  #alarm = 0; // when the next alarm comes, if that is yet to be
  #stopped = false;

  /**
   * @param {Runtime} go
   * @param {(at: number) => void} setAlarm
   */
  constructor(go, setAlarm) {
    this.go = go;
    this.setAlarm = setAlarm;
    const imports = go.importObject.gojs;
    imports["runtime.scheduleTimeoutEvent"] = (sp) => {
      const delay = Number(go.mem.getBigInt64((sp >>> 0) + 8, true));
      go.mem.setInt32((sp >>> 0) + 16, this.#schedule(delay), true);
    };
    imports["runtime.clearTimeoutEvent"] = (sp) => this.#clear(go.mem.getInt32((sp >>> 0) + 8, true));
  }

  /** A request begins. */
  begin() {
    if (this.#open++ === 0) this.#arm();
  }

  /** A request has ended. */
  end() {
    this.#used = Date.now();
    this.#rest();
    if (this.#alarm <= this.#used && !this.#stopped) this.#setAlarm(this.#used + REST);
  }

  /** The alarm has come. */
  fire() {
    const due = this.#used + REST;
    if (due > Date.now()) {
      this.#setAlarm(due);
      return;
    }
    this.begin();
    setTimeout(() => this.#rest(), ROUND);
  }

  /** Nothing more is to come. */
  stop() {
    this.#stopped = true;
    this.#drop();
  }

  #rest() {
    if (--this.#open === 0) this.#arm();
  }

  /** @param {number} at */
  #setAlarm(at) {
    this.#alarm = at;
    this.setAlarm(at);
  }

  /** @param {number} delay */
  #schedule(delay) {
    this.#drop();
    this.#next = { id: ++this.#last, due: Date.now() + delay, handle: null };
    this.#arm();
    return this.#last;
  }

  /** @param {number} id */
  #clear(id) {
    if (this.#next?.id === id) this.#drop();
  }

  #drop() {
    if (this.#next?.handle) clearTimeout(this.#next.handle);
    this.#next = null;
  }

  /** Makes the next timer what it has to be now. */
  #arm() {
    const next = this.#next;
    if (!next || this.#stopped) return;
    const left = next.due - Date.now();
    if (this.#open > 0 || left < SOON) {
      next.handle ??= setTimeout(() => this.#wake(), left);
    } else if (next.handle) {
      clearTimeout(next.handle);
      next.handle = null;
    }
  }

  /** Lets Go do what is due. Go clears the timer when it runs. */
  #wake() {
    const id = this.#next?.id;
    this.go._resume();
    if (id !== undefined && this.#next?.id === id) this.go._resume();
  }
}
