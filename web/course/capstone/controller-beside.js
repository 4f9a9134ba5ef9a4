// @ts-check
/**
 * What the code writes in the first steps of a run, in which nothing goes wrong, in the words of the recordings of what
 * the real controller wrote in the same steps beside the real server (real.js).
 *
 * @import { Ask, Reconciling } from "./controller-world.js"
 */
import { PODS } from "./controller-others.js";
import { NAME, WANTED } from "./controller-plan.js";
import { REAL } from "./controller-real.js";

/**
 * A step: how many Pods were wanted, and what was written then.
 * @typedef {{wanted: number, yours: string[], real: string[]}} Beside
 */

/** The fields of a Pod that are compared: others have the template's values, or the server's. */
const SHOWN = ["generateName", "labels", "ownerReferences"];

/**
 * The fields of a value as lines, with the owner's name instead of its place in a list.
 * @param {any} value @param {string} path @param {(path: string, text: string) => void} put
 */
function lines(value, path, put) {
  if (value === null || typeof value !== "object") return put(path, JSON.stringify(value));
  for (const [key, inner] of Object.entries(value))
    lines(inner, path + (Array.isArray(value) ? `[${inner.name ?? inner.type ?? key}]` : `.${key}`), put);
}

/** @param {any} value @param {string} path @returns {Map<string, string>} */
function fields(value, path) {
  const out = new Map();
  lines(value, path, (path, text) => out.set(path, text));
  return out;
}

export class Side {
  /** @type {Beside[]} */ steps = [];
  /** @type {any[]} */ #made = [];
  #deleted = 0;
  /** @type {Set<string>} */ #methods = new Set();
  /** @type {any} */ #before = { replicas: 0 };
  #over = false;

  /** @param {Reconciling} world */
  constructor(world) {
    this.world = world;
  }

  /** The code has written something. @param {Ask} ask @param {any} body */
  wrote(ask, body) {
    if (this.#over) return;
    if (ask.method === "POST" && ask.path === PODS) this.#made.push(body);
    else if (ask.method === "DELETE") this.#deleted++;
    else if (ask.path.includes(`/replicasets/${NAME}`))
      this.#methods.add(ask.method + (ask.path.endsWith("/status") ? " status" : ""));
    else this.#methods.add(`${ask.method} ${ask.path}`);
  }

  /** A step is over. @param {number} next what is wanted in the next one, NaN after the last one */
  step(next) {
    const rs = this.world.replicaSet;
    /** @type {string[]} */ const yours = [];
    if (this.#made.length > 0) {
      yours.push(`pods/${NAME}-* (new): ${this.#made.length}`, "  POST");
      const { metadata } = this.#made[0];
      /** @type {Record<string, any>} */ const shown = {};
      for (const key of SHOWN) if (metadata[key]) shown[key] = metadata[key];
      for (const [path, text] of [...fields(shown, "metadata")].sort()) {
        yours.push(`  ${path} = ${path.endsWith(".uid") && text === JSON.stringify(rs.metadata.uid)
          ? `"<uid of replicasets/${NAME}>"` : text}`);
      }
    }
    if (this.#deleted > 0) yours.push(`pods/${NAME}-*: ${this.#deleted}`, "  DELETE");
    const [old, now] = [fields(this.#before, "status"), fields(rs.status, "status")];
    if (this.#methods.size > 0) {
      yours.push(`replicasets/${NAME}: 1`, ...[...this.#methods].sort().map((m) => "  " + m));
      for (const path of new Set([...old.keys(), ...now.keys()].sort())) {
        const [was, is] = [old.get(path), now.get(path)];
        if (was !== is) yours.push(`  ${path} ${is ? `= ${is}${was ? `, was ${was}` : ""}` : "is removed"}`);
      }
    }
    this.steps.push({ wanted: WANTED[this.steps.length], yours, real: REAL[this.steps.length] });
    this.#before = rs.status;
    [this.#made, this.#deleted, this.#methods, this.#over] = [[], 0, new Set(), Number.isNaN(next)];
    if (!Number.isNaN(next)) this.world.others.want(next);
  }
}
