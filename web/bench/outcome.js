// @ts-check
/**
 * Shows the outcome of a request, in the server's order: what changed it, what checked it, and what was not asked.
 *
 * @import { Doc, Outcome } from "./ground.js"
 * @import { Request } from "./model.js"
 * @import { Access, Evaluation, Step } from "./trial"
 */
import { difference } from "./diff.js";
import { button, count, h } from "./dom.js";
import { costView, expressionView, valueOf } from "./expression.js";
import { MUTATING, asExpected, expectedRefusal, granted, isDeciding, isRules, nameOf, sentence, skipped, subject,
  verdict } from "./words.js";
import { write } from "./yaml.js";

/**
 * @typedef {object} Places where the parts of policies are on the page
 * @property {(step: Step, field: string) => {doc: Doc, line: number} | null} find
 * @property {(place: {doc: Doc, line: number}) => void} go
 */

/** What a client sees of an object, without what the server notes for itself. @param {any} object */
export function plain(object) {
  if (!object?.metadata) return object;
  const { managedFields, resourceVersion, uid, generation, creationTimestamp, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** @param {string} title @param {...(Node | string | null)} right */
const heading = (title, ...right) => h("div.cap", null, h("h3", null, title),
  h("span", null, ...right.filter((r) => r !== null)));

/** @param {any} before @param {any} after */
export function diffView(before, after) {
  const lines = difference(before === undefined ? "" : write(before), after === undefined ? "" : write(after));
  if (!lines.length) return h("p.soft", null, "Nothing differs.");
  return h("pre.diff", { tabIndex: 0, role: "region", "aria-label": "What changed" },
    ...lines.map(({ sign, text }) => h("span" + (sign === "+" ? ".added" : sign === "-" ? ".deleted" : ""), null,
      `${sign === " " ? "  " : `${sign} `}${text}\n`)));
}

/** How many lines a diff changes. @param {any} before @param {any} after */
const changes = (before, after) => difference(write(before), write(after)).filter(({ sign }) => sign === "+" ||
  sign === "-").length;

/** The name of an expression: validations[0]. @param {Evaluation} evaluation */
const short = ({ field, at }) => [field.replace(/^spec\./, "").replace(/\.(expression|rule)$/, ""),
  at && `at ${at}`].filter(Boolean).join(" ");

/** @type {Record<string, string>} */
const USES = { matchCondition: "match condition", variable: "variable", message: "message",
  auditAnnotation: "audit annotation" };

/**
 * @param {Request} request
 * @param {Outcome} outcome
 * @param {Places} places
 * @returns {Node[]}
 */
export function outcomeView(request, outcome, places) {
  const { bad, title, more } = verdict(request, outcome);
  const { trial, answer, evaluation, problems = [], before, access, others } = outcome;
  const expected = asExpected(request, outcome);
  const object = trial && trial.code < 400 && answer?.metadata && answer.kind !== "Status" ? answer : null;
  const shown = h("pre.whole", { hidden: true, tabIndex: 0, role: "region", "aria-label": "The object" });
  const show = object && button("Show the object", () => {
    shown.hidden = !shown.hidden;
    shown.textContent ||= write(object);
    show.textContent = shown.hidden ? "Show the object" : "Hide the object";
  });
  const body = h("div.out", null);
  const top = h("div.verdict" + (bad ? ".bad" : ".good"), null, h("div", null, h("h2", null, title),
    more && h("p.soft", null, more),
    expected === false && h("p.modified", null, "The test expects something else: ", describe(request))), show);
  if (object) body.append(shown);
  if (!trial) {
    for (const { message } of problems) body.append(h("pre.said", null, message));
    if (evaluation && !problems.length) body.append(expressionView(evaluation), costView("Cost", evaluation.cost ?? 0,
      evaluation.limit ?? 0));
    return [top, body];
  }
  if (trial.code >= 400) body.append(h("p.said", null, String(answer?.message ?? trial.body)));
  for (const warning of trial.warnings) body.append(h("p.warning", null, h("b", null, "Warning: "), warning));

  let n = 0;
  for (const step of trial.steps.filter(({ outcome }) => outcome === "changed")) {
    const lines = changes(plain(step.before), plain(step.after));
    body.append(heading(`${++n} · Changed before it was checked, by ${step.name}`, count(lines, "line")),
      diffView(plain(step.before), plain(step.after)), ...(step.evaluations ?? []).map((e) => folded(step, e, places)));
  }
  const rest = trial.steps.filter(({ outcome }) => outcome !== "changed");
  const main = rest.filter(({ outcome }) => !["allowed", "unchanged", "skipped", "called"].includes(outcome));
  for (const step of main) body.append(...stepView(step, ++n, places));
  const asides = rest.filter((step) => !main.includes(step));
  if (asides.length) {
    body.append(heading(n ? "What else was asked" : "What was asked"),
      h("ul.asked", null, ...asides.map((step) => aside(step, places))));
  }
  if (trial.omitted) body.append(h("p.soft", null, `${count(trial.omitted, "step")} more`));
  const notes = Object.entries(trial.annotations).filter(([key]) => !key.startsWith("authorization.k8s.io/"));
  if (notes.length) {
    body.append(heading("Annotations of the audit log"),
      h("dl.notes", null, ...notes.flatMap(([key, value]) => [h("dt", null, key), h("dd", null, value)])));
  }
  if (object && (before || request.verb === "apply" || request.verb === "patch")) {
    body.append(heading(before ? "What is stored then" : "What is stored"), diffView(plain(before), plain(object)));
  }
  if (request.verb === "apply" && (object ?? before)) body.append(...ownersView(object ?? before));
  if (others) body.append(...accessView(request, access, others));
  return [top, body];
}

/** @param {Request} request */
function describe({ then }) {
  if (then?.value !== undefined) return `it should be ${JSON.stringify(then.value)}`;
  if (then?.error !== undefined) return `it should have no value: “${then.error}”`;
  if (then?.refused === undefined) return then?.allowed ? "it should be allowed" : "";
  const { message, code } = expectedRefusal(then);
  return ["it should be refused", code && `with ${code}`, message && `“${message}”`].filter(Boolean).join(" ");
}

/** @param {Step} step @param {string} field @param {Places} places */
function link(step, field, places) {
  const place = places.find(step, field);
  return place && button(`line ${place.line}`, () => places.go(place), { kind: "link" });
}

/** A step that did something. @param {Step} step @param {number} n @param {Places} places @returns {Node[]} */
function stepView(step, n, places) {
  const all = step.evaluations ?? [];
  const deciding = all.filter((evaluation) => isDeciding(evaluation) || evaluation.use === "estimate");
  const what = { refused: "Refused by", warned: "Warned of by", audited: "Noted by", ignored: "A failure is ignored:",
    tolerated: "Tolerated:", checked: "Estimated:" }[/** @type {"refused"} */ (step.outcome)] ?? step.outcome;
  /** @type {Node[]} */
  const views = [];
  const from = [step.binding && `binding ${step.binding}`, step.param && `parameters ${step.param}`].filter(
    Boolean).join(", ");
  const main = deciding.length ? deciding : all.slice(0, 1);
  main.forEach((evaluation, i) => {
    const letter = main.length > 1 ? String.fromCharCode(97 + (i % 26)) : "";
    const by = isRules(step) ? "" : `${step.name}: `;
    views.push(heading(`${n}${letter} · ${i ? "And" : what} ${by}${short(evaluation)}`,
      link(step, evaluation.field, places)));
    if (!i && from) views.push(h("p.soft.from", null, from));
    if (evaluation.tolerated) views.push(h("p.note", null, "This was so before, and did not change: it is tolerated."));
    views.push(expressionView(evaluation), evaluation.estimate ? estimateView(evaluation.estimate)
      : costView("Cost", evaluation.cost ?? 0, evaluation.limit ?? 0));
  });
  if (!main.length) views.push(heading(`${n} · ${what} ${nameOf(step)}`), h("p.soft.from", null, from));
  if (step.limit) views.push(costView("Estimate of all", step.estimate ?? 0, step.limit));
  if (!main.length && step.message) views.push(h("p.said", null, step.message));
  const other = all.filter((e) => !main.includes(e));
  if (other.length) views.push(h("div.others", null, ...other.map((e) => folded(step, e, places))));
  return views;
}

/** @param {NonNullable<Evaluation["estimate"]>} estimate */
function estimateView({ cost, times, total, limit }) {
  const how = times > 1 ? `${cost.toLocaleString("en-US")} for each of ${count(times, "value")}` : "";
  return h("div", null, costView("Estimate", total, limit), how && h("p.soft", null, how));
}

/**
 * An expression whose outcome is a line, until somebody opens it.
 *
 * @param {Step} step
 * @param {Evaluation} evaluation
 * @param {Places} places
 */
function folded(step, evaluation, places) {
  const { use, cost, value, error } = evaluation;
  const name = short(evaluation).split(/(?<=[.\]])/).flatMap((part) => [part, h("wbr")]);
  const box = h("details.expression", null, h("summary", null, h("span.code", null, ...name),
    USES[use] && h("span.soft", null, ` ${USES[use]}`), valueOf({ value, error })));
  box.addEventListener("toggle", () => {
    if (box.children.length > 1) return;
    const to = link(step, evaluation.field, places);
    const costs = `cost ${(cost ?? 0).toLocaleString("en-US")}`;
    box.append(expressionView(evaluation), h("p.soft", null, costs, to && " · ", to));
  });
  return box;
}

/** A step of which there is little to say. @param {Step} step @param {Places} places */
function aside(step, places) {
  const good = step.outcome === "allowed";
  const all = step.evaluations ?? [];
  const cost = all.reduce((sum, { cost = 0 }) => sum + cost, 0);
  const said = step.outcome === "skipped" ? skipped(step) : step.outcome === "called" ? "called"
    : step.outcome === "unchanged" ? "changed nothing" : step.kind === MUTATING ? step.outcome : "";
  return h("li" + (good ? ".good" : ".soft"), null, h("span.mark", { "aria-hidden": "true" }, good ? "✓" : "–"),
    h("div", null, isRules(step) ? sentence(nameOf(step)).slice(0, -1) : step.name, said && `: ${said}`,
      good && h("span.visually-hidden", null, " allowed"),
      cost ? h("span.soft", null, ` · cost ${cost.toLocaleString("en-US")}`) : null,
      ...all.map((evaluation) => folded(step, evaluation, places))));
}

/** Who owns which fields. @param {any} object @returns {Node[]} */
function ownersView(object) {
  const rows = (object.metadata.managedFields ?? []).map((/** @type {any} */ { manager, operation, fieldsV1,
    subresource }) =>
    [h("dt", null, manager, h("span.soft", null, ` ${operation}${subresource ? ` of ${subresource}` : ""}`)),
      h("dd", null, fieldsOf(fieldsV1 ?? {}, "").join("\n"))]);
  return rows.length ? [heading("Who owns what"), h("dl.notes", null, ...rows.flat())] : [];
}

/** The paths of a set of fields. @param {any} fields @param {string} at @returns {string[]} */
function fieldsOf(fields, at) {
  const below = Object.entries(fields).filter(([key]) => key !== ".");
  if (!below.length) return [at];
  return below.flatMap(([key, value]) => {
    const [kind, name] = [key[0], key.slice(2)];
    const path = kind === "f" ? (at ? `${at}.${name}` : name)
      : `${at}[${kind === "k" ? name.replace(/[{}"]/g, "") : name}]`;
    return fieldsOf(value, path);
  });
}

/** @param {Request} request @param {Access | undefined} access @param {Access} others @returns {Node[]} */
function accessView({ user }, access, others) {
  const views = [];
  if (access && user) {
    views.push(heading(access.allowed ? `Why ${user} can send such a request` : `Why ${user} cannot`),
      access.grants.length ? h("ul.asked", null, ...access.grants.map((grant) => h("li", null,
        h("span.mark", { "aria-hidden": "true" }, "✓"), h("div", null, granted(grant)))))
        : h("p.soft", null, access.allowed ? access.reason : "No binding gives a role that allows it."));
    for (const { binding, role } of access.missing ?? []) {
      views.push(h("p.warning", null, `${subject(binding)} names ${subject(role)}, which does not exist.`));
    }
  }
  const can = [...others.everyone.map((s) => [subject(s), "without a binding"]),
    ...others.grants.flatMap((grant) => grant.subjects.map((s) => [subject(s), granted(grant)]))];
  const names = new Set(can.map(([name]) => name)); // several bindings can give one of them the same
  views.push(heading("Who can send such a request", count(names.size, "subject")),
    h("dl.who", null, ...Array.from(names, (who) => [h("dt", null, who),
      ...can.filter(([name]) => name === who).map(([, why]) => h("dd", null, why))]).flat()));
  return views;
}
