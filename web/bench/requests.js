// @ts-check
/**
 * The requests in the middle, with the form of the chosen one, and how that ended, at the right.
 *
 * @import { Outcome } from "./ground.js"
 * @import { Request } from "./model.js"
 */
import { EVALUATE, VERBS } from "../npm/manifests.js";
import { button, count, h } from "./dom.js";
import { Field } from "./field.js";
import { newRequest } from "./model.js";
import { outcomeView } from "./outcome.js";
import { $, at, state } from "./state.js";
import { goTo, markDeciding, place } from "./texts.js";
import { asExpected, target, verdict, who } from "./words.js";

/** Shows the part of the page with the outcome. */
let showRight = () => {};

/** @param {typeof showRight} show @param {() => void} tryOne */
export function startRequests(show, tryOne) {
  showRight = show;
  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    tryOne();
  });
}

/** How many requests were tried, and how they ended. */
export function summary() {
  const ended = state.bench.requests.flatMap((request, i) => {
    const outcome = state.outcomes[i];
    return outcome ? [{ alone: request.verb === EVALUATE, bad: verdict(request, outcome).bad }] : [];
  });
  const refused = ended.filter(({ alone, bad }) => bad && !alone).length;
  const wrong = ended.filter(({ alone, bad }) => bad && alone).length; // false, or an error
  return [`${count(ended.length, "request")} tried`, (refused || !wrong) && `${refused} refused`,
    wrong && `${wrong} not true`].filter(Boolean).join(", ");
}

export function showRequests() {
  const { bench: { requests }, checks, chosen, outcomes, before } = state;
  $("tried").textContent = outcomes.some(Boolean) ? summary().replace(/ requests?/, "") : "";
  const focused = document.activeElement?.closest("#requests") !== null;
  const all = [...checks.keys()].map((i) => i - checks.length).concat([...requests.keys()]);
  $("requests").replaceChildren(...all.map((i) => {
    const { request, outcome } = at(i);
    const now = outcome && verdict(request, outcome);
    const was = before[i] && verdict(request, /** @type {Outcome} */ (before[i]));
    const turned = now && was && was.bad !== now.bad;
    const chip = (/** @type {{bad: boolean, chip: string}} */ v, old = false) => h("span.chip" + (v.bad ? ".bad" : "") +
      (old ? ".was" : ""), old ? { title: "before" } : null, v.chip);
    const wrong = outcome && asExpected(request, outcome) === false;
    return h("li", null, h("button.row", { type: "button", "aria-current": String(i === chosen),
      tabIndex: i === chosen ? 0 : -1, onclick: () => choose(i, true) },
      h("b", null, request.verb), h("span.what", null, request.name || target(request)),
      h("span.chips", null, turned && chip(/** @type {any} */ (was), true), now ? chip(now) : null),
      h("span.soft", null, [who(request), now?.line].filter(Boolean).join(" · "), wrong ? h("span.modified", null,
        " · not as expected") : null)));
  }));
  if (focused) /** @type {HTMLElement | null} */ ($("requests").querySelector("[aria-current=true]"))?.focus();
}

/** @param {number} i @param {boolean} [show] */
export function choose(i, show = false) {
  const { bench: { requests }, checks } = state;
  state.chosen = i < 0 && i >= -checks.length ? i : Math.max(0, Math.min(i, requests.length - 1));
  showRequests();
  showForm();
  showOutcome();
  if (show) showRight();
}

const objectField = new Field("Object of the request, as YAML", { input: (text) => edit({ object: text }) });
const beforeField = new Field("What is there before, as YAML", { input: (text) => edit({ before: text }) });

/** Makes the chosen request another one: how it ended is then said of none. @param {Partial<Request>} change */
function edit(change) {
  const { bench: { requests }, chosen, outcomes } = state;
  if (!requests[chosen]) return;
  requests[chosen] = { ...requests[chosen], ...change, then: null };
  outcomes[chosen] = null;
  showRequests();
}

/** @param {string} label @param {Node} control */
const labelled = (label, control) => h("label", null, h("span.soft", null, label), control);

function showForm() {
  const { bench, chosen } = state;
  const request = bench.requests[chosen];
  const form = $("form");
  const add = button("New", () => {
    const next = Math.max(chosen, -1) + 1;
    const { verb: last = EVALUATE, object = "" } = bench.requests[chosen] ?? {};
    const verb = bench.tabs.expression.trim() ? last : "create";
    bench.requests.splice(next, 0, { ...newRequest(), verb, object });
    state.outcomes.splice(next, 0, null);
    state.before.splice(next, 0, null);
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
      for (const list of [bench.requests, state.outcomes, state.before]) list.splice(chosen, 1);
      choose(chosen);
    }), h("button.button.primary", { type: "submit" }, "Try"))];
  form.replaceChildren(.../** @type {Node[]} */ (parts.filter((part) => part !== null)));
}

export function showOutcome() {
  const { request, outcome } = at(state.chosen);
  const code = outcome?.trial?.code;
  $("asked").replaceChildren(...(request ? [code ? h("b" + (code >= 400 ? ".error" : ".ok"), null, `${code} `) : "",
    h("span.soft", null, [`${request.verb} ${target(request)}`, who(request)].filter(Boolean).join(
      ", "))] : ["Outcome"]));
  $("curl").hidden = !outcome?.init;
  $("outcome").replaceChildren(...(request && outcome ? outcomeView(request, outcome, { find: place, go: goTo })
    : [h("p.empty", null, !request ? "No request is on the bench." : state.runs ? "Not tried yet." : "")]));
  $("outcome").scrollTop = 0;
  markDeciding();
}
