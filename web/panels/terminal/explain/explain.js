// @ts-check
/**
 * Explains a command by its requests: why each was made, and what it has to do with revisions.
 *
 * @import { Asked } from "./request.js"
 * @import { Chip } from "./chips.js"
 *
 * @typedef {object} Line what is said of a request
 * @property {number} id the tap's; 0: it was not made, since its answer was kept
 * @property {string} method
 * @property {string} short the path as it is shown
 * @property {string} url
 * @property {string} status "200", "…", "failed"
 * @property {string} why
 * @property {Chip | null} chip
 *
 * @typedef {object} Explained
 * @property {Chip | null} chip
 * @property {Line[]} rows
 * @property {string} refs names in data-ref of its requests, and of the revisions that they made
 * @property {string[]} lights those of them that are seen on the stage: revisions, and the lanes of watches
 * @property {import("./rows.js").Request[]} requests
 */
import { cached } from "./cached.js";
import { chipOf, summaryOf, wrote } from "./chips.js";
import { commandOf } from "./command.js";
import { kindOf, sourceOf } from "./request.js";
import { why } from "./rows.js";

/** @param {Asked} r @returns {import("./rows.js").Request} */
const understood = (r) => ({ ...r, kind: kindOf(r.method, r.url), from: sourceOf(r.source) });

/** How many revisions a request lights up. */
const MOST = 50;

/** The names in data-ref of what belongs to a request. @param {import("./rows.js").Request} r */
function refsOf(r) {
  const out = [`req-${r.id}`];
  for (const [from, to] of wrote(r)) for (let n = from; n <= to && out.length < MOST; n++) out.push(`rev-${n}`);
  return out.join(" ");
}

/**
 * @param {string[]} argv
 * @param {Asked[]} asked its requests, in their order
 * @param {boolean} over the command has ended
 * @param {object} [known]
 * @param {boolean} [known.open] the requests are listed
 * @param {(id: number) => string} [known.lane] the name of the lane that shows a watch
 * @param {Iterable<string>} [known.files] those that it has read
 * @returns {Explained}
 */
export function explained(argv, asked, over, { open = false, lane = () => "", files = [] } = {}) {
  const command = commandOf(argv);
  const requests = asked.map(understood);
  const rows = requests.map((r, i) => ({
    id: r.id,
    method: r.method,
    short: r.kind.short,
    url: r.url,
    status: r.status ? String(r.status) : r.error ? "failed" : "…",
    why: why(command, r, { before: requests.slice(0, i), after: requests.slice(i + 1), over }),
    chip: chipOf(r, lane(r.id)),
  }));
  const chip = summaryOf(requests, [command.verb], { open, over, lane: (r) => lane(r.id) });
  const earlier = cached(files, asked.map((r) => r.url));
  const lights = requests.flatMap((r) => refsOf(r).split(" ").slice(r.kind.verb === "watch" ? 0 : 1));
  return { chip, rows: [...earlier, ...rows], refs: requests.map(refsOf).join(" "), lights, requests };
}
