// @ts-check
/**
 * Shows what an expression came to: its parts that are joined by && or || a line each, what made it false underlined,
 * the fields in that with their values, and all parts below, for those who ask.
 *
 * @import { Evaluation, Range, Tree } from "./trial"
 */
import { count, h } from "./dom.js";

/** Of parts that are shown one below another. */
const OPERATORS = /^[\s)]*(&&|\|\|)[\s(]*$/;

/** How deeply parts are shown. */
const DEEPEST = 12;

/** A value that is longer than this is below its expression, in characters. */
const LONG = 12;

/**
 * The parts of an expression that an operator joins, as lines.
 *
 * @param {string} text
 * @param {Tree} tree
 * @returns {{from: number, to: number, tree: Tree}[]}
 */
export function linesOf(text, tree) {
  const operator = operatorOf(text, tree);
  if (!operator) return [{ from: 0, to: text.length, tree }];
  /** @type {Tree[]} */
  const leaves = [];
  const gather = (/** @type {Tree} */ part) => {
    if (operatorOf(text, part) === operator) part.parts?.forEach(gather);
    else leaves.push(part);
  };
  gather(tree);
  let from = 0;
  return leaves.map((leaf, i) => {
    const next = leaves[i + 1];
    const to = next ? text.indexOf(operator, leaf.end) + operator.length : text.length;
    const line = { from, to, tree: leaf };
    from = to;
    return line;
  });
}

/** @param {string} text @param {Tree} tree */
function operatorOf(text, { parts = [] }) {
  return parts.length === 2 ? OPERATORS.exec(text.slice(parts[0].end, parts[1].start))?.[1] : undefined;
}

/**
 * A part of a text with what made it false underlined.
 *
 * @param {string} text
 * @param {number} from
 * @param {number} to
 * @param {Range[]} ranges
 */
function marked(text, from, to, ranges) {
  const lead = /** @type {RegExpExecArray} */ (/^\s*/.exec(text.slice(from, to)))[0].length;
  let at = from + lead;
  const end = from + text.slice(from, to).trimEnd().length;
  const parts = [];
  for (const { start, end: stop } of ranges.toSorted((a, b) => a.start - b.start)) {
    const [begin, finish] = [Math.max(start, at), Math.min(stop, end)];
    if (begin >= finish) continue;
    parts.push(text.slice(at, begin), h("u", null, text.slice(begin, finish)));
    at = finish;
  }
  parts.push(text.slice(at, end));
  return h("span.code", null, ...parts.filter(Boolean));
}

/** @param {Pick<Tree, "value" | "error" | "unevaluated">} tree */
export function valueOf({ value, error, unevaluated }) {
  if (unevaluated) return h("span.v.soft", null, "not evaluated");
  if (error) return h("span.v.error", null, "error");
  if (value === undefined || value === "") return null;
  const kind = value === "true" ? ".ok" : value === "false" ? ".error" : "";
  return h("span.v" + kind, null, value);
}

/** @param {Evaluation} evaluation */
export function expressionView({ expression: text, tree, because = [], fields = [], value, error, type }) {
  const lines = tree?.end ? linesOf(text, tree) : [{ from: 0, to: text.length, tree: { start: 0, end: 0, value,
    error } }];
  const long = (value ?? "").length > LONG;
  const box = h("div.cel", null, ...lines.map(({ from, to, tree: part }) =>
    h("div.ln", null, marked(text, from, to, because), valueOf(lines.length > 1 ? part : { value: long ? "" : value,
      error }))),
  long && !error ? h("div.long", null, "= ", h("b", null, value)) : null);
  const shown = fields.filter(({ start, end }, i) =>
    fields.findIndex((other) => text.slice(other.start, other.end) === text.slice(start, end)) === i);
  if (shown.length) {
    box.append(h("div.vals", null, ...shown.map((field) =>
      h("span", { title: field.type }, `${text.slice(field.start, field.end)} = `, h("b", null, field.value)))));
  }
  if (error) box.append(h("p.error", null, error));
  const parts = tree?.parts?.length || tree?.loop?.length ? h("details.parts", null, h("summary", null,
    "Every part", type ? h("span.soft", null, ` ${type}`) : null)) : null;
  // A tree may have thousands of parts: it is made when somebody looks.
  parts?.addEventListener("toggle", () => {
    if (parts.children.length === 1) parts.append(h("ul.tree", null, branch(text, /** @type {Tree} */ (tree), 0)));
  });
  return h("div", null, box, parts);
}

/** @param {string} text @param {Tree} tree @param {number} depth @returns {Node} */
function branch(text, tree, depth) {
  const { start, end, type, parts = [], loop = [], more, estimate } = tree;
  const cost = estimate !== undefined && h("span.v.num", null, estimate.toLocaleString("en-US"));
  const row = h("li", null, h("div.ln", { title: type ?? "" }, h("span.code", null, text.slice(start, end)),
    cost || valueOf(tree)));
  if (depth >= DEEPEST) return row;
  const below = parts.filter((part) => part.end > part.start && part.value !== text.slice(part.start, part.end))
    .map((part) => branch(text, part, depth + 1));
  for (const { key, item, value, parts: inner = [] } of loop) {
    const branches = inner.map((part) => branch(text, part, depth + 1));
    if (!item) { // an estimate is of all items
      below.push(...branches);
      continue;
    }
    below.push(h("li", null,
      h("div.ln", null, h("span.code.item", null, key ? `${key}: ${item}` : item), valueOf({ value })),
      branches.length ? h("ul.tree", null, ...branches) : null));
  }
  if (more) below.push(h("li.soft", null, `${count(more, "item")} more`));
  if (below.length) row.append(h("ul.tree", null, ...below));
  return row;
}

/** A cost against its limit, as a bar. @param {string} name @param {number} cost @param {number} limit */
export function costView(name, cost, limit) {
  const part = limit ? Math.min(1, cost / limit) : 0;
  const used = h("i", null);
  used.style.width = `${100 * part}%`;
  const meter = h("span.use" + (part >= 0.8 ? ".near" : ""), { role: "meter", "aria-label": name, "aria-valuemin": "0",
    "aria-valuemax": String(limit), "aria-valuenow": String(Math.min(cost, limit)) }, used);
  const units = cost < Number.MAX_SAFE_INTEGER ? cost.toLocaleString("en-US") : "unbounded"; // the most that is written
  return h("div.cost", null, h("span", null, name), limit ? meter : h("span", null),
    h("span", null, h("b", null, units), limit ? ` of ${limit.toLocaleString("en-US")}` : ""));
}
