// @ts-check
import { API_PATH } from "../../core/wellknown/wellknown.js";

/** What stands for the origin of a page from a disk, which has none. */
const HERE = "http://localhost";

/** What a path from the top of a disk of Windows begins with. */
const DRIVE = /^\/[a-z]:(?=\/)/i;

/**
 * The URL of an API request of this origin; null for any other.
 *
 * @param {RequestInfo | URL} input
 * @param {string} base
 */
export function apiURL(input, base) {
  let url;
  try {
    url = new URL(input instanceof Request ? input.url : input, base);
  } catch {
    return null; // the network's fetch has the words for it
  }
  const { protocol, origin } = new URL(base);
  const onDisk = protocol === "file:";
  if (onDisk && url.protocol === protocol) url = new URL(url.pathname.replace(DRIVE, "") + url.search, HERE);
  return API_PATH.test(url.pathname) && url.origin === (onDisk ? HERE : origin) ? url : null;
}
