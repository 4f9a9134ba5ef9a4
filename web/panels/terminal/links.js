// @ts-check
/**
 * What in a line of output leads somewhere: the names of objects, and revisions.
 *
 * @import { Kind } from "./explain/request.js"
 *
 * @typedef {object} Link
 * @property {number} from in the line
 * @property {number} to
 * @property {string} [ref] of an object, as in data-ref without "obj-"
 * @property {number} [revision]
 */

/** Whether a word names a resource: "pod", "pods", "networkpolicy". @param {string} word @param {string} resource */
function names(word, resource) {
  return word === resource || word + "s" === resource || word + "es" === resource ||
    (word.endsWith("y") && word.slice(0, -1) + "ies" === resource);
}

/** @param {Pick<Kind, "group" | "resource">} kind @param {string} namespace @param {string} name */
const refOf = ({ group, resource }, namespace, name) =>
  `${resource}${group ? "." + group : ""}/${namespace || "_"}/${name}`;

const NAME = "[a-z0-9](?:[a-z0-9.:-]*[a-z0-9])?";
/** "pod/web", "deployment.apps/web", at the beginning of a line or within it. */
const OBJECT = new RegExp(`(?<![\\w./-])([a-z][a-z0-9]*)(\\.[a-z0-9.-]+)?/(${NAME})(?![\\w/.-]*/)`, "g");
const DELETED = new RegExp(`^([a-z]+)(\\.[a-z0-9.-]+)? "(${NAME})" (?:force )?(?:deleted|created)`);
const REVISION = /resourceVersion"?:\s*"?(\d+)|resourceVersion \(?"?(\d+)/g;

/** Finds links in the lines of one command's output. The lines have to come in order. */
export class Links {
  /**
   * The columns of the table that is printed, if one is.
   *
   * @type {{name: number, namespace: number, kind: number} | null}
   */
  #table = null;

  /** @param {() => Kind[]} asked what the command has asked for so far */
  constructor(asked) {
    this.asked = asked;
  }

  /** @param {string} line @returns {Link[]} */
  in(line) {
    const header = /^(?:NAMESPACE\s+|LAST SEEN\s+|EVENT\s+)*NAME\s|^NAME$/.test(line + " ");
    if (header) {
      const at = (/** @type {string} */ word) => new RegExp(`(^|\\s)${word}(\\s|$)`).exec(line)?.index ?? -1;
      const start = (/** @type {string} */ word) => (at(word) < 0 ? -1 : line.indexOf(word, at(word)));
      this.#table = { name: line.search(/\bNAME(\s|$)/), namespace: start("NAMESPACE"), kind: start("KIND") };
      return [];
    }
    if (!line.trim()) this.#table = null;
    if (this.#table && line[0] !== " ") {
      const found = this.#row(line, this.#table);
      if (found) return [found];
    }
    return [...this.#objects(line), ...this.#revisions(line)].sort((a, b) => a.from - b.from);
  }

  /** @param {string} line @param {{name: number, namespace: number, kind: number}} table @returns {Link | null} */
  #row(line, { name, namespace, kind }) {
    const word = (/** @type {number} */ from) => /^\S+/.exec(line.slice(from))?.[0] ?? "";
    const given = word(name);
    if (!given || (name > 0 && line[name - 1] !== " ") || kind >= 0) return null;
    const space = namespace >= 0 ? word(namespace) : null;
    const link = { from: name, to: name + given.length };
    const slash = given.indexOf("/");
    if (slash > 0) {
      const [type, group = ""] = split(given.slice(0, slash));
      const asked = this.#find(type, group);
      return asked ? { ...link, ref: refOf(asked, space ?? asked.namespace, given.slice(slash + 1)) } : null;
    }
    const lists = this.asked().filter((k) => k.resource && !k.subresource && ["list", "get", "watch"].includes(k.verb));
    const resources = new Set(lists.map((k) => `${k.resource}.${k.group}`));
    if (resources.size !== 1) return null;
    return { ...link, ref: refOf(lists[0], space ?? lists[0].namespace, given) };
  }

  /** @param {string} type @param {string} group @param {string} [name] */
  #find(type, group, name) {
    const fits = this.asked().filter((k) => names(type, k.resource) && (!group || k.group === group));
    return fits.find((k) => k.name === name) ?? fits.at(-1);
  }

  /** @param {string} line @returns {Link[]} */
  #objects(line) {
    /** @type {Link[]} */
    const out = [];
    for (const m of line.matchAll(OBJECT)) {
      const asked = this.#find(m[1], (m[2] ?? "").slice(1), m[3]);
      if (asked) out.push({ from: m.index, to: m.index + m[0].length, ref: refOf(asked, asked.namespace, m[3]) });
    }
    const m = DELETED.exec(line);
    const asked = m && this.#find(m[1], (m[2] ?? "").slice(1), m[3]);
    if (m && asked) {
      const from = line.indexOf('"') + 1;
      out.push({ from, to: from + m[3].length, ref: refOf(asked, asked.namespace, m[3]) });
    }
    return out;
  }

  /** @param {string} line @returns {Link[]} */
  #revisions(line) {
    return [...line.matchAll(REVISION)].map((m) => {
      const digits = m[1] ?? m[2];
      const from = m.index + m[0].lastIndexOf(digits);
      return { from, to: from + digits.length, revision: Number(digits) };
    });
  }
}

/** "deployment.apps": the type and its group. @param {string} word */
function split(word) {
  const dot = word.indexOf(".");
  return dot < 0 ? [word] : [word.slice(0, dot), word.slice(dot + 1)];
}
