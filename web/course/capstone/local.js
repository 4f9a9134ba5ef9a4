// @ts-check
/**
 * A client in the judge's own thread: trusted code, for tests. It is spoken to by the same messages as one in a frame.
 *
 * @import { Client, FromGuest, Reflect } from "./protocol"
 */
import { Guest } from "./guest.js";
import { Random } from "./random.js";

/** The next turn of the event loop. @returns {Promise<void>} */
const hop = () => new Promise((resolve) => /** @type {any} */ (globalThis).setImmediate(resolve));

/**
 * While it runs Math.random draws from the seed, so that what a client draws is repeated with it.
 *
 * @param {Reflect} reflect
 * @param {number | string} seed
 * @returns {Client}
 */
export function localClient(reflect, seed) {
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
    post: (m) => (m.type === "begin" ? void guest.run(reflect, m.path) : guest.receive(m)),
    idle: (now) =>
      new Promise((resolve) => {
        rested = resolve;
        guest.receive({ type: "turn", n: ++turn, now });
      }),
    close() {
      Math.random = random;
    },
  };
  return client;
}
