// @ts-check
/**
 * What is on the bench: the texts of its tabs, and the requests that are tried. It is written as a table of tests, as
 * `tabernetes test` reads them (devserver/README.md): examples, links and saved files are such tables.
 *
 * @import { Verb } from "../npm/manifests.js"
 * @import { Node } from "./yaml.js"
 */
import { EVALUATE, VERBS, isMap, merge } from "../npm/manifests.js";
import { documents, find, read, valueOf, write } from "./yaml.js";

/** The tabs; the first has an expression of CEL, the last one all objects that belong to no other. */
export const TABS = /** @type {const} */ (
  ["expression", "definition", "policy", "binding", "parameters", "webhook", "roles", "objects"]);

/** @typedef {typeof TABS[number]} Tab */

/** Those whose texts are YAML. */
export const MANIFESTS = TABS.slice(1);

const ALL_VERBS = /** @type {const} */ ([...VERBS, EVALUATE]);

/** @type {Record<Tab, string>} */
export const TAB_NAMES = { expression: "Expression", definition: "Definition", policy: "Policy", binding: "Binding",
  parameters: "Parameters",
  webhook: "Webhook", roles: "Roles", objects: "Objects" };

/**
 * @typedef {object} Expected what a table says of an answer
 * @property {boolean} [allowed]
 * @property {any} [refused]
 * @property {string[]} [warnings]
 * @property {any} [object]
 * @property {any} [audit]
 * @property {any} [value] what an expression comes to
 * @property {string} [error] why it comes to nothing
 */

/**
 * @typedef {object} Request
 * @property {string} name
 * @property {Verb | typeof EVALUATE} verb
 * @property {string} object YAML
 * @property {string} before YAML of what is there when it comes
 * @property {string} user empty: the administrator
 * @property {string[]} groups
 * @property {string} subresource
 * @property {string} manager who applies; empty: kubectl
 * @property {boolean} force
 * @property {Expected | null} then
 */

/**
 * @typedef {object} Bench
 * @property {string} about what it is: the first line is its title
 * @property {boolean} rbac whether roles decide who can do something
 * @property {Record<Tab, string>} tabs
 * @property {Request[]} requests
 */

/** What is wrong with a table, to be shown. */
export class TableError extends Error {}

/** @returns {Bench} */
export const emptyBench = () => ({ about: "", rbac: false,
  tabs: { expression: "", definition: "", policy: "", binding: "", parameters: "", webhook: "", roles: "",
    objects: "" }, requests: [] });

/** @returns {Request} */
export const newRequest = () => ({ name: "", verb: "create", object: "", before: "", user: "", groups: [],
  subresource: "", manager: "", force: false, then: null });

/** The tab of a type's objects. @param {any} manifest @param {Set<string>} parameters kinds of parameters */
export function tabOf({ apiVersion = "", kind = "" }, parameters) {
  if (kind === "CustomResourceDefinition") return "definition";
  if (String(apiVersion).startsWith("admissionregistration.k8s.io/")) {
    return /Binding$/.test(kind) ? "binding" : /Policy$/.test(kind) ? "policy" : "webhook";
  }
  if (String(apiVersion).startsWith("rbac.authorization.k8s.io/")) return "roles";
  return parameters.has(`${apiVersion} ${kind}`) ? "parameters" : "objects";
}

/** The types of the parameters of policies. @param {any[]} manifests */
export function parameterKinds(manifests) {
  /** @type {Set<string>} */
  const kinds = new Set();
  for (const { spec } of manifests) {
    const { apiVersion, kind } = Object(Object(spec).paramKind);
    if (kind) kinds.add(`${apiVersion} ${kind}`);
  }
  return kinds;
}

/** A part of a text without what it is indented by. @param {string} text @param {Node} node */
function partOf(text, node) {
  const column = node.from - (text.lastIndexOf("\n", node.from - 1) + 1);
  const part = text.slice(node.from, node.to).trimEnd();
  return part.split("\n").map((line, i) => (i > 0 ? line.replace(new RegExp(`^ {0,${column}}`), "") : line)).join(
    "\n") + "\n";
}

/**
 * The text of a value: as it is written, if that is in blocks.
 *
 * @param {string} text
 * @param {Node} node
 * @param {any} [into] what it is merged into
 */
function textOf(text, node, into) {
  const written = node.kind === "map" && text[node.from] !== "{" && !into;
  return written ? partOf(text, node) : write(into ? merge(into, valueOf(node)) : valueOf(node));
}

/** @param {Node} node @param {(string | number)[]} path @returns {Node[]} */
function listAt(node, path) {
  const found = find(node, path)?.node;
  return found?.kind === "list" ? found.items.map(({ value }) => value) : [];
}

/** Joins the texts of objects. @param {string[]} parts */
export const joined = (parts) => parts.filter((part) => part.trim()).map((part) => part.trimEnd() + "\n").join("---\n");

/** The texts of the objects of a text. @param {string} text */
export const parts = (text) => documents(text).map(({ from, to }) => text.slice(from, to).replace(/^\n+/,
  "").trimEnd() + "\n");

/** What a string may be, at most. */
const MOST = 200_000;

/**
 * Reads a table.
 *
 * @param {string} text
 * @returns {Bench}
 * @throws {TableError}
 */
export function fromTable(text) {
  if (text.length > MOST) throw new TableError("it is longer than what a bench can have");
  const [part, more] = documents(text);
  if (!part) throw new TableError("there is nothing in it");
  if (more) throw new TableError("it has several tables: keep one of them");
  let node;
  try {
    node = read(text, part);
  } catch (error) {
    throw new TableError(/** @type {Error} */ (error).message);
  }
  const table = valueOf(node);
  if (!isMap(table) || !Array.isArray(table.tests)) {
    throw new TableError("it is no table of tests: “tests” is missing");
  }
  const given = Object(table.given);
  if (given.files || table.tests.some((t) => Object(Object(t).given).files)) {
    throw new TableError("it names files, which are not here: write their objects under “objects”");
  }
  const bench = emptyBench();
  bench.about = Array.from(/^(?:#.*\n|\n)*/.exec(text)?.[0].matchAll(/^# ?(.*)$/gm) ?? [], ([, line]) => line).join(
    "\n");
  bench.rbac = given.authorization === "RBAC";
  const objects = listAt(node, ["given", "objects"]);
  const manifests = objects.map(valueOf);
  if (!manifests.every(isMap)) throw new TableError("given.objects has something that is no object");
  const parameters = parameterKinds(manifests);
  /** @type {Record<string, string[]>} */
  const tabs = {};
  objects.forEach((object, i) => (tabs[tabOf(manifests[i], parameters)] ??= []).push(textOf(text, object)));
  for (const tab of MANIFESTS) bench.tabs[tab] = joined(tabs[tab] ?? []);
  if (typeof table.expression === "string") bench.tabs.expression = table.expression.trimEnd() + "\n";
  bench.requests = listAt(node, ["tests"]).map((test, i) => requestOf(text, test, given, i));
  return bench;
}

/** @param {string} text @param {Node} node @param {any} given @param {number} i */
function requestOf(text, node, given, i) {
  const { name, when, then } = Object(valueOf(node));
  const said = isMap(when) ? ALL_VERBS.filter((verb) => when[verb] !== undefined) : [];
  if (said.length !== 1) throw new TableError(`tests[${i}].when has to have one of ${ALL_VERBS.join(", ")}`);
  const [verb] = said;
  if (!isMap(when[verb])) throw new TableError(`tests[${i}].when.${verb} has to be an object`);
  const as = when.as ?? given.as;
  const object = /** @type {{node: Node}} */ (find(node, ["when", verb])).node;
  const into = isMap(given.object) ? given.object : undefined;
  return {
    ...newRequest(), verb, name: String(name ?? ""), object: textOf(text, object, into),
    before: joined(listAt(node, ["given", "objects"]).map((o) => textOf(text, o))),
    user: String(Object(as).user ?? ""),
    groups: Array.isArray(Object(as).groups) ? as.groups.map(String) : [],
    subresource: String(when.subresource ?? ""), manager: String(when.manager ?? ""), force: when.force === true,
    then: isMap(then) ? then : null,
  };
}

/** Lines, each with something before it. @param {string} text @param {string} lead */
const indented = (text, lead) => text.trimEnd().replace(/^(?=.)/gm, lead);

/** A list of objects. @param {string[]} objects @param {string} lead */
const listed = (objects, lead) =>
  objects.map((object) => lead + "- " + indented(object, lead + "  ").slice(lead.length + 2)).join("\n");

/**
 * Writes a table.
 *
 * @param {Bench} bench
 * @param {(request: Request, i: number) => Expected | null} expected what is written of the answers; null: nothing
 */
export function toTable({ about, rbac, tabs, requests }, expected) {
  const objects = MANIFESTS.flatMap((tab) => parts(tabs[tab]));
  const lines = about ? about.split("\n").map((line) => `# ${line}`.trimEnd()) : [];
  if (tabs.expression.trim()) lines.push("expression: |", indented(tabs.expression, "  "));
  if (rbac || objects.length) lines.push("given:");
  if (rbac) lines.push("  authorization: RBAC");
  if (objects.length) lines.push("  objects:", listed(objects, "  "));
  lines.push(requests.length ? "tests:" : "tests: []");
  requests.forEach((request, i) => {
    const { name, verb, object, before, user, groups, subresource, manager, force } = request;
    lines.push(`- ${write({ name: name || `request ${i + 1}` }).trimEnd()}`);
    if (before.trim()) lines.push("  given:", "    objects:", listed(parts(before), "    "));
    lines.push("  when:", object.trim() ? `    ${verb}:` : `    ${verb}: {}`);
    if (object.trim()) lines.push(indented(object, "      "));
    const rest = { ...(subresource && { subresource }), ...(manager && { manager }), ...(force && { force }),
      ...(user && { as: { user, ...(groups.length && { groups }) } }) };
    if (Object.keys(rest).length) lines.push(write(rest, "    ").trimEnd());
    const then = expected(request, i);
    if (then) lines.push("  then:", write(then, "    ").trimEnd());
  });
  return lines.join("\n") + "\n";
}
