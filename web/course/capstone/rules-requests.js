// @ts-check
/**
 * What may be wrong with a request.
 *
 * @import { Exchange } from "./exchange.js"
 * @import { Judge } from "./judge.js"
 */

/** Waits that differ by less are equal, in milliseconds. */
const EQUAL = 2;

/** Waits shorter than this do not count. */
const WAIT = 50;

/** So many watches of one length are always the same. */
const SAME = 4;

/** Seconds, as they are read. @param {number} ms */
export const seconds = (ms) => `${Math.round(ms / 100) / 10} s`;

/** @param {number} n @param {string} one */
export const many = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

/** R16. @param {Judge} j */
export function afterEnd(j) {
  if (j.world.stopped < 0) return undefined;
  return `A request ${seconds(j.now - j.world.stopped)} after the end.`;
}

/** R16. @param {Judge} j @param {Exchange[]} open */
export function open(j, open) {
  if (open.length === 0) return undefined;
  const late = seconds(j.now - j.world.stopped);
  return `${many(open.length, "stream")} still open ${late} after the end: give fetch the signal.`;
}

/** R12. @param {Judge} j */
export function patience(j) {
  const { hold, trouble, waits } = j;
  if (j.now < hold.until)
    return `Retry-After said ${hold.seconds} s, and you came back after ${seconds(j.now - hold.since)}.`;
  if (!trouble) return undefined;
  const minute = trouble.counts.length - 1;
  const count = trouble.counts[minute];
  if (count > (minute === 0 ? 12 : 3)) {
    const enough = minute === 0 ? 12 : 3;
    return `${count} requests in minute ${minute + 1} of an outage: ${enough} are enough, ` +
      "with longer and longer waits between them.";
  }
  const last = waits.at(-1);
  if (!last || last.wait < WAIT || trouble.at !== -1) return undefined;
  const same = (/** @type {typeof waits} */ list) =>
    list.length >= 3 && list.slice(-3).every((w) => Math.abs(w.wait - last.wait) < EQUAL);
  const first = new Map(waits.filter((w) => w.attempt === last.attempt).map((w) => [w.since, w]));
  if (!same([...first.values()]) && !same(waits.filter((w) => w.since === last.since))) return undefined;
  const all = "all clients that were cut off with you come back at the same moment. Add a random part";
  return `You have waited ${seconds(last.wait)} three times in a row: ${all}.`;
}

/** R9. @param {Judge} j @param {Exchange} x */
export function made(j, x) {
  if (x.kind !== "list" && x.kind !== "watch") return undefined;
  if (x.placed && !j.world.disguise.knows(x.version ?? ""))
    return `${x.version} was never given to you: pass on versions, do not make them up.`;
  if (x.token && !j.tokens.has(x.token))
    return `The token ${x.token.slice(0, 24)} was never given to you: pass on tokens, do not make them up.`;
  return undefined;
}

/** R7. @param {Judge} j @param {Exchange} x */
export function gone(j, x) {
  const known = j.gone.get(x.version ?? "");
  if (!known || x.token || (x.kind !== "watch" && x.kind !== "list")) return undefined;
  // A list that may be newer is another question, unless that was the one.
  if (x.kind === "list" && x.match === "NotOlderThan" && known.x.kind === "watch") return undefined;
  if (x.initial) return undefined;
  if (known.event) return `The stream was 200 and its event said 410. You asked again from ${x.version}, once.`;
  return `The answer was 410: ${x.version} is gone for good. You asked for it again.`;
}

/** R8. @param {Judge} j @param {Exchange} x */
export function expired(j, x) {
  if (!x.token || !j.expired.has(x.token)) return undefined;
  return "That token was answered with 410. You used it again: start the list over.";
}

/** R6. @param {Judge} j @param {Exchange} x */
export function bookmarkLost(j, x) {
  const { claim, bookmark } = j;
  if (x.kind !== "watch" || x.initial || !claim || !bookmark || bookmark.epoch !== claim.epoch) return undefined;
  if (bookmark.rev <= claim.rev || x.version !== claim.version || j.untaken.length > 0) return undefined;
  return `You got the bookmark ${bookmark.version}, and still resumed from ${claim.version}.`;
}

/** R4. @param {Judge} j @param {Exchange} x */
export function gap(j, x) {
  const { claim, bookmark } = j;
  if (x.kind !== "watch" || x.initial) return undefined;
  if (!claim) return x.placed ? `Your watch began at ${x.version}; you had received nothing yet.` : undefined;
  if (x.version === claim.version) return undefined;
  if (bookmark && x.version === bookmark.version && j.untaken.length === 0 && bookmark.rev >= claim.rev)
    return undefined;
  if (!x.placed) {
    const fate = "What was deleted in between is lost, and everything else is delivered twice";
    return `Your watch began without a version; you had received ${claim.version}. ${fate}.`;
  }
  const fate = j.world.disguise.revision(x.version ?? "") < claim.rev ? "delivered twice" : "lost";
  return `Your watch began at ${x.version}; you had received ${claim.version}. What happened in between is ${fate}.`;
}

/** R13. @param {Judge} j @param {Exchange} x */
export function economy(j, x) {
  const other = x.kind === "watch" && j.watches.find((w) => w.over === "");
  if (other) return `Two watches are open: those of the requests ${other.id} and ${x.id}.`;
  if (!x.counts || j.lists <= j.reasons) return undefined;
  const { claim } = j;
  const missed = claim ? j.world.truth.epochs[claim.epoch].changes.filter((c) => c.rev > claim.rev).length : 0;
  return `A list of ${j.size} that was not needed: resuming would have cost ${many(missed, "event")}.`;
}

/** R15. @param {Judge} j @param {Exchange} x */
export function freshness(j, x) {
  if (!j.claim || x.version !== "0" || !(x.initial || (x.kind === "list" && !x.token))) return undefined;
  return "This list may be older than what you have: resourceVersion=0 allows any state, " +
    `and you are at ${j.claim.version}.`;
}

/** R14. @param {Judge} j @param {Exchange} x */
export function askingWell(j, x) {
  if (x.limit > 500) return `limit=${x.limit} asks for a large answer in one piece: 500 is enough for a page.`;
  if (x.kind !== "watch") return undefined;
  if (!["1", "true"].includes(x.query.get("allowWatchBookmarks") ?? "")) {
    return "Your watch asks for no bookmarks: without them a restart after a quiet hour is a 410.";
  }
  const timeout = x.query.get("timeoutSeconds");
  if (!timeout) return "Your watch has no timeoutSeconds: you would wait for an hour on a dead connection.";
  if (j.watches.length < SAME - 1 || j.watches.some((w) => w.query.get("timeoutSeconds") !== timeout)) return undefined;
  return `timeoutSeconds is always ${timeout}: watches that began together end together.`;
}

/** R17. @param {Judge} j @param {Exchange} x */
export function never(j, x) {
  if (x.initial) {
    if (x.over || x.status !== 200 || x.events.some((e) => e.mark)) return undefined;
    return "You have waited a minute for the end of the state. This server has no end mark: it never comes.";
  }
  if (!j.tooLarge || j.world.disguise.revision(j.tooLarge.version) <= j.world.head) return undefined;
  const where = `it is at ${j.shown(j.world.head)}, you ask for ${j.tooLarge.version}`;
  return `The cluster has not reached your version: ${where}. It may never get there.`;
}
