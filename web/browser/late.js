// @ts-check
/**
 * What a page loads late: files of its build, which are gone once another build has taken its place. Scripts that
 * cannot load one say so, and the page finds out why.
 */

import { fileURL } from "./files.js";

const LATE = "tabernetes-late";

/** Says that something which the page needs has not loaded. */
export const notLoaded = () => void dispatchEvent(new Event(LATE));

/**
 * Resolves as a promise does, and says so if it fails.
 *
 * @template T
 * @param {Promise<T>} loading
 */
export function late(loading) {
  loading.catch(notLoaded);
  return loading;
}

/** Imports a script of this build that is not needed at first. @param {string} name @returns {Promise<any>} */
export const lateScript = (name) => late((async () => import(fileURL(name)))());

/**
 * Calls tell once something has not loaded because the page is of a build that its server no longer has.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {string} script a file of the page's build
 * @param {() => void} tell
 */
export function watchVersion(fetch, script, tell) {
  addEventListener(LATE, async () => {
    if (await isGone(fetch, script)) tell();
  });
}

/**
 * Whether a server has a script no longer. Some answer with a page where there is no file.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {string} script
 */
export async function isGone(fetch, script) {
  try {
    const { ok, status, headers } = await fetch(script, { method: "HEAD", cache: "no-store" });
    return status === 404 || status === 410 || (ok && !/javascript/.test(headers.get("content-type") ?? ""));
  } catch {
    return false; // there is no connection
  }
}
