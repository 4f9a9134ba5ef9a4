// @ts-check
/**
 * The requests of processes: the page makes them, with its fetch, so they go where the page's go, with the same rights,
 * and are in its log.
 *
 * Invariants:
 *   - A body is read only as far as the process has asked for: who reads slowly slows the server down.
 *   - When a process ends, or the command that a request is for is interrupted, the request is aborted at once.
 *   - The header COMMAND, by which the shell says what command its request is for, does not leave the page.
 *
 * @import { Sink, HeaderBlock } from "../../../wasm/protocol"
 * @import { Process } from "./process.js"
 */
import { WINDOW } from "../../../core/wellknown/wellknown.js";
import { readBlock, writeBlock } from "../../../wasm/host/headers.js";
import { servePort } from "../../../wasm/host/serve.js";

/** The header by which the shell names a command: SESSION/COMMAND. */
const COMMAND = "tabernetes-command";

/** What the page's log calls them. */
const ORIGIN = "terminal";

/**
 * @typedef {object} Asked a request that a process has made
 * @property {number} pid
 * @property {number} session
 * @property {number} command
 * @property {number} id that of the page's log; 0 if it is not of the API
 * @property {string} method
 * @property {string} url
 */

/** @typedef {(url: string, init: any) => Promise<Response>} Fetch the page's */

/** Whether something belongs to an input; 0 is of each. @param {number} its @param {number} [command] */
export const of = (its, command) => !its || !command || its === command;

export class Requests {
  /** @type {Set<{session: number, command: number, stop: AbortController}>} */ #open = new Set();

  /** @param {Fetch} fetch @param {(asked: Asked) => void} tell reports each request when it is made */
  constructor(fetch, tell) {
    this.fetch = fetch;
    this.tell = tell;
  }

  /** Makes the requests that a process sends through a port. @param {MessagePort} port @param {Process} process */
  serve(port, process) {
    servePort(port, (method, url, block, body, sink) => this.#serve(process, method, url, block, body, sink));
    process.requests.signal.addEventListener("abort", () => port.close());
  }

  /**
   * Aborts what the commands of a session have asked for.
   *
   * @param {number} session
   * @param {number} [command] of this input only
   */
  interrupt(session, command) {
    for (const open of this.#open) {
      if (open.session === session && of(open.command, command)) open.stop.abort(new Error("interrupted"));
    }
  }

  /**
   * @param {Process} process
   * @param {string} method
   * @param {string} url
   * @param {HeaderBlock} block
   * @param {Uint8Array | null} body
   * @param {Sink} sink
   */
  #serve(process, method, url, block, body, sink) {
    let { session, command } = process;
    const headers = readBlock(block).filter(([name, value]) => {
      if (name.toLowerCase() !== COMMAND) return true;
      [session, command] = value.split("/").map(Number);
      return false;
    });
    const stop = new AbortController();
    const { signal } = process.requests;
    const onabort = () => stop.abort(signal.reason);
    signal.addEventListener("abort", onabort);
    if (signal.aborted) onabort();
    const open = { session, command, stop };
    this.#open.add(open);
    let credit = WINDOW;
    let wake = () => {};
    sink.cancel = () => stop.abort(new Error("the process does not want the answer"));
    sink.pull = (bytes) => {
      credit += bytes;
      wake();
    };
    stop.signal.addEventListener("abort", () => wake());
    let id = 0;
    const told = () => this.tell({ pid: process.pid, session, command, id, method, url });
    // The log gives the request its number while it is being made: nothing of it has happened before.
    const note = {
      origin: ORIGIN,
      root: true, // as kubectl get --raw / and curl localhost expect it
      get id() {
        return id;
      },
      set id(number) {
        id = number;
        told();
      },
    };
    const run = async () => {
      const response = await this.fetch(url, { method, headers, body, signal: stop.signal, tabernetes: note });
      if (id === 0) told(); // a file of the site
      sink.head(response.status, writeBlock(response.headers));
      const reader = response.body?.getReader();
      stop.signal.addEventListener("abort", () => {
        reader?.cancel(stop.signal.reason).catch(() => {}); // it may have failed already
      });
      while (reader) {
        while (credit <= 0 && !stop.signal.aborted) await new Promise((resolve) => (wake = () => resolve(null)));
        const { done, value } = await reader.read();
        stop.signal.throwIfAborted();
        if (done) break;
        credit -= value.length;
        sink.chunk(value.slice());
      }
      sink.end();
    };
    run()
      .catch((error) => sink.fail(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        this.#open.delete(open);
        signal.removeEventListener("abort", onabort);
      });
  }
}
