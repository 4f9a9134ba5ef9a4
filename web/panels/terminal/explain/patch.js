// @ts-check
// What a patch changes, as paths of fields.

import { json } from "./request.js";

/** Annotations that kubectl keeps for itself. */
const OWN = /^metadata\.annotations\.kubectl\.kubernetes\.io\/last-applied-configuration$/;

/**
 * The paths of the fields that a patch sets, without those that kubectl keeps for itself.
 *
 * @param {string} body
 * @param {string} type its Content-Type
 */
export function changes(body, type) {
  const patch = json(body);
  /** @type {string[]} */
  const out = [];
  if (Array.isArray(patch)) return patch.map((one) => String(one?.path ?? "").slice(1).replaceAll("/", "."));
  if (!patch || !/merge-patch/.test(type)) return out;
  /** @param {any} value @param {string} path */
  const walk = (value, path) => {
    if (Array.isArray(value)) {
      // An item of a strategic merge patch has its key in it.
      const named = value.every((item) => item && typeof item === "object" && item.name);
      if (!named || !value.length) return void out.push(path);
      for (const item of value) walk(without(item, "name"), `${path}[${item.name}]`);
    } else if (value && typeof value === "object" && Object.keys(value).length) {
      for (const [key, inner] of Object.entries(value)) {
        if (!key.startsWith("$")) walk(inner, path ? `${path}.${key}` : key);
      }
    } else out.push(value === null ? `without ${path}` : path);
  };
  walk(patch, "");
  const kept = ["metadata.annotations", "metadata.resourceVersion"];
  return out.filter((path) => !OWN.test(path) && !kept.includes(path));
}

/** @param {Record<string, unknown>} item @param {string} key */
function without(item, key) {
  const { [key]: _, ...rest } = item;
  return rest;
}
