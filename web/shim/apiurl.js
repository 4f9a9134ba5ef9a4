// @ts-check
import { API_PATH } from "../../core/wellknown/wellknown.js";

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
  return API_PATH.test(url.pathname) && url.origin === new URL(base).origin ? url : null;
}
