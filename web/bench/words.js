// @ts-check
/**
 * What is said of an outcome, in sentences.
 *
 * @import { Outcome } from "./ground.js"
 * @import { Request } from "./model.js"
 * @import { Evaluation, Grant, Step, Subject } from "./trial"
 */
import { EVALUATE, cameTo, differ } from "../npm/manifests.js";
import { documents, read, valueOf } from "./yaml.js";

/** The kinds whose steps are about other objects than requests. */
export const VALIDATING = "ValidatingAdmissionPolicy";
export const MUTATING = "MutatingAdmissionPolicy";

/** @type {Record<string, string>} */
const SKIPPED = {
  excludeResourceRules: "its excludeResourceRules leave this out", resourceRules: "its resourceRules are for others",
  namespaceSelector: "it selects other Namespaces", objectSelector: "it selects other objects",
  matchConditions: "a match condition is false", params: "it has no parameters here",
};

/** Why a step was skipped. @param {Step} step */
export function skipped({ reason = "" }) {
  const said = SKIPPED[reason.replace(/^binding\./, "")] ?? reason;
  if (!reason.startsWith("binding.")) return said;
  return said.replace(/^its /, "its binding’s ").replace(/^it /, "its binding ");
}

/** @param {Step} step */
export const isRules = ({ kind }) => !/Policy$|Webhook/.test(kind);

/** What a step is called. @param {Step} step */
export const nameOf = (step) =>
  (isRules(step) ? `the rules of ${step.name || step.kind}` : /Policy$/.test(step.kind) ? `the policy ${step.name}`
    : `the webhook ${step.name}`);

/** The object of a request, as far as it can be read. @param {string} text @returns {any} */
export function objectOf(text) {
  try {
    const [part] = documents(text);
    return part ? Object(valueOf(read(text, part))) : {};
  } catch {
    return {};
  }
}

/** What a request is about, such as deployments/web. @param {Request} request */
export function target({ verb, object, subresource, name }) {
  if (verb === EVALUATE) return name || "the expression";
  const { kind, metadata } = objectOf(object);
  const what = [String(kind ?? "nothing").toLowerCase(), Object(metadata).name ?? Object(metadata).generateName]
    .filter(Boolean).join("/");
  return subresource ? `${what}/${subresource}` : what;
}

/** @param {Request} request */
export const who = ({ user, verb, manager }) =>
  [verb !== EVALUATE && user && `as ${user}`, manager && `by ${manager}`].filter(Boolean).join(", ");

/** What a refusal is expected to say: a text is its message. @param {{refused?: any}} then @returns {any} */
export const expectedRefusal = ({ refused }) => (typeof refused === "string" ? { message: refused } : Object(refused));

/** Whether an answer is as expected; null if nothing is. @param {Request} request @param {Outcome} outcome */
export function asExpected({ then }, { trial, answer, evaluation, problems = [] }) {
  if (!then) return null;
  if (evaluation || !trial) {
    const { value, error } = cameTo({ evaluation, problems });
    if (then.error !== undefined) return error.includes(then.error);
    return then.value === undefined ? null : !error && !differ(then.value, value, "");
  }
  const refused = trial.code >= 400;
  if (then.refused === undefined) return then.allowed === undefined ? null : then.allowed === !refused;
  const { message = "", code, reason } = expectedRefusal(then);
  return refused && String(answer?.message ?? "").includes(message) && (!code || code === trial.code) &&
    (!reason || reason === answer?.reason);
}

/** Whether an expression made its step what it came to. @param {Evaluation} evaluation */
export const isDeciding = ({ value, error, use }) => Boolean(error) || (value === "false" && use !== "variable");

/** The steps that decided. @param {Step[]} steps @param {Step["outcome"]} outcome */
const having = (steps, outcome) => steps.filter((step) => step.outcome === outcome);

/** A sentence with a capital letter and a full stop. @param {string} text */
export const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".")
  : "");

/**
 * What happened to a request: a line for the list, a heading and what is below it.
 *
 * @param {Request} request
 * @param {Outcome} outcome
 * @returns {{bad: boolean, chip: string, line: string, title: string, more: string}}
 */
export function verdict(request, { problem, trial, answer, evaluation, problems = [], access, others }) {
  if (problem) return { bad: true, chip: "–", line: "cannot be sent", title: "This cannot be sent.", more: problem };
  if (evaluation || !trial) return ofValue(evaluation, problems);
  const { code, steps } = trial;
  const changes = having(steps, "changed").map(({ name }) => name);
  if (code < 400) {
    const revision = request.verb === "delete" ? "" : answer?.metadata?.resourceVersion;
    const notes = [
      changes.length && `changed by ${changes.join(", ")}`,
      having(steps, "tolerated").length && "what was wrong before is tolerated",
      having(steps, "warned").length && "warned of", having(steps, "audited").length && "noted for the audit log",
      having(steps, "ignored").length && "a failure is ignored",
      having(steps, "checked").length && estimated(having(steps, "checked")),
    ].filter(Boolean);
    const out = steps.filter(({ outcome }) => outcome === "skipped");
    const why = steps.length && out.length === steps.length
      ? `${out.length === 1 ? skipped(out[0]) : "no policy is for it"}` : "";
    return { bad: false, chip: revision ? `→ ${revision}` : String(code), line: notes.join(", ") || why || "allowed",
      title: notes.length ? `Allowed: ${notes[0]}.` : "Allowed.",
      more: why ? sentence(why) : revision ? `It is stored as revision ${revision}.` : request.verb === "delete"
        ? "It is deleted." : "" };
  }
  const [refusal] = having(steps, "refused");
  const base = { bad: true, chip: String(code) };
  if (refusal) {
    const name = isRules(refusal) ? "rules" : refusal.name;
    const said = refusal.message ? `“${sentence(refusal.message)}” ` : "";
    return { ...base, line: `refused by ${name}`, title: `Refused by ${nameOf(refusal)}.`,
      more: `${said}Nothing is stored.` };
  }
  const [, webhook] = /^admission webhook "(.*?)" denied the request/.exec(answer?.message) ?? [];
  if (webhook) {
    return { ...base, line: `refused by ${webhook}`, title: `Refused by the webhook ${webhook}.`,
      more: "Nothing is stored." };
  }
  if (code === 403 && /attempting to grant RBAC permissions not currently held/.test(answer?.message)) {
    return { ...base, line: "more rights than the user has", title: "Refused: it gives more rights than its user has.",
      more: "Nothing is stored." };
  }
  if (having(steps, "checked").length && /cost (total )?(for entire OpenAPIv3 schema )?exceed/.test(answer?.message)) {
    return { ...base, line: "its rules may cost too much", title: "Refused: its rules may cost too much.",
      more: "Nothing is stored." };
  }
  if (code === 403 && others && !access?.allowed) {
    return { ...base, line: "no role allows it", title: "Refused: no role allows it.", more: "Nothing is stored." };
  }
  if (code === 409 && answer?.details?.causes?.some((/** @type {any} */ c) => c.reason === "FieldManagerConflict")) {
    return { ...base, line: "another manager owns a field", title: "A conflict: another manager owns this.",
      more: "Nothing is stored." };
  }
  return { ...base, line: String(answer?.reason ?? "refused"), title: answer?.reason ? `Refused: ${answer.reason}.`
    : `Refused with ${code}.`,
    more: "Nothing is stored." };
}

/** How much of its limit the rules of a definition are estimated to cost. @param {Step[]} steps */
function estimated(steps) {
  const part = Math.max(...steps.map(({ estimate = 0, limit = 0 }) => (limit ? estimate / limit : 0)));
  const percent = part > 0 && part < 0.01 ? "less than 1" : Math.round(100 * part);
  return `its rules are estimated at ${percent} % of the limit`;
}

/** @param {Evaluation | undefined} evaluation @param {{message: string}[]} problems */
function ofValue(evaluation, problems) {
  const wrong = problems[0]?.message ?? evaluation?.error ?? "";
  if (wrong) return { bad: true, chip: "error", line: wrong.split("\n")[0], title: "It has no value.", more: wrong };
  const value = evaluation?.value ?? "";
  return { bad: value === "false", chip: value.length > 12 ? (evaluation?.type ?? "") : value,
    line: evaluation?.type ?? "",
    title: `It is ${value}.`, more: evaluation?.type ?? "" };
}

/** @param {Subject} subject */
export const subject = ({ kind, namespace, name }) => `${kind} ${namespace ? `${namespace}/` : ""}${name}`;

/** Why somebody can. @param {Grant} grant */
export const granted = ({ binding, role, rule }) =>
  `${subject(binding)} gives ${subject(role)}${rule === undefined ? "" : `, rule ${rule}`}`;
