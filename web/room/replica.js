// @ts-check
/**
 * A replica of the room that the page is in, in a separate worker. It replays the room's relay, and the lab reads it
 * as it reads the cluster in the tab: each member takes one stream of the room, and what the lab looks at costs the
 * room nothing. Part of the bundle of room.js.
 *
 * Invariants: a replica is asked for nothing before it has a whole snapshot, nor while it is behind what the page has
 * seen of the room. When it cannot follow, the room itself is asked.
 *
 * @import { Room } from "../shim/link/room"
 */
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { Fork } from "./fork.js";
import { linesOf } from "./lines.js";

const RELAY = "apis/sandbox.tabernetes.dev/v1/rooms/default/relay";

/** How long a reader waits for a replica that is behind, in milliseconds. */
const PATIENCE = 3000;

/** The wait between two streams, in milliseconds: it doubles, up to a bound, and begins again with a line. */
const WAIT = 250;
const LONGEST = 15_000;

/**
 * @typedef {object} Replayed how far a replica has come: see core/room/replica
 * @property {string} [cluster]
 * @property {string} [rights]
 * @property {number} [revision]
 * @property {string} [ended]
 */

export class Replica {
  /** @type {Replayed} */ #at = {};
  /** Called when the replica has come further, or cannot. @type {Set<() => void>} */ #waiting = new Set();
  /** Whether there is no use in waiting: the last stream has failed. */ #failed = false;
  #stop = new AbortController();

  /**
   * @param {Room} room
   * @param {Pick<Fork, "client" | "fetch" | "close" | "problem">} fork that is a replica
   * @param {typeof linesOf} [open]
   * @param {number} [wait]
   */
  constructor(room, fork, open = linesOf, wait = WAIT) {
    this.room = room;
    this.fork = fork;
    this.open = open;
    this.wait = wait;
    this.#run();
  }

  /** The connection to it. */
  get client() {
    return this.fork.client;
  }

  /** The uid of the cluster that is copied, "" before one is: after a reset it is another one. */
  get cluster() {
    return this.#at.cluster ?? "";
  }

  /**
   * Resolves to whether the replica can answer as of a revision, which it may take some time to get to.
   *
   * @param {number} revision
   * @param {number} [patience]
   * @returns {Promise<boolean>}
   */
  reached(revision, patience = PATIENCE) {
    const there = () => Boolean(this.#at.cluster) && (this.#at.revision ?? 0) >= revision;
    if (there() || this.#failed) return Promise.resolve(there());
    return new Promise((resolve) => {
      const look = (/** @type {boolean} */ over) => {
        if (!over && !there() && !this.#failed) return;
        clearTimeout(timer);
        this.#waiting.delete(again);
        resolve(there());
      };
      const again = () => look(false);
      const timer = setTimeout(() => look(true), patience);
      this.#waiting.add(again);
    });
  }

  /** Ends it. */
  close() {
    this.#stop.abort();
    this.#failed = true;
    this.#tell();
    this.fork.close();
  }

  #tell() {
    for (const look of [...this.#waiting]) look();
  }

  /** Follows the room until the replica is closed. */
  async #run() {
    const { signal } = this.#stop;
    for (let wait = this.wait; !signal.aborted && !this.fork.problem; ) {
      let lines = 0;
      try {
        await this.#follow(() => lines++);
      } catch {
        // It is tried again, and until then the room is asked.
      }
      if (signal.aborted) return;
      if (lines > 0) wait = this.wait;
      else this.#failed = true;
      this.#tell();
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(2 * wait, LONGEST);
    }
    this.#failed = true;
    this.#tell();
  }

  /** Replays one stream to its end. @param {() => void} heard is called for what has come */
  async #follow(heard) {
    const { cluster = "", rights = "", revision = 0 } = this.#at;
    const query = cluster ? "?" + new URLSearchParams({ cluster, rights, since: String(revision) }) : "";
    let begin = "?begin=1";
    for await (const body of this.open(this.room, RELAY + query, this.#stop.signal)) {
      heard();
      const answer = await this.fork.fetch(CONTROL_PLANE + "/replay" + begin, { method: "POST", body });
      begin = "";
      if (!answer.ok) {
        this.#at = {}; // what it has does not continue: the next stream begins with a snapshot
        return;
      }
      const at = /** @type {Replayed} */ (await answer.json());
      if (at.cluster) this.#at = at;
      this.#failed = false;
      this.#tell();
      if (at.ended) return;
    }
  }
}

/**
 * Begins a replica of a room.
 *
 * @param {Room} room
 * @param {WebAssembly.Module} module the compiled program of a cluster
 */
export const follow = (room, module) => new Replica(room, new Fork(module, true));
