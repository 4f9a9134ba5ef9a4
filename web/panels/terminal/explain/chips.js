// @ts-check
/**
 * What a request, and a command, has to do with revisions, in a word or two.
 *
 * @import { Asked, Kind, Source } from "./request.js"
 * @import { Request } from "./rows.js"
 *
 * @typedef {object} Chip
 * @property {"wrote" | "read" | "watch" | "none" | "waits"} kind
 * @property {string} text
 * @property {number} revision the one to go to; 0: none
 */
import { json } from "./request.js";

/** Ranges of revisions as they are said: "30, 31", "30–35". @param {[number, number][]} all */
export function spans(all) {
  /** @type {[number, number][]} */
  const joined = [];
  for (const [from, to] of [...all].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  const said = joined.map(([from, to]) =>
    (to > from + 1 ? `${from}–${to}` : to > from ? `${from}, ${to}` : `${from}`));
  return said.length > 4 ? `${said.slice(0, 3).join(", ")} … ${said.at(-1)}` : said.join(", ");
}

/** The revision that an answer says it is of, if the server does not report more. @param {Asked} r */
function answered(r) {
  const text = r.answer ?? "";
  return Number(json(text)?.metadata?.resourceVersion ?? /"resourceVersion":\s*"(\d+)"/.exec(text)?.[1] ?? 0) || 0;
}

const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** The revisions that a request made. @param {Request} r @returns {[number, number][]} */
export function wrote(r) {
  const { wrote, rule } = r.from;
  if (wrote.length || rule || r.status >= 300 || !r.status || r.kind.query.has("dryRun")) return wrote;
  if (!["create", "update", "patch"].includes(r.kind.verb) || !r.kind.resource) return [];
  const revision = answered(r);
  return revision ? [[revision, revision]] : [];
}

/**
 * The chip of a request.
 *
 * @param {Request} r
 * @param {string} lane that shows it, if it is a watch; "": none
 * @returns {Chip | null}
 */
export function chipOf(r, lane = "") {
  const { verb } = r.kind;
  if (!r.status && !r.error) return { kind: "waits", text: "…", revision: 0 };
  if (verb === "watch" && r.status === 200) return { kind: "watch", text: lane || "watch", revision: 0 };
  const made = wrote(r);
  if (made.length) return { kind: "wrote", text: `→ ${spans(made)}`, revision: made[0][0] };
  if (r.status >= 300) return null;
  if (WRITES.has(verb)) return r.kind.resource ? { kind: "none", text: "nothing written", revision: 0 } : null;
  const revision = r.from.revision || (["get", "list"].includes(verb) ? answered(r) : 0);
  return revision ? { kind: "read", text: `as of ${revision}`, revision } : null;
}

/** Commands that are meant to write. */
const WRITING = new Set(("apply create delete edit label annotate patch replace scale autoscale expose run taint " +
  "cordon uncordon drain set rollout").split(" "));

/**
 * The chip of a command, by its requests.
 *
 * @param {Request[]} requests
 * @param {string[]} verbs of the commands that made them
 * @param {object} as
 * @param {boolean} as.open its requests are listed
 * @param {boolean} as.over it has ended
 * @param {(r: Request) => string} as.lane
 * @returns {Chip | null}
 */
export function summaryOf(requests, verbs, { open, over, lane }) {
  if (!requests.length) return null;
  const count = !open && requests.length > 1 ? `${requests.length} requests` : "";
  const made = requests.flatMap(wrote);
  const watches = requests.filter((r) => r.kind.verb === "watch" && r.status === 200);
  const join = (/** @type {string} */ text) =>
    (!count ? text : text.startsWith("→") ? `${count} ${text}` : `${count}, ${text}`);
  if (made.length) {
    made.sort((a, b) => a[0] - b[0]);
    return { kind: "wrote", text: join(`→ ${spans(made)}`), revision: made[0][0] };
  }
  if (watches.length) {
    const lanes = watches.map(lane).filter(Boolean);
    const named = [...new Set(lanes)].slice(-2).join(", ");
    return { kind: "watch", text: join(named || "watch"), revision: 0 };
  }
  const verb = verbs.map((v) => v.split(" ")).find(([first, second]) =>
    WRITING.has(first) && !/^(status|history|view-last-applied)$/.test(second ?? ""));
  if (verb && over) return { kind: "none", text: join("nothing written"), revision: 0 };
  const read = requests.map((r) => chipOf(r)).filter((chip) => chip?.kind === "read").at(-1);
  if (read) return { ...read, text: join(read.text) };
  return { kind: over ? "none" : "waits", text: count || "1 request", revision: 0 };
}
