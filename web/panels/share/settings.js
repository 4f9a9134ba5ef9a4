// @ts-check
/**
 * Settings of the ControlPlane that come from elsewhere, in words: one by one, as far as they differ from those that
 * are there.
 */
import { SETTINGS } from "../../../core/settings/settings.js";

/** How many settings are said, and how long what is said of one may be, in characters. */
const MOST = 60;
const LENGTH = 200;

/** How deep a setting lies at most: what is deeper is said as it is. */
const DEPTH = 4;

/** Words for settings by their paths. @type {[RegExp, (value: any, name: string) => string][]} */
const OTHERS = [
  [/^authentication\.tokens$/, (v) => `bearer tokens that are accepted: ${
    listed(v, (token) => `that of ${token?.user}`)}`],
  [/^faults$/, (v) => `rows that disturb some clients’ requests: ${Array.isArray(v) ? v.length : JSON.stringify(v)}`],
  [/^featureGates\.(.+)$/, (v, name) => `the feature gate ${name} is ${v === true ? "on" : v === false ? "off" : v}`],
  [/^chaos\.acts$/, (v) => `faults at random are of these kinds: ${listed(v, String)}`],
];

/** @param {any} v @param {(one: any) => string} word */
const listed = (v, word) => (Array.isArray(v) ? v.map(word).join(", ") || "none" : JSON.stringify(v));

/**
 * The values in a tree by their paths, such as cache.replicas[0].lagSeconds.
 *
 * @param {any} tree
 * @param {Map<string, any>} [into]
 */
function leaves(tree, into = new Map(), path = "", depth = 0) {
  const servers = path === "cache.replicas" && Array.isArray(tree);
  if (depth === DEPTH || tree === null || typeof tree !== "object" || (Array.isArray(tree) && !servers)) {
    return into.set(path, tree);
  }
  if (servers) into.set(path, tree.length);
  for (const [name, value] of Object.entries(tree)) {
    leaves(value, into, servers ? `${path}[${name}]` : path ? `${path}.${name}` : name, depth + 1);
  }
  return into;
}

/** @param {string} path */
const rowOf = (path) => SETTINGS.find((row) => row.path === path.replace(/\[\d+\]/, "[]"));

/** What is so with a value, without a full stop. @param {string} path @param {any} value */
function said(path, value) {
  const row = rowOf(path);
  const words = row?.words?.[JSON.stringify(value)];
  const other = OTHERS.find(([at]) => at.test(path));
  const unit = row?.unit === "s" || row?.says ? " s" : "";
  const [, server] = /\[(\d+)\]/.exec(path) ?? [];
  const of = server === undefined ? "" : `API server ${Number(server) + 1}: `;
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  if (path === "cache.replicas") return `API servers: ${shown}`;
  if (words) return of + words;
  if (other) return other[1](value, other[0].exec(path)?.[1] ?? "");
  if (row?.says) return of + row.says + shown + unit;
  return `${of}${row?.is}: ${shown}${unit}`;
}

/** @param {string} text */
const cut = (text) => (text.length > LENGTH ? text.slice(0, LENGTH) + "…" : text);

/**
 * What settings change, a line for each; none if they change nothing.
 *
 * @param {Record<string, any>} spec of the ControlPlane, or a part of it
 * @param {Record<string, any>} here the whole spec that is there
 * @returns {string[]}
 */
export function changes(spec, here) {
  const now = leaves(here);
  const lines = [];
  const then = leaves(spec);
  for (const path of now.keys()) { // a list takes the place of the one that is there, with all that its servers have
    const [, server] = /^cache\.replicas\[(\d+)\]\./.exec(path) ?? [];
    if (Number(server) < then.get("cache.replicas") && !then.has(path)) then.set(path, rowOf(path)?.default ?? null);
  }
  for (const [path, value] of then) {
    const was = now.has(path) ? now.get(path) : rowOf(path)?.default;
    if (JSON.stringify(value) === JSON.stringify(was) || (value === null && was === undefined)) continue;
    if (!rowOf(path) && !OTHERS.some(([at]) => at.test(path))) {
      lines.push(`${cut(path)} is ${cut(JSON.stringify(value))}`);
      continue;
    }
    const text = cut(said(path, value)).replace(/^(?!etcd)./, (first) => first.toUpperCase());
    lines.push(`${text} (${cut(path)})`);
  }
  return lines.length > MOST ? [...lines.slice(0, MOST), `and ${lines.length - MOST} more settings`] : lines;
}
