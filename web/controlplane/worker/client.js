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

/** What may be wrong between a program and its server. */
export class Line {
  #open = Promise.resolve();
  #let = () => {};
  #paused = false;
  /** Ends each open watch. @type {Set<(reason: unknown) => void>} */ #watches = new Set();
  /** How much later the program gets what its watches bring, in milliseconds. */
  lag = 0;

  /** @param {boolean} on */
  pause(on) {
    if (on === this.#paused) return;
    this.#paused = on;
    if (!on) return this.#let();
    this.#open = new Promise((resolve) => {
      this.#let = resolve;
    });
  }

  /** Waits while it is paused. */
  pass() {
    return this.#open;
  }

  /** Breaks all watches. */
  cut() {
    const reason = new TypeError("network error");
    for (const end of this.#watches) end(reason);
    this.#watches.clear();
  }

  /**
   * Reads a piece of a watch, and gives it to the program when the line lets it.
   *
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader
   */
  async read(reader) {
    /** @type {(reason: unknown) => void} */
    let end = () => {};
    const broken = new Promise((_, reject) => {
      end = reject;
    });
    this.#watches.add(end);
    try {
      const got = await Promise.race([this.#later(reader), broken]);
      return /** @type {ReadableStreamReadResult<Uint8Array>} */ (got);
    } finally {
      this.#watches.delete(end);
    }
  }

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  async #later(reader) {
    const got = await reader.read();
    if (this.lag > 0 && got.value) await new Promise((resolve) => setTimeout(resolve, this.lag));
    await this.pass();
    return got;
  }
}

/**
 * @param {(url: string, init?: any) => Promise<Response>} fetch
 * @param {string} program its name
 * @param {Line} line
 * @returns {(url: string, init?: any) => Promise<Response>}
 */
export function programFetch(fetch, program, line) {
  const seen = new Seen();
  return async (url, init = {}) => {
    const { pathname, searchParams } = new URL(url);
    await line.pass();
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
    await line.pass();
    return watch && response.body ? watched(response, line, (m) => seen.event(pathname, m)) : response;
  };
}

/**
 * A watch whose events are seen as the program gets them.
 *
 * @param {Response} response
 * @param {Line} line
 * @param {Parameters<typeof eventReader>[0]} each
 */
function watched(response, line, each) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const take = /protobuf/.test(response.headers.get("content-type") ?? "") ? eventReader(each) : () => {};
  const read = async () => {
    try {
      const got = await line.read(reader);
      if (got.value) take(got.value);
      return got;
    } catch (error) {
      reader.cancel(error).catch(() => {}); // the server ends the watch, too
      throw error;
    }
  };
  const body = { getReader: () => ({ read, cancel: (/** @type {any} */ reason) => reader.cancel(reason) }) };
  Object.defineProperty(response, "body", { value: body });
  return response;
}
