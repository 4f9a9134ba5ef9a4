// @ts-check
/**
 * What may be wrong with what the store gets, and with how reflect ends.
 *
 * @import { Delivered, Exchange } from "./exchange.js"
 * @import { Judge, Update } from "./judge.js"
 * @import { Thrown } from "./protocol"
 * @import { Difference } from "./truth.js"
 */
import { many, seconds } from "./rules-requests.js";

/** What a wrongly decoded byte becomes. */
const GARBLED = "\uFFFD";

/** R16. @param {Judge} j @param {Update} t */
export function afterEnd(j, t) {
  if (j.world.stopped < 0) return undefined;
  return `store.${t.call} ${seconds(j.now - j.world.stopped)} after the end.`;
}

/** R16. @param {Judge} j @param {Thrown | null} error */
export function endedAll(j, error) {
  if (j.world.stopped >= 0) return undefined;
  if (!error) return "reflect has returned before its signal was aborted: the store is no longer updated.";
  return `An exception has ended reflect: ${error.name}: ${error.message}`;
}

/** R9. @param {Judge} j @param {Thrown | null} error */
export function brokenByText(j, error) {
  if (!error || j.world.stopped >= 0 || !j.world.disguise.on) return undefined;
  const named = [...j.received.keys()].find((version) => version && error.message.includes(version));
  return named && `${named} is a version, not a number: ${error.message}`;
}

/** R11. @param {Judge} j @param {Thrown | null} error */
export function halfALine(j, error) {
  if (error?.name !== "SyntaxError" || j.world.stopped >= 0) return undefined;
  const last = j.watches.at(-1);
  if (!last || last.status !== 200) return undefined;
  return `Half a line was taken for an event: chunks end anywhere. ${error.message}`;
}

/** R7. @param {Judge} j @param {Update} t */
export function errorStored(j, t) {
  const stored = t.call === "put" && t.given?.kind === "Status";
  return stored ? `An ERROR is an answer, not an object: you stored "${t.given.reason ?? t.given.message}".`
    : undefined;
}

/** R6. @param {Judge} j @param {Update} t */
export function bookmarkStored(j, t) {
  const event = t.source?.event;
  if (event?.type !== "BOOKMARK" || t.call === "progress" || t.differences.length === 0) return undefined;
  if (t.call === "replace" && event.mark) return undefined;
  return "A BOOKMARK is a position, not an object.";
}

/** R9. @param {Judge} j @param {Update} t */
export function made(j, t) {
  return j.world.disguise.knows(t.version) ? undefined
    : `${t.version} was never given to you: pass on versions, do not make them up.`;
}

/** R10. @param {Judge} j @param {Update} t */
export function identity(j, t) {
  if (!t.observed || t.differences.length === 0) return undefined;
  const had = t.before.get(t.observed.key);
  const name = t.observed.key;
  if (t.call === "remove" && had && had.uid !== t.observed.uid) {
    return `Same name, another uid: you removed the wrong one. ${name} was created again, ` +
      "and the deleted object is the old one.";
  }
  if (t.call === "put" && had && had.rev > t.observed.rev && t.differences.some((d) => d.key === name)) {
    return `An event that was delivered before undid a later one: ${name} went from ${j.shown(had.rev)} ` +
      `back to ${j.shown(t.observed.rev)}.`;
  }
  return undefined;
}

/** R8. @param {Judge} j @param {Update} t */
export function pages(j, t) {
  const x = t.source?.x;
  if (t.call !== "replace" || !x?.page) return undefined;
  const all = [...new Set([...j.received.values()].map((r) => r.x))].filter(
    (other) => other.page && other.first === x.first);
  const versions = [...new Set(all.map((other) => other.page?.version))];
  if (versions.length > 1) return `Pages at ${versions.join(" and at ")} are two states.`;
  if (t.differences.length === 0) return undefined;
  const count = Array.isArray(t.given) ? t.given.length : 0;
  const total = j.world.truth.at(/** @type {any} */ (t.place)).size;
  if ((x.page.token || x.token) && count < total)
    return `You replaced with ${count} of ${total}: the rest is behind the token.`;
  return undefined;
}

/** R3. @param {Judge} j @param {Update} t */
export function back(j, t) {
  const { claim } = j;
  if (!claim || !t.place || t.place.epoch !== claim.epoch || t.place.rev >= claim.rev) return undefined;
  const list = t.call === "replace" ? t.source?.x : null;
  const bound = list?.match === "NotOlderThan" && `your request forbade only what is older than ${list.version}`;
  const asked = bound || "nothing in your request forbade it";
  const why = list ? `that list came from a server that lags, and ${asked}` : "a version never goes back";
  return `You went from ${claim.version} back to ${t.version}: ${why}.`;
}

/** R5. @param {Judge} j @param {Update} t */
export function ghosts(j, t) {
  if (t.call !== "replace" || t.before.size === 0) return undefined;
  const ghost = t.differences.find((d) => d.have && !d.want && t.before.has(d.key));
  return ghost &&
    `${ghost.key} was deleted while you were away. No event will report that: only its absence in the list does.`;
}

/** An event that the client got, and the store never got. @param {Judge} j @param {Difference[]} differences */
function lost(j, differences) {
  const keys = new Set(differences.map((d) => d.key));
  return j.untaken.find(
    ({ event }) => keys.has(event.key) && (event.pieces > 1 || (event.shared && j.typesTaken.has(event.type))));
}

/** @param {{event: Delivered, x: Exchange}} e */
function edge({ event, x }) {
  const how = event.pieces > 1 ? `came in ${event.pieces} pieces` : "shared its chunk with another";
  return `${event.type} ${event.key} of request ${x.id} ${how}`;
}

/** R11. @param {Judge} j @param {Update} t */
export function framing(j, t) {
  const event = t.source?.event;
  const wrong = t.observed && t.differences.find((d) => d.key === t.observed?.key && d.have);
  if (event && wrong && wrong.have?.text.includes(GARBLED)) {
    return `This event came in ${event.pieces} pieces, and ${wrong.key} is garbled: ` +
      "a character's bytes were in two of them.";
  }
  if (t.call === "replace" && t.differences.some((d) => d.have?.text.includes(GARBLED))) {
    return "This list is garbled: a character's bytes were in two chunks.";
  }
  const found = t.call !== "replace" && lost(j, t.differences);
  return found ? `${edge(found)}, and your store never got it.` : undefined;
}

/** R11. @param {Judge} j @param {Difference[]} differences */
export function lostAtAnEdge(j, differences) {
  const found = lost(j, differences);
  return found && `${edge(found)}, and your store never got it.`;
}

/** What is different under a key. @param {Judge} j @param {Difference} d */
function describe(j, { key, have, want }) {
  if (!want) return [`${key}`, `nothing of that name`];
  const its = `${key} of version ${j.shown(want.rev)}`;
  if (!have) return [`no ${key}`, its];
  if (have.rev !== want.rev) return [`${key} of version ${j.shown(have.rev)}`, its];
  return [`${key} with different content`, its];
}

/** R1. @param {Judge} j @param {Update} t */
export function truth(j, t) {
  const last = j.taken ? ` The last event you received was ${j.taken.event.type} ${j.taken.event.key}.`
    : " You had received no event yet.";
  if (!t.place) return `Your store says that it is at ${t.version}, which is not a version.${last}`;
  if (t.differences.length === 0) return undefined;
  const [yours, theirs] = describe(j, t.differences[0]);
  const more = t.differences.length > 1 ? ` The same for ${t.differences.length - 1} more.` : "";
  return `At ${t.version} your store has ${yours} and the collection had ${theirs}.${more}${last}`;
}

/** R2. @param {Judge} j @param {Difference[]} differences */
export function arrival(j, differences) {
  if (differences.length === 0) return undefined;
  const lack = differences.filter((d) => !d.have).map((d) => d.key);
  const extra = differences.filter((d) => !d.want).map((d) => d.key);
  const old = differences.filter((d) => d.have && d.want).map((d) => d.key);
  /** @type {(verb: string, keys: string[]) => string[]} */
  const part = (verb, keys) => {
    if (keys.length === 0) return [];
    return [`${verb} ${keys[0]}` + (keys.length > 1 ? ` and ${many(keys.length - 1, "other")}` : "")];
  };
  const all = [...part("are missing", lack), ...part("still have", extra), ...part("have an old", old)];
  return `Nothing happened for a minute, and you ${all.join(", ")}.`;
}

/** R17. @param {Judge} j @param {Difference[]} differences */
export function neverThere(j, differences) {
  if (differences.length === 0 || !j.tooLarge || j.world.disguise.revision(j.tooLarge.version) <= j.world.head)
    return undefined;
  return `The cluster has not reached your version, ${j.tooLarge.version}. It may never get there.`;
}
