// @ts-check
/**
 * Plays one run: the way in for pages and tests.
 *
 * @import { Cluster } from "./cluster.js"
 * @import { Plan } from "./levels.js"
 * @import { Client } from "./protocol"
 * @import { Result } from "./world.js"
 */
import { plan } from "./levels.js";
import { LEVEL, plan as reconcilePlan } from "./controller-plan.js";
import { Reconciling } from "./controller-world.js";
import { World } from "./world.js";

/** From how many objects on they are made once and kept. */
const MANY = 200;

/** Kept clusters: runs of the same kind of objects begin with the same ones. @type {Map<string, Uint8Array>} */
const images = new Map();

/** @type {Client} */
const nobody = { onmessage() {}, post() {}, idle: async () => {}, restart: async () => {}, close() {} };

/** @param {(seed: number | string) => Promise<Cluster>} newCluster @param {Plan} plan */
async function imageFor(newCluster, plan) {
  if (plan.objects < MANY) return null;
  const key = `${plan.kind.plural}/${plan.objects}`;
  let image = images.get(key);
  if (!image) {
    image = new World({ cluster: await newCluster(key), client: nobody,
      plan: { ...plan, level: 0, seed: key } }).makeImage();
    images.set(key, image);
  }
  return image;
}

/**
 * @param {object} parts
 * @param {(seed: number | string) => Promise<Cluster>} parts.newCluster
 * @param {Client} parts.client with the code loaded; it is closed in the end
 * @param {number} parts.level
 * @param {number | string} parts.seed
 * @returns {Promise<Result>}
 */
export async function play({ newCluster, client, level, seed }) {
  try {
    if (level === LEVEL)
      return await new Reconciling({ cluster: await newCluster(seed), client, plan: reconcilePlan(seed) }).run();
    const drawn = plan(level, seed);
    const image = await imageFor(newCluster, drawn);
    return await new World({ cluster: await newCluster(drawn.seed), client, plan: drawn, image }).run();
  } finally {
    client.close();
  }
}
