// @ts-check
/**
 * The site's files for a local engine, which has only a folder to offer: their types, and the headers that the builder
 * has written down. On an account the engine does this itself.
 *
 * @import { Fetcher } from "cloudflare:workers"
 */
import files from "./files.json";

/** @typedef {Record<string, Record<string, string>>} Files the headers of each file, by its path */

export default {
  /** @param {Request} request @param {{DISK: Fetcher}} env */
  async fetch(request, env) {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response("The site is read only; a room's API is below /rooms.\n", {
        status: 405,
        headers: { Allow: "GET, HEAD" },
      });
    }
    const { pathname } = new URL(request.url);
    const path = pathname === "/" ? "/index.html" : pathname;
    const headers = /** @type {Files} */ (files)[path];
    if (!headers) return new Response("There is no such file.\n", { status: 404 });
    if (request.headers.get("If-None-Match") === headers.ETag) return new Response(null, { status: 304, headers });
    const file = await env.DISK.fetch(new Request(`http://disk${path}`, { method: request.method }));
    return new Response(file.body, { status: file.status, headers });
  },
};
