// @ts-check
/**
 * The script at the edge: rooms, which are Durable Objects, and before them the front, which is in Go. See README.md.
 *
 * @import { Env } from "cloudflare:workers"
 */
import "./wasm_exec.js";
import frontModule from "./front.wasm";
import serverModule from "./tabernetes.wasm";
import { Fronts } from "./fronts.js";
import { roomClass, running } from "./object/room.js";

export const Room = roomClass(serverModule);

const fronts = new Fronts(frontModule);

export default {
  /** @param {Request} request @param {Env} env @param {object} ctx */
  fetch: (request, env, ctx) => fronts.answer(request, env, ctx),
};

/** For a local engine that is about to end, which clients cannot reach: ends the streams of all rooms. */
export const control = {
  /** @param {Request} _ @param {Env} env */
  async fetch(_, env) {
    await Promise.all([...running].map((id) => env.ROOMS.get(env.ROOMS.idFromString(id)).end()));
    return new Response(null, { status: 204 });
  },
};
