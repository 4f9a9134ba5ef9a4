// @ts-check
/**
 * Forks of the present cluster: clusters in memory, each in a separate worker,
 * to try something without touching the person's. A separate bundle, fetched when
 * it is first needed. See "A fork" in wasm/PROTOCOL.md.
 *
 * @import { FromWorker, ToWorker } from "../../wasm/protocol"
 */
import { CONTROL_PLANE, EXPLAIN_HEADER } from "../../core/wellknown/wellknown.js";
import { Client } from "../../wasm/host/client.js";
import { writeBlock } from "../../wasm/host/headers.js";
import { fileURL } from "../browser/files.js";
import { apiURL } from "../shim/apiurl.js";
import { notLoaded } from "../browser/late.js";
import { messageOf } from "../browser/status.js";

/** How far time is moved for a request that waits, in seconds: as long as a read waits for its cache. */
const STEP = 3;

/** How often time is moved for one request, before it is given up. */
const STEPS = 3;

/** How long the page may be hidden before its forks are closed, in milliseconds. */
const HIDDEN = 60_000;

/** @param {Response} response */
async function must(response) {
  if (response.ok) return response;
  throw new Error(`${response.status} ${messageOf(await response.text(), 200)}`);
}

/**
 * The present cluster, as forks are made of it. It rejects with the reason if the cluster does not give it.
 *
 * @returns {Promise<Blob>}
 */
export async function takeSnapshot() {
  const { target } = window.tabernetes; // a replica of a room gives none
  return (await must(await window.tabernetes.fetch(CONTROL_PLANE + "/snapshot",
    { tabernetes: { quiet: true, target, owner: true } }))).blob();
}

/**
 * Makes a fork. It rejects with the reason if that cannot be started, or the snapshot cannot be read.
 *
 * @param {Blob} snapshot
 * @returns {Promise<Fork>}
 */
export async function makeFork(snapshot) {
  const body = await snapshot.arrayBuffer();
  const fork = new Fork(await window.tabernetes.module);
  try {
    await must(await fork.fetch(CONTROL_PLANE + "/snapshot",
      { method: "PUT", body, headers: { "Content-Type": "application/octet-stream" }, owner: true }));
    const plane = await (await must(await fork.fetch(CONTROL_PLANE, { owner: true }))).json();
    fork.revision = plane.status.revision;
    return fork;
  } catch (error) {
    fork.close();
    throw fork.problem ? new Error(fork.problem) : error;
  }
}

export class Fork {
  /** The revision that it began with: that of the snapshot. */ revision = 0;
  /** Why it has ended by itself, or "". */ problem = "";
  /** Called when it is closed. */ onclose = () => {};
  #worker;
  #client;

  /**
   * @param {WebAssembly.Module} module
   * @param {boolean} [replica] it replays a room and takes no writes
   */
  constructor(module, replica = false) {
    const { port1, port2 } = new MessageChannel();
    const died = (/** @type {string} */ why) => {
      this.problem ||= why;
      this.close();
    };
    this.#client = new Client(port1, died);
    const worker = (this.#worker = new Worker(fileURL("worker.js")));
    worker.onerror = (event) => {
      event.preventDefault();
      notLoaded();
      died(event.message || "the worker could not be started");
    };
    worker.onmessage = (/** @type {MessageEvent<FromWorker>} */ { data: m }) => {
      if (m.type === "crashed") died(m.reason);
      else if (m.type === "webhook") {
        const error = "a fork does not call webhooks";
        this.#post({ type: "answered", id: m.id, status: 0, body: null, error });
      }
    };
    const wasmExec = fileURL("wasm_exec.js");
    this.#post({ type: "start", cluster: "", owner: false, onDamage: "refuse", wasmExec, port: port2, store: null,
      replica }, [port2]);
    this.#post({ type: "module", module });
  }

  /** The connection to it. */
  get client() {
    return this.#client;
  }

  /** A further connection to it, for a program in a worker, which has its clock. @param {string} program */
  connect(program) {
    const { port1, port2 } = new MessageChannel();
    this.#post({ type: "connect", port: port2, program }, [port2]);
    return port1;
  }

  /** A program has ended. @param {string} program */
  disconnect(program) {
    this.#post({ type: "disconnect", program });
  }

  /** As Tabernetes.setKubelets. @param {MessagePort | null} port */
  setKubelets(port) {
    this.#post({ type: "kubelets", port }, port ? [port] : []);
  }

  /** @param {ToWorker} m @param {Transferable[]} [transfer] */
  #post(m, transfer = []) {
    this.#worker.postMessage(m, transfer);
  }

  /**
   * Sends a request to the fork, as the page's fetch does to the present cluster.
   *
   * @param {string} path with the query
   * @param {{method?: string, headers?: HeadersInit, body?: string | ArrayBuffer, signal?: AbortSignal,
   *   owner?: boolean}} [init] an ArrayBuffer is given away
   * @returns {Promise<Response>}
   */
  fetch(path, { method = "GET", headers, body, signal, owner } = {}) {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body).buffer : (body ?? null);
    const { href: url } = apiURL(path, location.href) ?? new URL(path, location.href); // "/" is not the page's
    return this.#client.fetch({ method, url, headers: writeBlock(new Headers(headers)), body: bytes, signal, owner });
  }

  /** Resolves when the fork has done all that it can do without time passing. */
  async #idle() {
    await (await this.fetch("/version")).arrayBuffer();
  }

  /**
   * Sends a request and resolves to its whole answer. The fork's clock is moved for a read that waits. Of a watch the
   * answer is what has come when nothing more is under way; then it is ended. The fork's clock has to stand, as it is
   * this that moves it.
   *
   * @param {string} method
   * @param {string} path
   * @param {string} type the Content-Type of the body, if there is one
   * @param {string} body
   * @returns {Promise<{status: number, headers: string, body: string}>} the headers as lines of "name: value"
   */
  async ask(method, path, type, body) {
    const stop = new AbortController();
    /** @type {Record<string, string>} */
    const headers = { [EXPLAIN_HEADER]: "1" };
    if (type) headers["Content-Type"] = type;
    let answered = false;
    const answer = this.fetch(path, { method, headers, body: body || undefined, signal: stop.signal });
    answer.catch(() => {}).then(() => (answered = true));
    try {
      await this.#idle();
      for (let i = 0; !answered; i++) {
        if (i === STEPS) throw new Error(`there was no answer after ${STEP * STEPS} s of the fork's time`);
        const advance = { method: "POST", headers: { "Content-Type": "application/json" },
          body: `{"seconds":${STEP}}`, owner: true };
        await must(await this.fetch(CONTROL_PLANE + "/advance", advance));
        await this.#idle();
      }
      const response = await answer;
      return { status: response.status, headers: writeBlock(response.headers), body: await this.#read(response) };
    } catch (error) {
      throw this.problem ? new Error(this.problem) : error;
    } finally {
      stop.abort();
    }
  }

  /** Reads a body to its end, or to where it stops. @param {Response} response */
  async #read(response) {
    if (!response.body) return "";
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    let pieces = 0;
    let ended = false;
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += decoder.decode(value, { stream: true });
        pieces++;
      }
    })();
    reading.catch(() => {}).then(() => (ended = true)); // that it is ended from here is no fault
    for (let seen = -1; !ended && seen !== pieces; ) {
      seen = pieces;
      await this.#idle();
    }
    return text;
  }

  /** Ends the fork. What it has not answered fails. */
  close() {
    this.#worker.terminate();
    this.#client.close(this.problem || "the fork was closed");
    this.onclose();
  }
}

/**
 * Calls f when an element is hidden, or the page is for long.
 *
 * @param {Element} element
 * @param {() => void} f
 */
export function whenLeft(element, f) {
  new MutationObserver(() => element.hasAttribute("hidden") && f()).observe(element, { attributeFilter: ["hidden"] });
  /** @type {any} */
  let timer = 0;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(f, HIDDEN);
  });
}
