// @ts-check
/**
 * The rules. Each says for the moments that it looks at what is wrong then, in a sentence for the learner, or nothing.
 * Several rules may be broken by the same act: ORDER says which one is named, the more exact ones first.
 *
 * @import { Delivered, Exchange } from "./exchange.js"
 * @import { Judge, Update } from "./judge.js"
 * @import { Thrown } from "./protocol"
 * @import { Difference } from "./truth.js"
 */
import * as requests from "./rules-requests.js";
import * as states from "./rules-states.js";

/**
 * @typedef {object} Moments
 * @property {(j: Judge, x: Exchange) => string | undefined} request the client asks for something
 * @property {(j: Judge, t: Update) => string | undefined} store it tells the store something
 * @property {(j: Judge, e: Thrown | null) => string | undefined} settled reflect ends
 * @property {(j: Judge, d: Difference[]) => string | undefined} calm a minute has passed without a write or a fault
 * @property {(j: Judge, x: Exchange) => string | undefined} minute a minute has passed since a request
 * @property {(j: Judge, open: Exchange[]) => string | undefined} ended a second has passed since the end
 */

/**
 * @typedef {object} Rule
 * @property {string} title
 * @property {string} broken when it is
 * @property {number} level the first one that needs it
 * @property {number} from the level from which on it is enforced
 * @property {Partial<Moments>} on
 */

/** @type {Record<string, Rule>} */
export const RULES = {
  R1: {
    title: "truth",
    broken: "the store's content at the version it claims differs from the collection's at that version",
    level: 1,
    from: 1,
    on: { store: states.truth },
  },
  R2: {
    title: "arrival",
    broken: "60 s after the last fault and write the store is not the collection",
    level: 1,
    from: 1,
    on: { calm: states.arrival },
  },
  R3: {
    title: "never back",
    broken: "a claimed version is earlier than one claimed before, without a restore",
    level: 5,
    from: 1,
    on: { store: states.back },
  },
  R4: {
    title: "no gap",
    broken: "a watch begins anywhere but at the last list, event or bookmark received",
    level: 1,
    from: 1,
    on: { request: requests.gap },
  },
  R5: {
    title: "no ghosts",
    broken: "after a new list an object stays that the list lacks",
    level: 3,
    from: 1,
    on: { store: states.ghosts },
  },
  R6: {
    title: "bookmarks",
    broken: "a bookmark changed the store's content, or its version was not kept",
    level: 3,
    from: 3,
    on: { store: states.bookmarkStored, request: requests.bookmarkLost },
  },
  R7: {
    title: "gone is gone",
    broken: "after 410, in either form, the same version is requested again; or an ERROR is stored; " +
      "or only the status is checked",
    level: 3,
    from: 1,
    on: { store: states.errorStored, request: requests.gone },
  },
  R8: {
    title: "whole lists",
    broken: "replace with some pages; pages of different versions as one list; " +
      "a token used again after its 410",
    level: 4,
    from: 1,
    on: { store: states.pages, request: requests.expired },
  },
  R9: {
    title: "opaque",
    broken: "a version or token is sent that was never received; code that breaks when they are not numbers",
    level: 5,
    from: 5,
    on: { store: states.made, request: requests.made, settled: states.brokenByText },
  },
  R10: {
    title: "identity",
    broken: "DELETED of an old uid removes the new object; a repeated event undoes a later one",
    level: 3,
    from: 1,
    on: { store: states.identity },
  },
  R11: {
    title: "framing",
    broken: "an event lost, doubled or garbled at the edge of a chunk; half a line taken for an event",
    level: 2,
    from: 2,
    on: { store: states.framing, settled: states.halfALine, calm: states.lostAtAnEdge },
  },
  R12: {
    title: "patience",
    broken:
      "before Retry-After is over; more than 12 requests in the outage's first minute or 3 in each later one; " +
      "equal waits in three consecutive runs",
    level: 2,
    from: 2,
    on: { request: requests.patience },
  },
  R13: {
    title: "economy",
    broken: "more lists than 1 + 410s + expired tokens + restores; two watches open; " +
      "reading what a resume would have delivered",
    level: 1,
    from: 1,
    on: { request: requests.economy },
  },
  R14: {
    title: "asking well",
    broken: "no allowWatchBookmarks; no timeoutSeconds, or always the same; a limit over 500",
    level: 3,
    from: 3,
    on: { request: requests.askingWell },
  },
  R15: {
    title: "freshness",
    broken: "a list after the first that may be older than the store (rv=0)",
    level: 5,
    from: 5,
    on: { request: requests.freshness },
  },
  R16: {
    title: "ending",
    broken: "a request, an open stream or a change of the store after signal; an exception that ends reflect",
    level: 1,
    from: 1,
    on: { request: requests.afterEnd, store: states.afterEnd, settled: states.endedAll, ended: requests.open },
  },
  R17: {
    title: "never",
    broken: "a version that is too large is requested for over a minute; no list without version then; " +
      "waiting for an end mark that never comes",
    level: 6,
    from: 1,
    on: { minute: requests.never, calm: states.neverThere },
  },
};

/** @type {Record<keyof Moments, string[]>} */
export const ORDER = {
  request: ["R16", "R12", "R9", "R7", "R8", "R6", "R4", "R13", "R15", "R14"],
  store: ["R16", "R7", "R6", "R9", "R10", "R8", "R3", "R5", "R11", "R1"],
  settled: ["R9", "R11", "R16"],
  calm: ["R11", "R17", "R2"],
  minute: ["R17"],
  ended: ["R16"],
};
