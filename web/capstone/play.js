// @ts-check
/**
 * Plays one run: the way in for pages and tests.
 *
 * @import { Cluster } from "./cluster.js"
 * @import { Client } from "./protocol"
 * @import { Result } from "./world.js"
 */
import { plan } from "./levels.js";
import { World } from "./world.js";

/**
 * @param {object} parts
 * @param {Cluster} parts.cluster a new one, started with the same seed
 * @param {Client} parts.client with the code loaded
 * @param {number} parts.level
 * @param {number | string} parts.seed
 * @returns {Promise<Result>}
 */
export async function play({ cluster, client, level, seed }) {
  try {
    return await new World({ cluster, client, plan: plan(level, seed) }).run();
  } finally {
    client.close();
  }
}
