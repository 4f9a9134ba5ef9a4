// @ts-check
/**
 * The page of one's own levels: a form that makes one, and those that are kept in this browser. The lab loads it when
 * the page is opened. The lab decides what a level may be; whatever stands in one is shown as text.
 *
 * More than 400 lines: each part of a level has a field here, and no other page has such fields.
 *
 * @import { Level, Row } from "./text.js"
 */
import { download } from "../../browser/download.js";
import { oneFile } from "../../browser/files.js";
import { embedded } from "../../browser/framed.js";
import { forgiving } from "../../browser/stored.js";
import { manifests, types } from "../share/collect.js";
import { CHAT_LENGTH, LINK_LENGTH, fileOf, linkOf, packed } from "../share/pack.js";
import rules from "./levels.css";
import { KINDS, freeName, fresh, levelOf, textOf } from "./text.js";

const lab = () => /** @type {any} */ (globalThis).tabernetesLab;

/**
 * Asks the lab about levels.
 *
 * @param {"read" | "open" | "list" | "levers" | "drop" | "picture"} what
 * @param {string} [arg]
 */
const ask = (what, arg = "") => JSON.parse(lab().levels(what, arg));

const store = forgiving(() => localStorage);
/** Where what is written is kept until it is a level. */
const DRAFT = "tabernetes/level-draft";
/** Where the level is kept that the form itself has opened last: the next one takes its place. */
const TRIED = "tabernetes/level-tried";

/** What a start may look like. */
const START = `POST /api/v1/namespaces/level/configmaps

{"metadata": {"name": "paint"}, "data": {"color": "red"}}`;

/** What levers do. The lab knows which of them a level can allow. @type {Record<string, string>} */
const LEVERS = { advance: "advance the clock", compact: "compact", disconnect: "cut the watches",
  restart: "restart an API server", settings: "change settings" };

/** @type {HTMLElement} */
let place;
let level = fresh();
/** The field and what is wrong with it, once somebody has asked. @type {{field: string, text: string} | null} */
let fault = null;
let asked = false;

/**
 * @param {string} tag
 * @param {Record<string, any>} props
 * @param {(Node | string)[]} children
 * @returns {any}
 */
function h(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name in el) /** @type {any} */ (el)[name] = value;
    else el.setAttribute(name, value);
  }
  el.append(...children);
  return el;
}

/** @param {string} text @param {() => void} onclick @param {Record<string, any>} [more] */
const button = (text, onclick, more = {}) =>
  h("button", { type: "button", className: "button", onclick, ...more }, text);

/** @type {Record<string, string>} */
const NAMES = { title: "Title", story: "Story", namespaces: "Namespaces", requires: "Settings", start: "Start",
  goal: "Goal", picture: "Picture", rows: "Check", row: "Row", hint: "Hint", solution: "Solution" };

/** What a field is called, as in "Row r2". @param {string} field */
function nameOf(field) {
  const [kind, i] = field.split("-");
  return NAMES[kind] + (i === undefined ? "" : ` ${kind === "row" ? level.rows[Number(i)].name : Number(i) + 1}`);
}

/**
 * A field of the form, which writes what is typed into the level.
 *
 * @param {string} field its name: several may have the same
 * @param {string} label
 * @param {string} value
 * @param {(text: string) => void} set
 * @param {{rows?: number, mono?: boolean, about?: string, placeholder?: string}} [how]
 */
function input(field, label, value, set, { rows = 0, mono = false, about = "", placeholder = "" } = {}) {
  const el = h(rows ? "textarea" : "input", { value, placeholder, className: mono ? "field mono" : "field",
    spellcheck: !mono, autocomplete: "off", ...(rows ? { rows } : { type: "text" }), "data-field": field,
    oninput: () => {
      set(el.value);
      changed();
    } });
  const more = about ? [h("span", { className: "soft" }, " " + about)] : [];
  return h("label", { className: "share-name" }, label, ...more, el);
}

/** Keeps what is written, and looks again at what was wrong with it. */
function changed() {
  store.setItem(DRAFT, textOf(level).text);
  if (asked) check();
}

/** Whether it is a level; what is wrong with it is said. */
function check() {
  asked = true;
  const { text, fields } = textOf(level);
  const { fault: found, fewest } = ask("read", text);
  fault = null;
  if (fewest && fewest !== level.fewest) {
    level.fewest = fewest;
    store.setItem(DRAFT, textOf(level).text);
  }
  if (found) {
    const field = fields[found.line - 1] ?? "";
    const above = field === "story" ? 0 : 1; // the line that opens a block
    const line = found.line - fields.indexOf(field) - above;
    const where = /^(story|start|goal|solution|hint)/.test(field) ? `, line ${Math.max(1, line)}` : "";
    fault = { field, text: `${field ? nameOf(field) + where : "The level"}: ${found.text}.` };
  }
  for (const el of place.querySelectorAll("[data-field]")) {
    const is = el.getAttribute("data-field") === fault?.field;
    if (is) el.setAttribute("aria-invalid", "true");
    else el.removeAttribute("aria-invalid");
  }
  say(fault?.text ?? "", true);
  return fault ? "" : textOf(level).text;
}

const saidAt = () => /** @type {HTMLElement} */ (place.querySelector(".levels-said"));

/** @param {string} text @param {boolean} [bad] */
function say(text, bad = false) {
  const el = saidAt();
  el.textContent = text;
  el.classList.toggle("error", bad);
}

/** The level as it is written, if it is one; else the first field that is wrong has the focus. */
function whole() {
  const text = check();
  if (!text) /** @type {HTMLElement | null} */ (place.querySelector("[aria-invalid]"))?.focus();
  return text;
}

const isKept = (/** @type {string} */ text) => ask("list").some((/** @type {any} */ one) => one.source === text);

/** Opens what is written as a level, in the place of what was tried before: else each change would leave one. */
function tryIt() {
  const text = whole();
  if (!text) return;
  const tried = store.getItem(TRIED);
  if (tried && tried !== text) ask("drop", tried);
  if (tried !== text) store.setItem(TRIED, isKept(text) ? "" : text);
  const fault = ask("open", text);
  if (fault) say(`${fault.text}.`, true);
}

/** Has the form show another level; what was written can be taken back. @param {Level} next @param {string} said */
function replaceBy(next, said) {
  const was = level;
  const tried = store.getItem(TRIED) ?? "";
  const written = textOf(was).text !== textOf(fresh()).text && textOf(was).text !== textOf(next).text;
  level = next;
  asked = false;
  store.setItem(TRIED, "");
  redraw("title");
  say(said);
  if (!written) return;
  saidAt().append(" ", button("Take back what was written", () => {
    level = was;
    store.setItem(TRIED, tried);
    redraw("title");
    say("It is back.");
  }, { className: "button quiet" }));
}

const bytesOf = (/** @type {string} */ text) => packed({ level: text }, async () => new Uint8Array());

/** @param {string} text a level */
async function copyLink(text) {
  const { pathname } = embedded ? new URL("..", location.href) : location; // that of the lab itself
  const link = location.origin + pathname + linkOf(await bytesOf(text));
  if (oneFile || link.length > LINK_LENGTH) {
    return say(oneFile ? "This page is a file, to which no link can lead. Save the level as a file."
      : `The link would have ${link.length} characters: too many. Save the level as a file.`, true);
  }
  lab().copy(link);
  const field = /** @type {HTMLTextAreaElement} */ (place.querySelector(".levels-link"));
  field.value = link;
  /** @type {HTMLElement} */ (field.parentElement).hidden = false;
  say(`The link is on the clipboard: ${link.length} characters.${
    link.length > CHAT_LENGTH ? ` Messengers cut links of more than ${CHAT_LENGTH}.` : ""}`);
}

/** @param {string} text a level @param {string} title */
async function saveFile(text, title) {
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "level";
  download(fileOf(await bytesOf(text)), `${name}.tabernetes`);
}

/** Writes the objects of the level's namespaces as what it starts with. */
async function fromCluster() {
  const spaces = level.namespaces.split(/[\s,]+/);
  const paths = [...await types()];
  const requests = (await manifests()).split("\n---\n").filter(Boolean).flatMap((text) => {
    const object = JSON.parse(text);
    const [path] = paths.find(([, type]) => type.kind === object.kind && type.apiVersion === object.apiVersion) ?? [];
    if (!path || !spaces.includes(object.metadata.namespace)) return [];
    const at = path.lastIndexOf("/");
    return [`POST ${path.slice(0, at)}/namespaces/${object.metadata.namespace}${path.slice(at)}\n\n${text}`];
  });
  if (!requests.length) return say(`There are no objects of yours in: ${level.namespaces.trim()}.`, true);
  level.start = requests.join("\n\n###\n");
  redraw("start");
}

/** Draws the form again; the field that is named has the focus then. @param {string} [field] */
function redraw(field) {
  draw();
  changed();
  if (field) /** @type {HTMLElement | null} */ (place.querySelector(`[data-field="${field}"]`))?.focus();
}

/** @param {Row} row @param {number} i */
function rowFields(row, i) {
  const name = `row-${i}`;
  const kinds = Object.entries(KINDS).map(([kind, { says }]) =>
    h("option", { value: kind, selected: kind === row.kind }, says));
  const kind = h("select", { className: "field", "data-field": name, onchange: () => {
    row.kind = kind.value;
    changed();
  } }, ...kinds);
  return h("fieldset", { className: "levels-row" }, h("legend", {}, `Row ${row.name}`),
    input(name, "In words", row.text, (text) => (row.text = text), { placeholder: "The ConfigMap is blue" }),
    h("label", { className: "share-name" }, "What", kind),
    input(name, "Path", row.path, (text) => (row.path = text), { mono: true }),
    input(name, "Conditions, one a line", row.more, (text) => (row.more = text),
      { rows: 2, mono: true, placeholder: "response.body.data.color = blue" }),
    button("Remove this row", () => {
      level.rows.splice(i, 1);
      redraw();
      /** @type {HTMLElement | null} */ (place.querySelector(".levels-add"))?.focus();
    }, { className: "button quiet" }));
}

function levers() {
  const boxes = ask("levers").map((/** @type {string} */ name) => h("label", {}, h("input", {
    type: "checkbox", disabled: !level.levers, checked: level.levers?.includes(name) ?? false,
    onchange: (/** @type {any} */ event) => {
      level.levers = (level.levers ?? []).filter((one) => one !== name).concat(event.target.checked ? name : []);
      changed();
    } }), LEVERS[name] ?? name));
  const choice = (/** @type {string} */ text, /** @type {boolean} */ limited) => h("label", {}, h("input", {
    type: "radio", name: "level-levers", checked: Boolean(level.levers) === limited, "data-field": `levers-${limited}`,
    onchange: () => {
      level.levers = limited ? [] : null;
      redraw(`levers-${limited}`);
    } }), text);
  return h("fieldset", { className: "share-parts" }, h("legend", {}, "Levers that are allowed"), choice("all", false),
    choice("only these, or none", true), h("div", { className: "levels-boxes" }, ...boxes));
}

function picture() {
  const take = button("Take it from how I solved it", () => {
    const made = ask("picture", textOf(level).text);
    if (!made) {
      return say("Try the level and solve it first, as it is written now. Then there is a picture to take.", true);
    }
    level.picture = made;
    redraw("picture-take");
    say("The picture is of what you have done: others see it beside what their stage shows.");
  }, { "data-field": "picture-take" });
  const drop = button("No picture", () => {
    level.picture = "";
    redraw("picture-take");
  }, { className: "button quiet" });
  return h("fieldset", { className: "share-parts" }, h("legend", {}, "Picture"),
    h("p", { className: "soft" }, "What the stage shows when the goal is reached, beside what it shows now."),
    ...(level.picture ? [h("pre", { "data-field": "picture" }, level.picture)] : []),
    h("p", { className: "course-acts" }, take, ...(level.picture ? [drop] : [])));
}

function fields() {
  const set = (/** @type {keyof Level} */ name) => (/** @type {string} */ text) =>
    ((/** @type {any} */ (level))[name] = text);
  return [
    input("title", "Title", level.title, set("title"), { placeholder: "Paint it blue" }),
    input("story", "Story", level.story, set("story"),
      { rows: 3, about: "What has happened. Text in `backquotes` is code." }),
    h("h3", {}, "Start"),
    input("namespaces", "Namespaces", level.namespaces, set("namespaces"),
      { mono: true, about: "level, or level-…: they are emptied when the level starts." }),
    input("start", "Requests that make the start", level.start, set("start"),
      { rows: 6, mono: true, placeholder: START }),
    h("p", { className: "course-acts" }, button("Write what these namespaces have now", () =>
      void fromCluster().catch((error) => say(`The objects could not be read: ${error.message}.`, true)))),
    input("requires", "Settings, one a line", level.requires, set("requires"),
      { rows: 2, mono: true, placeholder: "retention: 5m" }),
    h("h3", {}, "Goal"),
    input("goal", "What is to be reached", level.goal, set("goal"),
      { rows: 2, placeholder: "The ConfigMap `paint` is blue." }),
    h("p", { className: "soft", "data-field": "rows", tabIndex: -1 }, "It is reached when each row has found a " +
      "request with its answer, in the rows’ order. In a path * stands for one segment."),
    ...level.rows.map(rowFields),
    h("p", { className: "course-acts" }, button("Add a row", () => {
      const [space] = level.namespaces.trim().split(/[\s,]+/);
      const path = `/api/v1/namespaces/${space}/`;
      level.rows.push({ name: freeName(level), text: "", kind: "read", path, more: "" });
      redraw(`row-${level.rows.length - 1}`);
    }, { className: "button levels-add" })),
    levers(),
    ...level.solutions.map((one, i) => input(`solution-${i}`, i ? `Solution ${i + 1}` : "Solution", one.text,
      (text) => (one.text = text), { rows: 5, mono: true,
        about: i ? "" : "Others can have it shown. Its requests are said to be the fewest." })),
    ...level.hints.map((hint, i) => input(`hint-${i}`, i ? `Hint ${i + 1}` : "Hint", hint,
      (text) => (level.hints[i] = text), { rows: 2 })),
    h("p", { className: "course-acts" }, button("Add a hint", () => {
      level.hints.push("");
      redraw(`hint-${level.hints.length - 1}`);
    }), button("Add a solution", () => {
      level.solutions.push({ way: `way ${level.solutions.length + 1}`, text: "" });
      redraw(`solution-${level.solutions.length - 1}`);
    })),
    picture(),
  ];
}

/** What stays when another level is drawn: what is said stays in the element that is listened to. */
const form = () => h("form", { onsubmit: (/** @type {Event} */ event) => {
  event.preventDefault();
  tryIt();
} },
  h("div", { className: "levels-fields" }),
  h("p", { className: "levels-said", role: "status" }),
  h("label", { className: "share-name", hidden: true }, "Its link",
    h("textarea", { className: "field mono levels-link", rows: 2, readOnly: true })),
  h("p", { className: "course-acts" }, h("button", { type: "submit", className: "button primary" }, "Try it"),
    button("Copy the link", () => void (whole() && copyLink(textOf(level).text))),
    button("Save as a file", () => void (whole() && saveFile(textOf(level).text, level.title)))),
  asText());

function asText() {
  const area = h("textarea", { className: "field mono", rows: 12, spellcheck: false, "aria-label": "The level as text",
    value: textOf(level).text });
  return h("details", { ontoggle: () => (area.value = textOf(level).text) }, h("summary", {}, "As text"), area,
    h("p", { className: "course-acts" }, button("Read this text", () => {
      const { fault: found } = ask("read", area.value);
      if (found) return say(`The text${found.line ? `, line ${found.line}` : ""}: ${found.text}.`, true);
      replaceBy(levelOf(area.value), "The form has what the text says.");
    })));
}

/** A button that forgets a level when it is pressed twice: its progress is gone then. @param {any} one */
function forgetting({ title, source }) {
  let sure = false;
  const name = (/** @type {string} */ text, /** @type {string} */ label) => {
    forget.textContent = text;
    forget.ariaLabel = label;
  };
  const forget = button("", () => {
    if (!sure) {
      sure = true;
      return name("Forget it and its progress", `Forget ${title} and its progress`);
    }
    ask("drop", source);
    draw();
    say(`${title} is forgotten.`);
    /** @type {HTMLElement | null} */ (place.querySelector(".levels-kept a, .levels-another"))?.focus();
  }, { className: "button quiet danger", onblur: () => {
    sure = false;
    name("Forget", `Forget ${title}`);
  } });
  name("Forget", `Forget ${title}`);
  return forget;
}

function kept() {
  const all = ask("list");
  const row = (/** @type {any} */ one) => h("li", {}, h("a", { href: "#" + one.id }, one.title),
    h("span", { className: "soft" }, one.passed ? "solved" : ""),
    h("span", { className: "course-acts" },
      button("Edit", () => replaceBy(levelOf(one.source), `The form has ${one.title}.`),
        { "aria-label": `Edit ${one.title}` }),
      button("Copy the link", () => void copyLink(one.source), { "aria-label": `Copy the link of ${one.title}` }),
      forgetting(one)));
  return all.length ? [h("h3", {}, "Kept in this browser"),
    h("ul", { className: "plain levels-kept" }, ...all.map(row)), h("h3", {}, "Make one")] : [];
}

/** Draws what depends on the level and on those that are kept. */
function draw() {
  place.querySelector(".levels-list")?.replaceChildren(...kept());
  place.querySelector(".levels-fields")?.replaceChildren(...fields());
  /** @type {any} */ (place.querySelector(".levels-link")).parentElement.hidden = true; // of what was there
}

/** Fills the page, when it is opened. @param {HTMLElement} el */
export function mount(el) {
  if (!place) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const draft = store.getItem(DRAFT);
    if (draft) level = levelOf(draft);
  }
  if (place === el) { // somebody may write already
    return void el.querySelector(".levels-list")?.replaceChildren(...kept());
  }
  place = el;
  el.replaceChildren(h("div", { className: "levels-list" }), h("p", { className: "course-acts" },
    button("Begin another level", () => replaceBy(fresh(), "The form is empty."),
      { className: "button levels-another" })), form());
  draw();
}
