// @ts-check
/**
 * Where the expressions of an object are, by the names that its fields have.
 *
 * @import { Node, Scalar } from "./yaml.js"
 */
import { stepsOf } from "./yaml.js";

/** Maps whose keys are names of others' choice: their fields are written in brackets. */
const NAMED = ["properties", "patternProperties", "definitions"];

/** @typedef {{field: string, node: Scalar}} Found */

/** The field of a path, as the server writes it. @param {(string | number)[]} path */
export const fieldOf = (path) => path.map((step, i) =>
  (typeof step === "number" || NAMED.includes(String(path[i - 1])) ? `[${step}]` : i ? `.${step}` : step)).join("");

/**
 * The path of a field, as the server writes it. Of the schema of the only version it says "validation".
 *
 * @param {string} field
 */
export const pathOf = (field) => stepsOf(field.replace(/^spec\.validation\./, "spec.versions[0].schema."));

/** Whether a field of an object is an expression of CEL. @param {(string | number)[]} path */
export function isExpression(path) {
  const name = path.at(-1);
  const within = path.at(-3);
  if (name === "rule" || name === "messageExpression") return within === "x-kubernetes-validations" ||
    within === "validations";
  if (name === "valueExpression") return within === "auditAnnotations";
  if (name !== "expression") return false;
  return ["validations", "variables", "matchConditions"].includes(String(within)) ||
    ["applyConfiguration", "jsonPatch"].includes(String(path.at(-2)));
}

/** The expressions of an object. @param {Node} node @param {(string | number)[]} [path] @returns {Found[]} */
export function expressions(node, path = []) {
  if (node.kind === "scalar") return isExpression(path) ? [{ field: fieldOf(path), node }] : [];
  if (node.kind === "list") return node.items.flatMap(({ value }, i) => expressions(value, [...path, i]));
  return node.entries.flatMap(({ key, value }) => expressions(value, [...path, key]));
}
