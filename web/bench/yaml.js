// @ts-check
/**
 * Reads YAML such as manifests are written in, and knows where each value is in the text: the server, which reads the
 * same text, names values by their paths. Tags are left out, and what the server would refuse is not always refused
 * here.
 *
 * A value costs its length once; a document of 10,000 lines is read in some milliseconds.
 *
 * More than 400 lines: it reads blocks and flows at once, as YAML nests them, and writes what it reads.
 */
import { isMap } from "../npm/manifests.js";

/**
 * @typedef {object} Scalar
 * @property {"scalar"} kind
 * @property {string} text the value, before it is taken for a number or another word
 * @property {boolean} plain whether it is not quoted, nor a block: it may be no string then
 * @property {number} from where it begins in the document
 * @property {number} to
 * @property {[at: number, from: number, length: number][]} pieces of text, with where each is in the document
 */
/** @typedef {{kind: "map", entries: {key: string, from: number, value: Node}[], from: number, to: number}} MapNode */
/** @typedef {{kind: "list", items: {dash: number, value: Node}[], from: number, to: number}} ListNode */
/** @typedef {Scalar | MapNode | ListNode} Node */

/** What is wrong with a text, and where. */
export class YAMLError extends Error {
  /** @param {string} message @param {number} at @param {number} line from 1 */
  constructor(message, at, line) {
    super(`line ${line}: ${message}`);
    this.at = at;
    this.line = line;
  }
}

/** The line of a place in a text, from 1. @param {string} text @param {number} at */
export const lineAt = (text, at) => text.slice(0, at).split("\n").length;

/**
 * The documents of a text, without those that have nothing.
 *
 * @param {string} text
 * @returns {{from: number, to: number}[]}
 */
export function documents(text) {
  const found = [];
  let from = 0;
  for (const m of text.matchAll(/^(?:---|\.\.\.)(?=\s|$).*\n?/gm)) {
    found.push({ from, to: m.index });
    from = m.index + m[0].length;
  }
  found.push({ from, to: text.length });
  return found.filter(({ from, to }) => /^[^\S\n]*[^\s#]/m.test(text.slice(from, to)));
}

/** What a plain key may begin with, and what follows. */
const PLAIN_KEY = /(?:[^\s#\-?:,[\]{}&*!|>'"%@`]|[-?:](?=[^\s,[\]{}]))(?:[^\n:#]|:(?=\S)|(?<=\S)#)*?/;
const KEY = new RegExp(
  `(?:(?:"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\n]|'')*')[^\\S\\n]*|${PLAIN_KEY.source}):(?=\\s|$)`, "y");

/** What stands for something else in double quotes. */
const ESCAPED = new RegExp(/\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|\n[^\S\n]*|[^])|/.source +
  /(?:(?<![^\S\n])[^\S\n]+)?\n[^\S\n]*(?:\n[^\S\n]*)*/.source, "g");

/** How deeply values may be in each other. */
const DEEPEST = 200;

/** How many values the aliases of a document may repeat. */
const MOST_REPEATED = 50_000;

class Reader {
  /** @type {Map<string, Node>} */ anchors = new Map();
  repeated = 0;
  depth = 0;

  /** @param {string} text @param {number} from @param {number} to */
  constructor(text, from, to) {
    this.text = text;
    this.at = from;
    this.to = to;
  }

  /** @param {string} message @returns {never} */
  fail(message, at = this.at) {
    throw new YAMLError(message, at, lineAt(this.text, at));
  }

  char() {
    return this.at < this.to ? this.text[this.at] : "";
  }

  /** The column of a place, from 0. */
  column(at = this.at) {
    return at - (this.text.lastIndexOf("\n", at - 1) + 1);
  }

  lineEnd(at = this.at) {
    const end = this.text.indexOf("\n", at);
    return end < 0 || end > this.to ? this.to : end;
  }

  /** Passes over white space and comments, of this line only or of all. @param {boolean} [lines] */
  skip(lines = true) {
    for (;;) {
      const c = this.char();
      if (c === " " || c === "\r" || c === "\t" || (c === "\n" && lines)) this.at++;
      else if (c === "#" && (this.at === 0 || /\s/.test(this.text[this.at - 1]))) this.at = this.lineEnd();
      else return;
    }
  }

  isDash() {
    return this.char() === "-" && (this.at + 1 >= this.to || /\s/.test(this.text[this.at + 1]));
  }

  key() {
    KEY.lastIndex = this.at;
    const m = KEY.exec(this.text);
    return m && this.at + m[0].length <= this.to ? m[0] : null;
  }

  /** @returns {Scalar} */
  nothing(at = this.at) {
    return { kind: "scalar", text: "", plain: true, from: at, to: at, pieces: [] };
  }

  /**
   * A value that begins in this line or a later one, right of a column.
   *
   * @param {number} indent
   * @param {boolean} [dashes] whether a list may begin at the column itself
   * @returns {Node}
   */
  block(indent, dashes = false) {
    const start = this.at;
    this.skip();
    const column = this.at < this.to ? this.column() : -1;
    if (column <= indent && !(dashes && column === indent && this.isDash())) {
      this.at = start;
      this.skip(false);
      return this.nothing(start);
    }
    if (++this.depth > DEEPEST) this.fail("it is nested too deeply");
    const value = this.isDash() ? this.list(column) : this.key() !== null ? this.map(column) : this.inline(indent);
    this.depth--;
    return value;
  }

  /** @param {number} column @returns {ListNode} */
  list(column) {
    /** @type {ListNode} */
    const node = { kind: "list", items: [], from: this.at, to: this.at };
    while (this.at < this.to && this.column() === column && this.isDash()) {
      const dash = this.at++;
      node.items.push({ dash, value: this.block(column) });
      node.to = this.at;
      this.skip();
    }
    if (this.at < this.to && this.column() > column) this.fail("this does not belong to the list above it");
    return node;
  }

  /** @param {number} column @returns {MapNode} */
  map(column) {
    /** @type {MapNode} */
    const node = { kind: "map", entries: [], from: this.at, to: this.at };
    const keys = new Set();
    while (this.at < this.to && this.column() === column && !this.isDash()) {
      const found = this.key();
      if (found === null) this.fail("a key with a colon is missing");
      const from = this.at;
      const text = keyOf(this.scalar(found.slice(0, -1).trimEnd(), from));
      if (keys.size === keys.add(text).size) this.fail(`${text} is there twice`);
      this.at += found.length;
      this.skip(false);
      const value = this.at >= this.lineEnd() ? this.block(column, true) : this.inline(column);
      node.entries.push({ key: text, from, value });
      node.to = this.at;
      this.skip();
    }
    if (this.at < this.to && this.column() > column) this.fail("this is indented further than what it belongs to");
    return node;
  }

  /**
   * A value that begins here: an anchor, a flow, a block of text, a quoted or plain scalar.
   *
   * @param {number} indent
   * @returns {Node}
   */
  inline(indent) {
    const m = /^([&*!])([^\s,[\]{}]*)/.exec(this.text.slice(this.at, this.lineEnd()));
    if (m) {
      const at = this.at;
      this.at += m[0].length;
      if (m[1] === "*") return this.alias(m[2], at);
      this.skip(false);
      if (++this.depth > DEEPEST) this.fail("it is nested too deeply", at);
      const value = this.at >= this.lineEnd() ? this.block(indent, true) : this.inline(indent);
      this.depth--;
      if (m[1] === "&") this.anchors.set(m[2], value);
      return value;
    }
    const c = this.char();
    if (c === "|" || c === ">") return this.blockText(indent);
    const value = c === "[" || c === "{" ? this.flow() : c === '"' || c === "'" ? this.quoted() : this.plain(indent,
      false);
    this.skip(false);
    if (this.at < this.lineEnd()) this.fail("this does not belong here");
    return value;
  }

  /** @param {string} source @param {number} from @returns {Scalar} */
  scalar(source, from) {
    const quote = source[0];
    if (quote !== '"' && quote !== "'") {
      return { kind: "scalar", text: source, plain: true, from, to: from + source.length,
        pieces: [[0, from, source.length]] };
    }
    /** @type {Scalar["pieces"]} */
    const pieces = [];
    let text = "";
    const escapes = quote === "'" ? /''|\n[^\S\n]*/g : ESCAPED;
    const inner = source.slice(1, -1);
    let last = 0;
    const add = (/** @type {number} */ begin, /** @type {string} */ part) => {
      if (part) pieces.push([text.length, from + 1 + begin, part.length]);
      text += part;
    };
    for (const m of inner.matchAll(escapes)) {
      add(last, inner.slice(last, m.index));
      text += m[0] === "''" ? "'" : m[0][0] === "\\" ? unescaped(m[0].slice(1)) : folded(m[0]);
      last = m.index + m[0].length;
    }
    add(last, inner.slice(last));
    return { kind: "scalar", text, plain: false, from, to: from + source.length, pieces };
  }

  quoted() {
    const end = this.char() === "'" ? /'(?:[^']|'')*'/y : /"(?:[^"\\]|\\[^])*"/y;
    end.lastIndex = this.at;
    const m = end.exec(this.text);
    if (!m || this.at + m[0].length > this.to) this.fail("the quote is not closed");
    const node = this.scalar(m[0], this.at);
    this.at = node.to;
    return node;
  }

  /**
   * A plain scalar, with the lines that continue it.
   *
   * @param {number} indent
   * @param {boolean} inFlow
   * @returns {Scalar}
   */
  plain(indent, inFlow) {
    const from = this.at;
    const part = inFlow ? /(?:[^\s:#,[\]{}]|:(?=[^\s,[\]{}])|(?<=\S)#|[^\S\n]+(?=[^\s#]))*/y
      : /(?:[^\s:#]|:(?=\S)|(?<=\S)#|[^\S\n]+(?=[^\s#]))*/y;
    let text = "";
    /** @type {Scalar["pieces"]} */
    const pieces = [];
    let to = from;
    for (;;) {
      part.lastIndex = this.at;
      const [source] = /** @type {RegExpExecArray} */ (part.exec(this.text));
      const line = source.slice(0, this.to - this.at).trimEnd();
      pieces.push([text.length, this.at, line.length]);
      text += line;
      to = this.at += line.length;
      this.skip(false);
      if (this.char() !== "\n") break;
      const before = this.at;
      const gap = /** @type {RegExpExecArray} */ (/^\s*/.exec(this.text.slice(before, this.to)))[0];
      this.at = before + gap.length;
      const next = this.char();
      const ends = next === "" || next === "#" || (inFlow ? /[,[\]{}:]/.test(next)
        : this.column() <= indent || this.text.slice(to, before).includes("#"));
      if (ends) {
        this.at = before;
        break;
      }
      text += folded(gap);
    }
    if (!inFlow && this.char() === ":") {
      this.fail("a colon is not expected here: " +
        (pieces.length > 1 ? "the line above may lack one" : "quote the text"));
    }
    if (text === "" && inFlow && !/[,\]}:]/.test(this.char())) this.fail("this is not expected here");
    if (!inFlow) this.at = Math.min(this.at, this.lineEnd(to));
    return { kind: "scalar", text, plain: true, from, to, pieces };
  }

  /** @returns {Node} */
  flow() {
    if (++this.depth > DEEPEST) this.fail("it is nested too deeply");
    const open = this.char();
    const from = this.at++;
    /** @type {MapNode["entries"]} */ const entries = [];
    /** @type {ListNode["items"]} */ const items = [];
    for (;;) {
      this.skip();
      const c = this.char();
      if (c === "") this.fail(`${open} is not closed`, from);
      if (c === (open === "[" ? "]" : "}")) break;
      const at = this.at;
      const first = this.flowValue();
      this.skip();
      if (open === "{") {
        if (first.kind !== "scalar") this.fail("a key is missing", at);
        let value = /** @type {Node} */ (this.nothing());
        if (this.char() === ":") {
          this.at++;
          this.skip();
          value = /[,}]/.test(this.char()) ? this.nothing() : this.flowValue();
        }
        entries.push({ key: keyOf(first), from: at, value });
      } else items.push({ dash: at, value: first });
      this.skip();
      if (this.char() === "") this.fail(`${open} is not closed`, from);
      if (this.char() === ",") this.at++;
      else if (this.char() !== (open === "[" ? "]" : "}")) {
        this.fail(`a comma is missing, or the ${open} of line ${lineAt(this.text, from)} is not closed`);
      }
    }
    this.depth--;
    const to = ++this.at;
    return open === "[" ? { kind: "list", items, from, to } : { kind: "map", entries, from, to };
  }

  /** @returns {Node} */
  flowValue() {
    const c = this.char();
    if (c === "[" || c === "{") return this.flow();
    if (c === '"' || c === "'") return this.quoted();
    const m = c === "*" && /^\*([^\s,[\]{}]+)/.exec(this.text.slice(this.at, this.lineEnd()));
    if (!m) return this.plain(-1, true);
    this.at += m[0].length;
    return this.alias(m[1], this.at - m[0].length);
  }

  /**
   * What an alias stands for. A few aliases of aliases would repeat more than the page can hold, so they are counted.
   *
   * @param {string} name
   * @param {number} at
   */
  alias(name, at) {
    const node = this.anchors.get(name) ?? this.fail(`there is no &${name} above`, at);
    this.repeated += sizeOf(node);
    if (this.repeated > MOST_REPEATED) this.fail("aliases repeat too much", at);
    return node;
  }

  /** A text after | or >. @param {number} parent the column that it has to be right of @returns {Scalar} */
  blockText(parent) {
    const from = this.at;
    const m = /^([|>])([+-]?)([1-9]?)([+-]?)[^\S\n]*(?:#.*)?$/.exec(this.text.slice(from, this.lineEnd()).trimEnd());
    if (!m) this.fail("a line has to end after | or >");
    const keep = m[2] || m[4];
    let indent = m[3] ? Math.max(parent, 0) + Number(m[3]) : -1;
    let text = "";
    /** @type {Scalar["pieces"]} */
    const pieces = [];
    let breaks = 0;
    let more = true; // whether the line before was empty, or indented further
    this.at = Math.min(this.lineEnd() + 1, this.to);
    let to = this.at;
    while (this.at < this.to) {
      const end = this.lineEnd();
      const line = this.text.slice(this.at, end);
      const lead = line.length - line.trimStart().length;
      if (line.trim() === "" && (indent < 0 || lead <= indent)) breaks++;
      else {
        if (indent < 0) indent = lead;
        if (lead < indent || indent <= parent) break;
        const deeper = /^\s/.test(line.slice(indent));
        if (text === "") text = "\n".repeat(breaks);
        else if (m[1] === "|" || more || deeper) text += "\n".repeat(breaks + 1);
        else text += breaks ? "\n".repeat(breaks) : " ";
        pieces.push([text.length, this.at + indent, line.length - indent]);
        text += line.slice(indent);
        more = deeper;
        breaks = 0;
      }
      this.at = Math.min(end + 1, this.to);
      if (breaks === 0) to = this.at;
    }
    if (keep === "+") text += "\n".repeat(breaks + (text ? 1 : 0));
    else if (keep !== "-" && text !== "") text += "\n";
    this.at = Math.max(to - 1, from);
    if (this.char() !== "\n") this.at = to;
    return { kind: "scalar", text, plain: false, from, to, pieces };
  }
}

/** How many values a node has. @param {Node} node @returns {number} */
function sizeOf(node) {
  if (node.kind === "scalar") return 1;
  const inner = node.kind === "list" ? node.items : node.entries;
  return inner.reduce((sum, { value }) => sum + sizeOf(value), 1);
}

/** What a break in a quoted or plain scalar becomes. @param {string} gap */
function folded(gap) {
  const breaks = gap.split("\n").length - 1;
  return breaks > 1 ? "\n".repeat(breaks - 1) : " ";
}

/** @type {Record<string, string>} */
const ESCAPES = { 0: "\0", a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r", e: "\x1b", N: "\x85",
  _: "\xa0" };

/** @param {string} code */
function unescaped(code) {
  if (code[0] === "\n") return "";
  if (code.length > 1) return String.fromCodePoint(Math.min(parseInt(code.slice(1), 16), 0x10ffff));
  return ESCAPES[code] ?? code;
}

/**
 * A document, and where its parts are.
 *
 * @param {string} text
 * @param {{from: number, to: number}} [part] of the text
 * @throws {YAMLError}
 */
export function read(text, { from, to } = { from: 0, to: text.length }) {
  const reader = new Reader(text, from, to);
  const node = reader.block(-1);
  reader.skip();
  if (reader.at < to) reader.fail("this does not belong to what is above it");
  return node;
}

/** Words that are no strings. @type {Map<string, null | boolean>} */
const WORDS = new Map(Object.entries({ "": null, "~": null, null: null, true: true, yes: true, on: true, y: true,
  false: false, no: false, off: false, n: false }));

/** The value of a word that is no string. @param {string} text */
const wordOf = (text) =>
  (/^(?:[a-z~]*|[A-Z][a-z]*|[A-Z]+)$/.test(text) ? WORDS.get(text.toLowerCase()) : undefined);

/** A key, as the server reads it: y is the text "true", and 0x10 is "16". @param {Scalar} node */
const keyOf = (node) => String(valueOf(node) ?? node.text);

/** The value of a node, as the server reads it. @param {Node} node @returns {any} */
export function valueOf(node) {
  if (node.kind === "list") return node.items.map(({ value }) => valueOf(value));
  if (node.kind === "map") {
    /** @type {Record<string, any>} */
    let all = {};
    for (const { key, value } of node.entries) {
      if (key === "<<") all = { ...valueOf(value), ...all };
      else Object.defineProperty(all, key, { value: valueOf(value), enumerable: true, writable: true,
        configurable: true });
    }
    return all;
  }
  const { text, plain } = node;
  if (!plain) return text;
  const word = wordOf(text);
  if (word !== undefined) return word;
  const digits = text.replaceAll("_", "");
  if (/^[-+]?(?:0b[01]+|0x[\da-fA-F]+|0o?[0-7]+)$/.test(digits)) {
    const sign = digits[0] === "-" ? -1 : 1;
    return sign * Number(digits.replace(/^[-+]/, "").replace(/^0(?=[0-7])/, "0o"));
  }
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits)) return Number(digits);
  return text;
}

/**
 * The value of a node by a path, and the key or dash before it; or null.
 *
 * @param {Node} node
 * @param {(string | number)[]} path
 * @returns {{node: Node, from: number} | null}
 */
export function find(node, path) {
  let from = node.from;
  for (const step of path) {
    const next = node.kind === "map" ? node.entries.find(({ key }) => key === String(step))
      : node.kind === "list" ? node.items[Number(step)] : undefined;
    if (!next) return null;
    from = "dash" in next ? next.dash : next.from;
    node = next.value;
  }
  return { node, from };
}

/** The steps of a path such as spec.validations[0].expression. @param {string} path */
export const stepsOf = (path) => Array.from(path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\[([^\]]*)\]|([^.[\]]+)/g),
  ([, quoted, index, key, name]) =>
    (quoted !== undefined ? JSON.parse(`"${quoted}"`) : index !== undefined ? Number(index) : (key ?? name)));

/**
 * The path of the innermost value at a place.
 *
 * @param {Node} node
 * @param {number} at
 * @returns {{path: (string | number)[], node: Node}}
 */
export function pathAt(node, at) {
  /** @type {(string | number)[]} */
  const path = [];
  for (;;) {
    if (node.kind === "scalar") return { path, node };
    const parts = node.kind === "map" ? node.entries.map(({ key, value, from }) =>
      ({ step: /** @type {string | number} */ (key), from, value }))
      : node.items.map(({ dash, value }, i) => ({ step: /** @type {string | number} */ (i), from: dash, value }));
    const inside = parts.findLast(({ from, value }) => from <= at && at <= Math.max(value.to, from));
    if (!inside) return { path, node };
    path.push(inside.step);
    node = inside.value;
  }
}

/** Where a place of a scalar's value is in the document. @param {Scalar} node @param {number} at */
export function placeOf({ pieces, from, to }, at) {
  const piece = pieces.findLast(([begin]) => begin <= at);
  return piece ? Math.min(piece[1] + at - piece[0], to) : from;
}

/**
 * Where a place of the document is in a scalar's value; -1 if it is not in it.
 *
 * @param {Scalar} node
 * @param {number} at
 */
export function placeIn({ pieces }, at) {
  for (const [begin, from, length] of pieces) if (at >= from && at <= from + length) return begin + at - from;
  return -1;
}

const PLAIN = /^[A-Za-z_/.$(][\w\-./$()+=@]*(?: [\w\-./$()+=@]+)*$/;

/** A text as a scalar. @param {string} text */
function scalarOf(text) {
  return PLAIN.test(text) && wordOf(text) === undefined && !/[:.]$/.test(text) && !/^[.\d+-]+$/.test(text) ? text
    : JSON.stringify(text);
}

/**
 * A value as YAML.
 *
 * @param {any} value
 * @param {string} [lead] what its lines begin with
 * @returns {string} with a line feed at its end
 */
export function write(value, lead = "") {
  if (Array.isArray(value) && value.length) {
    return value.map((item) => `${lead}- ${write(item, lead + "  ").slice(lead.length + 2)}`).join("");
  }
  if (isMap(value) && Object.keys(value).length) {
    return Object.entries(value).map(([key, item]) => {
      const name = lead + scalarOf(key) + ":";
      if (Array.isArray(item) && item.length) return `${name}\n${write(item, lead)}`;
      if (isMap(item) && Object.keys(item).length) return `${name}\n${write(item, lead + "  ")}`;
      if (typeof item === "string" && /\n/.test(item) && !/^\s|[^\S\n]\n|[^\S\n]$|\n\n$|^\n/.test(item)) {
        const end = item.endsWith("\n") ? "" : "-";
        return `${name} |${end}\n${item.replace(/\n$/, "").replace(/^(?=.)/gm, lead + "  ")}\n`;
      }
      return `${name} ${write(item)}`;
    }).join("");
  }
  return `${lead}${typeof value === "string" ? scalarOf(value) : JSON.stringify(value ?? null)}\n`;
}
