// @ts-check
/**
 * Why kubectl makes its requests: rows over the command, the request and what came before it. The first row that fits
 * says why.
 *
 * @import { Command } from "./command.js"
 * @import { Asked, Kind, Source } from "./request.js"
 *
 * @typedef {Asked & {kind: Kind, from: Source}} Request
 *
 * @typedef {object} Around what came before a request, in its process, and what came after it
 * @property {Request[]} before
 * @property {Request[]} after
 * @property {boolean} over the process has ended
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {(c: Command, r: Request, x: Around) => unknown} is
 * @property {string | ((c: Command, r: Request, x: Around) => string)} why
 */
import { has } from "./command.js";
import { changes } from "./patch.js";
import { header, json } from "./request.js";

/** @param {string} a @param {string} b */
const starts = (a, b) => a === b || a.startsWith(b + " ");

/** Whether the verb of a command is one of some. @param {Command} c @param {string[]} verbs */
const does = (c, ...verbs) => verbs.some((verb) => starts(c.verb, verb));

/** Whether two requests are about one object. @param {Request} a @param {Request} b */
const same = (a, b) => a.kind.resource === b.kind.resource && a.kind.name === b.kind.name &&
  a.kind.namespace === b.kind.namespace;

const table = (/** @type {Request} */ r) => /as=Table/.test(header(r, "accept"));
const dry = (/** @type {Request} */ r) => r.kind.query.has("dryRun") || json(r.body)?.dryRun;
const writes = (/** @type {Request} */ r) => ["create", "update", "patch", "delete"].includes(r.kind.verb);
const type = (/** @type {Request} */ r) => header(r, "content-type");
const wanted = (/** @type {Command} */ c) => (c.flags.get("for") ?? "").replace(/^condition=/, "condition ");
const noted = /kubectl\.kubernetes\.io\/last-applied-configuration/;
const manager = (/** @type {Request} */ r) => r.kind.query.get("fieldManager") ?? "";

/** From which version a watch begins, in words. @param {Request} r @param {Around} x */
function begins(r, x) {
  const from = r.kind.query.get("resourceVersion");
  if (r.kind.query.get("sendInitialEvents") === "true") return "what is there now, then each change";
  if (from === "0" || !from) return "what is there, in any version, then each change";
  const read = x.before.some((b) => !b.kind.query.has("watch") && same(b, r));
  return `each change after ${from}${read ? ", the version of the list" : ""}`;
}

/** What a patch changes, in words. @param {Request} r @param {string} all before it */
function differs(r, all) {
  const paths = changes(r.body, type(r));
  if (!paths.length) return all;
  return `${all}: ${paths.slice(0, 3).join(", ")}${paths.length > 3 ? `, and ${paths.length - 3} more` : ""}`;
}

/** What happens to what is deleted. @param {Request} r */
function deletion(r) {
  const answer = r.answer ?? "";
  if (r.kind.resource === "namespaces") return "marks it: all that is in it is deleted first, while it is Terminating";
  const [, finalizers = ""] = /"finalizers":\s*\[([^\]]*)\]/.exec(answer) ?? [];
  // Those of the garbage collector are how its dependents are treated.
  const others = finalizers.split(",").filter((one) => one && !/"(orphan|foregroundDeletion)"/.test(one));
  if (/"deletionTimestamp"/.test(answer) && others.length) {
    return r.from.wrote.length ? "only marks it, with a deletionTimestamp: a finalizer keeps it"
      : "it is marked already: a finalizer keeps it";
  }
  const left = Number(/"deletionGracePeriodSeconds":\s*(\d+)/.exec(answer)?.[1] ?? 0);
  if (left > 0) {
    return r.from.wrote.length ? `only marks it, with a deletionTimestamp: its node has ${left} s to end it`
      : "it is marked already: its node has some time to end it";
  }
  const grace = json(r.body)?.gracePeriodSeconds;
  const twice = r.kind.resource === "pods" && r.from.wrote.some(([from, to]) => to > from);
  return propagation(r) + (grace === undefined ? "" : `; with ${grace} s to end`) +
    (twice ? `; it is marked, then removed at once${grace === 0 ? "" : ", since no node runs it"}` : "");
}

/** Whether the object of a request was watched after it. @param {Request} r @param {Around} x */
const waited = (r, x) => x.after.some((a) => a.kind.verb === "watch" && a.kind.resource === r.kind.resource &&
  a.kind.query.get("fieldSelector") === `metadata.name=${r.kind.name}`);

/** How the dependents of what is deleted are treated. @param {Request} r */
function propagation(r) {
  switch (json(r.body)?.propagationPolicy ?? r.kind.query.get("propagationPolicy")) {
    case "Orphan":
      return "what it owns stays, without an owner";
    case "Foreground":
      return "what it owns goes first, then it itself";
    default:
      return "what it owns is deleted after it, in the background";
  }
}

/** What follows from what was there. @param {Command} c @param {Request} r @param {Around} x */
function current(c, r, x) {
  const found = "what is there now";
  if (r.status === 404) return `${found}: nothing, so it is created`;
  const next = x.after.find((a) => same(a, r) && writes(a));
  if (next || !x.over || r.status >= 400) return found;
  if (has(c, "dry-run") && c.flags.get("dry-run") !== "server") {
    return `${found}, to compare with; a dry run of the client sends nothing`;
  }
  return `${found}: nothing differs, so no PATCH`;
}

/** What an answer means that allows something, and names no role. @param {Request} r */
function openToAll(r) {
  const { allowed, reason } = json(r.answer)?.status ?? {};
  return allowed && !reason ? "; it names no role that allows it, as when authorization is off" : "";
}

/** @type {Row[]} */
export const rows = [
  // What is true of every command.
  { name: "its namespace", is: (c, r, x) => r.kind.resource === "namespaces" && r.kind.verb === "get" &&
    (does(c, "auth reconcile") || x.before.some((b) => b.status === 404 && b.kind.namespace === r.kind.name)),
  why: (c, r) => `whether its namespace is there: ${r.status === 404 ? "no, so that is what is missing" : "yes"}` },
  { name: "a definition of the type", is: (c, r) => r.kind.resource === "customresourcedefinitions" &&
    r.kind.verb === "list" && does(c, "apply", "create", "diff", "replace"),
  why: "whether a definition makes a type of that name: the server's own have none" },
  { name: "unchanged since", is: (c, r) => r.kind.verb === "discovery" && r.status === 304,
    why: "which resource types there are: the same as when last asked" },
  { name: "metrics", is: (c, r) => does(c, "top") && r.kind.verb === "discovery",
    why: "whether there is a metrics API: metrics.k8s.io" },
  { name: "core group version", is: (c, r) => r.kind.verb === "discovery" && /^\/api\/v1\b/.test(r.url),
    why: "the resource types of the core group" },
  { name: "core group", is: (c, r) => r.kind.verb === "discovery" && /^\/api(\?|$)/.test(r.url),
    why: "which resource types there are: the core group" },
  { name: "all groups", is: (c, r) => r.kind.verb === "discovery" && /^\/apis(\?|$)/.test(r.url),
    why: "which resource types there are: all other groups" },
  { name: "a group", is: (c, r) => r.kind.verb === "discovery",
    why: (c, r) => `the resource types of ${r.kind.group || "the core group"}` },
  { name: "openapi, to explain", is: (c, r) => r.kind.verb === "openapi" && does(c, "explain"),
    why: (c, r) => (/^\/openapi\/v3(\?|$)/.test(r.url) ? "where the schemas are, one document for each group" :
      "the schemas, with the descriptions that it prints") },
  { name: "openapi index", is: (c, r) => r.kind.verb === "openapi" && /^\/openapi\/v3(\?|$)/.test(r.url),
    why: (c) => (does(c, "apply", "diff", "edit") && !has(c, "server-side") ?
      "where it is said which fields there are, and how lists merge" :
      "where it is said which fields there are, and whether the server checks them itself") },
  { name: "openapi document", is: (c, r) => r.kind.verb === "openapi",
    why: "which fields there are, and how lists merge" },

  // Apply, three ways.
  { name: "view what was applied", is: (c, r) => does(c, "apply view-last-applied") && r.kind.verb === "get",
    why: "the object, for the note of what was last applied" },
  { name: "conflict", is: (c, r) => does(c, "apply") && r.status === 409 && /apply-patch/.test(type(r)),
    why: "the fields of the file, as their manager; another manager has some of them" },
  { name: "server-side dry run", is: (c, r) => /apply-patch/.test(type(r)) && dry(r),
    why: "what the fields of the file would make of it; the server merges, nothing is kept" },
  { name: "from client-side to server-side", is: (c, r) => does(c, "apply") && manager(r) === "kubectl-last-applied",
    why: "keeps the note of what was last applied, with a manager of its own: the client has applied this before" },
  { name: "managers rewritten",
    is: (c, r) => does(c, "apply") && /json-patch/.test(type(r)) && /managedFields/.test(r.body),
    why: "gives the fields that client-side apply managed to this manager" },
  { name: "server-side apply again",
    is: (c, r, x) => /apply-patch/.test(type(r)) && x.before.some((b) => same(b, r) && /json-patch/.test(type(b))),
    why: "the fields of the file again, now that their manager is right" },
  { name: "server-side apply, unchanged",
    is: (c, r) => /apply-patch/.test(type(r)) && r.from.rule === "write-unchanged",
    why: "the fields of the file, as their manager; the server compared: nothing differs" },
  { name: "server-side apply, forced",
    is: (c, r) => /apply-patch/.test(type(r)) && r.kind.query.get("force") === "true",
    why: "the fields of the file, as their manager, taken from others if need be; the server merges" },
  { name: "server-side apply", is: (c, r) => /apply-patch/.test(type(r)),
    why: "the fields of the file, as their manager; the server merges" },
  { name: "diff, dry run", is: (c, r) => does(c, "diff") && dry(r),
    why: "what the result would be: a dry run, whose answer is compared with what is there" },
  { name: "diff, read", is: (c, r) => does(c, "diff") && r.kind.verb === "get",
    why: (c, r) => (r.status === 404 ? "what is there now: nothing" : "what is there now, to compare with") },
  { name: "apply, dry run", is: (c, r) => does(c, "apply") && r.kind.verb === "patch" && dry(r),
    why: (c, r) => differs(r, "only what differs, as a dry run: nothing is kept") },
  { name: "apply, patch", is: (c, r) => does(c, "apply") && r.kind.verb === "patch",
    why: (c, r) => differs(r, `only what differs${noted.test(r.body) ? ", and the note of what was applied" : ""}`) },
  { name: "apply, create", is: (c, r) => does(c, "apply") && r.kind.verb === "create",
    why: (c, r) => (dry(r) ? "as it is in the file; a dry run: nothing is kept" :
      "as it is in the file, with a note of what was applied") },
  { name: "apply, read", is: (c, r) => does(c, "apply") && r.kind.verb === "get", why: current },
  { name: "apply, prune", is: (c, r) => does(c, "apply") && r.kind.verb === "list",
    why: "what to prune: all that has this label" },

  // Delete.
  { name: "delete, many", is: (c, r) => does(c, "delete") && r.kind.verb === "list", why: "what there is to delete" },
  { name: "delete, refused", is: (c, r) => does(c, "delete") && r.kind.verb === "delete" && r.status === 404,
    why: "there is none of that name" },
  { name: "delete, dry run", is: (c, r) => does(c, "delete") && r.kind.verb === "delete" && dry(r),
    why: "whether it could be deleted; a dry run: nothing is kept" },
  { name: "replace, deleted first", is: (c, r) => does(c, "replace") && r.kind.verb === "delete",
    why: "deletes the object, to create it again as it is in the file" },
  { name: "replace, gone", is: (c, r) => does(c, "replace") && r.kind.verb === "get" && r.status === 404,
    why: "whether it is gone: yes" },
  { name: "delete", is: (c, r) => does(c, "delete") && r.kind.verb === "delete", why: (c, r) => deletion(r) },
  { name: "delete, waits", is: (c, r) => does(c, "delete") && r.kind.verb === "watch",
    why: "waits until it is gone: a finalizer or a grace period keeps it" },
  { name: "delete, gone", is: (c, r) => does(c, "delete") && r.kind.verb === "get",
    why: (c, r, x) => (r.status === 404 ? "whether it is gone: yes"
      : x.over && !waited(r, x) ? "whether it is gone: yes, what is there is another one: its uid"
        : "whether it is gone: not yet") },

  // What waits.
  { name: "rollout status, watch", is: (c, r) => does(c, "rollout status") && r.kind.verb === "watch",
    why: "each change of it, until its status says that the rollout is done" },
  { name: "wait for creation", is: (c, r) => does(c, "wait") && wanted(c) === "create" && r.status === 404,
    why: "whether it is there: not yet, so it is asked again" },
  { name: "wait for deletion", is: (c, r) => does(c, "wait") && wanted(c) === "delete",
    why: (c, r, x) => (r.kind.verb === "watch" ? "what is there now, then each change of it, until it is gone" :
      r.status === 404 ? "whether it is there: no" : x.before.some((b) => same(b, r) && b.kind.verb === "get") ?
        "whether it is the same one still, by its uid: yes, so it waits" :
        "whether it is there, and which one: its uid") },
  { name: "wait, watch", is: (c, r) => does(c, "wait") && r.kind.verb === "watch",
    why: (c) => `each change of it, until ${wanted(c)} holds` },
  { name: "wait, read", is: (c, r) => does(c, "wait"), why: "whether it is there, and which one" },

  // Reads.
  { name: "watch", is: (c, r) => r.kind.verb === "watch",
    why: (c, r, x) => (has(c, "watch-only") ? `${begins(r, x)}; only those are printed` : begins(r, x)) },
  { name: "watch-only, list", is: (c, r) => has(c, "watch-only") && r.kind.verb === "list",
    why: "from which version to watch; the list itself is not printed" },
  { name: "next page", is: (c, r) => r.kind.verb === "list" && r.kind.query.has("continue"),
    why: (c, r) => `the next page, of ${r.kind.query.get("limit")} at most, as of the same revision` },
  { name: "first page, more to come", is: (c, r, x) => r.kind.verb === "list" &&
    x.after.some((a) => a.kind.query.has("continue") && same(a, r)),
  why: (c, r) => `the first page, of ${r.kind.query.get("limit")} at most` },
  { name: "describe, events", is: (c, r) => does(c, "describe") && r.kind.resource === "events",
    why: "the events about it, by its uid" },
  { name: "describe", is: (c, r, x) => does(c, "describe") && r.kind.verb === "get" && r.status !== 404 &&
    !x.before.some((b) => b.kind.resource === r.kind.resource),
  why: "whether there is one of that name" },
  { name: "describe, one of many", is: (c, r) => does(c, "describe") && r.kind.verb === "get" && r.status !== 404,
    why: "the object itself, with what is printed of it" },
  { name: "describe, related", is: (c, r, x) => does(c, "describe") && x.before.some((b) => b.kind.verb === "get"),
    why: "what belongs to it" },
  { name: "describe, many", is: (c, r) => does(c, "describe") && r.kind.verb === "list",
    why: "what there is to describe" },
  { name: "events", is: (c, r) => does(c, "events") && r.kind.resource === "events",
    why: (c) => (c.flags.has("for") ? "the events about it" : "the events of the namespace") },
  { name: "rollout history", is: (c, r) => does(c, "rollout history", "rollout undo") && r.kind.verb === "list",
    why: "its revisions: each is an object that a controller keeps" },
  { name: "not found", is: (c, r) => does(c, "get", "describe") && r.kind.verb === "get" && r.status === 404,
    why: "the object: there is none of that name" },
  { name: "get --raw", is: (c) => does(c, "get") && c.flags.has("raw"), why: "the path as it was given" },
  { name: "table of an object", is: (c, r) => r.kind.verb === "get" && table(r),
    why: "the object, as a table of its columns" },
  { name: "table of a list", is: (c, r) => r.kind.verb === "list" && table(r),
    why: (c, r) => selected(r, "all of them, as a table: the server makes the columns") },
  { name: "list", is: (c, r) => does(c, "get") && r.kind.verb === "list",
    why: (c, r) => selected(r, "all of them, whole") },
  { name: "object", is: (c, r) => does(c, "get") && r.kind.verb === "get", why: "the object, whole" },

  // Other writes.
  { name: "scale, precondition",
    is: (c, r) => does(c, "scale") && r.kind.subresource === "scale" && r.kind.verb === "get",
    why: "how many replicas there are: only then is it scaled" },
  { name: "scale, put", is: (c, r) => does(c, "scale") && r.kind.verb === "update",
    why: "the number of replicas, if nobody has changed it since" },
  { name: "scale", is: (c, r) => does(c, "scale", "autoscale") && r.kind.verb === "patch",
    why: "the number of replicas, by the subresource scale" },
  { name: "edit, read", is: (c, r, x) => does(c, "edit") && r.kind.verb === "get",
    why: (c, r, x) => (x.over && !x.after.some(writes) ? "what you edit: nothing was changed, so nothing is sent" :
      "what you edit") },
  { name: "edit, patch", is: (c, r) => does(c, "edit") && r.kind.verb === "patch",
    why: (c, r) => differs(r, "only what you changed") },
  { name: "label or annotate, read", is: (c, r) => does(c, "label", "annotate", "taint") && r.kind.verb === "get",
    why: (c, r, x) => (r.status === 404 ? "whether it is there: no" :
      x.over && !x.after.some(writes) ? "what is there now: it has that value already, so no PATCH" :
        "what is there now") },
  { name: "label or annotate", is: (c, r) => does(c, "label", "annotate", "taint") && r.kind.verb === "patch",
    why: (c, r) => differs(r, `one ${/strategic/.test(type(r)) ? "strategic " : ""}merge patch`) },
  { name: "patch", is: (c, r) => does(c, "patch") && r.kind.verb === "patch",
    why: (c, r) => `your patch, as ${/json-patch/.test(type(r)) ? "JSON patch" : /strategic/.test(type(r)) ?
      "strategic merge patch: lists merge by their keys" : "merge patch"}` },
  { name: "restart", is: (c, r) => does(c, "rollout restart") && r.kind.verb === "patch",
    why: "an annotation of the pods' template: a controller would replace all pods" },
  { name: "pause", is: (c, r) => does(c, "rollout pause", "rollout resume") && r.kind.verb === "patch",
    why: (c, r) => differs(r, "only what differs") },
  { name: "cordon", is: (c, r) => does(c, "cordon", "uncordon", "drain") && r.kind.verb === "patch",
    why: (c) => (does(c, "uncordon") ? "lets new pods onto the node" :
      "keeps new pods off the node: spec.unschedulable") },
  { name: "drain, pods", is: (c, r) => does(c, "drain") && r.kind.verb === "list",
    why: "which pods are on the node" },
  { name: "drain, eviction", is: (c, r) => r.kind.subresource === "eviction",
    why: "evicts the pod: deletes it, unless a budget for disruptions forbids that" },
  { name: "drain, waits", is: (c, r) => does(c, "drain") && r.kind.resource === "pods",
    why: (c, r) => (r.status === 404 ? "whether the pod is gone: yes" : "whether the pod is gone: not yet") },
  { name: "debug", is: (c, r) => r.kind.subresource === "ephemeralcontainers",
    why: "adds a container to the pod, by the subresource for that" },
  { name: "set", is: (c, r) => does(c, "set") && r.kind.verb === "patch",
    why: (c, r) => differs(r, "only what differs") },
  { name: "expose, autoscale, read", is: (c, r) => does(c, "expose", "autoscale") && r.kind.verb === "get",
    why: (c) => (does(c, "expose") ? "which pods it selects, and their ports" :
      "whether it is there, and can be scaled") },
  { name: "replace, read", is: (c, r) => does(c, "replace") && r.kind.verb === "get",
    why: "its resourceVersion, which a PUT carries" },
  { name: "replace", is: (c, r) => does(c, "replace") && r.kind.verb === "update",
    why: "the whole object, as it is in the file" },
  { name: "can-i", is: (c, r) => /subject(access|rules)reviews$|^self/.test(r.kind.resource),
    why: (c, r) => (/rules/.test(r.kind.resource) ? "all that you may do: the server says, and stores nothing" :
      /^selfsubjectreviews$/.test(r.kind.resource) ? "who you are to the server; nothing is stored" :
      "whether you may: the server decides, and stores nothing" + openToAll(r)) },
  { name: "token", is: (c, r) => r.kind.subresource === "token", why: "a new token; the server keeps nothing of it" },
  { name: "cluster-info", is: (c) => does(c, "cluster-info"),
    why: "services of the cluster that say where they are" },
  { name: "version", is: (c, r) => /^\/version/.test(r.url), why: "which version the server has" },
  { name: "create, there already", is: (c, r) => r.kind.verb === "create" && r.status === 409,
    why: "the new object: there is one already" },
  { name: "any dry run", is: (c, r) => writes(r) && dry(r),
    why: "a dry run: the server checks everything, and keeps nothing" },
  { name: "create", is: (c, r) => r.kind.verb === "create",
    why: (c) => (does(c, "run") ? "the new pod, made of the flags" :
      does(c, "expose") ? "the new service, with that selector" :
      "the new object") },

  // The rest.
  { name: "what a kubelet answers", is: (c, r) => /^(log|exec|attach|portforward|proxy)$/.test(r.kind.subresource),
    why: (c, r) => `asks the pod's node, by way of the server${r.status >= 400 ? ": there is none to ask" : ""}` },
  { name: "all that are to change",
    is: (c, r) => r.kind.verb === "list" && does(c, "label", "annotate", "taint", "set", "scale", "patch"),
    why: "which there are to change" },
  { name: "read before a write",
    is: (c, r, x) => ["get", "list"].includes(r.kind.verb) && does(c, "patch", "scale", "set", "rollout",
    "cordon", "uncordon", "drain", "taint", "label", "annotate"),
  why: (c, r) => (r.status === 404 ? "whether it is there: no" : "whether it is there, and what it is") },
  { name: "read before a connection",
    is: (c, r) => does(c, "logs", "exec", "attach", "port-forward", "cp", "debug") && r.kind.verb === "get",
    why: (c, r) => (r.status === 404 ? "which pod it is: there is none of that name" :
      "which pod it is, and on which node") },
  { name: "any read", is: (c, r) => ["get", "list"].includes(r.kind.verb) && c.program !== "curl",
    why: (c, r) => (r.status === 404 ? "what is there now: nothing" : "what is there now") },
  { name: "curl", is: (c) => c.program === "curl", why: "as it was asked" },
];

/** @param {Request} r @param {string} all */
function selected(r, all) {
  const { query } = r.kind;
  const by = [query.has("labelSelector") && "labels", query.has("fieldSelector") && "fields"].filter(Boolean);
  return by.length ? all.replace("all of them", `those with these ${by.join(" and ")}`) : all;
}

/** Why a request was made; "" if no row says it. @param {Command} c @param {Request} r @param {Around} x */
export function why(c, r, x) {
  const row = rows.find((row) => row.is(c, r, x));
  return row ? (typeof row.why === "string" ? row.why : row.why(c, r, x)) : "";
}
