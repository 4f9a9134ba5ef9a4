// @ts-check
/**
 * What the judge knows of one request of the client, and of its answer as the client has got it so far.
 *
 * @import { Header } from "./protocol"
 * @import { Observed } from "./truth.js"
 */

/**
 * An event that the client has got.
 *
 * @typedef {object} Delivered
 * @property {string} type
 * @property {string} version as the client sees it
 * @property {number} rev
 * @property {string} key of the object, "" if it has none
 * @property {string} uid
 * @property {string} reason of a Status
 * @property {number} code of a Status
 * @property {boolean} state whether it is part of the state that a watch without a version begins with
 * @property {boolean} mark whether it ends that state
 * @property {number} pieces how many chunks it came in
 * @property {boolean} shared whether one of them held something of another event too
 * @property {number} at when it was there, -1 before
 * @property {boolean} taken whether the store has it
 */

/**
 * A page of a list, as the client has got it.
 *
 * @typedef {object} Page
 * @property {string} version
 * @property {string} token for the rest, "" on the last one
 * @property {number} items
 * @property {number} remaining
 */

export class Exchange {
  /**
   * "get" is for a single object, "other" for what is not the collection.
   *
   * @type {"list" | "watch" | "get" | "other"}
   */
  kind = "other";
  /** A list of one object, which asks whether the cluster has reached a version. */ probe = false;
  /** Whether a watch is to begin with the state. */ initial = false;
  /** The version that is sent, or null. @type {string | null} */ version;
  /** @type {string} */ match;
  /** How many objects are asked for, or NaN. */ limit;
  /** The token that is sent. */ token;
  /** The server that it goes to. */ server = 0;
  /** The cluster's epoch at that moment. */ epoch = 0;

  status = 0;
  answeredAt = -1;
  /** In seconds, NaN without the header. */ retryAfter = NaN;
  /**
   * "" while it is under way; "cancelled" by the client.
   *
   * @type {"" | "ended" | "cut" | "failed" | "cancelled"}
   */
  over = "";
  overAt = -1;
  /** @type {Page | null} */ page = null;
  /** The first page of the list that this one is of. @type {Exchange} */ first = this;
  /** Why it was refused, of the Status. */ reason = "";
  tooLarge = false;
  /** The token for the rest, as of now, that a 410 offers. */ offered = "";
  /** @type {Delivered[]} */ events = [];
  /** Whether this is a list whose costs count. */ counts = false;

  /**
   * @param {number} id
   * @param {number} at
   * @param {string} method
   * @param {string} url
   * @param {Header[]} headers
   * @param {string} path of the collection
   */
  constructor(id, at, method, url, headers, path) {
    this.id = id;
    this.at = at;
    this.method = method;
    this.headers = headers;
    const parsed = new URL(url, "http://cluster");
    this.url = parsed.pathname + parsed.search;
    this.path = parsed.pathname;
    const q = (this.query = parsed.searchParams);
    this.version = q.get("resourceVersion");
    this.match = q.get("resourceVersionMatch") ?? "";
    this.limit = q.has("limit") ? Number(q.get("limit")) : NaN;
    this.token = q.get("continue") ?? "";
    if (method === "GET" && this.path === path) {
      this.kind = ["1", "true", ""].includes(q.get("watch") ?? "0") ? "watch" : "list";
      this.initial = this.kind === "watch" && ["1", "true"].includes(q.get("sendInitialEvents") ?? "0");
      this.probe = this.kind === "list" && this.limit === 1 && !!this.version && this.version !== "0" && !this.token;
    } else if (method === "GET" && this.path.startsWith(path + "/")) {
      this.kind = "get";
    }
  }

  /** Whether a version is sent that means a place, and not just any. */
  get placed() {
    return !!this.version && this.version !== "0";
  }

  /** Whether it was answered well and continues. */
  get streaming() {
    return this.kind === "watch" && this.over === "" && this.status === 200;
  }
}
