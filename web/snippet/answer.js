// @ts-check
/** Shows an answer while it comes: its status, its headers folded, its body or the events of a watch. */
import { make } from "./make.js";

/** How many bytes of a body, or events of a watch, are shown; the rest is counted. */
const MOST_BYTES = 200_000;
const MOST_EVENTS = 200;

/** The standard's names: a cluster in the page sends none. @type {Record<number, string>} */
const NAMES = { 200: "OK", 201: "Created", 202: "Accepted", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
  404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 409: "Conflict", 410: "Gone",
  413: "Request Entity Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Entity",
  429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable", 504: "Gateway Timeout" };

/**
 * @param {Response} response
 * @param {boolean} watch whether a stream of events was asked for
 * @param {HTMLElement} place is emptied first
 * @param {(text: string) => void} say tells what there is so far
 * @param {number} took until the head came, in milliseconds
 * @returns {Promise<{response: object}>} what references read; it rejects if the answer breaks off or is stopped
 */
export async function answerOf(response, watch, place, say, took) {
  const head = `${response.status} ${response.statusText || NAMES[response.status] || ""}`.trim();
  const headers = [...response.headers];
  place.replaceChildren(make("details", {}, make("summary", {}, `${headers.length} headers`),
    make("pre", { tabindex: "0" }, headers.map(([name, value]) => `${name}: ${value}`).join("\n"))));
  say(`${head}, ${Math.max(1, Math.round(took))} ms`);
  const all = { status: response.status, headers: Object.fromEntries(headers), body: /** @type {any} */ (null),
    events: /** @type {any[]} */ ([]) };
  const type = response.headers.get("content-type") ?? "";
  if (watch && response.ok && type.includes("json")) await showEvents(response, place, all.events, (n) =>
    say(`${head}, ${n} ${n === 1 ? "event" : "events"}`));
  else {
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = /json|text|yaml/.test(type) ? new TextDecoder().decode(bytes) : "";
    all.body = json(text) ?? text;
    place.append(...body(text, bytes));
    say(`${head}, ${size(bytes.length)}, ${Math.max(1, Math.round(took))} ms`);
  }
  return { response: all };
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const size = (/** @type {number} */ n) => (n < 1000 ? `${n} B` : `${(n / 1000).toFixed(1)} kB`);

/**
 * A body: JSON is indented, and can be seen as it was sent; bytes are digits.
 *
 * @param {string} text
 * @param {Uint8Array} bytes
 */
function body(text, bytes) {
  if (bytes.length === 0) return [];
  const cut = (/** @type {string} */ shown) =>
    shown.length > MOST_BYTES ? `${shown.slice(0, MOST_BYTES)}\n… ${size(shown.length - MOST_BYTES)} more` : shown;
  const pre = make("pre", { tabindex: "0", class: "body" });
  const value = json(text);
  if (value === undefined) {
    pre.textContent = cut(text || digits(bytes));
    return [pre];
  }
  const raw = make("input", { type: "checkbox" });
  const show = () => (pre.textContent = cut(raw.checked ? text : JSON.stringify(value, null, 2)));
  raw.onchange = show;
  show();
  return [make("label", {}, raw, " as it was sent, not indented"), pre];
}

/** Bytes, 16 to a line, with those that are letters. @param {Uint8Array} bytes */
function digits(bytes) {
  const lines = [];
  for (let at = 0; at < Math.min(bytes.length, MOST_BYTES / 64); at += 16) {
    const part = [...bytes.subarray(at, at + 16)];
    const hex = part.map((b) => b.toString(16).padStart(2, "0")).join(" ").padEnd(48);
    lines.push(`${hex} ${part.map((b) => (b > 31 && b < 127 ? String.fromCharCode(b) : ".")).join("")}`);
  }
  return lines.join("\n");
}

/**
 * @param {Response} response
 * @param {HTMLElement} place
 * @param {any[]} events
 * @param {(n: number) => void} count
 */
async function showEvents(response, place, events, count) {
  const list = make("ol", { "aria-label": "Events" });
  place.append(list);
  count(0);
  const decoder = new TextDecoder();
  let rest = "";
  for (const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader(); ; ) {
    const { done, value } = await reader.read();
    const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter(Boolean)) {
      const event = json(line) ?? { type: "unreadable" };
      events.push(event);
      if (events.length <= MOST_EVENTS) list.append(make("li", {}, eventOf(event)));
    }
    if (lines.length > 0) count(events.length);
    if (done) return;
  }
}

/** @param {any} event */
function eventOf({ type, object }) {
  const { name, namespace, resourceVersion } = object?.metadata ?? {};
  const error = object?.code && `${object.code} ${object.reason}`;
  const of = [object?.kind, [namespace, name].filter(Boolean).join("/"), error,
    resourceVersion && `resourceVersion ${resourceVersion}`].filter(Boolean).join(" ");
  const mark = make("b", { class: String(type).toLowerCase() }, String(type));
  return make("details", {}, make("summary", {}, mark, ` ${of}`),
    make("pre", { tabindex: "0" }, JSON.stringify(object, null, 2)));
}
