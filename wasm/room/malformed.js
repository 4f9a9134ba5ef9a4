// @ts-check
/**
 * Finds requests that cannot be handed on: the URL of one that an engine makes of its Host header and its target is
 * invalid, or is another one than they say.
 */

/** What a Host header consists of. Browsers write the names of other alphabets in these too. */
const HOST = /^[\w.:[\]-]+$/;

/** A "%" without two digits. */
const BAD_ESCAPE = /%(?![\da-f]{2})/i;

/**
 * What is wrong with a request, as a sentence; "" if nothing is.
 *
 * @param {Pick<Request, "url"> & {headers: Pick<Headers, "get">}} request
 */
export function malformed({ url, headers }) {
  const host = headers.get("host") ?? "";
  const [scheme] = url.split(":", 1);
  const told = HOST.test(host) && parse(`${scheme}://${host}/`);
  if (!told) return `The Host header ${JSON.stringify(host)} is not a host, with or without a port.`;
  const asked = parse(url);
  if (!asked || asked.origin !== told.origin || asked.username || asked.password || BAD_ESCAPE.test(asked.pathname)) {
    return "The target of the request is not a path, with or without a query.";
  }
  return "";
}

/** @param {string} url */
function parse(url) {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
