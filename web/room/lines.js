// @ts-check
/**
 * A stream of lines from a room: over a WebSocket, of which a browser opens many at once, whereas it opens but six
 * connections of HTTP/1.1 to a server; else by fetch.
 *
 * At the edge an idle room is not in memory and sends no beats, so the page sends pings itself: "ping" is answered by
 * "pong", which is a BEAT here. There, too, the room sends only as much as the page says that it has taken: the number
 * of bytes, as a message. Other hosts ignore that.
 *
 * @import { Room } from "../shim/link/room"
 */
import { BEARER_PROTOCOL, LINES_PROTOCOL } from "../../core/wellknown/wellknown.js";
import { urlForm } from "../browser/base64.js";

/** How long a WebSocket may take to open, in milliseconds. */
const OPENING = 5000;

/** The time between two pings, in milliseconds. A connection that brings nothing after two of them is lost. */
const PING = 15_000;
const MISSED = 2;
const BEAT = '{"type":"BEAT"}\n';

/** How many bytes are taken before it is said, and how long fewer may wait for that, in milliseconds. */
const TAKEN = 32 << 10;
const SOON = 2000;

/** The state of a WebSocket that is ending. */
const CLOSING = 2;

/**
 * Lines as they come, several joined if they come faster than they are taken. It throws when the connection is lost or
 * refused.
 *
 * @param {Pick<Room, "base" | "token">} room
 * @param {string} path relative to the room, with the query
 * @param {AbortSignal} signal
 * @param {typeof WebSocket} [Socket]
 * @param {typeof fetch} [get]
 * @returns {AsyncGenerator<string>}
 */
export async function* linesOf(room, path, signal, Socket = WebSocket, get = window.tabernetes.networkFetch) {
  const lines = await socketLines(room, path, signal, Socket);
  yield* lines ?? fetchedLines(room, path, signal, get);
}

/**
 * The same as an answer, over a WebSocket; null if that does not open: a request says why.
 *
 * @param {Pick<Room, "base" | "token">} room
 * @param {string} path relative to the room, with the query
 * @param {AbortSignal | null | undefined} signal
 * @param {typeof WebSocket} [Socket]
 */
export async function answerOf(room, path, signal, Socket = WebSocket) {
  const stop = new AbortController();
  const end = () => stop.abort();
  signal?.addEventListener("abort", end);
  const lines = await socketLines(room, path, stop.signal, Socket);
  if (!lines) return null;
  /** @type {UnderlyingDefaultSource<Uint8Array<ArrayBuffer>>} */
  const source = {
    async pull(controller) {
      const { done, value } = await lines.next();
      if (!done) controller.enqueue(encoder.encode(value));
      else {
        signal?.removeEventListener("abort", end);
        controller.close();
      }
    },
    cancel: end,
  };
  return new Response(new ReadableStream(source), { headers: { "Content-Type": "application/json" } });
}

/**
 * What a WebSocket brings; null if it does not open.
 *
 * @param {Pick<Room, "base" | "token">} room
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {typeof WebSocket} Socket
 * @returns {Promise<AsyncGenerator<string> | null>}
 */
async function socketLines(room, path, signal, Socket) {
  const url = (room.base + path).replace(/^http/, "ws");
  /** @type {WebSocket} */
  let socket;
  try {
    socket = new Socket(url, [LINES_PROTOCOL, BEARER_PROTOCOL + urlForm(btoa(room.token))]);
  } catch {
    return null;
  }
  let text = "";
  let over = false;
  let wake = () => {};
  let unanswered = 0; // pings, and nothing else since
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let pings;
  /** What is sent while it closes, before that is reported, is an error. @param {string} message */
  const send = (message) => {
    if (socket.readyState < CLOSING) socket.send(message);
  };
  const taken = new Taken((bytes) => send(String(bytes)));
  const end = () => {
    over = true;
    stop();
    wake();
    socket.close();
  };
  const stop = () => {
    clearInterval(pings);
    taken.stop();
  };
  signal.addEventListener("abort", end);
  const opened = await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), OPENING);
    socket.onopen = () => {
      clearTimeout(timer);
      pings = setInterval(() => {
        if (unanswered++ < MISSED) send("ping");
        else end();
      }, PING);
      resolve(true);
    };
    socket.onclose = () => {
      clearTimeout(timer);
      stop();
      over = true;
      resolve(false);
      wake();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return;
      unanswered = 0;
      if (data === "pong") text += BEAT;
      else {
        taken.waits(data);
        text += data.endsWith("\n") ? data : data + "\n";
      }
      wake();
    };
  });
  if (!opened) {
    end();
    signal.removeEventListener("abort", end);
    return null;
  }
  return (async function* () {
    try {
      for (;;) {
        while (!text && !over) await new Promise((resolve) => (wake = () => resolve(undefined)));
        if (!text) return;
        const now = text;
        text = "";
        taken.take();
        yield now;
      }
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  })();
}

const encoder = new TextEncoder();

/** Counts what has come and what of it was taken, and says that. */
class Taken {
  #come = 0;
  #taken = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;

  /** @param {(bytes: number) => void} say */
  constructor(say) {
    this.say = say;
  }

  /** @param {string} message that has come */
  waits(message) {
    this.#come += encoder.encode(message).length;
  }

  /** All that has come is taken. */
  take() {
    this.#taken += this.#come;
    this.#come = 0;
    if (this.#taken >= TAKEN) this.#tell();
    else if (this.#taken > 0) this.#timer ??= setTimeout(() => this.#tell(), SOON);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#taken = this.#come = 0;
  }

  #tell() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.say(this.#taken);
    this.#taken = 0;
  }
}

/**
 * @param {Pick<Room, "base" | "token">} room
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {typeof fetch} get
 * @returns {AsyncGenerator<string>}
 */
async function* fetchedLines(room, path, signal, get) {
  const headers = { Authorization: "Bearer " + room.token };
  const answer = await get(room.base + path, { headers, signal, credentials: "omit", referrerPolicy: "no-referrer" });
  if (!answer.ok || !answer.body) {
    await answer.body?.cancel();
    throw new Error(`the room answered ${answer.status}`);
  }
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      if (text) yield text;
    }
  } finally {
    await reader.cancel().catch(() => {}); // one that has failed is over
  }
}
