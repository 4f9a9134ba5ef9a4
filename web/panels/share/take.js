// @ts-check
/**
 * How the page knows what is shared, before it has the script that opens it: links in its address, which are taken off
 * it before anything else reads it, and files.
 */

/** What a file begins with in which something is shared. */
export const MAGIC = "tabernetes share ";

/** Whether a file's bytes say that something is shared in it. @param {Uint8Array} bytes */
export const isShareFile = (bytes) => new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;

/**
 * Removes a shared link from the address and returns its fragment, or "" if the address has no such link.
 *
 * @param {Pick<Location, "hash" | "pathname" | "search">} location
 * @param {Pick<History, "replaceState" | "state">} history
 */
export function takeShared({ hash, pathname, search }, history) {
  if (!/^#(share|from)=/.test(hash)) return "";
  history.replaceState(history.state, "", pathname + search);
  return hash;
}
