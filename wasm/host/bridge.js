// @ts-check
/**
 * The JavaScript half of the bridge: requests cross into Go as numbers, and as bytes in a buffer, and replies come so.
 * Each object or string costs some 4 µs more. See ../PROTOCOL.md.
 *
 * @import { Api, GoApi, GoServe, Replies, Serve, Sink } from "../protocol"
 */

/** How much a buffer holds, in bytes: beyond it, making one array costs less than to copy twice. */
const SIZE = 16 << 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Bridge {
  #requests = new Uint8Array(SIZE);
  #replies = new Uint8Array(SIZE);
  /** Who takes the replies to requests, by their numbers. @type {Map<number, Sink>} */ #sinks = new Map();
  /** The last request's number. */ #last = 0;
  /** How many calls of Go have not returned. */ #calls = 0;
  /** The bytes of the last chunk. @type {any} */ #chunk;

  /** What Go finds. @type {Replies} */
  host = {
    requests: this.#requests,
    replies: this.#replies,
    whole: (id, status, headers, body) => {
      const text = this.#text(headers);
      this.#ended(id)?.whole(status, text, this.#bytes(body, headers));
    },
    head: (id, status, headers) => this.#sinks.get(id)?.head(status, this.#text(headers)),
    chunk: (id, bytes) => {
      if (bytes !== 0) this.#chunk = this.#bytes(bytes);
      this.#sinks.get(id)?.chunk(this.#chunk);
    },
    end: (id) => this.#ended(id)?.end(),
    fail: (id, message) => this.#ended(id)?.fail(message),
  };

  /** What the host calls, of what Go gave to ready. @param {GoApi} go @returns {Api} */
  api(go) {
    const served = (/** @type {GoServe} */ into) => this.#served(into, go.control);
    return {
      ...go,
      serve: served(go.serve),
      resume: served(go.resume),
      owner: go.owner && served(go.owner),
      teacher: go.teacher && served(go.teacher),
    };
  }

  /** @param {GoServe} into @param {GoApi["control"]} control @returns {Serve} */
  #served(into, control) {
    return (method, url, headers, body, sink) => {
      const id = ++this.#last;
      this.#sinks.set(id, sink);
      sink.pull = (bytes) => control(id, bytes);
      sink.cancel = () => control(id, -1);
      // A line feed ends the first line: no URL brings headers.
      const head = `${method} ${url}`.replaceAll("\n", " ") + "\n" + headers;
      // Within another call, Go may not have read what is in the buffer.
      const { read, written } = this.#calls++ ? { read: 0, written: 0 } : encoder.encodeInto(head, this.#requests);
      const whole = read === head.length;
      const fits = whole && body !== null && written + body.length <= SIZE;
      if (fits) this.#requests.set(body, written);
      into(id, whole ? written : head, fits ? body.length : (body ?? 0)); // it throws only if Go has ended
      this.#calls--;
    };
  }

  /** @param {number} id */
  #ended(id) {
    const sink = this.#sinks.get(id);
    this.#sinks.delete(id);
    return sink;
  }

  /** @param {number | string} text */
  #text(text) {
    return typeof text === "string" ? text : decoder.decode(this.#replies.subarray(0, text));
  }

  /** @param {number | Uint8Array<ArrayBuffer>} bytes @param {number | string} after */
  #bytes(bytes, after = 0) {
    const from = typeof after === "number" ? after : 0;
    return typeof bytes === "number" ? this.#replies.slice(from, from + bytes) : bytes;
  }
}
