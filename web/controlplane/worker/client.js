// @ts-check
/**
 * The requests of a program: its writes say which client of the program made them, which event they came after, and
 * which subresource they wrote, in the ID that they give the server (core/source): PROGRAM/CLIENT~REVISION~SUBRESOURCE.
 * web/revisions reads it. While the program is paused, its requests wait, and so do answers and events on their way to
 * it; its code runs on.
 */
import { EXPLAIN_HEADER } from "../../../core/wellknown/wellknown.js";
import { eventReader } from "./events.js";
import { parsePath, Seen } from "./seen.js";

/** The most characters of an ID: core/source. */
const LONGEST = 64;

/**
 * The client of a program that a User-Agent names last, in few words: "deployment" of
 * kube-controller-manager/v1.36.3 …/deployment-controller, or, with separate credentials, of
 * …/system:serviceaccount:kube-system:deployment-controller.
 *
 * @param {string} agent
 */
export const clientOf = (agent) =>
  (agent.split(/[/:]/).at(-1) ?? "").replace(/-controller$/, "").replace(/[^\w-]/g, "").slice(0, 30);

/** Lets all pass, but while it is shut. */
export class Gate {
  #open = Promise.resolve();
  #let = () => {};
  shut = false;

  /** @param {boolean} shut */
  set(shut) {
    if (shut === this.shut) return;
    this.shut = shut;
    if (!shut) return this.#let();
    this.#open = new Promise((resolve) => {
      this.#let = resolve;
    });
  }

  pass() {
    return this.#open;
  }
}

/**
 * @param {(url: string, init?: any) => Promise<Response>} fetch
 * @param {string} program its name
 * @param {Gate} gate
 * @returns {(url: string, init?: any) => Promise<Response>}
 */
export function programFetch(fetch, program, gate) {
  const seen = new Seen();
  return async (url, init = {}) => {
    const { pathname, searchParams } = new URL(url);
    await gate.pass();
    const headers = new Headers(init.headers);
    const watch = searchParams.get("watch") === "true";
    if (![undefined, "GET", "HEAD"].includes(init.method)) {
      const agent = headers.get("user-agent") ?? "";
      const client = agent.startsWith(`${program}/`) ? clientOf(agent) : "";
      const id = `${program}/${client}~${seen.before(pathname, init.body ?? null)}`;
      const { subresource } = parsePath(pathname);
      const full = subresource && id.length + subresource.length < LONGEST ? `${id}~${subresource}` : id;
      if (full.length <= LONGEST) headers.set(EXPLAIN_HEADER, `?1;id=${full}`);
    }
    const response = await fetch(url, { ...init, headers });
    await gate.pass();
    return watch && response.body ? watched(response, gate, (m) => seen.event(pathname, m)) : response;
  };
}

/**
 * A watch whose events are seen as the program gets them.
 *
 * @param {Response} response
 * @param {Gate} gate
 * @param {Parameters<typeof eventReader>[0]} each
 */
function watched(response, gate, each) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const take = /protobuf/.test(response.headers.get("content-type") ?? "") ? eventReader(each) : () => {};
  const read = async () => {
    await gate.pass();
    const got = await reader.read();
    await gate.pass();
    if (got.value) take(got.value);
    return got;
  };
  const body = { getReader: () => ({ read, cancel: (/** @type {any} */ reason) => reader.cancel(reason) }) };
  Object.defineProperty(response, "body", { value: body });
  return response;
}
