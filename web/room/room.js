// @ts-check
/**
 * What rooms need only when they are used: QR codes, streams, the replica that the lab reads, and copies. A separate
 * bundle.
 *
 * A copy has the objects that the member may list, created again in the tab's cluster: with their own uids
 * and revisions, and without history. It is made of lists, since a snapshot of the room has everything in
 * it, also what the member may not read, and the hashes of the others' tokens.
 */
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";

export { qrCode } from "./qr.js";
export { answerOf } from "./lines.js";
export { follow } from "./replica.js";

/** How many requests are under way at once. */
const AT_ONCE = 8;

/** How often a request is repeated that the room's quotas did not let through. */
const TRIES = 20;

/** Groups whose objects are the cluster's own. */
const SKIPPED = /^(sandbox\.tabernetes\.dev|events\.k8s\.io|coordination\.k8s\.io|flowcontrol\.apiserver\.k8s\.io)$/;

/**
 * @typedef {object} Type
 * @property {string} path of the group and version
 * @property {string} group
 * @property {string} name
 * @property {boolean} namespaced
 * @property {boolean} status whether it has a status subresource
 */

/** @typedef {{type: Type, object: any}} Item */

/** Requests to a target, which are not reported. */
class Cluster {
  /** @param {"tab" | "room"} target @param {typeof window.tabernetes.fetch} [fetch] */
  constructor(target, fetch = window.tabernetes.fetch) {
    this.target = target;
    this.fetch = fetch;
  }

  /**
   * Makes a request, and makes it again for as long as it comes too early.
   * @param {string} method @param {string} path @param {any} [body] @param {string} [type]
   */
  async ask(method, path, body, type = "application/json") {
    /** @type {import("../shim/tabernetes").TabernetesInit} */
    const init = { method, tabernetes: { quiet: true, target: this.target } };
    if (body !== undefined) Object.assign(init, { body: JSON.stringify(body), headers: { "Content-Type": type } });
    for (let left = TRIES; ; left--) {
      const response = await this.fetch(path, init);
      const answer = await response.json().catch(() => null);
      if (response.status !== 429 || left === 0) return { ok: response.ok, status: response.status, answer };
      const seconds = Number(response.headers.get("retry-after")) || 1;
      await new Promise((done) => setTimeout(done, seconds * 1000));
    }
  }
}

/** Calls f with every item, a few at a time. @template T @param {T[]} items @param {(item: T) => Promise<void>} f */
async function each(items, f) {
  let next = 0;
  const work = async () => {
    while (next < items.length) await f(items[next++]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** The types of a cluster that can be listed and created, each in one version. @param {Cluster} room */
async function types(room) {
  const { answer } = await room.ask("GET", "/apis");
  const paths = [["", "/api/v1"], ...(answer?.groups ?? []).map((/** @type {any} */ g) =>
    [g.name, "/apis/" + g.preferredVersion.groupVersion])];
  /** @type {Type[]} */
  const out = [];
  await each(paths.filter(([group]) => !SKIPPED.test(group)), async ([group, path]) => {
    const { answer } = await room.ask("GET", path);
    const all = answer?.resources ?? [];
    for (const r of all) {
      if (r.name.includes("/") || !r.verbs.includes("list") || !r.verbs.includes("create")) continue;
      if (group === "" && r.name === "events") continue;
      const status = all.some((/** @type {any} */ s) => s.name === r.name + "/status");
      out.push({ path, group, name: r.name, namespaced: r.namespaced, status });
    }
  });
  return out;
}

/** What has to be there before others: definitions, then namespaces. @param {Type} type */
const rank = (type) =>
  type.name === "customresourcedefinitions" ? 0 : type.name === "namespaces" ? 1 : 2;

/**
 * Reads what the member may list of the room. What it returns copies that into the tab's cluster.
 *
 * @param {typeof window.tabernetes.fetch} [fetch]
 */
export async function readRoom(fetch = window.tabernetes.fetch) {
  const room = new Cluster("room", fetch);
  const known = await types(room);
  if (known.length === 0) throw new Error("the room does not list its types");
  /** @type {Item[]} */
  const items = [];
  let refused = 0;
  await each(known, async (type) => {
    const { ok, answer } = await room.ask("GET", `${type.path}/${type.name}`);
    if (!ok) {
      refused++;
      return;
    }
    for (const object of answer.items ?? []) {
      if (!object.metadata.deletionTimestamp) items.push({ type, object });
    }
  });
  return { copy: () => copy(items, refused, new Cluster("tab", fetch)) };
}

/**
 * Makes the tab's cluster a new one with those objects, and reports the outcome.
 *
 * @param {Item[]} items
 * @param {number} refused how many types the member may not list
 * @param {Cluster} tab
 */
async function copy(items, refused, tab) {
  const reset = await tab.ask("POST", CONTROL_PLANE + "/reset", {});
  if (!reset.ok) throw new Error(reset.answer?.message ?? `${reset.status}`);
  /** The new uids by the old ones. @type {Map<string, string>} */
  const uids = new Map();
  let made = 0;
  let failed = 0;
  const create = async (/** @type {Item} */ { type, object }) => {
    const { name, namespace, uid, labels, annotations, finalizers, ownerReferences } = object.metadata;
    const owners = ownerReferences?.map((/** @type {any} */ o) => ({ ...o, uid: uids.get(o.uid) }))
      .filter((/** @type {any} */ o) => o.uid);
    const metadata = { name, namespace, labels, annotations, finalizers, ownerReferences: owners };
    const { status, ...rest } = object;
    const at = `${type.path}/${type.namespaced ? `namespaces/${namespace}/` : ""}${type.name}`;
    const { ok, status: code, answer } = await tab.ask("POST", at, { ...rest, metadata });
    if (!ok) {
      if (code !== 409) failed++; // 409: every new cluster has it
      return;
    }
    made++;
    uids.set(uid, answer.metadata.uid);
    if (type.status && status && Object.keys(status).length > 0) {
      await tab.ask("PATCH", `${at}/${name}/status`, { status }, "application/merge-patch+json");
    }
  };
  for (let r = 0; r < 3; r++) {
    let left = items.filter(({ type }) => rank(type) === r);
    // Owners come before what they own, as far as they are copied at all.
    while (left.length > 0) {
      const waiting = new Set(left.map(({ object }) => object.metadata.uid));
      const free = left.filter(({ object }) =>
        !object.metadata.ownerReferences?.some((/** @type {any} */ o) => waiting.has(o.uid)));
      const now = free.length > 0 ? free : left;
      await each(now, create);
      left = left.filter((item) => !now.includes(item));
    }
  }
  return `${made} objects copied. They are new ones, with their own revisions and without history.` +
    (failed > 0 ? ` ${failed} were refused.` : "") +
    (refused > 0 ? ` You may not list ${refused} of the room’s types.` : "");
}
