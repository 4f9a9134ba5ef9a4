// @ts-check
/**
 * What the page has to share. Requests are quiet: they are not among those of the user.
 *
 * @import { Shared } from "./parts.js"
 */
import { CONTROL_PLANE } from "../../../core/wellknown/wellknown.js";
import { messageOf } from "../../browser/status.js";

/** What is looked at, and what there is of each part now. @returns {any} as web/app/view.go tells */
export const looked = () => JSON.parse(/** @type {any} */ (globalThis).tabernetesLab.look());

/** @param {string} path @returns {Promise<Response>} @throws {Error} with the server's words */
export async function ask(path, init = {}, note = {}) {
  const tabernetes = { origin: /** @type {const} */ ("lever"), quiet: true, owner: true, ...note };
  const response = await window.tabernetes.fetch(path, { ...init, tabernetes });
  if (response.ok) return response;
  throw new Error(`${response.status}: ${messageOf(await response.text(), 300)}`);
}

/** The whole cluster. */
export const cluster = async () => new Uint8Array(await (await ask(CONTROL_PLANE + "/snapshot")).arrayBuffer());

/** The levers' settings. */
export const settings = async () => (await (await ask(CONTROL_PLANE)).json()).spec;

/** The ControlPlane of this tab's cluster, wherever requests go. */
export const planeHere = async () =>
  (await ask(CONTROL_PLANE, { cache: "no-store" }, { target: /** @type {const} */ ("tab") })).json();

/** The request that is written in the console. */
export function request() {
  const value = (/** @type {string} */ id) =>
    /** @type {HTMLInputElement | null} */ (document.getElementById(id))?.value ?? "";
  const method = value("req-method");
  const body = method === "GET" ? "" : value("req-body");
  return { method, path: value("req-path"), headers: value("req-headers"), body };
}

/** Where the page is in the course, or in a scene. */
export function place() {
  const { lesson, scene } = looked();
  if (scene) return `scene=${scene}`;
  const here = location.hash.slice(1).split("&")[0];
  if (/^(practice|exam|capstone)-/.test(here)) return here;
  if (!lesson) return "";
  const step = document.querySelector(`#lesson-${lesson} .lesson-step[data-shown] .lesson-step-body`);
  return step?.id ?? `lesson-${lesson}`;
}

/** The page's layout. */
export function layout() {
  const root = document.documentElement;
  return { panel: looked().panel, presenter: root.hasAttribute("data-presenting"), theme: root.dataset.theme ?? "" };
}

/** Managers of objects that a cluster makes by itself. */
const OWN = new RegExp("^(kube-(apiserver|controller-manager|scheduler)|api-priority-and-fairness.*|" +
  "clusterrole-aggregation-controller|kubernetes-service-cidr-controller)$");

/** Types of which no object is shared: they are the cluster's own business. */
const NOT = new Set(["events", "controlplanes", "componentstatuses", "bindings", "leases", "endpoints",
  "endpointslices", "controllerrevisions", "apiservices"]);

/** What is applied first: others need it. */
const FIRST = ["CustomResourceDefinition", "Namespace"];

/**
 * All objects that people and programs have written, as manifests: without status, versions, uids and what controllers
 * have made of others.
 */
export async function manifests() {
  /** @type {any[]} */
  const found = [];
  for (const [path, type] of await types()) {
    for (const item of (await (await ask(path)).json()).items ?? []) {
      const { metadata: m } = item;
      if (m.ownerReferences?.some((/** @type {any} */ o) => o.controller) || m.deletionTimestamp) continue;
      const managers = (m.managedFields ?? []).filter((/** @type {any} */ f) => !f.subresource);
      // An object without fields has no managers, and a namespace's default ServiceAccount is one.
      const own = managers.length ? managers.every((/** @type {any} */ f) => OWN.test(f.manager))
        : type.kind === "ServiceAccount" && m.name === "default";
      if (own) continue;
      found.push(manifest({ ...type, ...item }));
    }
  }
  const rank = (/** @type {any} */ o) => (FIRST.indexOf(o.kind) + FIRST.length + 1) % (FIRST.length + 1);
  found.sort((a, b) => rank(a) - rank(b));
  return found.map((o) => JSON.stringify(o)).join("\n---\n");
}

/** @param {any} object */
function manifest({ apiVersion, kind, metadata, status, items, ...rest }) {
  const { uid, resourceVersion, creationTimestamp, generation, managedFields, selfLink, ...m } = metadata;
  if (kind === "Namespace") delete rest.spec;
  if (kind === "ServiceAccount") delete rest.secrets;
  if (kind === "Service" && rest.spec) for (const k of ["clusterIP", "clusterIPs"]) {
    if (rest.spec.clusterIP !== "None") delete rest.spec[k];
  }
  return { apiVersion, kind, metadata: m, ...rest };
}

/** The collections of all types, with what their objects say of their type. */
export async function types() {
  /** @type {Map<string, {apiVersion: string, kind: string}>} */
  const out = new Map();
  const { groups } = await (await ask("/apis")).json();
  for (const version of ["v1", ...groups.map((/** @type {any} */ g) => g.preferredVersion.groupVersion)]) {
    const root = version === "v1" ? "/api/v1" : `/apis/${version}`;
    let all;
    try {
      all = (await (await ask(root)).json()).resources;
    } catch {
      continue; // a version that is aggregated, and not there
    }
    for (const { name, kind, verbs } of all) {
      if (name.includes("/") || NOT.has(name) || !verbs.includes("list") || !verbs.includes("create")) continue;
      out.set(`${root}/${name}`, { apiVersion: version, kind });
    }
  }
  return out;
}

/** How many Secrets the cluster has. */
export async function secrets() {
  const { items, metadata } = await (await ask("/api/v1/secrets?limit=1")).json();
  return items.length + (metadata.remainingItemCount ?? 0);
}

/** How many Secrets are in a text of manifests. @param {string} text */
export const secretsIn = (text) => text.split("\n---\n").filter((o) => o.includes('"kind":"Secret"')).length;
