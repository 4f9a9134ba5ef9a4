// @ts-check
// Snapshots of the cluster that the page keeps, to restore it when an act is
// undone or a fork is left. They are kept as Blobs, which the browser may hold on disk,
// and never pass through Go.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { messageOf } from "../browser/status.js";

/** @type {Map<number, Blob>} */
const kept = new Map();
let last = 0;

/** @param {Response} res */
async function why(res) {
  return `${res.status} ${messageOf(await res.text(), 200)}`;
}

/**
 * Takes a snapshot and returns its number as text, or why that failed.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function takeSnapshot(path) {
  // Of a room the page has a copy, which gives no snapshots.
  const { target } = window.tabernetes;
  const tabernetes = { origin: /** @type {const} */ ("lever"), quiet: true, target, owner: true };
  const res = await window.tabernetes.fetch(path, { tabernetes });
  if (!res.ok) return why(res);
  kept.set(++last, await res.blob());
  return String(last);
}

/**
 * Makes the cluster what a snapshot holds, and forgets the snapshot. Returns why it could not, or "".
 * @param {number} id
 * @returns {Promise<string>}
 */
export async function putSnapshot(id) {
  const body = kept.get(id);
  if (!body) return "the snapshot is no longer kept";
  const path = CONTROL_PLANE + "/snapshot";
  const headers = { "Content-Type": "application/octet-stream" };
  const init = { method: "PUT", body, headers, tabernetes: { origin: /** @type {const} */ ("lever"), owner: true } };
  const res = await window.tabernetes.fetch(path, init);
  if (!res.ok) return why(res);
  await res.arrayBuffer();
  kept.delete(id);
  return "";
}

/** @param {number} id */
export function dropSnapshot(id) {
  kept.delete(id);
}
