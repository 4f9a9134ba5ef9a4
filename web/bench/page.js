// @ts-check
/**
 * The page of the bench: texts at the left, requests in the middle, their outcomes at the right. It has a cluster in
 * memory, keeps nothing but its colours, and speaks to its own site alone: what a link brings is text, which the API
 * server reads as it reads anybody's.
 *
 * More than 400 lines: its parts change each other, and what can be tried without a browser is in other files.
 *
 * @import { Doc, Outcome, Problem } from "./ground.js"
 * @import { Bench, Request, Tab } from "./model.js"
 * @import { Step } from "./trial"
 */
import { download } from "../browser/download.js";
import { forgiving } from "../browser/stored.js";
import { VERBS } from "../npm/manifests.js";
import { startHere } from "../snippet/cluster.js";
import { button, count, h } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { Field } from "./field.js";
import { expressions, fieldOf, isExpression, pathOf } from "./fields.js";
import { Ground, docsOf } from "./ground.js";
import { EVALUATE, TABS, TAB_NAMES, emptyBench, fromTable, newRequest, toTable } from "./model.js";
import { outcomeView } from "./outcome.js";
import { CHAT_LENGTH, LINK_LENGTH, fromLink, isLink, linkOf } from "./share.js";
import { asExpected, isDeciding, objectOf, target, verdict, who } from "./words.js";
import { documents, find, lineAt, pathAt, placeIn, placeOf, read, stepsOf, valueOf } from "./yaml.js";

const $ = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
$("late").remove();
const stored = forgiving(() => localStorage);

/** How long nobody has typed when a text is looked at, in milliseconds. */
const PAUSE = 350;

/** @type {Bench} */
let bench = emptyBench();
/** @type {Tab} */
let tab = "policy";
let chosen = 0;
/** How the requests ended, and before that. @type {(Outcome | null)[]} */
let outcomes = [];
/** @type {(Outcome | null)[]} */
let before = [];
/** @type {Problem[]} */
let problems = [];
/**
 * How writing the definitions ended: rows above those of the requests.
 *
 * @type {{request: Request, outcome: Outcome}[]}
 */
let checks = [];
/** How often all was tried: only the newest counts. */
let runs = 0;
/** Whether something was written since. */
let changed = false;

const say = (/** @type {string} */ text) => void ($("status").textContent = text);

// --- the cluster ---------------------------------------------------------------

/** @type {Promise<Ground>} */
const ground = startHere((loaded) => loading(`Loading the API server: ${(loaded / 1e6).toFixed(1)} MB …`), (cel) => {
  if (cel.problem) loading(`Expressions cannot be evaluated: ${cel.problem}`);
  else loading(cel.total ? `Loading the evaluator of CEL: ${Math.floor((100 * cel.loaded) / cel.total)} % …` : "");
}).then(({ cluster }) => {
  loading("");
  return new Ground(cluster);
});
ground.catch((error) => loading(`The API server does not start: ${error.message}`));

/** @param {string} text */
function loading(text) {
  $("loading").textContent = text;
  $("loading").hidden = text === "";
}

/** Applies what is in the tabs and tries all requests. */
async function tryAll() {
  const run = ++runs;
  const mine = () => run === runs;
  $("apply").setAttribute("aria-disabled", "true");
  $("since").textContent = "Applying …";
  try {
    const place = await ground;
    if (!mine()) return;
    const prepared = await place.prepare(bench);
    if (!mine()) return;
    problems = prepared.problems;
    checks = prepared.checks.filter(({ outcome }) => outcome.trial?.steps.length).map(({ doc, outcome }) => ({ outcome,
      request: { ...newRequest(), verb: /** @type {const} */ ("apply"), name: doc.value.metadata.name ?? "",
        object: doc.text.slice(doc.node.from, doc.node.to) } }));
    const refused = checks.findIndex(({ outcome }) => (outcome.trial?.code ?? 0) >= 400);
    if (refused >= 0) choose(refused - checks.length);
    else if (chosen < 0 || !bench.requests.length) choose(Math.min(chosen, -1));
    else showRequests();
    changed = false;
    $("since").replaceChildren("in force since ", h("b.num", null, prepared.revision));
    showProblems();
    before = outcomes.map((outcome, i) => outcome ?? before[i] ?? null);
    outcomes = bench.requests.map(() => null);
    for (let i = 0; i < bench.requests.length; i++) {
      const outcome = await place.try(bench.requests[i], bench.tabs.expression);
      if (!mine()) return;
      outcomes[i] = outcome;
      showRequests();
      if (i === chosen) showOutcome();
    }
    say(summary());
    await keepInAddress();
    $("apply").removeAttribute("aria-disabled");
    await lookAtAll(mine);
  } catch (error) {
    if (!mine()) return;
    $("since").textContent = "";
    say(error instanceof Error ? error.message : String(error));
    console.error(error);
  } finally {
    if (mine()) $("apply").removeAttribute("aria-disabled");
  }
}

/** Tries the chosen request against what is in force. */
async function tryOne() {
  if (changed || runs === 0 || chosen < 0) return tryAll();
  const run = runs;
  const i = chosen;
  const outcome = await (await ground).try(bench.requests[i], bench.tabs.expression);
  if (run !== runs) return;
  before[i] = outcomes[i];
  outcomes[i] = outcome;
  showRequests();
  if (i !== chosen) return;
  showOutcome();
  showView("right");
  say(verdict(bench.requests[i], outcome).title);
  await keepInAddress();
}

function summary() {
  const refused = bench.requests.filter((request, i) => outcomes[i] && verdict(request,
    /** @type {Outcome} */ (outcomes[i])).bad).length;
  return `${count(outcomes.filter(Boolean).length, "request")} tried, ${refused} refused`;
}

// --- texts -----------------------------------------------------------------------

/** @type {Map<Tab, Field>} */
const fields = new Map();

/** The field of a tab, which is made when it is first shown. @param {Tab} name */
function fieldOfTab(name) {
  let field = fields.get(name);
  if (!field) {
    field = new Field(TAB_NAMES[name], {
      input(text) {
        bench.tabs[name] = text;
        if (name === "roles") bench.rbac = text.trim() !== "";
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
  field.text = bench.tabs[name];
  return field;
}

/** @type {Map<string, ReturnType<typeof setTimeout>>} */
const timers = new Map();

/** Does something when nothing of its kind was asked for a while. @param {string} kind @param {() => void} what */
function later(kind, what) {
  clearTimeout(timers.get(kind));
  timers.set(kind, setTimeout(what, PAUSE));
}

/** Something was written: it is not in force yet. */
function touched() {
  changed = true;
  $("since").textContent = "changed";
  later("look", look);
}

/** The tabs that are shown: those with a text, those that what is there wants, and the one that is open. */
function shownTabs() {
  const policies = bench.tabs.policy.trim() !== "" || (!bench.requests.length &&
    TABS.every((name) => !bench.tabs[name].trim()));
  return TABS.filter((name) => name === tab || bench.tabs[name].trim() ||
    (policies && ["policy", "binding"].includes(name)));
}

function showTabs() {
  const shown = shownTabs();
  const more = TABS.filter((name) => !shown.includes(name));
  const select = h("select.more", { "aria-label": "Another tab", onchange: () =>
    openTab(/** @type {Tab} */ (select.value)) },
    h("option", { value: "" }, "+"), ...more.map((name) => h("option", { value: name }, TAB_NAMES[name])));
  $("tabs").replaceChildren(...shown.map((name) => h("button.tab", { type: "button", role: "tab", id: `tab-${name}`,
    "aria-selected": String(name === tab), "aria-controls": `text-${name}`, tabIndex: name === tab ? 0 : -1,
    onclick: () => openTab(name) }, TAB_NAMES[name], problems.some((p) => p.tab === name && !p.warning)
      ? h("span.error", null, " !") : null)));
  $("tabs").parentElement?.querySelector("select.more")?.remove();
  $("tabs").after(select);
  const field = fieldOfTab(tab);
  for (const [name, { wrap }] of fields) wrap.hidden = name !== tab;
  field.mark(problems.filter((p) => p.tab === tab));
}

/** @param {Tab} name */
function openTab(name) {
  const had = document.activeElement?.parentElement === $("tabs");
  tab = name;
  showTabs();
  markDeciding();
  if (had) $(`tab-${name}`).focus();
}

function showProblems() {
  showTabs();
  $("problems").hidden = problems.length === 0;
  $("problems").replaceChildren(...problems.map((p) => h("li", null,
    button(`${TAB_NAMES[p.tab]}, line ${lineAt(bench.tabs[p.tab], p.from)}`, () => {
    openTab(p.tab);
    fieldOfTab(p.tab).go(lineAt(bench.tabs[p.tab], p.from));
  }, { kind: "link" }), h("span" + (p.warning ? ".modified" : ".error"), null, ` ${p.message}`))));
}

/** Looks at the text of the open tab. */
async function look() {
  if (!changed) return;
  const name = tab;
  const found = await problemsOf(name);
  if (!found || tab !== name || !changed) return; // what the server has said since is more
  problems = [...problems.filter((p) => p.tab !== name), ...found];
  showProblems();
}

/** What is wrong with a text, and with its expressions; null if it has changed meanwhile. @param {Tab} name */
async function problemsOf(name) {
  const text = bench.tabs[name];
  /** @type {Problem[]} */
  const found = [];
  const cluster = await ground;
  const ask = async (/** @type {object} */ question, /** @type {(at: number) => number} */ at) => {
    const { problems } = await cluster.explain(question).catch(() => ({ problems: [] }));
    for (const { start, end, message, warning = false } of problems) {
      found.push({ tab: name, from: at(start), to: Math.max(at(end), at(start) + 1), message, warning });
    }
  };
  if (name === "expression") {
    if (text.trim()) await ask({ variables: variables(), text: text.trimEnd(), offset: 0 }, (at) => at);
    return bench.tabs[name] === text ? found : null;
  }
  for (const { node, value } of docsOf(name, text, (problem) => found.push(problem))) {
    for (const { field, node: expression } of expressions(node)) {
      await ask({ object: value, field, text: expression.text, offset: 0 }, (at) => placeOf(expression, at));
      if (bench.tabs[name] !== text) return null;
    }
  }
  return found;
}

/** What the server does not refuse, and its status would warn of. @param {() => boolean} mine */
async function lookAtAll(mine) {
  for (const name of /** @type {Tab[]} */ (["expression", "definition", "policy", "webhook"])) {
    if (problems.some((p) => p.tab === name && !p.warning)) continue; // the server has said it
    const found = await problemsOf(name);
    if (!mine()) return;
    if (found?.length) problems = [...problems, ...found];
  }
  showProblems();
}

/** The variables of an expression alone: those of the chosen request, or of the first that evaluates it. */
function variables() {
  const evaluates = (/** @type {Request | undefined} */ request) => request?.verb === EVALUATE;
  return objectOf([bench.requests[chosen], ...bench.requests].find(evaluates)?.object ?? "");
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
  return { question: { object: valueOf(node), field: fieldOf(path), text: inner.text, offset },
    place: (/** @type {number} */ i) => placeOf(inner, i) };
}

/** @param {Tab} name @param {string} text @param {number} at */
async function complete(name, text, at) {
  const found = expressionAt(name, text, at);
  if (!found) return null;
  const { items, from } = await (await ground).explain(found.question);
  return { items, from: found.place(from) };
}

/** Says which type what is at the cursor has. @param {Tab} name @param {number} at */
async function showType(name, at) {
  const text = bench.tabs[name];
  try {
    const found = expressionAt(name, text, at);
    const part = found && (await (await ground).explain(found.question)).part;
    $("type").textContent = found && part?.type
      ? `${text.slice(found.place(part.start), found.place(part.end)).split("\n")[0].slice(0, 40)}: ${part.type}` : "";
  } catch {
    $("type").textContent = ""; // it cannot be read while it is written
  }
}

// --- requests ----------------------------------------------------------------------

function showRequests() {
  $("tried").textContent = outcomes.some(Boolean) ? summary().replace(" requests", "").replace(" request", "") : "";
  const focused = document.activeElement?.closest("#requests") !== null;
  const all = [...checks.keys()].map((i) => i - checks.length).concat([...bench.requests.keys()]);
  $("requests").replaceChildren(...all.map((i) => {
    const { request, outcome } = at(i);
    const now = outcome && verdict(request, outcome);
    const was = before[i] && verdict(request, /** @type {Outcome} */ (before[i]));
    const turned = now && was && was.bad !== now.bad;
    const chip = (/** @type {{bad: boolean, chip: string}} */ v, old = false) => h("span.chip" + (v.bad ? ".bad" : "") +
      (old ? ".was" : ""), old ? { title: "before" } : null, v.chip);
    const wrong = outcome && asExpected(request, outcome) === false;
    return h("li", null, h("button.row", { type: "button", "aria-current": String(i === chosen), tabIndex: i === chosen
      ? 0 : -1,
      onclick: () => choose(i, true) },
      h("b", null, request.verb), h("span.what", null, request.name || target(request)),
      h("span.chips", null, turned && chip(/** @type {any} */ (was), true), now ? chip(now) : null),
      h("span.soft", null, [who(request), now?.line].filter(Boolean).join(" · "), wrong ? h("span.modified", null,
        " · not as expected") : null)));
  }));
  if (focused) /** @type {HTMLElement | null} */ ($("requests").querySelector("[aria-current=true]"))?.focus();
}

/** A row: those of definitions have numbers below zero. @param {number} i */
const at = (i) => (i < 0 ? checks[i + checks.length] : { request: bench.requests[i], outcome: outcomes[i] ?? null });

/** @param {number} i @param {boolean} [show] */
function choose(i, show = false) {
  chosen = i < 0 && i >= -checks.length ? i : Math.max(0, Math.min(i, bench.requests.length - 1));
  showRequests();
  showForm();
  showOutcome();
  if (show) showView("right");
}

const objectField = new Field("Object of the request, as YAML", { input: (text) => edit({ object: text }) });
const beforeField = new Field("What is there before, as YAML", { input: (text) => edit({ before: text }) });

/** @param {Partial<Request>} change */
function edit(change) {
  const request = bench.requests[chosen];
  if (!request) return;
  Object.assign(request, change, { then: null });
  outcomes[chosen] = null;
  showRequests();
}

/** @param {string} label @param {Node} control */
const labelled = (label, control) => h("label", null, h("span.soft", null, label), control);

function showForm() {
  const request = bench.requests[chosen];
  const form = $("form");
  const add = button("New", () => {
    const next = Math.max(chosen, -1) + 1;
    const verb = !bench.tabs.expression.trim() ? "create" : request?.verb ?? EVALUATE;
    bench.requests.splice(next, 0, { ...newRequest(), verb, object: request?.object ?? "" });
    outcomes.splice(next, 0, null);
    before.splice(next, 0, null);
    choose(next);
  });
  if (!request) return form.replaceChildren(h("div.acts", null, add));
  const alone = request.verb === EVALUATE;
  const verbs = alone || bench.tabs.expression.trim() ? [EVALUATE, ...VERBS] : VERBS;
  const verb = h("select.field", { onchange: () => {
    edit({ verb: verb.value });
    showForm();
  } }, ...verbs.map((name) => h("option", { value: name, selected: name === request.verb },
    name)));
  const text = (/** @type {"name" | "user" | "manager" | "subresource"} */ name, placeholder = "") => h("input.field",
    { value: request[name], placeholder,
    autocomplete: "off", spellcheck: false, oninput: (/** @type {any} */ { target }) =>
      edit({ [name]: target.value.trim() }) });
  const groups = h("input.field", { value: request.groups.join(", "), autocomplete: "off", spellcheck: false,
    oninput: () => edit({ groups: groups.value.split(",").map((/** @type {string} */ g) => g.trim()).filter(
      Boolean) }) });
  const force = h("input", { type: "checkbox", checked: request.force, onchange: () =>
    edit({ force: force.checked }) });
  const open = form.querySelector("details.rest")?.hasAttribute("open") ?? false;
  const old = request.verb !== "create" && request.verb !== EVALUATE;
  objectField.text = request.object;
  beforeField.text = request.before;
  const parts = [
    h("div.two", null, labelled("verb", verb), alone ? null : labelled("as", text("user", "administrator"))),
    request.verb === "apply" ? h("div.two", null, labelled("manager", text("manager", "kubectl")),
      h("label.check", null, force, " force")) : null,
    old || request.before ? h("div.part", null, h("span.soft", null, "there before"), beforeField.wrap) : null,
    h("div.part.grow", null, h("span.soft", null, alone ? "variables" : old && request.verb !== "delete" ? "sent"
      : "object"), objectField.wrap),
    h("details.rest", { open }, h("summary", null, "More"), labelled("name", text("name")),
      alone ? null : labelled("groups", groups), alone ? null : labelled("subresource", text("subresource"))),
    h("div.acts", null, add, button("Remove", () => {
      for (const list of [bench.requests, outcomes, before]) list.splice(chosen, 1);
      choose(chosen);
    }), h("button.button.primary", { type: "submit" }, "Try"))];
  form.replaceChildren(.../** @type {Node[]} */ (parts.filter((part) => part !== null)));
}
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  tryOne();
});

// --- outcomes ------------------------------------------------------------------------

function showOutcome() {
  const { request, outcome } = at(chosen);
  const code = outcome?.trial?.code;
  $("asked").replaceChildren(...(request ? [code ? h("b" + (code >= 400 ? ".error" : ".ok"), null, `${code} `) : "",
    h("span.soft", null, [`${request.verb} ${target(request)}`, who(request)].filter(Boolean).join(
      ", "))] : ["Outcome"]));
  $("curl").hidden = !outcome?.init;
  $("outcome").replaceChildren(...(request && outcome ? outcomeView(request, outcome, { find: place, go: goTo })
    : [h("p.empty", null, !request ? "No request is on the bench." : runs ? "Not tried yet." : "")]));
  $("outcome").scrollTop = 0;
  markDeciding();
}

/** @type {Map<Tab, {text: string, docs: Doc[]}>} */
const readDocs = new Map();

/** The objects of a tab, which are read once: each expression of an outcome asks where it is. @param {Tab} name */
function docsIn(name) {
  const text = bench.tabs[name];
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
function place(step, field) {
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
function goTo({ doc, line }) {
  showView("left");
  openTab(doc.tab);
  fieldOfTab(doc.tab).go(line);
}

/** Marks the lines of the expression that decided. */
function markDeciding() {
  for (const field of fields.values()) field.markLines(null);
  const steps = at(chosen).outcome?.trial?.steps ?? [];
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

$("curl").addEventListener("click", () => {
  const { outcome } = at(chosen);
  if (!outcome?.init) return;
  const { method, headers, body } = outcome.init;
  const quote = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -X ${method} "$SERVER"${quote(outcome.path ?? "")}`,
    ...Object.entries(headers).flatMap(([name, value]) => [value].flat().map((v) => `-H ${quote(`${name}: ${v}`)}`)),
    ...(body ? [`--data-binary ${quote(body)}`] : [])];
  copy(lines.join(" \\\n  "));
});

/** @param {string} text */
function copy(text) {
  navigator.clipboard.writeText(text).then(() => say("It is on the clipboard."),
    () => say("The browser does not allow it."));
}

// --- sharing ---------------------------------------------------------------------------

/** The table of what is on the bench, with what was answered. */
const table = () => toTable(bench, ({ then }, i) => {
  const outcome = outcomes[i];
  const { trial, answer, evaluation } = outcome ?? {};
  if (evaluation) return { allowed: evaluation.value === "true" };
  if (!trial) return then ?? { allowed: true };
  if (trial.code >= 400) return { refused: { message: String(answer?.message ?? ""), code: trial.code,
    reason: answer?.reason } };
  const audit = Object.fromEntries(Object.entries(trial.annotations).filter(([key]) => !key.includes("k8s.io/")));
  return { allowed: true, ...(trial.warnings.length && { warnings: trial.warnings }),
    ...(Object.keys(audit).length && { audit }) };
});

/** The same without what was answered: a link says what was expected, if anything was. */
const shortTable = () => toTable(bench, ({ then }) => then);

/** The address is a link to what is on the bench. */
async function keepInAddress() {
  const link = await linkOf(shortTable());
  if (link.length <= LINK_LENGTH) history.replaceState(null, "", link);
  else if (location.hash) history.replaceState(null, "", location.pathname + location.search);
}

$("share").addEventListener("toggle", async (event) => {
  if (/** @type {ToggleEvent} */ (event).newState !== "open") return;
  const { origin, pathname } = inOthers ? new URL("../bench.html", location.href) : location;
  const link = origin + pathname + await linkOf(shortTable());
  const fits = link.length <= LINK_LENGTH;
  const length = count(link.length, "character");
  const field = h("textarea.field", { readOnly: true, rows: 3, value: fits ? link : "", "aria-label": "Link" });
  const file = h("input", { type: "file", accept: ".yaml,.yml", hidden: true, onchange: async () => {
    const [picked] = file.files ?? [];
    file.value = "";
    if (picked && picked.size < 1 << 20) open(await picked.text(), picked.name);
  } });
  $("share").replaceChildren(h("h2", null, "Share"), field,
    h("p.soft", null, !fits ? `The link would have ${length}: too long. Save the file.`
      : `${length}.${link.length > CHAT_LENGTH ? " Messengers cut links of more than 2,000." : ""} It has everything ` +
        "on the bench; nothing is sent to a server."),
    h("div.acts", null, fits ? button("Copy the link", () => copy(link)) : null,
      button("Save as tests", async () => {
        if (changed || outcomes.some((outcome) => !outcome)) await tryAll(); // the file has what is answered now
        download(new Blob([table()], { type: "application/yaml" }), "bench.test.yaml");
      }),
      button("Open a file", () => file.click()), file),
    h("p.soft", null, "The file is a table for ", h("code", null, "tabernetes test"),
      ", with what was answered here."));
  field.select();
});

// --- what is opened -----------------------------------------------------------------------

/** @param {string} text a table @param {string} what it is */
function open(text, what) {
  try {
    bench = fromTable(text);
  } catch (error) {
    say(`${what} cannot be opened: ${/** @type {Error} */ (error).message}`);
    $("about").textContent = $("status").textContent;
    return false;
  }
  outcomes = [];
  before = [];
  problems = [];
  checks = [];
  tab = TABS.find((name) => ["expression", "policy", "definition", "webhook"].includes(name) &&
    bench.tabs[name].trim()) ??
    TABS.find((name) => bench.tabs[name].trim()) ?? (bench.requests.length ? "objects" : "policy");
  $("about").textContent = bench.about.split("\n")[0];
  $("about").title = bench.about;
  showProblems();
  choose(0);
  for (const menu of document.querySelectorAll("[popover]:popover-open")) /** @type {HTMLElement} */ (
    menu).hidePopover();
  tryAll();
  return true;
}

/** Opens what the address says. */
async function openAddress() {
  const { hash } = location;
  const [, kind, value] = /^#(?:(table)=|(?:example=|bench-))(.*)$/s.exec(hash) ?? [];
  const example = EXAMPLES.find(({ name }) => name === value);
  /** Whether what the address has could be opened; null if it has nothing. @type {boolean | null} */
  let opened = null;
  try {
    if (isLink(hash)) opened = open(await fromLink(hash), "The link");
    else if (kind === "table") opened = open(decodeURIComponent(value), "The text");
  } catch (error) {
    opened = false;
    say(`The link cannot be opened: ${/** @type {Error} */ (error).message}`);
  }
  if (opened) return;
  const told = $("status").textContent;
  open((example ?? EXAMPLES[0]).text, "The example");
  if (opened === false) $("about").textContent = told;
}
addEventListener("hashchange", openAddress);

let kind = "";
$("examples").replaceChildren(...EXAMPLES.flatMap((example) => {
  const title = kind === example.kind ? [] : [h("h2", null, (kind = example.kind))];
  return [...title, button(example.title, () => {
    history.pushState(null, "", `#example=${example.name}`); // the way back leads to what was here
    open(example.text, example.title);
  }, { kind: "item" })];
}));

/** Whether it is the copy that pages of others may frame. */
const inOthers = /\/embed\/[^/]*$/.test(location.pathname);
if (inOthers) Object.assign(/** @type {HTMLAnchorElement} */ (document.querySelector(".brand")),
  { target: "_blank", rel: "noopener" });

// --- the page ---------------------------------------------------------------------------------

const VIEWS = /** @type {const} */ ({ left: "Texts", middle: "Requests", right: "Outcome" });

/** On a phone one part is shown at a time. @param {keyof typeof VIEWS} view */
function showView(view) {
  document.body.dataset.view = view;
  for (const name of /** @type {(keyof typeof VIEWS)[]} */ (Object.keys(VIEWS))) {
    const button = $(`view-${name}`);
    button.setAttribute("aria-selected", String(name === view));
    button.tabIndex = name === view ? 0 : -1;
  }
}
$("views").replaceChildren(...Object.entries(VIEWS).map(([name, label]) => h("button.tab",
  { type: "button", role: "tab",
  id: `view-${name}`, "aria-controls": name, onclick: () => showView(/** @type {keyof typeof VIEWS} */ (name)) },
    label)));
showView("left");

/** Arrows go from one tab or row to the next. @param {string} id @param {string} selector @param {string[]} keys */
function roves(id, selector, [back, on]) {
  $(id).addEventListener("keydown", (event) => {
    if (event.key !== back && event.key !== on) return;
    const all = /** @type {HTMLElement[]} */ ([...$(id).querySelectorAll(selector)]);
    const next = all[all.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + (event.key === on ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
    if (id === "requests") choose([...$(id).querySelectorAll(selector)].indexOf(next) - checks.length);
    else next.click();
  });
}
roves("tabs", "[role=tab]", ["ArrowLeft", "ArrowRight"]);
roves("views", "[role=tab]", ["ArrowLeft", "ArrowRight"]);
roves("requests", ".row", ["ArrowUp", "ArrowDown"]);

$("apply").addEventListener("click", tryAll);
$("again").addEventListener("click", tryAll);
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  tryAll();
});

const root = document.documentElement;
const COLOURS = ["", "light", "dark"];
/** @param {string} theme */
function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  $("theme").setAttribute("aria-label", `Colours: ${theme || "as the system"}`);
}
setTheme(COLOURS.find((name) => name === stored.getItem("theme")) ?? "");
$("theme").addEventListener("click", () => {
  const theme = COLOURS[(COLOURS.indexOf(root.dataset.theme ?? "") + 1) % 3];
  stored.setItem("theme", theme);
  setTheme(theme);
});

openAddress();
