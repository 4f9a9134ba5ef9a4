// @ts-check
/**
 * A client in the judge's own thread: trusted code, for tests. It is spoken to by the same messages as one in a frame.
 *
 * @import { Client, FromGuest, Reconcile, Reflect, ToGuest } from "./protocol"
 */
import { Guest } from "./guest.js";
import { Random } from "./random.js";

/** The next turn of the event loop. @returns {Promise<void>} */
const hop = () => new Promise((resolve) => /** @type {any} */ (globalThis).setImmediate(resolve));

/**
 * A client whose reconcile is called.
 *
 * @param {() => Promise<{reconcile: Reconcile}>} load imports it, each time without what it has kept
 * @param {number | string} seed
 * @returns {Promise<Client>}
 */
export async function localController(load, seed) {
  let { reconcile } = await load();
  const client = localClient(async () => {}, seed, (guest, m) => {
    if (m.type === "reconcile") guest.reconcile((r) => reconcile(r), structuredClone(m.task));
    else guest.receive(m);
  });
  const { restart } = client;
  client.restart = async () => {
    await restart();
    ({ reconcile } = await load());
  };
  return client;
}

/**
 * While it runs Math.random draws from the seed, so that what a client draws is repeated with it.
 *
 * @param {Reflect} reflect
 * @param {number | string} seed
 * @param {(guest: Guest, m: ToGuest) => void} [receive]
 * @returns {Client}
 */
export function localClient(reflect, seed, receive = (guest, m) => guest.receive(m)) {
  const draw = new Random(`${seed}/client`);
  const { random } = Math;
  Math.random = () => draw.float();
  let turn = 0;
  let rested = () => {};
  const guest = new Guest((m) => {
    if (m.type !== "idle") client.onmessage(m);
    else if (m.n === turn) rested();
  }, hop);
  /** @type {Client} */
  const client = {
    onmessage() {},
    post: (m) => (m.type === "begin" ? void guest.run(reflect, m.path) : receive(guest, m)),
    idle: (now) =>
      new Promise((resolve) => {
        rested = resolve;
        guest.receive({ type: "turn", n: ++turn, now });
      }),
    restart: async () => guest.restart(),
    close() {
      Math.random = random;
    },
  };
  return client;
}
