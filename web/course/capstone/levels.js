// @ts-check
/**
 * The six levels: what a seed draws in each. A plan is drawn before the run and does not depend on the client; what
 * depends on its requests is drawn by the wire, from the treatment.
 *
 * @import { Kind } from "./writers.js"
 * @import { World } from "./world.js"
 */
import { Random } from "./random.js";
import { KINDS } from "./writers.js";

/**
 * How what comes from the servers is treated until all is calm. Pairs are the least and the most.
 *
 * @typedef {object} Treatment
 * @property {[number, number]} latency of each direction, in milliseconds
 * @property {("whole" | "joined" | "split")[]} chunks of a stream: one of these
 * @property {{chance: number, most: number}} cut how often a stream is cut, and after how many events at most
 * @property {[number, number] | null} timeout of the servers' own, in seconds
 * @property {boolean} bookmarks whether they get through
 * @property {number} goneStatus how often a 410 comes as a status
 * @property {number} forgets how often a server has lost its history when a watch is asked for
 * @property {number} refuse how often a request is refused
 * @property {number} between how often something is written between two pages
 * @property {number} expire how often a token expires then
 */

/** @typedef {{at: number, act: (world: World) => void}} Action at is in milliseconds since the client began */

/**
 * @typedef {object} Plan
 * @property {string} seed
 * @property {number} level
 * @property {Kind} kind
 * @property {number} objects
 * @property {any} spec of the ControlPlane
 * @property {boolean} opaque whether versions and tokens are random texts
 * @property {boolean} shuffle whether lists are in no order
 * @property {Treatment} treatment
 * @property {Action[]} actions
 * @property {number} calm when the last fault and write have been
 * @property {number} stop when signal is aborted
 */

export const LEVELS = [
  { level: 1, title: "calm", draws: "5 to 50 objects, 40 writes by two writers, other kinds in between" },
  { level: 2, title: "cut",
    draws: "streams that break, even in the middle of a line or a character; chunks of any size; short outages" },
  { level: 3, title: "gone",
    draws: "quiet periods that end in a restart, compacted history, 410 in both forms, bookmarks or none, " +
      "objects that are created again" },
  { level: 4, title: "large", draws: "1,253 objects, pages, writes between them, tokens that expire" },
  { level: 5, title: "unreliable",
    draws: "three servers, one late and one frozen; refusals; a long outage; versions that are not numbers" },
  { level: 6, title: "backup",
    draws: "the cluster is restored to an earlier state; servers that do not know resourceVersionMatch" },
];

/** How many objects there are at level 4. */
export const LARGE = 1253;

const SECOND = 1000;

/** Puts down what happens when. */
class Script {
  /** @type {Action[]} */ actions = [];
  /** Where the script has come to, in milliseconds. */ now = 2 * SECOND;

  /** @param {Random} draw */
  constructor(draw) {
    this.draw = draw;
  }

  /** @param {number} at @param {Action["act"]} act */
  put(at, act) {
    this.actions.push({ at: Math.round(at), act });
  }

  /** At some moment of the next seconds. @param {number} seconds @param {Action["act"]} act */
  within(seconds, act) {
    this.put(this.now + this.draw.float() * seconds * SECOND, act);
  }

  /** @param {number} seconds */
  wait(seconds) {
    this.now += seconds * SECOND;
  }

  /**
   * Writes within a time, some of them at the same instant, and others of other kinds.
   *
   * @param {number} writes
   * @param {number} others
   * @param {number} seconds
   */
  busy(writes, others, seconds) {
    const { draw } = this;
    for (let left = writes; left > 0; ) {
      const n = Math.min(left, draw.chance(0.25) ? draw.int(2, 4) : 1);
      left -= n;
      this.within(seconds, (w) => {
        for (let i = 0; i < n; i++) w.writers.write();
      });
    }
    for (let i = 0; i < others; i++) this.within(seconds, (w) => w.writers.other());
    this.wait(seconds);
  }

  /**
   * Nothing gets through for a time, in which something else may happen.
   * @param {number} seconds
   * @param {() => void} [meanwhile]
   */
  outage(seconds, meanwhile = () => {}) {
    const end = this.now + seconds * SECOND;
    this.put(this.now, (w) => {
      w.fault(`nothing gets through for ${seconds} s`);
      w.wire.outage = true;
      w.wire.cutAll(true);
    });
    meanwhile();
    this.put(end, (w) => {
      w.wire.outage = false;
      w.fault("requests get through again");
    });
    this.now = Math.max(this.now, end);
  }

  cut() {
    this.put(this.now, (w) => {
      w.fault("all streams are cut");
      w.wire.cutAll();
    });
  }

  /** All streams are cut, as the API server is restarted: versions of before are gone. */
  restart() {
    this.put(this.now, (w) => {
      w.wire.cutAll();
      w.restart();
    });
  }

  /** A write of another kind and forgetting all before it: versions of before are gone. */
  compact() {
    this.put(this.now, (w) => {
      w.writers.other();
      w.compact();
    });
  }

  /** Objects are deleted, and others made again under their names. @param {number} n @param {number} seconds */
  replace(n, seconds) {
    for (let i = 0; i < n; i++) this.within(seconds, (w) => w.writers.write(i % 2 === 0 ? "recreate" : "remove"));
  }
}

/** @type {Treatment} */
const GENTLE = {
  latency: [2, 30],
  chunks: ["whole"],
  cut: { chance: 0, most: 0 },
  timeout: null,
  bookmarks: true,
  goneStatus: 0,
  forgets: 0,
  refuse: 0,
  between: 0,
  expire: 0,
};

/** Settings that are the same in most levels. */
const SPEC = { history: { retentionSeconds: 3600 }, controllers: { enabled: false } };

/**
 * @typedef {{objects: number, spec?: any, treatment?: Partial<Treatment>, opaque?: boolean, shuffle?: boolean}} Drawn
 */

/** @type {Record<number, (draw: Random, script: Script) => Drawn>} */
const DRAWS = {
  1(draw, script) {
    script.busy(40, draw.int(15, 35), draw.int(600, 900));
    return { objects: draw.int(5, 50) };
  },

  2(draw, script) {
    for (let i = 0; i < 5; i++) {
      script.busy(8, draw.int(2, 5), draw.int(80, 160));
      if (i === 1 || i === 3) script.outage(draw.int(5, 45), () => script.busy(draw.int(1, 5), 1, 4));
      else script.cut();
    }
    /** @type {Treatment["chunks"]} */
    const chunks = ["whole", "joined", "split", "split"];
    return { objects: draw.int(5, 50), treatment: { chunks, cut: { chance: 0.6, most: 5 }, timeout: [20, 120] } };
  },

  3(draw, script) {
    const parts = draw.shuffled(["quiet", "away", "gone", "gone", "before", "busy"]);
    script.busy(8, 4, 90);
    for (const part of parts) {
      if (part === "quiet") {
        const long = draw.int(400, 900);
        for (let s = 0; s < long; s += draw.int(15, 50)) script.put(script.now + s * SECOND, (w) => w.writers.other());
        script.wait(long);
        script.restart();
      } else if (part === "away") {
        script.outage(draw.int(20, 120), () => script.replace(draw.int(2, 5), 15));
      } else if (part === "gone") {
        // During or after: the history may go before all was written that the client misses.
        script.outage(draw.int(20, 120), () => {
          script.replace(draw.int(3, 6), 8);
          if (draw.chance(0.5)) script.wait(4);
          script.compact();
        });
        if (draw.chance(0.3)) script.compact();
      } else if (part === "before") {
        script.compact();
        script.wait(1);
        script.cut();
      }
      script.busy(draw.int(4, 8), draw.int(1, 4), draw.int(60, 120));
    }
    const every = draw.pick([5, 20, 60, 0]);
    /** @type {Treatment["chunks"]} */
    const chunks = ["whole", "joined", "split"];
    return {
      objects: draw.int(5, 40),
      spec: { history: { retentionSeconds: 300 }, watch: { bookmarkSeconds: every || 60 } },
      treatment: { chunks, cut: { chance: 0.2, most: 6 }, timeout: [60, 400], bookmarks: every > 0, goneStatus: 0.4 },
    };
  },

  4(draw, script) {
    script.busy(8, 3, 40);
    for (let i = 0; i < 2; i++) {
      script.outage(draw.int(10, 40), () => {
        script.replace(draw.int(2, 5), 4);
        script.wait(5);
        script.compact();
      });
      script.busy(8, 3, 60);
      script.cut();
      script.busy(3, 1, 30);
    }
    /** @type {Treatment["chunks"]} */
    const chunks = ["whole", "joined", "split"];
    return { objects: LARGE,
      treatment: { chunks, cut: { chance: 0.2, most: 8 }, between: 0.8, expire: 0.35, latency: [5, 80] } };
  },

  5(draw, script) {
    const [lagging, frozen] = draw.shuffled([1, 2]); // the writers use server 0
    const lag = draw.int(3, 25);
    const servers = (/** @type {boolean} */ stands) =>
      [0, 1, 2].map((i) => ({ lagSeconds: i === lagging ? lag : 0, frozen: stands && i === frozen }));
    for (let i = 0; i < 3; i++) {
      script.busy(5, 2, draw.int(40, 80));
      script.put(script.now, (w) => {
        w.set({ cache: { replicas: servers(true) } });
        w.fault(`server ${frozen} is frozen`);
      });
      script.busy(6, 2, draw.int(20, 60));
      // Written and cut at once: who lists now may get less than it has.
      script.busy(3, 1, 2);
      script.cut();
      if (i === 2) script.compact();
      script.wait(draw.int(10, 40));
      if (i === 1) script.outage(600, () => script.busy(10, 5, 500));
      script.put(script.now, (w) => {
        w.set({ cache: { replicas: servers(false) } });
        w.fault(`server ${frozen} follows again`);
      });
    }
    script.put(script.now,
      (w) => w.set({ cache: { replicas: [0, 1, 2].map(() => ({ lagSeconds: 0, frozen: false })) } }));
    /** @type {Treatment["chunks"]} */
    const chunks = ["whole", "joined", "split"];
    return {
      objects: draw.int(5, 60),
      opaque: true,
      shuffle: true,
      spec: { history: { retentionSeconds: 300 }, cache: { replicas: servers(false) } },
      treatment: { chunks, cut: { chance: 0.2, most: 8 }, refuse: 0.25, forgets: 0.35, goneStatus: 0.3,
        timeout: [60, 300] },
    };
  },

  6(draw, script) {
    const old = draw.chance(0.5);
    script.busy(8, 4, 60);
    for (let i = 0; i < 2; i++) {
      const away = i === 0 ? draw.chance(0.7) : draw.chance(0.5);
      // What is lost by the restore is more than what is written afterwards, so that the cluster does not come to the
      // client's version before the client knows: nobody could tell then.
      script.put(script.now, (w) => {
        w.save();
        for (let n = 0; n < 60; n++) w.writers.other();
        for (let n = 0; n < 3; n++) w.writers.write();
      });
      script.wait(draw.int(60, 100));
      if (away) {
        script.outage(draw.int(20, 60), () => {
          script.wait(3);
          script.put(script.now, (w) => w.restore());
          script.busy(3, 1, 5);
        });
      } else {
        script.put(script.now, restoreWatched);
      }
      script.wait(draw.int(5, 20));
      script.busy(5, 3, draw.int(100, 160));
    }
    /** @type {Treatment["chunks"]} */
    const chunks = ["whole", "joined", "split"];
    return {
      objects: draw.int(5, 60),
      spec: { compatibility: { resourceVersionMatch: old ? "Ignore" : "Honor" } },
      treatment: { chunks, cut: { chance: 0.2, most: 8 }, goneStatus: 0.2 },
    };
  },
};

/** Restores the cluster while a watch is open: who watches sees it end. @param {World} world */
function restoreWatched(world) {
  if (world.watched || !world.rough) world.restore();
  else world.agenda.put(world.now + 50, () => restoreWatched(world));
}

/**
 * @param {number} level
 * @param {number | string} seed
 * @returns {Plan}
 */
export function plan(level, seed) {
  const draw = new Random(`${level}/${seed}/plan`);
  const script = new Script(draw);
  const kind = draw.pick(KINDS);
  const { objects, spec = {}, treatment = {}, opaque = false, shuffle = false } = DRAWS[level](draw, script);
  const calm = Math.max(script.now, ...script.actions.map((a) => a.at)) + SECOND;
  return {
    seed: String(seed),
    level,
    kind,
    objects,
    spec: { ...SPEC, ...spec },
    opaque,
    shuffle,
    treatment: { ...GENTLE, ...treatment },
    actions: script.actions,
    calm,
    stop: calm + 60 * SECOND + draw.int(500, 9000),
  };
}
