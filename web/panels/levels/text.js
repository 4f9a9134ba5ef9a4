// @ts-check
/**
 * A level as text, in the form of the course's goals (web/lesson/format/level.go), and as the fields of a form. The lab
 * says what is wrong with a text; here a text is read as far as the form can show it.
 *
 * @typedef {object} Row what has to have happened
 * @property {string} text what is said of it
 * @property {string} name what other rows and requests call what it finds
 * @property {string} kind one of KINDS
 * @property {string} path of the request; of the kind "other" all that says what to look for
 * @property {string} more conditions, one a line
 *
 * @typedef {object} Level
 * @property {string} title
 * @property {string} story
 * @property {string} namespaces
 * @property {string} requires settings to start with, one a line
 * @property {string} start requests
 * @property {string} goal
 * @property {number} fewest how many requests the first solution takes, as the lab has counted them
 * @property {string} after the name of the row from which on requests count; empty: all do
 * @property {string[] | null} levers those that are allowed; null: all
 * @property {string} picture
 * @property {Row[]} rows
 * @property {string[]} hints
 * @property {{way: string, text: string}[]} solutions
 */

const WATCH = ["request.query.watch = 1 or true"];
const STATE = ["request.query.watch is absent"];
const WRITE = ["request.query.dryRun is absent"];

/**
 * The kinds of rows that the form knows: what is looked for around the path, and conditions that each has. Each says
 * which request and answer it wants, and no more: an object can be made, changed and deleted in other ways, too.
 *
 * @type {Record<string, {says: string, before: string, after: string, conds?: string[]}>}
 */
export const KINDS = {
  read: { says: "GET is answered 200", before: "GET", after: "-> 200", conds: STATE },
  missing: { says: "GET is answered 404", before: "GET", after: "-> 404" },
  created: { says: "POST is answered 201", before: "POST", after: "-> 201", conds: WRITE },
  changed: { says: "PUT or PATCH is answered 200", before: "PUT or PATCH", after: "-> 200", conds: WRITE },
  applied: { says: "PATCH is answered 201: apply has created it", before: "PATCH", after: "-> 201", conds: WRITE },
  deleted: { says: "DELETE is answered 200", before: "DELETE", after: "-> 200", conds: WRITE },
  watch: { says: "a watch is opened", before: "GET", after: "-> 200", conds: WATCH },
  gone: { says: "a watch is opened, and gets ERROR 410", before: "GET", after: "-> 200",
    conds: [...WATCH, "response.events[type = ERROR].object.code = 410"] },
  kept: { says: "no DELETE is answered 200 or 202", before: "no DELETE", after: "-> 200 or 202", conds: WRITE },
  untouched: { says: "no PUT or PATCH is answered 200", before: "no PUT or PATCH", after: "-> 200", conds: WRITE },
  other: { says: "as text", before: "", after: "" },
};

/** A level to begin with. @returns {Level} */
export const fresh = () => ({
  title: "", story: "", namespaces: "level", requires: "", start: "", goal: "", fewest: 1, after: "", levers: null,
  picture: "", rows: [{ name: "r1", text: "", kind: "read", path: "/api/v1/namespaces/level/configmaps/", more: "" }],
  hints: [""], solutions: [{ way: "", text: "" }],
});

/** A name for another row, which nothing has. @param {Level} level */
export function freeName(level) {
  const { text } = textOf(level);
  let n = 1;
  while (new RegExp(`\\br${n}\\b`).test(text)) n++;
  return `r${n}`;
}

/** @param {string} text */
const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** @param {string} language @param {string} body @param {string} [info] */
const block = (language, body, info = "") =>
  ["```" + language + (info && " " + info), ...body.trim().split("\n"), "```", ""];

/** @param {Row} row */
function rowLines({ name, text, kind, path, more }) {
  const { before, after, conds = [] } = KINDS[kind];
  const match = [before, path.trim(), after].filter(Boolean).join(" ");
  return [`- ${text.trim()}`, `  ${name}: ${match}`, ...[...conds, ...lines(more)].map((cond) => "  " + cond)];
}

/**
 * The text of a level, and of each of its lines the field that it comes from.
 *
 * @param {Level} level
 * @returns {{text: string, fields: string[]}}
 */
export function textOf(level) {
  /** @type {string[]} */
  const text = [];
  /** @type {string[]} */
  const fields = [];
  const add = (/** @type {string} */ field, /** @type {string[]} */ ...more) => {
    for (const line of more) {
      text.push(line);
      fields.push(field);
    }
  };
  add("namespaces", "---", `namespaces: ${level.namespaces.trim()}`);
  if (lines(level.requires).length) add("requires", "requires:", ...lines(level.requires).map((line) => "  " + line));
  add("requires", "---", "");
  add("title", `# ${level.title.trim()}`, "");
  if (level.story.trim()) add("story", ...level.story.trim().split("\n"), "");
  if (level.start.trim()) add("start", ...block("setup", level.start));
  add("title", "## The goal", "");
  const limits = level.levers && `levers ${level.levers.join(", ") || "none"}`;
  add("goal", "```goal", ...level.goal.trim().split("\n"), "", `fewest ${level.fewest}`,
    ...(level.after ? [`after ${level.after}`] : []), ...(limits ? [limits] : []), "```", "");
  if (level.picture.trim()) add("picture", ...block("picture", level.picture));
  add("rows", "```check");
  for (const [i, row] of level.rows.entries()) add(`row-${i}`, ...rowLines(row));
  add("rows", "```", "");
  level.hints.forEach((hint, i) => hint.trim() && add(`hint-${i}`, ...block("hint", hint)));
  level.solutions.forEach((one, i) =>
    one.text.trim() && add(`solution-${i}`, ...block("solution", one.text, one.way.trim())));
  return { text: text.join("\n"), fields };
}

/** @param {string} text of a check @returns {Row[]} */
function rowsOf(text) {
  return text.split(/^- /m).slice(1).map((source) => {
    const [said, ...below] = source.split("\n").map((line) => line.trim());
    const [match = "", ...conds] = below.filter(Boolean);
    const [, name = "", rest = match] = /^([\w-]+): *(.*)$/.exec(match) ?? [];
    // Those with more conditions first: they are special cases of others.
    const kinds = Object.entries(KINDS).filter(([name]) => name !== "other")
      .sort(([, a], [, b]) => (b.conds?.length ?? 0) - (a.conds?.length ?? 0));
    for (const [kind, { before, after, conds: own = [] }] of kinds) {
      const path = rest.startsWith(before + " ") && rest.endsWith(" " + after) &&
        rest.slice(before.length, -after.length).trim();
      if (path && /^\/\S*$/.test(path) && own.every((cond) => conds.includes(cond))) {
        return { name, text: said, kind, path, more: conds.filter((cond) => !own.includes(cond)).join("\n") };
      }
    }
    return { name, text: said, kind: "other", path: rest, more: conds.join("\n") };
  });
}

/**
 * The fields of a level's text. What is no level is read as far as it is one.
 *
 * @param {string} text
 * @returns {Level}
 */
export function levelOf(text) {
  text = text.replaceAll("\r\n", "\n");
  const level = { ...fresh(), rows: /** @type {Row[]} */ ([]), hints: /** @type {string[]} */ ([]),
    solutions: /** @type {Level["solutions"]} */ ([]) };
  const [, front = "", rest = text] = /^---\n([^]*?)^---\n([^]*)$/m.exec(text) ?? [];
  level.namespaces = /^namespaces: *(.*)$/m.exec(front)?.[1] ?? "";
  level.requires = lines(/^requires:\n((?:[ \t]+.*\n)*)/m.exec(front)?.[1] ?? "").join("\n");
  level.title = /^# +(.*)$/m.exec(rest)?.[1] ?? "";
  level.story = rest.replace(/^## [^]*$/m, "").replace(/^```[^]*?^```$/gm, "").replace(/^# .*$/m, "").trim();
  for (const [, language, info, body] of rest.matchAll(/^```(\w+) ?(.*)\n([^]*?)^```$/gm)) {
    const inside = body.trimEnd();
    if (language === "setup") level.start = [level.start, inside].filter(Boolean).join("\n###\n");
    else if (language === "goal") Object.assign(level, goalOf(inside));
    else if (language === "picture") level.picture = inside;
    else if (language === "check") level.rows = rowsOf(inside);
    else if (language === "hint") level.hints.push(inside);
    else if (language === "solution") level.solutions.push({ way: info.trim(), text: inside });
  }
  if (!level.hints.length) level.hints.push("");
  if (!level.solutions.length) level.solutions.push({ way: "", text: "" });
  return level;
}

/** @param {string} body of a goal */
function goalOf(body) {
  const all = body.split("\n");
  const goal = { goal: "", fewest: 1, after: "", levers: /** @type {string[] | null} */ (null) };
  for (; all.length; all.pop()) {
    const [whole, fewest, after, levers] =
      /^\s*(?:fewest (\d+)|after (\S+)|levers (.*)|)\s*$/.exec(all[all.length - 1]) ?? [];
    if (whole === undefined) break;
    if (fewest) goal.fewest = Number(fewest);
    if (after) goal.after = after;
    if (levers) goal.levers = levers.trim() === "none" ? [] : levers.split(",").map((name) => name.trim());
  }
  goal.goal = all.join("\n");
  return goal;
}
