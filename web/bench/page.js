// @ts-check
/**
 * The page of the bench: texts at the left, requests in the middle, their outcomes at the right. It has a cluster in
 * memory, keeps nothing but its colours, and speaks to its own site alone: what a link brings is text, which the API
 * server reads as it reads anybody's.
 */
import { nextTheme, showKeptTheme } from "../browser/theme.js";
import { startHere } from "../snippet/cluster.js";
import { button, h } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { Ground } from "./ground.js";
import { TABS, fromTable, newRequest } from "./model.js";
import { choose, showOutcome, showRequests, startRequests, summary } from "./requests.js";
import { fromLink, isLink } from "./share.js";
import { inOthers, keepInAddress, startSharing } from "./sharing.js";
import { $, differs, hasChanged, say, showSince, state } from "./state.js";
import { lookAtAll, showProblems, startTexts } from "./texts.js";
import { verdict } from "./words.js";

$("late").remove();

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
  const run = ++state.runs;
  const mine = () => run === state.runs;
  $("apply").setAttribute("aria-disabled", "true");
  $("since").textContent = "Applying …";
  try {
    const place = await ground;
    if (!mine()) return;
    const { bench } = state;
    const texts = { ...bench.tabs }; // as they are now: somebody may type meanwhile
    const prepared = await place.prepare({ ...bench, tabs: texts });
    if (!mine()) return;
    state.inForce = { texts, problems: prepared.problems, revision: prepared.revision };
    state.problems = prepared.problems.filter((p) => !differs(p.tab));
    const checks = state.checks = prepared.checks.filter(({ outcome }) => outcome.trial?.steps.length)
      .map(({ doc, outcome }) => ({ outcome, request: { ...newRequest(), verb: /** @type {const} */ ("apply"),
        name: doc.value.metadata.name ?? "", object: doc.text.slice(doc.node.from, doc.node.to) } }));
    const refused = checks.findIndex(({ outcome }) => (outcome.trial?.code ?? 0) >= 400);
    if (refused >= 0) choose(refused - checks.length);
    else if (state.chosen < 0 || !bench.requests.length) choose(Math.min(state.chosen, -1));
    else showRequests();
    showSince();
    showProblems();
    state.before = state.outcomes.map((outcome, i) => outcome ?? state.before[i] ?? null);
    state.outcomes = bench.requests.map(() => null);
    for (const request of [...bench.requests]) {
      const outcome = await place.try(request, texts.expression);
      if (!mine()) return;
      const i = bench.requests.indexOf(request);
      if (i < 0) continue; // it is another one now
      state.outcomes[i] = outcome;
      showRequests();
      if (i === state.chosen) showOutcome();
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
  const { bench, chosen, runs } = state;
  if (hasChanged() || runs === 0 || chosen < 0) return tryAll();
  const request = bench.requests[chosen];
  const outcome = await (await ground).try(request, bench.tabs.expression);
  const i = bench.requests.indexOf(request);
  if (runs !== state.runs || i < 0) return;
  state.before[i] = state.outcomes[i];
  state.outcomes[i] = outcome;
  showRequests();
  if (i !== state.chosen) return;
  showOutcome();
  showView("right");
  say(verdict(request, outcome).title);
  await keepInAddress();
}

// --- what is opened -----------------------------------------------------------------------

/** @param {string} text a table @param {string} what it is */
function open(text, what) {
  try {
    state.bench = fromTable(text);
  } catch (error) {
    say(`${what} cannot be opened: ${/** @type {Error} */ (error).message}`);
    $("about").textContent = $("status").textContent;
    return false;
  }
  const { bench } = state;
  Object.assign(state, { outcomes: [], before: [], problems: [], checks: [] });
  state.tab = TABS.find((name) => ["expression", "policy", "definition", "webhook"].includes(name) &&
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
    if (id === "requests") choose([...$(id).querySelectorAll(selector)].indexOf(next) - state.checks.length);
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

showKeptTheme();
$("theme").addEventListener("click", nextTheme);

startTexts(async (question) => (await ground).explain(question), () => showView("left"));
startRequests(() => showView("right"), tryOne);
startSharing(async () => {
  if (hasChanged() || state.outcomes.some((outcome) => !outcome)) await tryAll();
}, open);
openAddress();
