// @ts-check
/**
 * The requests of a program: its writes say which client of the program made them, which event they came after, and
 * which subresource they wrote, in the ID that they give the server (core/source): PROGRAM/CLIENT~REVISION~SUBRESOURCE.
 * web/revisions reads it. While the program is paused, its requests wait, and so do answers and events on their way to
 * it; its code runs on. What it is asked, such as a container's log, waits, too.
 *
 * @import { Serve } from "../../../wasm/protocol"
 */
import { EXPLAIN_HEADER } from "../../../core/wellknown/wellknown.js";
import { Clock } from "./clock.js";
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
  /** How much later the program gets what its watches bring, in milliseconds of the cluster's clock. */
  #lag = 0;
  /** Of which resource's watches; "": of all. */
  #lagged = "";
  #changed = () => {};
  #lags = this.#another();
  /**
   * What stops the program before its next write of a resource.
   *
   * @type {{resource: string, stopped: () => void} | null}
   */
  #before = null;

  /** @param {Clock} [clock] */
  constructor(clock = new Clock()) {
    this.clock = clock;
  }

  /** @param {boolean} on */
  pause(on) {
    if (on === this.#paused) return;
    this.#paused = on;
    if (!on) return this.#let();
    this.#open = new Promise((resolve) => {
      this.#let = resolve;
    });
  }

  /** What has come by then comes by the new lag, too. @param {number} milliseconds @param {string} [resource] */
  lag(milliseconds, resource = "") {
    this.#lag = milliseconds;
    this.#lagged = resource;
    this.#changed();
    this.#lags = this.#another();
  }

  /** Makes what the next change of the lag resolves. @returns {Promise<void>} */
  #another() {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }

  /**
   * Waits until a time is as long ago as the lag, by the monotonic clock.
   *
   * @param {number} at
   * @param {() => number} lag
   */
  async #wait(at, lag) {
    for (let left; (left = at + lag() - this.clock.mono()) > 0;) {
      const id = Symbol();
      const due = new Promise((/** @type {(v?: undefined) => void} */ resolve) => this.clock.start(id, left, resolve));
      await Promise.race([due, this.#lags]);
      this.clock.stop(id);
    }
  }

  /**
   * Has the program stop before its next write of a resource: neither its code nor its time runs on, as in a process or
   * a machine that is stopped, until proceed.
   *
   * @param {string} resource
   * @param {() => void} stopped is called then
   */
  stopBefore(resource, stopped) {
    this.#before = { resource, stopped };
  }

  /** The program is about to write something of that type: see parsePath. @param {string} type */
  writes(type) {
    if (!this.#before || type.split("/")[1] !== this.#before.resource) return;
    const { stopped } = this.#before;
    this.#before = null;
    this.pause(true);
    this.clock.hold(true);
    stopped();
  }

  /** Lets a program run on. What it was about to send is sent, then its timers fire. */
  proceed() {
    this.#before = null;
    this.pause(false);
    setTimeout(() => this.clock.hold(false));
  }

  /** Waits while it is paused. */
  pass() {
    return this.#open;
  }

  /**
   * Has what the program is asked wait, too.
   *
   * @param {Serve} serve
   * @returns {Serve}
   */
  served(serve) {
    return (method, url, headers, body, sink) => {
      if (!this.#paused) return serve(method, url, headers, body, sink);
      let left = false;
      sink.cancel = () => {
        left = true;
        sink.fail("canceled");
      };
      this.pass().then(() => left || serve(method, url, headers, body, sink))
        .catch((error) => sink.fail(String(error)));
    };
  }

  /** Breaks all watches. */
  cut() {
    const reason = new TypeError("network error");
    for (const end of this.#watches) end(reason);
    this.#watches.clear();
  }

  /**
   * Reads a watch: each call returns a piece when the line lets it through. While there is a lag, what comes is read
   * ahead, so that each piece is late by the lag, and not by that of all before it.
   *
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader
   * @param {string} type of what is watched: see parsePath
   * @returns {() => Promise<ReadableStreamReadResult<Uint8Array>>}
   */
  reader(reader, type) {
    const lag = () => (this.#lagged === "" || type.split("/")[1] === this.#lagged ? this.#lag : 0);
    /** What was read, and when it came. @type {Promise<{got: ReadableStreamReadResult<Uint8Array>, at: number}>[]} */
    const pieces = [];
    const ahead = () => {
      const piece = reader.read().then((got) => ({ got, at: this.clock.mono() }));
      pieces.push(piece);
      piece.then(({ got }) => got.done || lag() === 0 || this.#paused || ahead(), () => {});
    };
    const next = async () => {
      if (pieces.length === 0) ahead();
      const { got, at } = await /** @type {(typeof pieces)[0]} */ (pieces.shift());
      if (got.value) await this.#wait(at, lag);
      await this.pass();
      return got;
    };
    return async () => {
      /** @type {(reason: unknown) => void} */
      let end = () => {};
      const broken = new Promise((_, reject) => {
        end = reject;
      });
      this.#watches.add(end);
      try {
        const got = await Promise.race([next(), broken]);
        return /** @type {ReadableStreamReadResult<Uint8Array>} */ (got);
      } finally {
        this.#watches.delete(end);
      }
    };
  }
}

/**
 * @param {(url: string, init?: any) => Promise<Response>} fetch
 * @param {string} program its name
 * @param {Line} line
 * @param {string} [label] what it is called, if there are several of that name
 * @returns {(url: string, init?: any) => Promise<Response>}
 */
export function programFetch(fetch, program, line, label = program) {
  const seen = new Seen();
  return async (url, init = {}) => {
    const { pathname, searchParams } = new URL(url);
    const { type, subresource } = parsePath(pathname);
    const writes = ![undefined, "GET", "HEAD"].includes(init.method);
    if (writes) line.writes(type);
    await line.pass();
    const headers = new Headers(init.headers);
    const watch = searchParams.get("watch") === "true";
    if (writes) {
      const agent = headers.get("user-agent") ?? "";
      const client = agent.startsWith(`${program}/`) ? clientOf(agent) : "";
      const id = `${label}/${client}~${seen.before(pathname, init.body ?? null)}`;
      const full = subresource && id.length + subresource.length < LONGEST ? `${id}~${subresource}` : id;
      if (full.length <= LONGEST) headers.set(EXPLAIN_HEADER, `?1;id=${full}`);
    }
    const response = await fetch(url, { ...init, headers });
    await line.pass();
    return watch && response.body ? watched(response, line, type, (m) => seen.event(pathname, m)) : response;
  };
}

/**
 * A watch whose events are seen as the program gets them.
 *
 * @param {Response} response
 * @param {Line} line
 * @param {string} type of what is watched: see parsePath
 * @param {Parameters<typeof eventReader>[0]} each
 */
function watched(response, line, type, each) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const take = /protobuf/.test(response.headers.get("content-type") ?? "") ? eventReader(each) : () => {};
  const next = line.reader(reader, type);
  const read = async () => {
    try {
      const got = await next();
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
