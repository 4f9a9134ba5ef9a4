// @ts-check
/**
 * Runs the API server in Go for one room. Several rooms may share the global scope, so each program finds its host
 * under its own name, which is the program's first argument.
 *
 * A program that ends or traps is not entered any more, and all its open requests are failed.
 *
 * @import { Api, Host } from "../../protocol"
 * @import { Runtime } from "./timers.js"
 */
import { Bridge } from "../../host/bridge.js";
import { Exchange } from "./exchange.js";
import { Timers } from "./timers.js";

const scope = /** @type {Record<string, unknown> & {Go: new () => Runtime}} */ (/** @type {unknown} */ (globalThis));

let programs = 0;

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? error.message : String(error));

export class Program {
  /** @type {Api | null} */ #api = null;
  /** @type {Set<Exchange>} */ #open = new Set();
  /** Why it has ended, "" while it runs. */ ended = "";

  /**
   * @param {WebAssembly.Module} module
   * @param {object} parts
   * @param {Omit<Host, "bridge" | "ready" | "damaged" | "webhook" | "copy">} parts.host
   * @param {(at: number) => void} parts.setAlarm
   * @param {(reason: string) => void} parts.died is called once
   */
  constructor(module, { host, setAlarm, died }) {
    this.module = module;
    this.host = host;
    this.died = died;
    this.go = new scope.Go();
    this.timers = new Timers(this.go, setAlarm);
    this.#guard();
  }

  /** Resolves when the program can answer. */
  async start() {
    const name = `tabernetesHost${++programs}`;
    this.go.argv = ["tabernetes", name];
    const instance = await WebAssembly.instantiate(this.module, this.go.importObject);
    /** @type {Promise<void>} */
    const ready = new Promise((resolve, reject) => {
      const bridge = new Bridge();
      /** @type {Host} */
      const host = {
        ...this.host,
        bridge: bridge.host,
        copy: null,
        damaged: (reason) => reject(new Error(reason)),
        webhook: (id) => this.#api?.answered(id, 0, null, "a room here calls no webhooks"),
        ready: (api) => {
          this.#api = bridge.api(api);
          resolve();
        },
      };
      scope[name] = host;
      this.go.run(instance).then(
        () => this.#end(new Error("the server has ended"), reject),
        (error) => this.#end(error, reject),
      );
    });
    try {
      await ready;
    } finally {
      delete scope[name];
    }
  }

  /**
   * Answers a request. Its signal cancels it.
   *
   * @param {Parameters<Api["serve"]> extends [...infer Call, any] ? Call : never} call
   * @param {Request} request
   * @param {(ended: () => void, rest: () => void) => Exchange} [make] what takes the answer. It may call rest before
   *   its end, when the room need not be kept awake for it any longer.
   * @param {(api: Api) => Api["serve"] | undefined} [by] what answers
   */
  serve(call, request, make = (ended) => new Exchange(ended, request), by = (api) => api.serve) {
    let awake = true;
    const rest = () => {
      if (awake) this.timers.end();
      awake = false;
    };
    this.timers.begin();
    const exchange = this.#begin((ended) => make(() => (ended(), rest()), rest));
    this.#enter(exchange, (api) => by(api)?.(...call, exchange));
    request.signal?.addEventListener("abort", () => exchange.abort());
    return exchange.response;
  }

  /** Answers with a new token of a teacher. @param {Request} request */
  teacher(request) {
    return this.serve(["POST", "/", "", null], request, undefined, (api) => api.teacher);
  }

  /**
   * Continues with a stream of somebody who has shown a token before. The room is not kept awake for it.
   *
   * @param {string} hash of the token
   * @param {string} url
   * @param {(ended: () => void) => Exchange} make what takes the answer
   */
  resume(hash, url, make) {
    const exchange = this.#begin(make);
    this.#enter(exchange, (api) => api.resume(hash, url, "", null, exchange));
  }

  /** @param {(ended: () => void) => Exchange} make */
  #begin(make) {
    const exchange = make(() => this.#open.delete(exchange));
    this.#open.add(exchange);
    return exchange;
  }

  /** @param {Exchange} exchange @param {(api: Api) => void} call */
  #enter(exchange, call) {
    try {
      if (!this.#api || this.ended) throw new Error(this.ended);
      call(this.#api);
    } catch (error) {
      this.#end(error);
      exchange.lost();
    }
  }

  /** Ends all requests. */
  async close() {
    this.#api?.close();
    await Promise.all([...this.#open].map((exchange) => exchange.over));
    this.timers.stop();
  }

  /** For tests: Go panics. */
  crash() {
    this.#api?.crash();
  }

  /** Has Go entered only while it runs, and notices a trap. */
  #guard() {
    const { go } = this;
    const resume = go._resume.bind(go);
    go._resume = () => {
      if (this.ended) return;
      try {
        resume();
      } catch (error) {
        this.#end(error);
      }
    };
  }

  /** @param {unknown} why @param {(error: Error) => void} [reject] */
  #end(why, reject) {
    reject?.(why instanceof Error ? why : new Error(words(why)));
    if (this.ended) return;
    this.ended = words(why);
    this.timers.stop();
    for (const exchange of this.#open) exchange.lost();
    this.died(this.ended);
  }
}
