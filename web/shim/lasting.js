// @ts-check
/**
 * What the tap knows, kept over a reload of the page: its requests with their answers, the name by which servers know
 * the page, and which clusters there were. It is taken out of the session as soon as the page is there again, so that a
 * copy of the tab, which gets a copy of the session, is another page.
 *
 * Costs: one text for the session when the page is left, of half the tap's size at most; the newest requests count.
 *
 * @import { TapEvent } from "./tabernetes"
 */

import { fromBase64, toBase64 } from "../browser/base64.js";

const KEY = "tabernetes.tap";
const NEVER = "tabernetes.tap.never";

/** The form of the text. Another one is forgotten. */
const FORM = 1;

/** How long the text may be, in characters: browsers give a session five million of them, for all that it keeps. */
const MOST = 2 << 20;

/**
 * @typedef {object} Past
 * @property {string} page
 * @property {number} last the newest request's id
 * @property {TapEvent[]} events
 * @property {Record<string, string>} clusters their uids, by place
 */

/** @typedef {{getItem(key: string): string | null, setItem(key: string, value: string): void}} Store */

/** Whether requests are kept. @param {Store} session */
export const lasts = (session) => !session.getItem(NEVER);

/** @param {Store} session @param {boolean} on */
export const setLasts = (session, on) => session.setItem(NEVER, on ? "" : "1");

/**
 * Keeps what the tap knows, in the session. Requests under way count as ended by the reload; those of scenes, whose
 * clusters end with the page, are left out.
 *
 * @param {Store} session
 * @param {{page: string, last: number, requests: TapEvent[][], clusters: Record<string, string>}} known
 * @param {number} now
 */
export function keep(session, { page, last, requests, clusters }, now) {
  if (!lasts(session)) return session.setItem(KEY, "");
  /** @type {string[]} */
  const texts = [];
  let size = 0;
  for (const events of requests.toReversed()) {
    const [first, newest] = [events[0], events[events.length - 1]];
    if (first?.type !== "request" || first.place?.startsWith("scene ")) continue;
    const over = newest.type === "end" || newest.type === "fail";
    /** @type {TapEvent[]} */
    const all = over ? events : [...events,
      { type: "fail", id: first.id, time: now, error: "the page was reloaded", aborted: true }];
    const text = all.map((event) => JSON.stringify(plain(event))).join();
    if ((size += text.length) > MOST) break;
    texts.push(text);
  }
  session.setItem(KEY, JSON.stringify({ form: FORM, page, last, clusters }).slice(0, -1) + `,"events":[${texts}]}`);
}

/** Takes what was kept; null if nothing was, or it cannot be read. @param {Store} session @returns {Past | null} */
export function takeKept(session) {
  const text = session.getItem(KEY);
  session.setItem(KEY, "");
  if (!text) return null;
  try {
    const { form, page, last, events, clusters } = JSON.parse(text);
    if (form !== FORM || typeof page !== "string" || !Number.isSafeInteger(last)) return null;
    return { page, last, clusters, events: events.map(restored) };
  } catch {
    return null;
  }
}

/** An event as JSON can hold it: bytes in base64. @param {TapEvent} event */
function plain({ type, id, time, bytes, sent, text: _, ...more }) {
  const raw = bytes ?? sent;
  if (!raw) return { type, id, time, ...more };
  return { type, id, time, ...more, b64: toBase64(raw) };
}

/** @param {any} event @returns {TapEvent} */
function restored({ b64, ...event }) {
  if (b64 === undefined) return event;
  const bytes = fromBase64(b64);
  if (event.type !== "chunk") return { ...event, sent: bytes };
  return { ...event, bytes, text: new TextDecoder().decode(bytes) };
}
