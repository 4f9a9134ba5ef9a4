// @ts-check
/**
 * What a request is, by its method and URL, and what the server says of its answer.
 *
 * @typedef {object} Asked a request as the page reports it, and its answer so far
 * @property {number} id the tap's
 * @property {string} method
 * @property {string} url path and query
 * @property {[string, string][]} headers of the request
 * @property {string} body of the request
 * @property {number} status 0: not answered
 * @property {string} source where the answer comes from, as the server says (core/source); "": it does not say
 * @property {string} [answer] the beginning of the answer's body
 * @property {string} [cluster] which one it went to, as Exchanges names them
 * @property {boolean} [over] its answer has ended
 * @property {string} [error] why there is no answer, or no more of it
 *
 * @typedef {object} Kind what is asked
 * @property {string} verb "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; for what
 *   is not a resource "discovery", "openapi", "raw"
 * @property {string} resource in the plural, "" if the request is not for a resource
 * @property {string} subresource
 * @property {string} namespace
 * @property {string} name
 * @property {string} group
 * @property {URLSearchParams} query
 * @property {string} short the path as it is shown: "pods/web", "team/pods/web"
 *
 * @typedef {object} Source
 * @property {number} revision as of which it was read, 0: not said
 * @property {[number, number][]} wrote the revisions that it made, from and to
 * @property {string} rule
 */

/** @param {string} method @param {string} url @returns {Kind} */
export function kindOf(method, url) {
  const at = url.indexOf("?");
  const path = at < 0 ? url : url.slice(0, at);
  const query = new URLSearchParams(at < 0 ? "" : url.slice(at));
  /** @type {Kind} */
  const kind = { verb: "raw", resource: "", subresource: "", namespace: "", name: "", group: "", query, short: path };
  if (/^\/openapi\//.test(path)) return { ...kind, verb: "openapi" };
  const parts = path.split("/").filter(Boolean).map(decoded);
  if (!/^(api|apis)$/.test(parts[0] ?? "")) return kind;
  const named = parts[0] === "api" ? 2 : 3;
  if (parts.length <= named) return { ...kind, verb: "discovery", group: parts[0] === "apis" ? parts[1] ?? "" : "" };
  kind.group = parts[0] === "apis" ? parts[1] : "";
  let rest = parts.slice(named);
  if (rest[0] === "namespaces" && rest.length > 2 && !(rest.length === 3 && /^(status|finalize)$/.test(rest[2]))) {
    kind.namespace = rest[1];
    rest = rest.slice(2);
  }
  [kind.resource, kind.name = "", kind.subresource = ""] = rest;
  // As lanes are called; the namespace that is meant without a word is left out.
  kind.short = (kind.namespace && kind.namespace !== "default" ? [kind.namespace, ...rest] : rest).join("/");
  const watch = /^(1|true)$/.test(query.get("watch") ?? "");
  // With a name in the path a GET is a get, whatever its query says.
  kind.verb = method === "GET" || method === "HEAD" ? (kind.name ? "get" : watch ? "watch" : "list")
    : method === "DELETE" && !kind.name ? "deletecollection"
    : { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" }[method] ?? method.toLowerCase();
  return kind;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Reads what the server says of an answer: "server=0, from=etcd, head=31, rule=write, wrote=(30 33;to=35)".
 *
 * @param {string} text
 */
export function sourceOf(text) {
  /** @type {Source} */
  const out = { revision: 0, wrote: [], rule: "" };
  out.revision = Number(/(?:^|[\s,])revision=(\d+)/.exec(text)?.[1] ?? 0);
  out.rule = /(?:^|[\s,])rule=([\w-]+)/.exec(text)?.[1] ?? "";
  for (const [, from, to] of (/(?:^|[\s,])wrote=\(([^)]*)\)/.exec(text)?.[1] ?? "").matchAll(/(\d+)(?:;to=(\d+))?/g)) {
    out.wrote.push([Number(from), Number(to ?? from)]);
  }
  return out;
}

/** The value of a request's header, "" if it has none. @param {Asked} r @param {string} name */
export const header = (r, name) => r.headers.find(([n]) => n.toLowerCase() === name)?.[1] ?? "";

/** A body parsed as JSON, or null if it is not JSON. @param {string | undefined} text @returns {any} */
export function json(text) {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}
