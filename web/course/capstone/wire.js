// @ts-check
// More than 400 lines: what happens to an exchange, from its request to its last chunk, is one class.
/**
 * The way between the client and the API servers: passes requests on, and treats what comes back as badly as the run
 * has drawn it. Chunks are joined or split, streams are cut, versions disguised, requests refused. All that arrives is
 * reported to the judge at the instant at which the client has it.
 *
 * @import { HeaderBlock, Sink } from "../../../wasm/protocol"
 * @import { Delivered, Exchange } from "./exchange.js"
 * @import { Header } from "./protocol"
 * @import { Treatment } from "./levels.js"
 * @import { World } from "./world.js"
 */
import { HEADER_PREFIX, REPLICA_HEADER } from "../../../core/wellknown/wellknown.js";
import { readBlock, writeBlock } from "../../../wasm/host/headers.js";
import { Transfer, place, split } from "./transfer.js";
import { observed } from "./truth.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Whether a header is not one of the project's own. @param {Header} header */
const notOwn = ([name]) => !name.toLowerCase().startsWith(HEADER_PREFIX.toLowerCase());

/** What the network says to a client whose connection fails. */
const FAILED = "Failed to fetch";
const BROKEN = "network error";

/** What a server says whose history does not go back as far. */
const FORGOTTEN = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "too old resource version",
  reason: "Expired",
  code: 410,
};

/** What is said to requests for anything but the collection and its objects. */
const FORBIDDEN = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "a reflector only reads its collection",
  reason: "Forbidden",
  code: 403,
};

export class Wire {
  /** @type {Map<number, Transfer>} */ #open = new Map();
  /** Whether nothing gets through. */ outage = false;
  /** How often a request was refused running. */ #refused = 0;
  #expired = 0;

  /** @param {World} world @param {Treatment} treatment */
  constructor(world, treatment) {
    this.world = world;
    this.treatment = treatment;
    this.draw = world.draw.part("wire");
  }

  #latency() {
    const [least, most] = this.treatment.latency;
    return this.draw.int(least, most);
  }

  /** Takes a request of the client. @param {Exchange} x */
  request(x) {
    const { world, draw, treatment } = this;
    const p = new Transfer(x);
    this.#open.set(x.id, p);
    const there = world.now + this.#latency();
    if (this.outage) {
      world.agenda.put(there, () => this.#fail(p, FAILED, "failed"));
      return;
    }
    if (world.rough && this.#refused < 2 && draw.chance(treatment.refuse) && x.kind !== "other") {
      this.#refused++;
      world.agenda.put(there, () => this.#refuse(p));
      return;
    }
    this.#refused = 0;
    world.agenda.put(there, () => this.#forward(p));
  }

  /** The client does not want an answer any longer. @param {Exchange} x */
  cancel(x) {
    const p = this.#open.get(x.id);
    if (p) this.#over(p, "cancelled");
  }

  /** Everything that is open breaks off. @param {boolean} [all] requests as well, not only streams */
  cutAll(all = false) {
    for (const p of [...this.#open.values()]) if (all || p.x.streaming) this.#break(p, all || this.draw.chance(0.5));
  }

  /** @param {Transfer} p @param {Exchange["over"]} how */
  #over(p, how) {
    if (!this.#open.delete(p.x.id)) return;
    p.closed = true;
    p.sink?.cancel?.();
    p.x.over = how;
    p.x.overAt = this.world.now;
    this.world.over(p.x);
  }

  /** @param {Transfer} p @param {string} why @param {Exchange["over"]} how */
  #fail(p, why, how) {
    if (!this.#open.has(p.x.id)) return;
    this.#over(p, how);
    this.world.tell({ type: "fail", id: p.x.id, message: why });
  }

  /**
   * The connection breaks now.
   *
   * @param {Transfer} p
   * @param {boolean} loud whether the client gets an error, or an end
   */
  #break(p, loud) {
    if (!this.#open.has(p.x.id)) return;
    if (loud || !p.opened) return this.#fail(p, p.opened ? BROKEN : FAILED, "cut");
    this.#over(p, "cut");
    this.world.tell({ type: "end", id: p.x.id });
  }

  /** A server has no time for it, or fails. @param {Transfer} p */
  #refuse(p) {
    const { draw } = this;
    const status = draw.pick([429, 500, 503, 504]);
    const retry = status === 504 ? 0 : draw.int(2, 9);
    const reason = { 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout" }[status];
    const details = retry ? { retryAfterSeconds: retry } : {};
    const message = "the server cannot do this now";
    const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details,
      code: status };
    /** @type {Header[]} */
    const headers = [["content-type", "application/json"]];
    if (retry) headers.push(["retry-after", String(retry)]);
    this.#whole(p, status, headers, body);
  }

  /** @param {Transfer} p */
  #forward(p) {
    const { x } = p;
    const { world, draw, treatment } = this;
    if (!this.#open.has(x.id)) return;
    if (this.outage) return this.#fail(p, FAILED, "failed");
    if (x.kind === "other") return this.#whole(p, 403, [["content-type", "application/json"]], FORBIDDEN);
    const query = new URLSearchParams(x.query);
    for (const name of ["resourceVersion", "continue"]) {
      const shown = query.get(name);
      if (shown) query.set(name, world.disguise.real(shown));
    }
    if (x.kind === "watch") {
      const cap = treatment.timeout && draw.int(...treatment.timeout);
      if (cap) query.set("timeoutSeconds", String(Math.min(cap, Number(query.get("timeoutSeconds") ?? cap) || cap)));
      p.mode = draw.pick(treatment.chunks);
      if (world.rough && draw.chance(treatment.cut.chance)) {
        p.cut = { after: draw.int(0, treatment.cut.most), part: draw.chance(0.6) ? draw.float() : 0,
          quiet: draw.chance(0.4) };
      }
    }
    if (x.kind === "watch" && x.placed && world.rough && draw.chance(treatment.forgets)) {
      // Its history starts again, as after a restart.
      this.#head(p, 200, "content-type: application/json\n");
      this.#lines(p, JSON.stringify({ type: "ERROR", object: FORGOTTEN }) + "\n");
      return this.#end(p);
    }
    x.server = draw.int(0, world.servers - 1);
    x.epoch = world.truth.epoch;
    const text = query.toString();
    const headers = x.headers.filter(notOwn);
    headers.push([REPLICA_HEADER, String(x.server)]);
    /** @type {Sink} */
    const sink = (p.sink = {
      whole: (status, block, body) => this.#answer(p, status, block, body),
      head: (status, block) => this.#head(p, status, block),
      chunk: (bytes) => this.#lines(p, p.decoder.decode(bytes, { stream: true })),
      end: () => this.#end(p),
      fail: () => this.#break(p, true),
    });
    world.cluster.serve("GET", x.path + (text && "?" + text), writeBlock(headers), null, sink);
    if (p.closed) sink.cancel?.();
  }

  /**
   * A whole answer from the server.
   * @param {Transfer} p
   * @param {number} status
   * @param {HeaderBlock} block
   * @param {Uint8Array} bytes
   */
  #answer(p, status, block, bytes) {
    if (p.closed) return;
    if (p.x.kind === "watch" && status === 200) {
      // A stream that ended before it was flushed.
      this.#head(p, status, block);
      this.#lines(p, decoder.decode(bytes));
      return this.#end(p);
    }
    const headers = readBlock(block);
    let body;
    try {
      body = JSON.parse(decoder.decode(bytes));
    } catch {
      body = null; // another representation
    }
    this.#whole(p, status, headers, body, bytes);
  }

  /**
   * Sends an answer of one part.
   *
   * @param {Transfer} p
   * @param {number} status
   * @param {Header[]} headers
   * @param {any} body null if it is not JSON
   * @param {Uint8Array} [bytes] of the body, as the server sent them
   */
  #whole(p, status, headers, body, bytes) {
    const { x } = p;
    const { world } = this;
    p.closed = true;
    if (body) world.disguise.cover(body);
    const out = body && (world.disguise.changes || !bytes) ? encoder.encode(JSON.stringify(body))
      : new Uint8Array(bytes ?? []);
    p.clear = Math.max(world.now, p.clear) + this.#latency();
    world.agenda.put(p.clear, () => {
      if (!this.#open.has(x.id)) return;
      this.#opened(p, status, headers, body);
    });
    const pieces = x.kind === "list" && this.treatment.chunks.includes("split")
      ? split(this.draw, out, this.draw.int(1, 4)) : [out];
    for (const bytes of pieces) this.#sendAt(p, (p.clear += 1), bytes, () => {});
    world.agenda.put(++p.clear, () => {
      if (!this.#open.has(x.id)) return;
      if (x.kind === "list" && status === 200 && body?.metadata) {
        const { resourceVersion: version = "", continue: token = "", remainingItemCount: remaining = 0 } =
          body.metadata;
        x.page = { version, token, items: body.items?.length ?? 0, remaining };
      }
      this.#over(p, "ended");
      world.tell({ type: "end", id: x.id });
      if (x.page?.token && !x.probe) this.#between();
    });
  }

  /** Something happens between two pages. */
  #between() {
    const { world, draw, treatment } = this;
    if (!world.rough) return;
    if (draw.chance(treatment.between)) for (let n = draw.int(1, 3); n > 0; n--) world.writers.write();
    if (this.#expired < 2 && draw.chance(treatment.expire)) {
      this.#expired++;
      world.writers.other();
      world.compact();
    }
  }

  /**
   * @param {Transfer} p
   * @param {number} status
   * @param {Header[]} headers
   * @param {any} body a Status, if there is one
   */
  #opened(p, status, headers, body = null) {
    const { x } = p;
    p.opened = true;
    x.status = status;
    x.answeredAt = this.world.now;
    const retry = headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1];
    if (retry) x.retryAfter = Number(retry);
    if (status >= 400) {
      x.reason = body?.reason ?? "";
      x.offered = body?.metadata?.continue ?? "";
      const causes = body?.details?.causes ?? [];
      x.tooLarge = causes.some((/** @type {any} */ c) => c.reason === "ResourceVersionTooLarge");
    }
    this.world.answered(x);
    this.world.tell({ type: "head", id: x.id, status, headers: headers.filter(notOwn) });
  }

  /** A stream begins. @param {Transfer} p @param {number} status @param {HeaderBlock} block */
  #head(p, status, block) {
    const { world } = this;
    p.clear = world.now + this.#latency();
    world.agenda.put(p.clear, () => {
      if (this.#open.has(p.x.id) && !p.converted) this.#opened(p, status, readBlock(block));
    });
    if (p.cut.after === 0 && p.cut.part === 0) this.#cutOff(p);
  }

  /** Lines of a stream. @param {Transfer} p @param {string} text */
  #lines(p, text) {
    const lines = (p.rest + text).split("\n");
    p.rest = lines.pop() ?? "";
    for (const line of lines) if (!p.closed) this.#line(p, line);
    if (!p.closed) this.#flush(p);
  }

  /** @param {Transfer} p @param {string} line */
  #line(p, line) {
    const { world, draw } = this;
    const { x } = p;
    const event = x.kind === "watch" ? JSON.parse(line) : null;
    const mark = event?.object?.metadata?.annotations?.["k8s.io/initial-events-end"] === "true";
    if (event?.type === "BOOKMARK" && !mark && !this.treatment.bookmarks) return;
    if (event?.type === "ERROR" && event.object.code === 410 && p.count === 0 && !p.opened &&
      draw.chance(this.treatment.goneStatus)) {
      p.converted = true;
      this.#whole(p, 410, [["content-type", "application/json"]], event.object);
      return;
    }
    if (event && world.disguise.on) {
      world.disguise.cover(event.object);
      line = JSON.stringify(event);
    }
    const bytes = encoder.encode(line + "\n");
    if (p.count === p.cut.after) {
      const part = p.cut.part === 0 ? 0 : place(draw, bytes, p.cut.part);
      if (part > 0) p.waiting.push({ bytes: bytes.slice(0, part), event: null });
      return this.#cutOff(p);
    }
    p.count++;
    p.waiting.push({ bytes, event: event && this.#delivered(event, mark, x) });
    if (p.count === p.cut.after && p.cut.part === 0) this.#cutOff(p);
  }

  /** @param {any} event @param {boolean} mark @param {Exchange} x @returns {Delivered} */
  #delivered(event, mark, x) {
    const { type, object } = event;
    const version = String(object?.metadata?.resourceVersion ?? "");
    const named = type !== "BOOKMARK" && type !== "ERROR";
    const revision = (/** @type {string} */ v) => this.world.disguise.revision(v);
    const { key, uid } = named ? observed(object, revision) : { key: "", uid: "" };
    const state = named && (x.initial || !x.placed) && !x.events.some((e) => e.mark);
    const said = { reason: String(object?.reason ?? ""), code: Number(object?.code ?? 0) };
    return { type, version, rev: revision(version), key, uid, ...said, state, mark, pieces: 0, shared: false, at: -1,
      taken: false };
  }

  /** Cuts a stream behind what was passed on. @param {Transfer} p */
  #cutOff(p) {
    p.closed = true;
    p.sink?.cancel?.();
    this.#flush(p, true);
    this.world.agenda.put(++p.clear, () => {
      if (!this.#open.has(p.x.id)) return;
      this.world.fault(`the connection of request ${p.x.id} is cut`);
      this.#break(p, !p.cut.quiet);
    });
  }

  /** The server has ended its answer. @param {Transfer} p */
  #end(p) {
    if (p.closed) return;
    p.closed = true;
    this.#flush(p, true);
    this.world.agenda.put(++p.clear, () => {
      if (!this.#open.has(p.x.id)) return;
      this.#over(p, "ended");
      this.world.tell({ type: "end", id: p.x.id });
    });
  }

  /** Sends what waits, in the chunks that were drawn for this stream. @param {Transfer} p @param {boolean} [last] */
  #flush(p, last = false) {
    const { world, draw } = this;
    if (p.waiting.length === 0) return;
    if (p.mode === "joined" && !last) {
      if (p.flushing) return;
      p.flushing = true;
      world.agenda.put(world.now + draw.int(50, 3000), () => {
        p.flushing = false;
        this.#flush(p, true);
      });
      return;
    }
    /** @type {Uint8Array[]} */ const parts = [];
    let at = p.sent;
    for (const { bytes, event } of p.waiting) {
      if (event) p.spans.push({ event, start: at, end: at + bytes.length });
      parts.push(bytes);
      at += bytes.length;
    }
    p.waiting = [];
    const all = new Uint8Array(at - p.sent);
    for (let i = 0, to = 0; i < parts.length; to += parts[i++].length) all.set(parts[i], to);
    const pieces = p.mode === "split" ? split(draw, all, draw.int(1, 4)) : [all];
    p.clear = Math.max(p.clear, world.now + this.#latency());
    for (const bytes of pieces) {
      const start = p.sent;
      p.sent += bytes.length;
      const end = p.sent;
      this.#sendAt(p, (p.clear += draw.int(1, pieces.length > 1 ? 400 : 1)), bytes, () => this.#arrived(p, start, end));
    }
  }

  /** @param {Transfer} p @param {number} at @param {Uint8Array<ArrayBuffer>} bytes @param {() => void} arrived */
  #sendAt(p, at, bytes, arrived) {
    this.world.agenda.put(at, () => {
      if (!this.#open.has(p.x.id)) return;
      this.world.tell({ type: "chunk", id: p.x.id, bytes });
      arrived();
    });
  }

  /**
   * The bytes of a stream from start to end are with the client.
   * @param {Transfer} p
   * @param {number} start
   * @param {number} end
   */
  #arrived(p, start, end) {
    const inside = p.spans.filter((s) => s.start < end && s.end > start);
    for (const s of inside) {
      s.event.pieces++;
      if (inside.length > 1) s.event.shared = true;
      if (s.end > end) continue;
      s.event.at = this.world.now;
      p.x.events.push(s.event);
      this.world.delivered(p.x, s.event);
    }
    p.spans = p.spans.filter((s) => s.end > end);
  }
}
