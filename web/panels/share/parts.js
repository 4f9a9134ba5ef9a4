// @ts-check
/**
 * The parts that can be shared, as rows: how each is checked when it comes from somebody else, and what it brings, in
 * words. A part that is not here is refused, so that nothing of a link is lost without a word.
 *
 * @typedef {object} Shared
 * @property {string} [title]
 * @property {Uint8Array} [cluster] a snapshot: objects, revisions, history and settings
 * @property {string} [manifests] one or more YAML documents
 * @property {Record<string, any>} [settings] spec of the ControlPlane
 * @property {{method: string, path: string, headers: string, body: string}} [request]
 * @property {{revision?: number, selected?: string}} [view]
 * @property {string[]} [watches] paths with their queries
 * @property {string} [level] the text of a level (web/lesson/format/level.go), which the lab checks
 * @property {string} [place] a lesson's step or a scene, as the address names it
 * @property {{panel?: string, presenter?: boolean, theme?: string}} [layout]
 */
import { API_PATH } from "../../../core/wellknown/wellknown.js";
import { changes } from "./settings.js";

const METHODS = /^(GET|POST|PUT|PATCH|DELETE)$/;

/** @param {any} v @param {number} most */
const isText = (v, most) => typeof v === "string" && v.length <= most;

/** Whether a path leads to the API, and to nothing else. @param {any} v */
const isPath = (v) =>
  isText(v, 4000) && /^\/[^\s\\]*$/.test(v) && !v.startsWith("//") && API_PATH.test(v.split("?")[0]);

/** @param {any} v */
const isRecord = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

/** @param {any} v @param {Record<string, (v: any) => boolean>} fields those that it may have */
const isObject = (v, fields) =>
  isRecord(v) && Object.entries(v).every(([name, value]) => Object.hasOwn(fields, name) && fields[name](value));

/** Whether something nests no deeper than so many levels. @param {any} v @param {number} most @returns {boolean} */
const isShallow = (v, most) =>
  v === null || typeof v !== "object" || (most > 0 && Object.values(v).every((one) => isShallow(one, most - 1)));

/** @param {number} n @param {string} one @param {string} [many] */
export const count = (n, one, many = one + "s") => `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;

/** What the lab reads in a level. @typedef {{title: string, namespaces: string[], settings: any}} Read */

/**
 * The says of a part returns a line, or several. It is given the settings of this tab's cluster, as far as they are
 * known, and what the lab has read in a level.
 *
 * @type {Record<string, {is: (v: any) => boolean, says: (v: any, here: any, level?: Read) => string | string[]}>}
 */
export const PARTS = {
  title: { is: (v) => isText(v, 120), says: () => "" },
  manifests: {
    is: (v) => isText(v, 4 << 20),
    says: (v) => `${count(v.split(/^---$/m).filter((/** @type {string} */ d) => d.trim()).length, "object")}, ` +
      "which are applied to this tab’s cluster",
  },
  settings: {
    is: (v) => isRecord(v) && isShallow(v, 12), // the API server checks the rest
    says(v, here) {
      const lines = changes(v, here).map((line) => `A setting: ${line}`);
      return lines.length ? lines : "The levers’ settings, which are as they are here";
    },
  },
  request: {
    is: (v) => isObject(v, {
      method: (m) => typeof m === "string" && METHODS.test(m), path: isPath,
      headers: (h) => isText(h, 8000), body: (b) => isText(b, 1 << 20),
    }) && "method" in v && "path" in v,
    says: (v) => `A request for the console, which is not sent: ${v.method} ${v.path}`,
  },
  watches: {
    is: (v) => Array.isArray(v) && v.length <= 20 && v.every(isPath),
    says: (v) => `${count(v.length, "watch", "watches")} to open: ${v.join(", ")}`,
  },
  view: {
    is: (v) => isObject(v, {
      revision: (n) => Number.isSafeInteger(n) && n >= 0, selected: (s) => isText(s, 600),
    }),
    says: (v) => {
      const chosen = /^rev-(\d+)$/.exec(v.selected ?? "");
      const revision = v.revision || chosen?.[1];
      const at = revision ? ` at revision ${revision}` : "";
      return `Opens${at}${v.selected && !chosen ? `${at && ","} with ${v.selected} chosen` : ""}`;
    },
  },
  level: {
    is: (v) => typeof v === "string",
    says: (_, here, level) => level ? [`A level to solve: ${level.title}`,
      `It starts by emptying these namespaces: ${level.namespaces.join(", ")}`,
      ...changes(level.settings, here).map((line) => `A setting: ${line}`)] : [],
  },
  place: {
    is: (v) => isText(v, 100) && /^((lesson|practice|exam|capstone)-[\w-]+|scene=[\w-]+(&present)?)$/.test(v),
    says: (v) => `A place: ${v.replace(/^scene=/, "the scene ").replace("&present", ", in the presenter")
      .replace(/^lesson-/, "the lesson ")}`,
  },
  layout: {
    is: (v) => isObject(v, {
      panel: (p) => isText(p, 40) && /^[a-z]+$/.test(p), presenter: (on) => typeof on === "boolean",
      theme: (t) => t === "" || t === "light" || t === "dark",
    }),
    says: () => "The layout: the open tab, the presenter, the colours",
  },
};

/**
 * Says what is wrong with parts from elsewhere; empty: nothing.
 *
 * @param {any} parts without the cluster
 */
export function checked(parts) {
  if (!isRecord(parts)) return "it is damaged";
  for (const [name, value] of Object.entries(parts)) {
    if (!Object.hasOwn(PARTS, name)) return "it has a part that this version of the page does not know";
    if (!PARTS[name].is(value)) return `its part “${name}” is not what it should be`;
  }
  return "";
}

/**
 * What is brought, in words, a line for each part and each setting.
 *
 * @param {Shared} shared
 * @param {any} [here] the settings of this tab's cluster
 * @param {Read} [level] what the lab has read in the level
 */
export function told({ cluster, ...rest }, here = {}, level = undefined) {
  const lines = Object.entries(rest).flatMap(([name, value]) => PARTS[name].says(value, here, level)).filter(Boolean);
  if (cluster) {
    lines.unshift(`A whole cluster with its history, ${count(Math.ceil(cluster.length / 1000), "kB", "kB")}, ` +
      "which takes the place of this tab’s cluster");
  }
  return lines;
}
