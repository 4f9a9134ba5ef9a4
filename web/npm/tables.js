// @ts-check
/**
 * Tests of policies, in the tables that `tabernetes test` reads (devserver/README.md), for runners of JavaScript: one
 * cluster for a table, which each test finds as it was given.
 *
 * @import { Cluster } from "./index"
 * @import { Identity, Options, Table, TableTest } from "./tables"
 */

/** How long the server may take to serve what a definition defines, in milliseconds. */
const SETTLE_TIME = 10_000;

const QUERY = "?fieldManager=kubectl&fieldValidation=Strict";

const VERBS = /** @type {const} */ (["create", "update", "patch", "apply", "delete"]);

/** @typedef {{apiVersion: string, kind: string, metadata: {name?: string, namespace?: string}}} Manifest */

/**
 * @param {Table} table
 * @param {Options} options
 */
export function runTable(table, { createCluster, manifests }) {
  const { files, objects, authorization, object, as } = table.given ?? {};
  const read = (/** @type {string} */ name) => {
    if (!manifests) throw new TypeError(`${name}: the option manifests has to read it`);
    return manifests(name);
  };
  const given = async (/** @type {string[]} */ names = [], /** @type {any[]} */ more = []) => [
    ...(await Promise.all(names.map(read))).flat(), ...more];
  /** @type {Promise<{cluster: Cluster, snapshot: Uint8Array, policies: any[]}> | undefined} */
  let started;
  const start = async () => {
    const cluster = await createCluster();
    const all = await given(files, objects);
    if (authorization) await cluster.levers.set({ authorization: { mode: authorization } });
    await put(cluster, all.filter((m) => !isPolicy(m)));
    return { cluster, snapshot: await cluster.levers.snapshot(), policies: all.filter(isPolicy) };
  };

  /** @param {TableTest} test */
  async function run({ given: own, when, then }) {
    const verbs = VERBS.filter((verb) => when[verb] !== undefined);
    if (verbs.length !== 1) throw new TypeError(`when has to have one of ${VERBS.join(", ")}`);
    if (Boolean(then.allowed) === (then.refused !== undefined)) {
      throw new TypeError("then has to say either allowed: true or refused");
    }
    if (then.audit) throw new TypeError("audit annotations are known to `tabernetes test` and to Go alone");
    const { cluster, snapshot, policies } = await (started ??= start());
    await cluster.levers.restore(snapshot);
    await put(cluster, [...policies, ...(await given(own?.files, own?.objects))]);
    const written = when[verbs[0]];
    const all = typeof written === "string" ? await read(written) : [merge(object, written)];
    if (all.length !== 1) throw new TypeError(`${written} has ${all.length} objects, not one`);
    const [whole] = all;
    await assume(cluster, [whole]);
    const sent = typeof written === "string" ? whole : written;
    await judge(then, await send(cluster, verbs[0], whole, sent, when.subresource, when.as ?? as));
  }

  return {
    tests: table.tests.map((test) => ({ name: test.name, run: () => run(test) })),
    close: async () => (await started?.catch(() => null))?.cluster.close(),
  };
}

/** @param {Manifest} m */
const isPolicy = ({ apiVersion, kind }) =>
  apiVersion.startsWith("admissionregistration.k8s.io/") && kind.includes("AdmissionPolicy");

/** What comes first. @param {Manifest} m */
const rank = (m) => (m.kind === "CustomResourceDefinition" ? 0 : m.kind === "Namespace" ? 1 : isPolicy(m) ? 3 : 2);

/** Applies what a cluster has. @param {Cluster} cluster @param {Manifest[]} all */
async function put(cluster, all) {
  await assume(cluster, all);
  for (const m of all.toSorted((a, b) => rank(a) - rank(b))) {
    const response = await send(cluster, m.metadata.name ? "apply" : "create", m, m);
    if (!response.ok) throw new Error(`given: ${m.kind} ${m.metadata.name}: ${(await response.json()).message}`);
    const { spec } = /** @type {any} */ (m);
    if (rank(m) > 0) continue;
    for (const { name, served } of spec.versions) {
      if (served) await typeOf(cluster, `${spec.group}/${name}`, spec.names.kind, SETTLE_TIME);
    }
  }
}

/** Creates the namespaces that objects are in. @param {Cluster} cluster @param {Manifest[]} all */
async function assume(cluster, all) {
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
 * @param {Cluster} cluster @param {string} apiVersion @param {string} kind @param {number} [patience]
 */
async function typeOf(cluster, apiVersion, kind, patience = 0) {
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
 * @param {Cluster} cluster
 * @param {typeof VERBS[number]} verb
 * @param {Manifest} m
 * @param {object} written m without what it was merged into
 * @param {string} [subresource]
 * @param {Identity} [as]
 */
async function send(cluster, verb, m, written, subresource, as) {
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
  const headers = new Headers({ "Content-Type": type[/** @type {"patch"} */ (verb)] ?? "application/json" });
  if (as) {
    headers.set("Impersonate-User", as.user);
    if (as.uid) headers.set("Impersonate-Uid", as.uid);
    for (const group of as.groups ?? []) headers.append("Impersonate-Group", group);
    for (const [key, values] of Object.entries(as.extra ?? {})) {
      for (const value of values) headers.append(`Impersonate-Extra-${key}`, value);
    }
  }
  if (subresource) path += `/${subresource}`;
  const method = { create: "POST", update: "PUT", patch: "PATCH", apply: "PATCH", delete: "DELETE" }[verb];
  return cluster.fetch(verb === "delete" ? path : path + QUERY, { method, headers,
    ...(verb !== "delete" && { body: JSON.stringify(body) }) });
}

/** A JSON merge patch. @param {any} into @param {any} patch @returns {any} */
function merge(into, patch) {
  if (!isMap(patch)) return patch;
  const merged = isMap(into) ? { ...into } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

/** @param {any} v */
const isMap = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

/** Throws how an answer differs from what is expected. @param {TableTest["then"]} then @param {Response} response */
async function judge({ refused, warnings, object }, response) {
  const answer = await response.json();
  const is = `it is refused with ${response.status} ${answer.reason}: ${answer.message}`;
  if (refused === undefined) {
    if (!response.ok) throw new Error(is);
  } else {
    const { message = "", code = response.status, reason = answer.reason } =
      typeof refused === "string" ? { message: refused } : refused;
    if (response.ok) throw new Error("it is allowed");
    if (!answer.message.includes(message) || code !== response.status || reason !== answer.reason) {
      throw new Error(`${is}; not with ${code} ${reason}: ${message}`);
    }
  }
  if (warnings) {
    const header = response.headers.get("Warning") ?? "";
    const texts = Array.from(header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g), ([, quoted]) => JSON.parse(quoted));
    if (texts.length !== warnings.length || warnings.some((text, i) => !texts[i].includes(text))) {
      throw new Error(`the warnings are ${JSON.stringify(texts)}, not ${JSON.stringify(warnings)}`);
    }
  }
  if (object) differ(object, answer, "");
}

/** Throws the first field that is not as is wanted. @param {any} want @param {any} got @param {string} at */
function differ(want, got, at) {
  if (isMap(want) && isMap(got)) {
    for (const key of Object.keys(want)) differ(want[key], got[key], at ? `${at}.${key}` : key);
  } else if (Array.isArray(want) && Array.isArray(got) && want.length === got.length) {
    want.forEach((item, i) => differ(item, got[i], `${at}[${i}]`));
  } else if (want !== (got ?? null)) {
    throw new Error(`${at}: it is ${JSON.stringify(got ?? null)}, not ${JSON.stringify(want)}`);
  }
}
