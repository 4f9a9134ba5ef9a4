// @ts-check
/**
 * The WebSockets of a room. They outlive the object's memory: an idle room, with however many followers, is no object
 * in memory and costs nothing. When it wakes, each stream continues, for its client without a break.
 *
 * What members show and report, which is not stored, is in the attachments of their sockets: it lasts as long as
 * one of them, and the room has the same epoch after it has slept.
 *
 * A socket has attached to it what is needed for that: what it streams, the hash of the token, the position, and how
 * much the client has not taken yet. What is not certain to continue where it was is closed with 1012, so that the
 * client comes back: a stream other than follow and relay, a relay within its snapshot, a client that takes nothing.
 * One whose token or member is gone is closed with 1008, and a stream that ends with 1000.
 *
 * Costs: a socket that is not used costs nothing; one that is attached, what its stream costs in Go. A message writes
 * the attachment in memory.
 *
 * @import { Socket, State } from "cloudflare:workers"
 * @import { Program } from "./program.js"
 * @import { Kept } from "./lasting.js"
 */
import { LINES_PROTOCOL, WINDOW } from "../../../core/wellknown/wellknown.js";
import { ANEW, NORMAL, LastingStream, attach, close, take } from "./lasting.js";
import { asksForSocket, protocolOf } from "./socket.js";

/** The streams that can continue. They are asked for without beats, which would wake the room. */
const LASTING = /^\/apis\/sandbox\.tabernetes\.dev\/v1\/rooms\/default\/(relay|follow)$/;

/** How long a URL is at most that is kept. */
const MAX_URL = 500;

/** What clients send to see whether the connection is there, and what the engine answers without waking the room. */
const PING = "ping";
const PONG = "pong";

/** How long ago a client has pinged at most, if it ever did, in milliseconds. Hidden pages do so once a minute. */
const SILENCE = 150_000;

const OPEN = 1; // readyState

export class Sockets {
  /** The streams that are attached to the program. @type {Map<Socket, LastingStream>} */ #streams = new Map();
  /** @type {Program | null} */ #attached = null;

  /** @param {State} ctx */
  constructor(ctx) {
    this.ctx = ctx;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Attaches all sockets to a program, unless that was done. @param {Program} program */
  attach(program) {
    if (this.#attached === program) return;
    this.#attached = program;
    this.#streams.clear(); // those of another program were closed
    for (const socket of this.ctx.getWebSockets()) {
      if (socket.readyState === OPEN) this.#resume(program, socket);
    }
  }

  /** Lines from which a program that starts learns what members show and report. */
  live() {
    const lines = new Set();
    for (const socket of this.ctx.getWebSockets()) {
      const kept = socket.readyState === OPEN ? /** @type {Kept | null} */ (socket.deserializeAttachment()) : null;
      if (!kept?.live) continue;
      for (const line of [kept.live.hello, kept.live.show, kept.live.progress]) if (line) lines.add(line);
    }
    return [...lines].join("");
  }

  /** @param {Program} program @param {Socket} socket */
  #resume(program, socket) {
    const kept = /** @type {Kept | null} */ (socket.deserializeAttachment());
    const url = kept && urlOf(kept);
    if (!kept || !url || kept.unread >= WINDOW || this.#silent(socket)) {
      close(socket, ANEW, "the room has restarted: reconnect");
      return;
    }
    program.resume(kept.hash, url, (ended) => {
      const stream = new LastingStream({ kept, socket, ended: () => (this.#streams.delete(socket), ended()) });
      this.#streams.set(socket, stream);
      return stream;
    });
  }

  /** Whether a client that used to ping has gone. @param {Socket} socket */
  #silent(socket) {
    const pinged = this.ctx.getWebSocketAutoResponseTimestamp(socket);
    return pinged !== null && Date.now() - pinged.getTime() > SILENCE;
  }

  /**
   * What takes the answer to a request for a WebSocket.
   *
   * @param {Kept} kept
   * @returns {(ended: () => void, rest: () => void) => LastingStream}
   */
  stream(kept) {
    return (ended, rest) => {
      /** @type {Socket | undefined} */
      let socket;
      /** @param {LastingStream} stream */
      const accept = (stream) => {
        const pair = new WebSocketPair();
        socket = /** @type {Socket} */ (/** @type {unknown} */ (pair[1]));
        this.ctx.acceptWebSocket(socket);
        this.#streams.set(socket, stream);
        const headers = { "Sec-WebSocket-Protocol": LINES_PROTOCOL };
        const init = /** @type {ResponseInit} */ ({ status: 101, webSocket: pair[0], headers });
        return { socket, response: new Response(null, init) };
      };
      return new LastingStream({
        kept,
        rest,
        accept,
        ended: () => {
          if (socket) this.#streams.delete(socket);
          ended();
        },
      });
    };
  }

  /** A client has sent a message. @param {Socket} socket @param {string | ArrayBuffer} message */
  message(socket, message) {
    if (typeof message !== "string" || !/^\d{1,9}$/.test(message)) return;
    const stream = this.#streams.get(socket);
    if (stream) {
      stream.taken(Number(message));
      return;
    }
    const kept = /** @type {Kept | null} */ (socket.deserializeAttachment());
    if (kept && take(kept, Number(message)) > 0) attach(socket, kept);
  }

  /** A client has left. It returns whether others have to learn it. @param {Socket} socket */
  closed(socket) {
    const stream = this.#streams.get(socket);
    const kept = /** @type {Kept | null} */ (socket.deserializeAttachment());
    this.#streams.delete(socket);
    close(socket, NORMAL, "");
    stream?.left();
    const others = this.ctx.getWebSockets().some((other) => other !== socket && other.readyState === OPEN);
    return !stream && others && Boolean(kept?.url.includes("/follow"));
  }

  /** Closes the sockets that no program streams to. */
  closeIdle() {
    for (const socket of this.ctx.getWebSockets()) {
      if (!this.#streams.has(socket)) close(socket, ANEW, "the room is restarting");
    }
  }
}

/** The URL with which a stream continues; "" if it cannot. @param {Kept} kept */
function urlOf(kept) {
  if (!kept.url || !kept.url.includes("/relay")) return kept.url;
  if (!kept.at?.since) return "";
  const { cluster, rights, since } = kept.at;
  return `${kept.url}&${new URLSearchParams({ cluster, rights, since: String(since) })}`;
}

/**
 * What Go is asked for by a request that wants such a WebSocket, and what is to be kept; null if it wants none.
 *
 * @param {Request} request
 * @param {string} url as the client sees it
 * @returns {Promise<{url: string, kept: Kept} | null>}
 */
export async function wanted(request, url) {
  if (!asksForSocket(request) || protocolOf(request) !== LINES_PROTOCOL) return null;
  const { headers } = request;
  const token = (headers.get("Authorization") ?? "").trim().split(" ")[1] ?? "";
  const hash = await sha256(token);
  const asked = new URL(url);
  const kept = { url: "", hash, unread: 0 };
  if (LASTING.test(asked.pathname)) {
    asked.searchParams.set("beats", "false");
    const lasting = `${asked.origin}${asked.pathname}?beats=false`;
    // Who acts for somebody else says so in headers, which are not kept.
    if (token && lasting.length <= MAX_URL && !headers.has("Impersonate-User")) kept.url = lasting;
  }
  return { url: asked.href, kept };
}

/** @param {string} token */
async function sha256(token) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
