// @ts-check
/**
 * The learner's side of the line to the judge: makes of its messages what reflect or reconcile is called with. Runs in
 * the sandboxed frame (frame.js), and in tests in the judge's own thread (local.js).
 *
 * Bodies are read by the code here and not by the engine, so that all that a client does with an answer happens in
 * microtasks: that is how idle is known without waiting. What came before a stream broke off is read before it fails.
 *
 * @import { FromGuest, Header, Known, Reconcile, Reflect, StoreCall, Task, ToGuest } from "./protocol"
 */

const NULL_BODY = new Set([101, 103, 204, 205, 304]);

/** So many turns of the event loop in a row without a call make a client idle. */
const QUIET = 2;

/** So many turns it is waited for at most: one that never rests is idle too. */
const TURNS = 64;

/** How much of what is printed is kept, in characters. */
const PRINTED = 500;

/**
 * The line of the learner's code in which something was thrown, as the stack says it; 0 if it does not.
 *
 * @param {string} stack
 */
export function lineOf(stack) {
  // V8 says data:...:3:5, WebKit and Firefox reflect@data:...:3:5.
  const at = /data:text\/javascript[^\s]*?:(\d+):\d+\)?$/m.exec(stack);
  return at ? Number(at[1]) : 0;
}

/** A value as text, as consoles show it. @param {unknown} value */
export function shown(value) {
  if (typeof value === "string") return value;
  if (value instanceof Error) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** What a body is read from. */
class Body {
  /** @type {Uint8Array<ArrayBuffer>[]} */ #chunks = [];
  /** How it ended: not yet, well, or with an error. @type {"" | "end" | {error: unknown}} */ #end = "";
  /** @type {(() => void) | null} */ #wake = null;
  /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ stream;

  /** @param {() => void} cancel */
  constructor(cancel) {
    this.stream = new ReadableStream(
      {
        pull: async (controller) => {
          if (this.#chunks.length === 0 && !this.#end)
            await new Promise((resolve) => (this.#wake = () => resolve(null)));
          const chunk = this.#chunks.shift();
          if (chunk) controller.enqueue(chunk);
          else if (this.#end === "end") controller.close();
          else if (this.#end) controller.error(this.#end.error);
        },
        cancel,
      },
      { highWaterMark: 0 },
    );
  }

  #changed() {
    this.#wake?.();
    this.#wake = null;
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  add(bytes) {
    this.#chunks.push(bytes);
    this.#changed();
  }

  end() {
    this.#end ||= "end";
    this.#changed();
  }

  /** @param {unknown} error @param {boolean} atOnce whether what has come is lost */
  fail(error, atOnce) {
    if (atOnce) this.#chunks = [];
    this.#end ||= { error };
    this.#changed();
  }
}

/** Reads a body to its end. @param {Response} response */
async function bytesOf(response) {
  /** @type {Uint8Array[]} */ const chunks = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** @param {number} status @param {Header[]} headers @param {ReadableStream | null} stream @param {string} url */
function respond(status, headers, stream, url) {
  const response = new Response(NULL_BODY.has(status) ? null : stream, { status, headers });
  const text = async () => new TextDecoder().decode(await bytesOf(response));
  Object.defineProperties(response, {
    url: { value: url },
    type: { value: "basic" },
    text: { value: text },
    json: { value: async () => JSON.parse(await text()) },
    bytes: { value: () => bytesOf(response) },
    arrayBuffer: { value: async () => (await bytesOf(response)).buffer },
  });
  return response;
}

/**
 * A request on its way.
 *
 * @typedef {object} Call
 * @property {string} url
 * @property {(r: Response) => void} resolve
 * @property {(e: unknown) => void} reject
 * @property {Body | null} body
 * @property {() => void} off no longer listens to the request's signal
 */

export class Guest {
  #abort = new AbortController();
  /** @type {Map<number, Call>} */ #calls = new Map();
  /** @type {Map<number, () => void>} */ #sleeps = new Map();
  #last = 0;
  /** How often the code was imported again. */ #life = 0;
  /** How many calls the client has made. */ #made = 0;
  #post;
  #hop;
  /** The cluster's time in milliseconds, as far as it is known here. */ now = 0;

  /**
   * @param {(m: FromGuest) => void} post
   * @param {() => Promise<void>} hop resolves at the next turn of the event loop
   */
  constructor(post, hop) {
    this.#post = (/** @type {FromGuest} */ m) => {
      this.#made++;
      post(m);
    };
    this.#hop = hop;
  }

  /** Says what the code prints. @param {unknown[]} values */
  print(values) {
    this.#post({ type: "print", text: values.map(shown).join(" ").slice(0, PRINTED) });
  }

  /** Calls reflect. @param {Reflect} reflect @param {string} path */
  run(reflect, path) {
    return this.#call(() => reflect(this.task(path)));
  }

  /** Calls reconcile. @param {Reconcile} reconcile @param {Known} known */
  reconcile(reconcile, known) {
    const life = this.#life;
    /** What was begun before a restart does nothing any longer. @type {<T>(act: () => Promise<T>) => Promise<T>} */
    const alive = (act) => (life === this.#life ? act() : new Promise(() => {}));
    return this.#call(() => reconcile({ ...known, fetch: (input, init) => alive(() => this.#fetch(input, init)),
      sleep: (seconds) => alive(() => this.sleep(seconds)) }));
  }

  /** Drops what the code has begun: it is imported again. */
  restart() {
    this.#life++;
    this.#calls.clear();
    this.#sleeps.clear();
  }

  /** Calls the code and says how it has ended. @param {() => Promise<void>} call */
  async #call(call) {
    const life = this.#life;
    let error = null;
    try {
      await call();
    } catch (e) {
      const known = e instanceof Error || e instanceof DOMException;
      const stack = known ? String(e.stack ?? "") : "";
      error = known ? { name: e.name, message: e.message, stack, line: lineOf(stack) }
        : { name: "Error", message: String(e), stack, line: 0 };
    }
    if (life === this.#life) this.#post({ type: "settled", error });
  }

  /** @param {ToGuest} m */
  receive(m) {
    switch (m.type) {
      case "head": {
        const call = this.#calls.get(m.id);
        if (!call) return;
        call.body = new Body(() => this.#cancel(m.id));
        call.resolve(respond(m.status, m.headers, call.body.stream, call.url));
        break;
      }
      case "chunk":
        this.#calls.get(m.id)?.body?.add(m.bytes);
        break;
      case "end":
        this.#take(m.id)?.body?.end();
        break;
      case "fail": {
        const call = this.#take(m.id);
        const error = new TypeError(m.message);
        call?.reject(error);
        call?.body?.fail(error, false);
        break;
      }
      case "wake":
        this.#sleeps.get(m.id)?.();
        this.#sleeps.delete(m.id);
        break;
      case "abort":
        this.#abort.abort();
        break;
      case "turn":
        this.now = m.now;
        this.#rest(m.n);
        break;
    }
  }

  /** Ends the bookkeeping of a request. @param {number} id */
  #take(id) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.off();
    return call;
  }

  /** @param {number} id */
  #cancel(id) {
    if (this.#take(id)) this.#post({ type: "cancel", id });
  }

  /** @param {number} n */
  async #rest(n) {
    let made = this.#made;
    for (let quiet = 0, turns = 0; quiet < QUIET && turns < TURNS; turns++) {
      await this.#hop();
      quiet = this.#made === made ? quiet + 1 : 0;
      made = this.#made;
    }
    this.#post({ type: "idle", n });
  }

  /** What reflect is called with. @param {string} path @returns {Task} */
  task(path) {
    const { signal } = this.#abort;
    /** @type {(c: StoreCall) => void} */
    const tell = (c) => this.#post({ type: "store", ...c });
    return {
      path,
      signal,
      fetch: (input, init) => this.#fetch(input, init),
      sleep: (seconds) => this.sleep(seconds),
      store: {
        replace: (objects, version) => tell({ call: "replace", objects, version }),
        put: (object, version) => tell({ call: "put", object, version }),
        remove: (object, version) => tell({ call: "remove", object, version }),
        progress: (version) => tell({ call: "progress", version }),
      },
    };
  }

  /** @param {number} seconds @returns {Promise<void>} */
  sleep(seconds) {
    const { signal } = this.#abort;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const id = ++this.#last;
      const stop = () => {
        this.#sleeps.delete(id);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#sleeps.set(id, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      this.#post({ type: "sleep", id, seconds: Number(seconds) });
    });
  }

  /** @param {string | URL | Request} input @param {RequestInit} [init] @returns {Promise<Response>} */
  #fetch(input, init = {}) {
    return new Promise((resolve, reject) => {
      const request = input instanceof Request ? input : null;
      const url = request ? request.url : String(input);
      const signal = init.signal ?? request?.signal ?? null;
      signal?.throwIfAborted();
      const id = ++this.#last;
      const stop = () => {
        const call = this.#calls.get(id);
        this.#cancel(id);
        reject(signal?.reason);
        call?.body?.fail(signal?.reason, true);
      };
      signal?.addEventListener("abort", stop);
      this.#calls.set(id, { url, resolve, reject, body: null, off: () => signal?.removeEventListener("abort", stop) });
      const headers = [...new Headers(init.headers ?? request?.headers)];
      this.#post({ type: "fetch", id, method: (init.method ?? request?.method ?? "GET").toUpperCase(), url, headers,
        ...(typeof init.body === "string" ? { body: init.body } : {}) });
    });
  }
}
