// @ts-check
// When the page draws. Drawing takes the thread that a page's own fetch needs:
// an engine that lays out slowly would answer a script's requests five times
// slower while the lab shows them. So drawing has a budget of time, which is
// spent by frames, with what style, layout and paint cost, and refilled slowly.
// A short motion fits in; a stream of events is drawn in larger steps. What a
// person does is drawn at once, whatever the budget.

/** The longest that frames may take in a row, in milliseconds. */
const BUDGET = 100;

/** The part of the time that drawing may take for long. */
const SHARE = 1 / 10;

/** How long a frame is put off at most, and how long after an act of a person none is, in milliseconds. */
const REST = 400;

/** How soon it is drawn where there are no frames, in a page that is hidden, in milliseconds. */
const HIDDEN = 50;

/**
 * @typedef {object} Host
 * @property {() => number} now
 * @property {(f: (now: number) => void) => void} frame calls f before the next paint
 * @property {(f: () => void) => void} painted calls f after the paint that follows
 * @property {(f: () => void, ms: number) => any} later
 * @property {(timer: any) => void} cancel
 * @property {() => boolean} hidden
 */

/** @param {Host} host */
export function pacer(host) {
  /** @typedef {(now: number) => void} Call */
  const due = /** @type {Call[]} */ ([]);
  /** What comes before the frame. */ const ahead = /** @type {Call[]} */ ([]);
  /** What comes last in it. */ const last = /** @type {Call[]} */ ([]);
  let left = false; // whether a frame was not enough
  /** What runs them: nothing, a timer, or a frame that nobody can take back. @type {{timer?: any} | null} */
  let scheduled = null;
  let budget = BUDGET;
  let refilled = host.now();
  let attentive = -Infinity;

  function refill(spent = 0) {
    const now = host.now();
    budget = Math.min(BUDGET, budget + (now - refilled) * SHARE) - spent;
    refilled = now;
  }

  /** Runs the calls of a list, and not those that they add to it. @param {Call[]} calls @param {number} now */
  function run(calls, now) {
    for (const f of calls.splice(0)) {
      try {
        f(now);
      } catch (error) {
        console.error(error);
      }
    }
  }

  /** Draws what is due, in a frame. */
  function draw(began = host.now()) {
    scheduled = {};
    left = false;
    run(due, began);
    run(last, began);
    scheduled = null;
    if (left && !host.hidden()) frame(draw);
    else if (due.length || ahead.length || last.length) schedule();
    host.painted(() => refill(host.now() - began));
  }

  /**
   * There is time for a frame: what it is to show is read first, in the frame itself or in a separate task before it.
   *
   * @param {boolean} inFrame
   */
  function come(inFrame) {
    const began = host.now();
    scheduled = {}; // what is asked for now is a part of the frame
    run(ahead, began);
    if (inFrame || host.hidden()) return draw(began);
    refill(host.now() - began);
    if (due.length || last.length) frame(draw);
    else scheduled = null;
  }

  /** Schedules the calls that are due. */
  function schedule() {
    refill();
    const rest = host.hidden() ? HIDDEN : host.now() < attentive ? 0 : Math.min(REST, -budget / SHARE);
    if (rest > 16) scheduled = { timer: host.later(() => come(false), rest) };
    else frame(() => come(true));
  }

  /** @param {() => void} f */
  function frame(f) {
    const mine = (scheduled = {});
    host.frame(() => scheduled === mine && f());
  }

  /** @param {Call} f */
  function soon(f, list = due) {
    list.push(f);
    if (!scheduled) schedule();
  }

  return {
    /** Calls f before a paint that there is time for. */ soon,
    /** Calls f before the frame in which what it changes can be drawn. @param {Call} f */
    before: (f) => soon(f, ahead),
    /** Calls f as soon does, after what else is drawn in that frame. @param {Call} f */
    after: (f) => soon(f, last),
    /** Calls f in the frame after this one, whatever the budget: it is what is left of this one. @param {Call} f */
    rest(f) {
      last.push(f);
      left = true;
    },
    /** A person does something: until a moment from now, every frame is drawn. */
    attend() {
      attentive = host.now() + REST;
      if (scheduled?.timer === undefined || host.hidden()) return;
      host.cancel(scheduled.timer);
      frame(() => come(true));
    },
    /** The page was hidden or is seen again: what was scheduled may never come. */
    turn() {
      if (!scheduled) return;
      if (scheduled.timer !== undefined) host.cancel(scheduled.timer);
      schedule();
    },
  };
}

/**
 * The pacer of a page.
 *
 * @param {Window} window
 * @param {(f: () => void) => void} turn calls f in a separate task, which after a frame is behind its paint
 */
export function pagePacer(window, turn) {
  const { document } = window;
  const it = pacer({
    now: () => performance.now(),
    frame: (f) => void requestAnimationFrame(f),
    painted: turn,
    later: (f, ms) => setTimeout(f, ms),
    cancel: (timer) => clearTimeout(timer),
    hidden: () => document.hidden,
  });
  // What helps people to use a page makes some of these alone: a click without a pointer, a change without an input.
  const acts = ["pointerdown", "pointerup", "wheel", "keydown", "input", "touchmove", "click", "change", "submit"];
  for (const type of acts) {
    document.addEventListener(type, it.attend, { capture: true, passive: true });
  }
  document.addEventListener("pointermove", (ev) => ev.buttons && it.attend(), { capture: true, passive: true });
  document.addEventListener("visibilitychange", it.turn);
  return it;
}
