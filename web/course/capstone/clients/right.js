// @ts-check
/**
 * A reflector: keeps store equal to the collection at path until signal aborts.
 *
 * @import { Task } from "../protocol"
 */

/** An answer that is no success, or an ERROR event. */
class Refused extends Error {
  /** @param {any} status @param {number} retryAfter in seconds, NaN if the server has not said */
  constructor(status, retryAfter) {
    super(`${status.code} ${status.reason}: ${status.message}`);
    this.gone = status.code === 410;
    const causes = status.details?.causes ?? [];
    this.tooLarge = causes.some((/** @type {any} */ cause) => cause.reason === "ResourceVersionTooLarge");
    this.retryAfter = retryAfter;
  }
}

/** How often a version that is too large is asked for before it counts as lost. */
const PATIENCE = 3;

/** @param {Task} task */
export async function reflect({ path, fetch, store, sleep, signal }) {
  /** The last list, event or bookmark that was taken in: the only place from which to continue. "" if there is none. */
  let version = "";
  /** Failures since the last success. */
  let failures = 0;
  /** Whether the connection broke: meanwhile the cluster may have been put back to an earlier state. */
  let doubt = false;
  /** How often it was said that the cluster has not reached version. */
  let tooLarge = 0;

  /** @param {Record<string, string | number>} query */
  async function ask(query) {
    const response = await fetch(`${path}?${new URLSearchParams(/** @type {any} */ (query))}`, { signal });
    if (response.ok) return response;
    const status = await response.json().catch(() => ({}));
    throw new Refused({ ...status, code: response.status }, parseFloat(response.headers.get("retry-after") ?? ""));
  }

  /** Reads the collection as it is now, in pages. A token that has expired ends it: what was read is of no use then. */
  async function list() {
    /** @type {object[]} */
    const objects = [];
    let token = "";
    let at = "";
    do {
      const page = await (await ask(token ? { limit: 500, continue: token } : { limit: 500 })).json();
      objects.push(...page.items);
      token = page.metadata.continue ?? "";
      at = page.metadata.resourceVersion;
    } while (token !== "");
    version = at;
    doubt = false;
    store.replace(objects, version);
  }

  /** Asks whether the cluster has reached version at all. */
  async function prove() {
    await (await ask({ limit: 1, resourceVersion: version, resourceVersionMatch: "NotOlderThan" })).text();
    doubt = false;
  }

  /** Takes in what happens after version, until the stream ends. */
  async function watch() {
    // Not all watches are to end at the same moment.
    const timeoutSeconds = 120 + Math.floor(Math.random() * 120);
    const response = await ask({ watch: 1, resourceVersion: version, allowWatchBookmarks: "true", timeoutSeconds });
    failures = tooLarge = 0;
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) take(JSON.parse(line));
      }
    } finally {
      reader.cancel().catch(() => {});
    }
    if (rest !== "") doubt = true;
  }

  /** @param {{type: string, object: any}} event */
  function take({ type, object }) {
    if (type === "ERROR") throw new Refused(object, NaN);
    version = object.metadata.resourceVersion;
    if (type === "BOOKMARK") store.progress(version);
    else if (type === "DELETED") store.remove(object, version);
    else store.put(object, version);
  }

  while (!signal.aborted) {
    try {
      if (version === "") await list();
      else if (doubt) await prove();
      else await watch();
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof Refused ? error : null;
      if (!refused) doubt = true;
      if (refused?.gone || (refused?.tooLarge && ++tooLarge > PATIENCE)) version = "";
      if (refused?.gone && failures++ === 0) continue;
      // Longer and longer, and never the same: others wait too.
      const least = refused?.retryAfter || Math.min(20, 0.5 * 2 ** failures++);
      await sleep(least * (1 + Math.random() / 2)).catch(() => {});
    }
  }
}
