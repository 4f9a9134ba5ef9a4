// @ts-check
/** Links to something shared, in the page's address. They are taken off it before anything else reads it. */

/**
 * Takes a link off the address, and returns its fragment; empty if there is none.
 *
 * @param {Pick<Location, "hash" | "pathname" | "search">} location
 * @param {Pick<History, "replaceState" | "state">} history
 */
export function takeShared({ hash, pathname, search }, history) {
  if (!/^#(share|from)=/.test(hash)) return "";
  history.replaceState(history.state, "", pathname + search);
  return hash;
}
