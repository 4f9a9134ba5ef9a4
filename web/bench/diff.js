// @ts-check
/** What differs between two texts, line by line, with some lines around it. */

/** How many equal lines are shown around what differs. */
const AROUND = 2;

/** More lines than this are not compared. */
const MOST = 2000;

/**
 * @typedef {{sign: " " | "+" | "-" | "…", text: string}} Line
 */

/**
 * @param {string} before
 * @param {string} after
 * @returns {Line[]}
 */
export function difference(before, after) {
  const a = lines(before);
  const b = lines(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = changed(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  /** @type {Line[]} */
  const all = [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
  return withoutFar(all);
}

const lines = (/** @type {string} */ text) => (text ? text.replace(/\n$/, "").split("\n") : []);
const same = (/** @type {string} */ text) => ({ sign: /** @type {const} */ (" "), text });

/** By the longest common subsequence. @param {string[]} a @param {string[]} b @returns {Line[]} */
function changed(a, b) {
  const removed = (/** @type {string} */ text) => ({ sign: /** @type {const} */ ("-"), text });
  const added = (/** @type {string} */ text) => ({ sign: /** @type {const} */ ("+"), text });
  if (a.length > MOST || b.length > MOST) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let k = b.length - 1; k >= 0; k--) {
      common[i * width + k] = a[i] === b[k] ? common[(i + 1) * width + k + 1] + 1
        : Math.max(common[(i + 1) * width + k], common[i * width + k + 1]);
    }
  }
  /** @type {Line[]} */
  const all = [];
  for (let i = 0, k = 0; i < a.length || k < b.length; ) {
    if (i < a.length && k < b.length && a[i] === b[k]) all.push(same(a[i++])), k++;
    else if (i < a.length && (k === b.length || common[(i + 1) * width + k] >= common[i * width + k + 1])) all.push(
      removed(a[i++]));
    else all.push(added(b[k++]));
  }
  return all;
}

/** Leaves out what is far from all that differs, but for what it is in. @param {Line[]} all @returns {Line[]} */
function withoutFar(all) {
  const keep = new Set();
  all.forEach(({ sign, text }, i) => {
    if (sign === " ") return;
    for (let k = i - AROUND; k <= i + AROUND; k++) keep.add(k);
    let depth = indent(text);
    for (let k = i - 1; k >= 0 && depth > 0; k--) {
      if (indent(all[k].text) < depth && all[k].sign === " ") {
        depth = indent(all[k].text);
        keep.add(k);
      }
    }
  });
  /** @type {Line[]} */
  const shown = [];
  all.forEach((line, i) => {
    if (keep.has(i)) shown.push(line);
    else if (keep.size && shown.at(-1)?.sign !== "…") shown.push({ sign: "…", text: "" });
  });
  return shown;
}

const indent = (/** @type {string} */ text) => text.length - text.trimStart().length;
