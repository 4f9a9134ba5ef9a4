// @ts-check
/**
 * Which event a write of a program came after.
 *
 * The rule: of the events that the program's watches had brought when it made the request, the newest one about the
 * object that it writes, about an owner of that object, or about an object that it owns (by ownerReferences); without
 * one, about the object's namespace. It says what came before the write. Why a program decided to write is not to
 * be seen from outside, so it does not say that.
 *
 * Costs: a few words for each object of the watches, the newest KEPT of them.
 *
 * @import { Metadata } from "./events.js"
 */
import { metadataOf } from "./events.js";

const KEPT = 20_000;

/**
 * @typedef {object} Known
 * @property {number} revision of the newest event about the object; 0: only others name it as their owner
 * @property {number} owned of the newest event about an object that it owns
 * @property {string[]} owners their uids
 */

/** The parts of an API path: /api/v1/… or /apis/GROUP/VERSION/…. @param {string} path */
export function parsePath(path) {
  const parts = path.split("/").slice(1);
  const group = parts[0] === "apis" ? parts[1] : "";
  const rest = parts.slice(parts[0] === "apis" ? 3 : 2);
  // The path of a namespace has no resource behind it, unless that is a subresource.
  const within = rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize";
  const namespace = within ? rest[1] : "";
  const [resource = "", name = "", subresource = ""] = within ? rest.slice(2) : rest;
  return { type: `${group}/${resource}`, namespace, name, subresource };
}

export class Seen {
  /** By uid, and the uids by type, namespace and name. @type {Map<string, Known>} */ #known = new Map();
  /** @type {Map<string, string>} */ #uids = new Map();

  /** Takes an event that a watch has brought. @param {string} path of the watch @param {Metadata} m */
  event(path, m) {
    const object = this.#get(m.uid);
    object.revision = Math.max(object.revision, m.revision);
    object.owners = m.owners;
    this.#uids.set(key(parsePath(path).type, m.namespace, m.name), m.uid);
    for (const uid of m.owners) {
      const owner = this.#get(uid);
      owner.owned = Math.max(owner.owned, m.revision);
    }
    forget(this.#known);
    forget(this.#uids);
  }

  /** @param {string} uid */
  #get(uid) {
    const known = this.#known.get(uid) ?? { revision: 0, owned: 0, owners: [] };
    this.#known.delete(uid); // the newest are last
    this.#known.set(uid, known);
    return known;
  }

  /**
   * The revision of the event that a request comes after; 0: no event.
   *
   * @param {string} path
   * @param {Uint8Array | null} body
   */
  before(path, body) {
    const { type, namespace, name } = parsePath(path);
    const object = name ? this.#find(type, namespace, name) : undefined;
    const owners = object?.owners ?? (body && metadataOf(body)?.owners) ?? [];
    const revision = Math.max(object?.revision ?? 0, object?.owned ?? 0,
      ...owners.map((uid) => this.#known.get(uid)?.revision ?? 0));
    return revision || (this.#find("/namespaces", "", namespace)?.revision ?? 0);
  }

  /** @param {string} type @param {string} namespace @param {string} name */
  #find(type, namespace, name) {
    const uid = this.#uids.get(key(type, namespace, name));
    return uid === undefined ? undefined : this.#known.get(uid);
  }
}

/** @param {string} type @param {string} namespace @param {string} name */
const key = (type, namespace, name) => `${type}/${namespace}/${name}`;

/** Keeps the newest. @param {Map<string, unknown>} map */
function forget(map) {
  if (map.size > KEPT) map.delete(/** @type {string} */ (map.keys().next().value));
}
