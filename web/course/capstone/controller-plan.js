// @ts-check
/**
 * What a seed draws at level 7: who writes what when, how late the controller's caches are, what is refused, and when
 * the controller is restarted. A plan is drawn before the run and does not depend on the code.
 *
 * @import { Reconciling } from "./controller-world.js"
 */
import { Random } from "./random.js";

/** The level at which a ReplicaSet is reconciled. */
export const LEVEL = 7;

/** The ReplicaSet of all runs: that of the recordings beside the real server (real.js). */
export const NAME = "web-56b55d7545";

/** Who else has Pods there: they have the labels of the ReplicaSet's own, and another controller. */
export const OTHER = "db";

/** @typedef {{at: number, act: (world: Reconciling) => void}} Action at is in milliseconds since the run began */

/**
 * @typedef {object} ReconcilePlan
 * @property {string} seed
 * @property {Action[]} actions
 * @property {number} calm when the last fault and write have been
 */

const SECOND = 1000;

/** How often a Pod does not get ready before the end. */
export const SLOW = 0.15;

/** What is wanted one after another before anything goes wrong, as in the recording scale.txt: real.js. */
export const WANTED = [1, 3, 1];

/** How long each of these takes. */
const STEP = 12;

class Script {
  /** @type {Action[]} */ actions = [];
  /** In seconds. */ now = 0;

  /** @param {number} seconds from now on @param {Action["act"]} act */
  put(seconds, act) {
    this.actions.push({ at: Math.round((this.now + seconds) * SECOND), act });
  }

  /** @param {number} seconds @param {Action["act"]} act */
  wait(seconds, act = () => {}) {
    this.now += seconds;
    this.put(0, act);
  }

  /** The ReplicaSet is changed in what does not matter: reconcile is called. @param {number[]} at seconds from now */
  touch(...at) {
    for (const seconds of at) this.put(seconds, (w) => w.others.touch());
  }
}

/** @typedef {(draw: Random, s: Script) => void} Part */

/** What happens in a run, in another order for each seed. @type {Record<string, Part>} */
const PARTS = {
  "Pods are made, and the cache has them late"(draw, s) {
    const [late, more] = [draw.int(4, 20), draw.int(2, 4)];
    s.put(0, (w) => w.lag("pods", late));
    s.put(1, (w) => w.others.scale(more));
    s.touch(1.5, 2, draw.int(3, 5));
    s.wait(40, (w) => w.lag("pods", 0));
  },

  "Pods are deleted, and the cache has them late"(draw, s) {
    const [late, less, low] = [draw.int(6, 20), draw.int(2, 3), -draw.int(100, 190)];
    s.put(0, (w) => w.others.scale(4));
    s.wait(12, (w) => w.lag("pods", late));
    // The cache shows it after the first Pods are deleted, and before that is seen: another one comes first then.
    s.put(0.5, (w) => w.others.cost(low));
    s.put(1, (w) => w.others.scale(-less));
    s.touch(2, 3, draw.int(4, 6));
    s.wait(45, (w) => w.lag("pods", 0));
  },

  "some of unequal Pods have to go"(draw, s) {
    const [high, low] = [draw.int(20, 90), -draw.int(20, 90)];
    s.put(0, (w) => {
      w.others.settle();
      w.others.want(5);
    });
    s.put(8, (w) => {
      w.others.cost(high);
      w.others.cost(low);
      w.others.slow = 1;
      w.others.scale(1);
    });
    s.wait(16, (w) => w.others.scale(-3));
    s.wait(10, (w) => (w.others.slow = SLOW));
  },

  "the controller is restarted"(draw, s) {
    const [late, change] = [draw.int(2, 8), draw.pick([-2, 2, 3])];
    s.put(0, (w) => w.lag("pods", late));
    s.put(1, (w) => w.others.scale(change));
    s.put(1 + draw.float() * 0.3, (w) => w.restart());
    s.touch(2, 3);
    s.put(6 + draw.float(), (w) => w.restart());
    s.wait(25, (w) => w.lag("pods", 0));
  },

  "the ReplicaSet is written while its status is"(draw, s) {
    const [late, more] = [draw.int(1, 6), draw.int(1, 3)];
    s.put(0, (w) => w.lag("replicasets", late));
    s.put(0.5, (w) => w.others.scale(more));
    for (let i = 0; i < 25; i++) s.touch(0.6 + i * 0.3 + draw.float() * 0.2);
    s.put(5, (w) => w.others.kill());
    s.wait(30, (w) => w.lag("replicasets", 0));
  },

  "a quota lets no more Pods be made"(draw, s) {
    const [room, more] = [draw.int(0, 2), draw.int(6, 9)];
    s.put(0, (w) => w.allow(room));
    s.put(1, (w) => w.others.scale(more));
    s.wait(draw.int(15, 40), (w) => w.allow(Infinity));
    s.wait(30, (w) => w.others.scale(-6));
    s.wait(15);
  },

  "Pods without a controller, and with another one"(draw, s) {
    s.put(0, (w) => w.others.orphan());
    s.put(draw.int(4, 8), (w) => w.others.relabel());
    s.put(draw.int(9, 14), (w) => w.others.foreign());
    s.wait(22);
  },

  "Pods fail, are deleted, or stay in their deletion"(draw, s) {
    s.put(0, (w) => w.others.fail());
    s.put(draw.int(2, 5), (w) => w.others.kill());
    s.put(draw.int(6, 9), (w) => w.others.hold());
    s.wait(20);
  },

  "servers refuse some of the requests"(draw, s) {
    const [more, less] = [draw.int(2, 4), draw.int(1, 3)];
    s.put(0, (w) => (w.refuse = 0.35));
    s.put(1, (w) => w.others.scale(more));
    s.put(draw.int(8, 12), (w) => w.others.scale(-less));
    s.put(draw.int(13, 18), (w) => w.others.kill());
    s.wait(25, (w) => (w.refuse = 0));
  },
};

/** @param {number | string} seed @returns {ReconcilePlan} */
export function plan(seed) {
  const draw = new Random(`${LEVEL}/${seed}/plan`);
  const s = new Script();
  s.put(0, (w) => w.others.want(WANTED[0]));
  for (const i of WANTED.keys()) s.wait(STEP, (w) => w.beside.step(WANTED[i + 1] ?? NaN));
  s.wait(1, (w) => {
    w.others.begin();
    w.others.want(3);
  });
  s.wait(10);
  for (const part of draw.shuffled(Object.keys(PARTS))) {
    s.put(0, (w) => w.fault(part));
    PARTS[part](draw, s);
  }
  s.put(0, (w) => w.others.fail());
  s.wait(5, (w) => w.settle());
  return { seed: String(seed), actions: s.actions, calm: s.now * SECOND };
}
