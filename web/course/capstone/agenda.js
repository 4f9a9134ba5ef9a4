// @ts-check
/**
 * What is to happen when, in the cluster's time. What falls on the same instant happens in the order in which it was
 * put down, so that a run is the same each time.
 */

/** @typedef {{at: number, turn: number, act: () => void}} Item */

export class Agenda {
  /** A heap: no item is later than the two at 2i+1 and 2i+2. @type {Item[]} */ #items = [];
  #turn = 0;

  /** When the next thing is due, or Infinity. */
  due() {
    return this.#items.length === 0 ? Infinity : this.#items[0].at;
  }

  /** @param {number} at @param {() => void} act */
  put(at, act) {
    const items = this.#items;
    const item = { at, turn: this.#turn++, act };
    let i = items.length;
    items.push(item);
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (!before(item, items[up])) break;
      items[i] = items[up];
      i = up;
    }
    items[i] = item;
  }

  /** Takes the next item that is due by a time, or undefined. @param {number} now */
  take(now) {
    const items = this.#items;
    if (this.due() > now) return undefined;
    const first = items[0];
    const last = /** @type {Item} */ (items.pop());
    if (items.length === 0) return first.act;
    let i = 0;
    for (;;) {
      let down = 2 * i + 1;
      if (down >= items.length) break;
      if (down + 1 < items.length && before(items[down + 1], items[down])) down++;
      if (!before(items[down], last)) break;
      items[i] = items[down];
      i = down;
    }
    items[i] = last;
    return first.act;
  }
}

/** @param {Item} a @param {Item} b */
const before = (a, b) => a.at < b.at || (a.at === b.at && a.turn < b.turn);
