// @ts-check
/**
 * A stream of lines over a WebSocket: the lines that come at once are one text message, since what a message costs
 * hardly depends on its length.
 *
 * The engine keeps what a client does not read, so the client says how many bytes it has taken, with a message that is
 * a number: at least for every 64 KiB, and when nothing more comes. Go has credit for a window; a client that has taken
 * nothing of it for some time is closed.
 *
 * The socket outlives the program, and the object's memory: what is needed to continue is attached to it, with each
 * message. The position is that of the last line that was sent, whatever Go had made besides.
 *
 * @import { Socket } from "cloudflare:workers"
 * @import { HeaderBlock } from "../../protocol"
 */
import { WINDOW } from "../../../core/wellknown/wellknown.js";
import { readBlock } from "../../host/headers.js";
import { Exchange } from "./exchange.js";
import { join } from "./rows.js";
import { streamsLines } from "./socket.js";

/** How long a client may take nothing while all of its window waits for it, in milliseconds. */
export const SLOW = 30_000;

/** Why sockets are closed, in the numbers of RFC 6455. */
export const NORMAL = 1000;
const REFUSED = 1008; // coming back with the same token is of no use
const FAILED = 1011;
export const ANEW = 1012; // come back
const LATER = 1013;

/** How long the reason of a closing is at most, in bytes. */
const REASON = 120;

/**
 * What is attached to a socket.
 *
 * @typedef {object} Kept
 * @property {string} url what it streams, without the position; "": what cannot continue
 * @property {string} hash the SHA-256 hash of the token, in hexadecimal digits
 * @property {number} unread how many bytes the client has not taken yet
 * @property {{cluster: string, rights: string, since: number}} [at] the position in a relay
 * @property {{you: string, hello: string, show?: string, progress?: string}} [live] lines of a follow stream: the first
 *   one, and what the member itself shows and reports
 */

/** The lines of which something is noted: a position, which in a snapshot only its end tells, and those of News. */
const NOTED = /\{"type":"(?:(COMMIT|HIDDEN|SYNCED)","revision":(\d+)|HELLO",|SHOW",|PROGRESS",)/y;
const SYNCED = "SYNCED";
const HELLO = '{"type":"HELLO",';

const text = new TextDecoder();

/** An exchange that becomes a WebSocket when Go begins a stream. Other answers are those of HTTP. */
export class LastingStream extends Exchange {
  /** @type {Socket | null} */ #socket = null;
  /** The pieces of a line that is not whole. @type {Uint8Array<ArrayBuffer>[]} */ #pieces = [];
  /** How many bytes they have. */ #held = 0;
  /** What Go may still send, as it counts itself: WINDOW - kept.unread - #held + #lent. */ #credit = WINDOW;
  /**
   * What Go was given although the client has not taken it: what was sent before it began, and at least #held, since a
   * line may be longer than the window.
   */
  #lent = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #slow = undefined;

  /**
   * @param {object} parts
   * @param {Kept} parts.kept
   * @param {() => void} parts.ended is called once, when nothing more comes
   * @param {() => void} [parts.rest] is called when there is a WebSocket
   * @param {(stream: LastingStream) => {socket: Socket, response: Response}} [parts.accept] makes the WebSocket
   * @param {Socket} [parts.socket] one that is there already
   */
  constructor({ kept, ended, rest = () => {}, accept, socket }) {
    super(ended);
    this.kept = kept;
    this.rest = rest;
    this.accept = accept;
    if (socket) {
      this.#socket = socket;
      this.#lent = kept.unread;
    }
  }

  /** @param {number} status @param {HeaderBlock} headers @param {Uint8Array<ArrayBuffer>} bytes */
  whole(status, headers, bytes) {
    if (!this.#socket) super.whole(status, headers, bytes);
    else this.#close([401, 403, 404].includes(status) ? REFUSED : ANEW, messageOf(bytes));
  }

  /** @param {number} status @param {HeaderBlock} block */
  head(status, block) {
    const streams = streamsLines(status, new Headers(readBlock(block)));
    if (this.#socket && !streams) this.#close(ANEW, "there is no stream any more");
    if (this.done || this.#socket) return;
    if (!streams || !this.accept) {
      super.head(status, block);
      return;
    }
    let response;
    try {
      ({ socket: this.#socket, response } = this.accept(this));
    } catch (error) {
      super.fail(`there is no WebSocket: ${error}`);
      setTimeout(() => this.cancel?.());
      return;
    }
    this.#attach();
    this.passOn(response);
    this.rest();
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  chunk(bytes) {
    if (!this.#socket) {
      super.chunk(bytes);
      return;
    }
    if (this.done) return;
    this.#credit -= bytes.length;
    const end = bytes.lastIndexOf(10) + 1;
    if (end > 0) this.#send(end < bytes.length ? bytes.subarray(0, end) : bytes);
    if (this.done) return;
    if (end < bytes.length) {
      this.#hold(bytes.subarray(end));
      this.#lend();
    }
    this.#attach();
    if (this.#credit <= 0) this.#slow ??= setTimeout(() => this.#late(), SLOW);
  }

  end() {
    if (!this.#socket) super.end();
    else this.#close(NORMAL, "");
  }

  /** @param {string} message */
  fail(message) {
    if (!this.#socket) super.fail(message);
    else this.#close(FAILED, message);
  }

  /** The program is gone. */
  lost() {
    if (!this.#socket) super.lost();
    else this.#close(ANEW, "the room is restarting");
  }

  /** The request was given up: no concern of a WebSocket, of which left is called. */
  abort() {
    if (!this.#socket) super.abort();
  }

  /** The WebSocket is closed. */
  left() {
    if (this.done) return;
    this.finish();
    this.cancel?.();
  }

  /** The client has taken some bytes. @param {number} bytes */
  taken(bytes) {
    if (this.done) return;
    const some = take(this.kept, bytes);
    const back = Math.min(some, this.#lent - this.#held);
    this.#lent -= back;
    this.#attach();
    if (some > back) {
      this.#credit += some - back;
      this.pull?.(some - back);
    }
    if (some > 0 && this.#credit > 0) {
      clearTimeout(this.#slow);
      this.#slow = undefined;
    }
  }

  finish() {
    clearTimeout(this.#slow);
    this.#pieces = [];
    super.finish();
  }

  /** @param {Uint8Array<ArrayBuffer>} piece */
  #hold(piece) {
    this.#pieces.push(piece);
    this.#held += piece.length;
  }

  /** Sends what is held and more, up to the end of a line. @param {Uint8Array<ArrayBuffer>} bytes */
  #send(bytes) {
    const size = this.#held + bytes.length;
    const lines = linesOf(this.#held > 0 ? join([...this.#pieces, bytes], size) : bytes);
    this.#pieces = [];
    this.#held = 0;
    try {
      this.#socket?.send(lines.text);
    } catch {
      setTimeout(() => this.cancel?.()); // Go is not called back while it calls
      this.finish();
      return;
    }
    this.kept.unread += size;
    for (const news of lines.news) note(this.kept, news);
  }

  /** Gives Go credit for bytes that cannot be sent yet. */
  #lend() {
    const bytes = this.#held - this.#lent;
    if (bytes <= 0) return;
    this.#credit += bytes;
    this.#lent += bytes;
    queueMicrotask(() => {
      if (!this.done) this.pull?.(bytes);
    });
  }

  #late() {
    this.#close(LATER, `nothing of ${this.kept.unread} bytes was taken for ${SLOW / 1000} s`, true);
  }

  #attach() {
    if (this.#socket) attach(this.#socket, this.kept);
  }

  /** @param {number} code @param {string} reason @param {boolean} [cancel] whether Go is to end, too */
  #close(code, reason, cancel = false) {
    if (this.done || !this.#socket) return;
    this.finish();
    close(this.#socket, code, reason);
    if (cancel) this.cancel?.();
  }
}

/** @param {Socket} socket @param {Kept} kept */
export function attach(socket, kept) {
  // One that is too long does without what is shown; a client that has no attachment has to come back.
  for (const value of [kept, { ...kept, live: kept.live && { ...kept.live, show: undefined } }, null]) {
    try {
      socket.serializeAttachment(value);
      return;
    } catch {
      // It is too long, or the socket is closed.
    }
  }
}

/**
 * Notes that a client has taken some bytes, and returns how many those are.
 *
 * @param {Kept} kept
 * @param {number} bytes as it says
 */
export function take(kept, bytes) {
  const some = Number.isSafeInteger(bytes) ? Math.max(0, Math.min(bytes, kept.unread)) : 0;
  kept.unread -= some;
  return some;
}

/** Closes a socket, which does not continue. @param {Socket} socket @param {number} code @param {string} reason */
export function close(socket, code, reason) {
  try {
    socket.serializeAttachment(null);
    socket.close(code, reason.replace(/[^ -~]/g, "?").slice(0, REASON));
  } catch {
    // It is closed already.
  }
}

/** Notes what a line says of what the member does. @param {NonNullable<Kept["live"]>} live @param {string} line */
function own(live, line) {
  const { type, show, member, progress } = JSON.parse(line);
  if (type === "SHOW") live.show = show?.by === live.you ? line : undefined;
  else if (member === live.you) live.progress = progress ? line : undefined;
}

/**
 * What is to be noted of a line.
 *
 * @typedef {object} News
 * @property {string} line one that begins a stream, or of what a member does; else ""
 * @property {number} position
 * @property {boolean} synced whether it ends a snapshot
 */

/** What was read last: many streams send the same. @type {{bytes: Uint8Array, text: string, news: News[]}} */
let last = { bytes: new Uint8Array(), text: "", news: [] };

/** The text and the news of whole lines. @param {Uint8Array} bytes */
function linesOf(bytes) {
  if (last.bytes === bytes) return last;
  const all = text.decode(bytes);
  /** @type {News[]} */
  const news = [];
  for (let begin = 0, end; begin < all.length; begin = end) {
    end = all.indexOf("\n", begin) + 1;
    NOTED.lastIndex = begin;
    const found = NOTED.exec(all);
    if (!found) continue;
    const [, type, revision] = found;
    const latest = news.at(-1);
    if (!revision) news.push({ line: all.slice(begin, end), position: 0, synced: false });
    else if (type !== SYNCED && latest && !latest.line && !latest.synced) latest.position = Number(revision);
    else news.push({ line: "", position: Number(revision), synced: type === SYNCED });
  }
  last = { bytes, text: all, news };
  return last;
}

/** @param {Kept} kept @param {News} news */
function note(kept, { line, position, synced }) {
  if (line.startsWith(HELLO)) {
    const { cluster, rights, since = 0, epoch, you } = JSON.parse(line);
    if (cluster && rights) kept.at = { cluster, rights, since };
    if (epoch && you) kept.live = { ...kept.live, you, hello: line };
  } else if (line) {
    if (kept.live) own(kept.live, line);
  } else if (kept.at && (kept.at.since > 0 || synced)) {
    kept.at.since = position;
  }
}

/** @param {Uint8Array} bytes of a Status */
function messageOf(bytes) {
  try {
    return String(JSON.parse(text.decode(bytes)).message);
  } catch {
    return "";
  }
}
