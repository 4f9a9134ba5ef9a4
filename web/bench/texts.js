// @ts-check
/**
 * The texts at the left: their tabs, what is wrong with them, and completion where an expression is typed.
 *
 * @import { Doc, Problem } from "./ground.js"
 * @import { Request, Tab } from "./model.js"
 * @import { Explained, Step, TypeName } from "./trial"
 */
import { EVALUATE } from "../npm/manifests.js";
import { button, h } from "./dom.js";
import { Field } from "./field.js";
import { expressions, fieldOf, isExpression, pathOf } from "./fields.js";
import { docsOf } from "./ground.js";
import { TABS, TAB_NAMES } from "./model.js";
import { $, at, differs, hasChanged, showSince, state } from "./state.js";
import { isDeciding, objectOf } from "./words.js";
import { documents, find, lineAt, pathAt, placeIn, placeOf, read, stepsOf, valueOf } from "./yaml.js";

/** How long nobody has typed when a text is looked at, in milliseconds. */
const PAUSE = 350;

/** Of how many types that a policy matches the server looks at its expressions. */
const MOST_TYPES = 10;

/** Asks about an expression. @type {(question: object) => Promise<Explained>} */
let explain;

/** Shows the part of the page with the texts. */
let show = () => {};

/** @param {typeof explain} ask @param {() => void} shown */
export function startTexts(ask, shown) {
  explain = ask;
  show = shown;
}

/** @type {Map<Tab, Field>} */
const fields = new Map();

/** The field of a tab, which is made when it is first shown. @param {Tab} name */
function fieldOfTab(name) {
  let field = fields.get(name);
  if (!field) {
    field = new Field(TAB_NAMES[name], {
      input(text) {
        state.bench.tabs[name] = text;
        if (name === "roles") state.bench.rbac = text.trim() !== "";
        touched();
      },
      complete: (text, at) => complete(name, text, at),
      moved: (at) => void later("type", () => showType(name, at)),
    });
    field.wrap.id = `text-${name}`;
    field.wrap.setAttribute("role", "tabpanel");
    field.wrap.setAttribute("aria-labelledby", `tab-${name}`);
    fields.set(name, field);
    $("texts").append(field.wrap);
  }
  field.text = state.bench.tabs[name];
  return field;
}

/** @type {Map<string, ReturnType<typeof setTimeout>>} */
const timers = new Map();

/** Does something when nothing of its kind was asked for a while. @param {string} kind @param {() => void} what */
function later(kind, what) {
  clearTimeout(timers.get(kind));
  timers.set(kind, setTimeout(what, PAUSE));
}

/** Something was written: what is in force may be something else. */
function touched() {
  showSince();
  if (hasChanged()) return later("look", look);
  clearTimeout(timers.get("look"));
  state.problems = state.inForce.problems;
  showProblems();
}

/** The tabs that are shown: those with a text, those that what is there wants, and the one that is open. */
function shownTabs() {
  const policies = state.bench.tabs.policy.trim() !== "" || (!state.bench.requests.length &&
    TABS.every((name) => !state.bench.tabs[name].trim()));
  return TABS.filter((name) => name === state.tab || state.bench.tabs[name].trim() ||
    (policies && ["policy", "binding"].includes(name)));
}

function showTabs() {
  const shown = shownTabs();
  const more = TABS.filter((name) => !shown.includes(name));
  const select = h("select.more", { "aria-label": "Another tab", onchange: () =>
    openTab(/** @type {Tab} */ (select.value)) },
    h("option", { value: "" }, "+"), ...more.map((name) => h("option", { value: name }, TAB_NAMES[name])));
  $("tabs").replaceChildren(...shown.map((name) => h("button.tab", { type: "button", role: "tab", id: `tab-${name}`,
    "aria-selected": String(name === state.tab), "aria-controls": `text-${name}`,
    tabIndex: name === state.tab ? 0 : -1, onclick: () => openTab(name) }, TAB_NAMES[name],
  state.problems.some((p) => p.tab === name && !p.warning) ? h("span.error", null, " !") : null)));
  $("tabs").parentElement?.querySelector("select.more")?.remove();
  $("tabs").after(select);
  const field = fieldOfTab(state.tab);
  for (const [name, { wrap }] of fields) wrap.hidden = name !== state.tab;
  field.mark(state.problems.filter((p) => p.tab === state.tab));
}

/** @param {Tab} name */
function openTab(name) {
  const had = document.activeElement?.parentElement === $("tabs");
  state.tab = name;
  showTypes([]);
  showTabs();
  markDeciding();
  if (had) $(`tab-${name}`).focus();
}

export function showProblems() {
  showTabs();
  $("problems").hidden = state.problems.length === 0;
  $("problems").replaceChildren(...state.problems.map((p) => h("li", null,
    button(`${TAB_NAMES[p.tab]}, line ${lineAt(state.bench.tabs[p.tab], p.from)}`, () => {
    openTab(p.tab);
    fieldOfTab(p.tab).go(lineAt(state.bench.tabs[p.tab], p.from));
  }, { kind: "link" }), h("span" + (p.warning ? ".modified" : ".error"), null, ` ${p.message}`))));
}

/** Looks at the text of the open tab. */
async function look() {
  const { tab: name } = state;
  const found = differs(name) ? await problemsOf(name) : state.inForce.problems.filter((p) => p.tab === name);
  if (!found || !hasChanged()) return; // what the server has said since is more
  state.problems = [...state.problems.filter((p) => p.tab !== name), ...found];
  showProblems();
}

/** What is wrong with a text, and with its expressions; null if it has changed meanwhile. @param {Tab} name */
async function problemsOf(name) {
  const text = state.bench.tabs[name];
  /** @type {Problem[]} */
  const found = [];
  const ask = async (/** @type {object} */ question, /** @type {(at: number) => number} */ at) => {
    for (const { start, end, message, warning = false } of await problemsWith(question)) {
      found.push({ tab: name, from: at(start), to: Math.max(at(end), at(start) + 1), message, warning });
    }
  };
  if (name === "expression") {
    if (text.trim()) await ask({ variables: variables(), text: text.trimEnd(), offset: 0 }, (at) => at);
    return state.bench.tabs[name] === text ? found : null;
  }
  for (const { node, value } of docsOf(name, text, (problem) => found.push(problem))) {
    for (const { field, node: expression } of expressions(node)) {
      await ask({ object: value, field, text: expression.text, offset: 0 }, (at) => placeOf(expression, at));
      if (state.bench.tabs[name] !== text) return null;
    }
  }
  return found;
}

/**
 * What is wrong with an expression. Its types are looked at one by one, as the server does for the status of a policy.
 *
 * @param {object} question
 * @returns {Promise<Explained["problems"]>}
 */
async function problemsWith(question) {
  const ask = async (/** @type {object} */ more) => {
    try {
      return await explain({ ...question, ...more });
    } catch {
      return { problems: [] }; // it cannot be read while it is written
    }
  };
  const { problems, types = [] } = /** @type {Explained} */ (await ask({}));
  if (problems.some(({ warning }) => !warning) || types.length < 2) return problems;
  const found = [];
  for (const type of types.slice(0, MOST_TYPES)) {
    for (const problem of (await ask(type)).problems) {
      found.push({ ...problem, message: `${type.apiVersion} ${type.kind}: ${problem.message}` });
    }
  }
  return found;
}

/** Looks for what the server does not refuse, and its status would warn of. @param {() => boolean} mine */
export async function lookAtAll(mine) {
  for (const name of /** @type {Tab[]} */ (["expression", "definition", "policy", "webhook"])) {
    const { problems } = state.inForce;
    if (differs(name) || problems.some((p) => p.tab === name && !p.warning)) continue; // the server has said it
    const found = await problemsOf(name);
    if (!mine()) return;
    if (!found) continue;
    problems.push(...found);
    state.problems = [...state.problems, ...found];
  }
  showProblems();
}

/** The variables of an expression alone: those of the chosen request, or of the first that evaluates it. */
function variables() {
  const evaluates = (/** @type {Request | undefined} */ request) => request?.verb === EVALUATE;
  const { bench: { requests }, chosen } = state;
  return objectOf([requests[chosen], ...requests].find(evaluates)?.object ?? "");
}

/**
 * The expression at a place of a text, and what to ask about it.
 *
 * @param {Tab} name
 * @param {string} text
 * @param {number} at
 */
function expressionAt(name, text, at) {
  if (name === "expression") return { question: { variables: variables(), text, offset: at },
    place: (/** @type {number} */ i) => i };
  const part = documents(text).find(({ from, to }) => from <= at && at <= to);
  if (!part) return null;
  const node = read(text, part);
  const { path, node: inner } = pathAt(node, at);
  if (inner.kind !== "scalar" || !isExpression(path)) return null;
  const offset = placeIn(inner, at);
  if (offset < 0) return null;
  return { question: { object: valueOf(node), field: fieldOf(path), text: inner.text, offset, ...typeWanted() },
    place: (/** @type {number} */ i) => placeOf(inner, i) };
}

/** @param {Tab} name @param {string} text @param {number} at */
async function complete(name, text, at) {
  const found = expressionAt(name, text, at);
  if (!found) return null;
  const { items, from, types } = await explain(found.question);
  showTypes(types ?? []);
  return { items, from: found.place(from) };
}

/** Says which type what is at the cursor has. @param {Tab} name @param {number} at */
async function showType(name, at) {
  const text = state.bench.tabs[name];
  try {
    const found = expressionAt(name, text, at);
    const { part, types = [] } = found ? await explain(found.question) : { part: undefined };
    if (name !== state.tab) return;
    showTypes(types);
    $("type").textContent = found && part?.type
      ? `${text.slice(found.place(part.start), found.place(part.end)).split("\n")[0].slice(0, 40)}: ${part.type}` : "";
  } catch {
    $("type").textContent = ""; // it cannot be read while it is written
  }
}

/** The type that somebody has chosen among those that a policy matches. @type {TypeName | null} */
let chosenType = null;

/** The type of what an expression is about: the chosen one, or that of the request. @returns {TypeName} */
function typeWanted() {
  const { apiVersion = "", kind = "" } = chosenType ?? objectOf(at(state.chosen).request?.object ?? "");
  return { apiVersion: String(apiVersion), kind: String(kind) };
}

/** @param {TypeName} type */
const isChosen = ({ apiVersion, kind }) => chosenType?.apiVersion === apiVersion && chosenType.kind === kind;

/** Offers the types that a policy matches, if there are several. @param {TypeName[]} types */
function showTypes(types) {
  const select = /** @type {HTMLSelectElement} */ ($("of-type"));
  select.hidden = types.length < 2;
  if (select.hidden || document.activeElement === select) return;
  if (!types.some(isChosen)) chosenType = null;
  const wanted = typeWanted();
  const is = types.findIndex(({ apiVersion, kind }) => apiVersion === wanted.apiVersion && kind === wanted.kind);
  select.replaceChildren(...types.map(({ apiVersion, kind }) => h("option", null,
    types.filter((t) => t.kind === kind).length > 1 ? `${kind} ${apiVersion}` : kind)));
  select.selectedIndex = Math.max(is, 0);
  select.onchange = () => {
    chosenType = types[select.selectedIndex];
    showType(state.tab, fieldOfTab(state.tab).area.selectionStart);
  };
}

/** @type {Map<Tab, {text: string, docs: Doc[]}>} */
const readDocs = new Map();

/** The objects of a tab, which are read once: each expression of an outcome asks where it is. @param {Tab} name */
function docsIn(name) {
  const text = state.bench.tabs[name];
  let read = readDocs.get(name);
  if (read?.text !== text) readDocs.set(name, read = { text, docs: docsOf(name, text, () => {}) });
  return read.docs;
}

/**
 * Where a field of a step's object is in the texts.
 *
 * @param {Step} step
 * @param {string} field
 * @returns {{doc: Doc, line: number} | null}
 */
export function place(step, field) {
  for (const name of TABS.slice(1)) {
    for (const doc of docsIn(name)) {
      const { kind, metadata, spec } = doc.value;
      if (kind !== step.kind || metadata.name !== step.name) continue;
      const found = find(doc.node, pathIn(step, field, spec));
      if (found) return { doc, line: lineAt(doc.text, found.from) };
    }
  }
  return null;
}

/**
 * The path of a step's field in its object. Those of rules begin with the schema of a version.
 *
 * @param {Step} step
 * @param {string} field
 * @param {any} spec
 */
function pathIn({ version }, field, spec) {
  if (!version || /^spec\.(versions|validation)\b/.test(field)) return pathOf(field);
  const nth = (spec?.versions ?? []).findIndex((/** @type {any} */ v) => v?.name === version);
  return ["spec", "versions", nth, "schema", "openAPIV3Schema", ...stepsOf(field)];
}

/** @param {{doc: Doc, line: number}} place */
export function goTo({ doc, line }) {
  show();
  openTab(doc.tab);
  fieldOfTab(doc.tab).go(line);
}

/** Marks the lines of the expression that decided. */
export function markDeciding() {
  for (const field of fields.values()) field.markLines(null);
  const steps = at(state.chosen).outcome?.trial?.steps ?? [];
  for (const step of steps.filter(({ outcome }) => ["refused", "warned", "audited", "tolerated"].includes(outcome))) {
    const decided = step.evaluations?.find(isDeciding);
    const found = decided && place(step, decided.field);
    if (!found) continue;
    const { doc, line } = found;
    const node = find(doc.node, pathIn(step, decided.field, doc.value.spec))?.node;
    const last = node ? lineAt(doc.text, Math.max(node.from, node.to - 1)) : line;
    return fields.get(doc.tab)?.markLines([line, last], document.activeElement?.tagName !== "TEXTAREA");
  }
}

