// @ts-check
/**
 * The tabs of one cluster. The one that owns the saved cluster leads: its worker has the API server, which the others
 * reach through a separate channel (wasm/host/channel.js). When it is closed, the browser gives the lock on the
 * cluster to one of them, which opens what was saved: all that was acknowledged. Requests that were open then fail, as
 * when a server is restarted.
 *
 * Tabs find each other on a channel that all of them hear. A tab that follows holds a lock with its id, so that the one
 * that leads learns of its end, however that comes.
 *
 * @typedef {{type: "leads"} | {type: "restart"} | {type: "stopped", reason: string}
 *   | {type: "keeps", persistent: boolean}
 *   | {type: "hello", id: string, page: string} | {type: "here", id: string, persistent: boolean}
 *   | {type: "names", names: [string, string][]}} Said
 * @import { Channel } from "../../wasm/host/channel.js"
 */
import { hold } from "./ownership.js";

/** The version of what is said: tabs of others are not heard. */
const FORM = 1;

/**
 * @typedef {object} Config
 * @property {string} cluster
 * @property {string} page how servers call this page
 * @property {LockManager} locks
 * @property {(name: string) => Channel} channel
 * @property {(names: Map<string, string>) => void} named gets the names of all tabs, by page
 */

/**
 * @typedef {object} Following what a tab that follows gets
 * @property {(persistent: boolean) => void} here there is a tab that leads: it serves this one once its server runs.
 *   Whether what is written is kept is known by then; it is called again
 * @property {() => void} lost another one leads from now on, or the same with another server
 * @property {(reason: string) => void} stopped the server has crashed
 */

/** This tab, among the others. */
export class Tabs {
  #hall;
  /** Has the server serve a channel, or give it up, where this tab leads.
   * @type {((name: string, on: boolean) => void) | null} */
  #connect = null;
  #restart = () => {};
  #persistent = false;
  /** Those that follow, where this tab leads, by their ids. @type {Map<string, {page: string, name: string}>} */
  #others = new Map();
  /** What this tab gets and its id, where it follows. @type {(Following & {id: string}) | null} */
  #following = null;
  /** Lets go of the lock of this tab's id. */
  #release = () => {};
  #closed = false;

  /** @param {Config} config */
  constructor(config) {
    this.config = config;
    this.#hall = config.channel(this.#name("hall"));
    this.#hall.onmessage = ({ data }) => this.#hear(data);
  }

  /** @param {string} what */
  #name(what) {
    return `tabernetes:tabs:${FORM}:${this.config.cluster}:${what}`;
  }

  /** @param {Said} m */
  #say(m) {
    if (!this.#closed) this.#hall.postMessage(m);
  }

  /** @param {Said} m */
  #hear(m) {
    switch (m.type) {
      case "leads":
        return this.#following?.lost();
      case "stopped":
        return this.#following?.stopped(m.reason);
      case "here":
        return void (m.id === this.#following?.id && this.#following.here(m.persistent));
      case "keeps":
        return this.#following?.here(m.persistent);
      case "hello":
        return void (this.#connect && this.#welcome(m.id, m.page));
      case "restart":
        return void (this.#connect && this.#restart());
      case "names":
        return this.config.named(new Map(m.names));
    }
  }

  /**
   * Leads from now on, with a server that starts: tabs that followed are asked to say hello again.
   *
   * @param {(name: string, on: boolean) => void} connect has the server serve the channel of that name, or give it up
   * @param {() => void} restart somebody asks for another server
   */
  lead(connect, restart) {
    this.#leave();
    this.#connect = connect;
    this.#restart = restart;
    this.#told();
    this.#say({ type: "leads" });
  }

  /** Says whether what is written is kept, where this tab leads. @param {boolean} persistent */
  keeps(persistent) {
    this.#persistent = persistent;
    if (this.#connect) this.#say({ type: "keeps", persistent });
  }

  /** Says that the server has crashed, where this tab leads. @param {string} reason */
  stopped(reason) {
    if (this.#connect) this.#say({ type: "stopped", reason });
  }

  /** @param {string} id @param {string} page */
  #welcome(id, page) {
    const connect = this.#connect;
    const name = this.#name(id);
    connect?.(name, true);
    this.#others.set(id, { page, name: this.#free() });
    this.#say({ type: "here", id, persistent: this.#persistent });
    this.#told();
    // It is granted when the other tab is gone.
    this.config.locks.request(name, () => {
      if (this.#connect !== connect) return;
      connect?.(name, false);
      this.#others.delete(id);
      this.#told();
    }).catch(() => {});
  }

  /** The first name that no tab has. */
  #free() {
    const taken = new Set([...this.#others.values()].map(({ name }) => name));
    let n = 2;
    while (taken.has(`tab ${n}`)) n++;
    return `tab ${n}`;
  }

  #told() {
    /** @type {[string, string][]} */
    const names = [[this.config.page, "tab 1"], ...[...this.#others.values()].map(
      ({ page, name }) => /** @type {[string, string]} */ ([page, name]))];
    this.config.named(new Map(names));
    this.#say({ type: "names", names });
  }

  /**
   * Follows the tab that leads. Returns the channel to its server.
   *
   * @param {Following} following
   * @returns {Promise<Channel>}
   */
  async follow(following) {
    this.#leave();
    const id = Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join("");
    const mine = (this.#following = { ...following, id });
    const channel = this.config.channel(this.#name(id));
    const release = await hold(this.config.locks, this.#name(id));
    if (this.#following === mine) {
      this.#release = release;
      this.#say({ type: "hello", id, page: this.config.page });
    } else release(); // it was left meanwhile
    return channel;
  }

  /** Asks the tab that leads to start its server again, if that has crashed. */
  askRestart() {
    this.#say({ type: "restart" });
  }

  #leave() {
    this.#release();
    this.#release = () => {};
    this.#following = null;
    this.#connect = null;
    this.#others.clear();
  }

  /** The page is left, or works on a copy. */
  close() {
    this.#leave();
    this.#closed = true;
    this.#hall.close();
  }
}
