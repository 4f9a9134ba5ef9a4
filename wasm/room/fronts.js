// @ts-check
/**
 * Runs the front, a Go program on github.com/syumai/workers. It decides what happens to a request. What it asks of a
 * room or of the site goes past it, both ways: the client's own headers and body to the room, and the answer as it is
 * to the client, with the headers that the front adds. So streams, WebSockets and the end of a connection are the
 * engine's, and a field with commas stays one.
 *
 * The package is made for programs that serve one request and end. These serve one at a time, and are kept for the
 * next: a new one costs ten times as much, and more than a megabyte. So none waits for what goes past it: there are as
 * many as decide at the same moment, however many requests a room has not answered yet.
 *
 * @import { Env } from "cloudflare:workers"
 * @import { Runtime } from "./object/timers.js"
 */
import { malformed } from "./malformed.js";
import { refuse } from "./object/status.js";

/** The host of what clients ask of a room: see front/front.go. */
const ROOM = "room.invalid";

/** The header with the address of the client: see ../api.go. */
const ADDRESS = "Tabernetes-Address";

/** How many programs wait for requests at most. */
const MOST = 8;

const scope = /** @type {{Go: new () => Runtime, context?: unknown, tryCatch: unknown}} */ (
  /** @type {unknown} */ (globalThis)
);

/** What the package calls so that an exception of JavaScript does not end Go. @param {() => unknown} call */
scope.tryCatch = (call) => {
  try {
    return { result: call() };
  } catch (error) {
    return { error };
  }
};

/** One running program. */
class Front {
  /** @type {Request | null} */ #request = null;
  /** @type {Promise<Response> | null} */ #passed = null;
  /** @type {{handleRequest?: (request: Request) => Promise<Response>}} */ #binding = {};
  /** Fails the request that is being answered. @type {(error: Error) => void} */ #fail = () => {};

  /** @param {WebAssembly.Module} module @param {Env} env @param {object} ctx */
  constructor(module, env, ctx) {
    const go = new scope.Go();
    const resume = go._resume.bind(go);
    go.exit = (code) => this.#fail(new Error(`the program has ended with code ${code}`));
    go._resume = () => {
      try {
        resume();
      } catch (error) {
        this.#fail(/** @type {Error} */ (error));
      }
    };
    const imports = { ...go.importObject, workers: { ready() {} } };
    const instance = new WebAssembly.Instance(module, imports);
    // The program takes this while it starts, which is over when run returns.
    scope.context = { env: this.#wrapped(env), ctx, binding: this.#binding };
    go.run(instance).catch((error) => console.error(error));
    delete scope.context;
  }

  /**
   * What happens to a request: the program's own answer, or one of somebody else, to which it adds headers.
   *
   * @param {Request} request
   * @returns {Promise<{answer: Response, passed: Promise<Response> | null}>}
   */
  async decide(request) {
    this.#request = request;
    this.#passed = null;
    try {
      const handle = this.#binding.handleRequest;
      if (!handle) throw new Error("it does not start");
      /** @type {Response} */
      const answer = await new Promise((resolve, reject) => {
        this.#fail = reject;
        handle(request).then(resolve, reject);
      });
      return { answer, passed: this.#passed };
    } finally {
      this.#request = this.#passed = null;
    }
  }

  /** What the program gets for an environment. @param {Env} env */
  #wrapped(env) {
    const site = {
      fetch: (/** @type {Request} */ asked) => this.#pass(env.ASSETS.fetch(this.#forward(asked)), "site"),
    };
    const rooms = {
      idFromName: (/** @type {string} */ name) => env.ROOMS.idFromName(name),
      get: (/** @type {unknown} */ id) => ({
        fetch: (/** @type {Request} */ asked) => {
          const room = env.ROOMS.get(id);
          if (new URL(asked.url).host !== ROOM) return room.fetch(asked);
          return this.#pass(room.fetch(this.#forward(asked)), "room");
        },
      }),
    };
    return { ...env, ASSETS: site, ROOMS: rooms };
  }

  /** The client's request, to the URL and with the headers that the program wants. @param {Request} asked */
  #forward(asked) {
    const request = new Request(asked.url, /** @type {Request} */ (this.#request));
    for (const [name, value] of asked.headers) request.headers.set(name, value);
    request.headers.set(ADDRESS, addressOf(/** @type {Request} */ (this.#request)));
    return request;
  }

  /**
   * Keeps an answer for the client; the program learns that there will be one.
   *
   * @param {Promise<Response>} response
   * @param {string} whose
   */
  async #pass(response, whose) {
    const none = `the ${whose} cannot be reached: try again later`;
    this.#passed = response.catch(() => refuse(503, "ServiceUnavailable", none, 5));
    return new Response(null);
  }
}

/**
 * The address of a client, "" if it is not known. An engine on this machine says it; that of an account sets a header,
 * whatever a client sends.
 *
 * @param {Request & {cf?: {clientIp?: string}}} request
 */
function addressOf(request) {
  return request.cf?.clientIp ?? request.headers.get("CF-Connecting-IP") ?? "";
}

/** Who may load a file: the site says it of its files (devserver/internal/site/embed.go), the front of all answers. */
const LOADED_BY = "cross-origin-resource-policy";

/** @param {Response} passed @param {Response} answer of the program, which has headers to add */
function merge(passed, answer) {
  if (passed.status === 101) return passed;
  const response = new Response(passed.body, passed);
  for (const [name, value] of answer.headers) {
    if (name !== LOADED_BY || !response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

export class Fronts {
  /** @type {Front[]} */ #idle = [];

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
  }

  /** @param {Request} request @param {Env} env @param {object} ctx */
  async answer(request, env, ctx) {
    // Neither Go nor the engine's own Request takes an invalid URL.
    const wrong = malformed(request);
    if (wrong) return refuse(400, "BadRequest", wrong);
    try {
      const front = this.#idle.pop() ?? new Front(this.module, env, ctx);
      const { answer, passed } = await front.decide(request);
      if (this.#idle.length < MOST) this.#idle.push(front);
      return passed ? merge(await passed, answer) : answer;
    } catch (error) {
      console.error(`the front has failed: ${error}`);
      return refuse(500, "InternalError", "the front has failed");
    }
  }
}
