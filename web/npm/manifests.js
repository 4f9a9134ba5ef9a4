// @ts-check
/**
 * Manifests, and the requests that are made of them.
 *
 * @import { Cluster } from "./index"
 * @import { Identity } from "./tables"
 */

/** How long the server may take to serve what a definition defines, in milliseconds. */
const SETTLE_TIME = 10_000;

export const VERBS = /** @type {const} */ (["create", "update", "patch", "apply", "delete"]);

/** What is asked of an expression alone: its value, with variables. */
export const EVALUATE = "evaluate";

/** @typedef {typeof VERBS[number]} Verb */
/** @typedef {{apiVersion: string, kind: string, metadata: {name?: string, namespace?: string}}} Manifest */

/** @param {Manifest} m */
export const isPolicy = ({ apiVersion, kind }) =>
  apiVersion.startsWith("admissionregistration.k8s.io/") && kind.includes("AdmissionPolicy");

/** What comes first. @param {Manifest} m @param {(m: Manifest) => boolean} [isLast] */
export const rank = (m, isLast = isPolicy) =>
  (m.kind === "CustomResourceDefinition" ? 0 : m.kind === "Namespace" ? 1 : isLast(m) ? 3 : 2);

/** Applies what a cluster has. @param {Pick<Cluster, "fetch">} cluster @param {Manifest[]} all */
export async function put(cluster, all) {
  await assume(cluster, all);
  for (const m of all.toSorted((a, b) => rank(a) - rank(b))) {
    const response = await send(cluster, m.metadata.name ? "apply" : "create", m, m);
    if (!response.ok) throw new Error(`given: ${m.kind} ${m.metadata.name}: ${(await response.json()).message}`);
    if (rank(m) === 0) await whenServed(cluster, m);
  }
}

/** Waits until what a definition defines is served. @param {Pick<Cluster, "fetch">} cluster @param {any} definition */
export async function whenServed(cluster, { spec }) {
  for (const { name, served } of spec.versions) {
    if (served) await typeOf(cluster, `${spec.group}/${name}`, spec.names.kind, SETTLE_TIME);
  }
}

/** Creates the namespaces that objects are in. @param {Pick<Cluster, "fetch">} cluster @param {Manifest[]} all */
export async function assume(cluster, all) {
  const made = all.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  for (const namespace of new Set(all.map(({ metadata }) => metadata?.namespace))) {
    if (!namespace || made.includes(namespace)) continue;
    const body = JSON.stringify({ metadata: { name: namespace } });
    const headers = { "Content-Type": "application/json" };
    await cluster.fetch("/api/v1/namespaces", { method: "POST", headers, body });
  }
}

/**
 * The path of a type's objects, and whether they are in namespaces.
 *
 * @param {Pick<Cluster, "fetch">} cluster @param {string} apiVersion @param {string} kind @param {number} [patience]
 */
export async function typeOf(cluster, apiVersion, kind, patience = 0) {
  const base = `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
  for (const deadline = Date.now() + patience; ; await new Promise((resolve) => setTimeout(resolve, 5))) {
    const response = await cluster.fetch(base);
    const { resources = [] } = response.ok ? await response.json() : {};
    const found = resources.find((/** @type {any} */ r) => r.kind === kind && !r.name.includes("/"));
    if (found) return { base, name: found.name, namespaced: found.namespaced };
    if (Date.now() >= deadline) throw new TypeError(`no matches for kind "${kind}" in version "${apiVersion}"`);
  }
}

/**
 * The request that a verb makes of an object.
 *
 * @param {Pick<Cluster, "fetch">} cluster
 * @param {Verb} verb
 * @param {Manifest} m
 * @param {object} written m without what it was merged into
 * @param {{subresource?: string, as?: Identity, manager?: string, force?: boolean}} [more]
 * @returns {Promise<{path: string, init: {method: string, headers: Headers, body?: string}}>}
 */
export async function requestOf(cluster, verb, m, written, { subresource, as, manager = "kubectl", force } = {}) {
  const { base, name: plural, namespaced } = await typeOf(cluster, m.apiVersion, m.kind);
  const { name = "", namespace = "default" } = m.metadata;
  let path = `${base}/${namespaced ? `namespaces/${encodeURIComponent(namespace)}/` : ""}${plural}`;
  if (verb !== "create" || subresource) path += `/${encodeURIComponent(name)}`;
  /** @type {any} */ let body = verb === "patch" ? written : m;
  if (verb === "update") {
    const stored = await cluster.fetch(path);
    const { metadata } = stored.ok ? await stored.json() : { metadata: {} };
    body = merge({ metadata: { resourceVersion: metadata.resourceVersion } }, m); // custom resources need it
  }
  const type = { patch: "application/merge-patch+json", apply: "application/apply-patch+yaml" };
  const headers = headersOf(type[/** @type {"patch"} */ (verb)] ?? "application/json", as);
  if (subresource) path += `/${subresource}`;
  const method = { create: "POST", update: "PUT", patch: "PATCH", apply: "PATCH", delete: "DELETE" }[verb];
  if (verb === "delete") return { path, init: { method, headers } };
  path += `?fieldManager=${encodeURIComponent(manager)}&fieldValidation=Strict${force ? "&force=true" : ""}`;
  return { path, init: { method, headers, body: JSON.stringify(body) } };
}

/** The headers of a request. @param {string} type @param {Identity} [as] */
function headersOf(type, as) {
  const headers = new Headers({ "Content-Type": type });
  if (!as) return headers;
  headers.set("Impersonate-User", as.user);
  if (as.uid) headers.set("Impersonate-Uid", as.uid);
  for (const group of as.groups ?? []) headers.append("Impersonate-Group", group);
  for (const [key, values] of Object.entries(as.extra ?? {})) {
    for (const value of values) headers.append(`Impersonate-Extra-${key}`, value);
  }
  return headers;
}

/**
 * @param {Pick<Cluster, "fetch">} cluster
 * @param {Verb} verb
 * @param {Manifest} m
 * @param {object} written m without what it was merged into
 * @param {Parameters<typeof requestOf>[4]} [more]
 */
export async function send(cluster, verb, m, written, more) {
  const { path, init } = await requestOf(cluster, verb, m, written, more);
  return cluster.fetch(path, init);
}

/**
 * Evaluates an expression.
 *
 * @param {Pick<Cluster, "fetch">} cluster
 * @param {string} expression
 * @param {object} variables
 * @param {Identity} [as]
 */
export async function evaluation(cluster, expression, variables, as) {
  const response = await cluster.fetch("/apis/sandbox.tabernetes.dev/v1/expressionreviews", { method: "POST",
    headers: headersOf("application/json", as),
    body: JSON.stringify({ variables, text: expression.trimEnd(), evaluate: true }) });
  const answer = await response.json();
  if (!response.ok) throw new TypeError(answer.message);
  return answer;
}

/**
 * What an expression came to: a value, or what JSON has not as CEL writes it; or why it has no value.
 *
 * @param {{evaluation?: {value?: string, error?: string}, problems?: {message: string}[]}} answer
 * @returns {{value: any, error: string}}
 */
export function cameTo({ evaluation: { value = "", error = "" } = {}, problems = [] }) {
  const is = { value, error: problems[0]?.message ?? error };
  try {
    return { ...is, value: JSON.parse(value) };
  } catch {
    return is;
  }
}

/**
 * The first field that is not as is wanted, and how; empty if all are.
 *
 * @param {any} want
 * @param {any} got
 * @param {string} at
 * @returns {string}
 */
export function differ(want, got, at) {
  /** @type {string[]} */
  let below = [];
  if (isMap(want) && isMap(got)) {
    below = Object.keys(want).map((key) => differ(want[key], got[key], at ? `${at}.${key}` : key));
  } else if (Array.isArray(want) && Array.isArray(got) && want.length === got.length) {
    below = want.map((item, i) => differ(item, got[i], `${at}[${i}]`));
  } else if (want !== (got ?? null)) {
    return `${at && `${at}: `}it is ${JSON.stringify(got ?? null)}, not ${JSON.stringify(want)}`;
  }
  return below.find(Boolean) ?? "";
}

/** A JSON merge patch. @param {any} into @param {any} patch @returns {any} */
export function merge(into, patch) {
  if (!isMap(patch)) return patch;
  const merged = isMap(into) ? { ...into } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

/** @param {any} v @returns {v is Record<string, any>} */
export const isMap = (v) => v !== null && typeof v === "object" && !Array.isArray(v);
