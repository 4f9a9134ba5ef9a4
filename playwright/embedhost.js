// A page of somebody else's that embeds the site: another origin, and as strict a policy as can be. It says which
// storage its frames and their workers ask for.
import { createServer } from "node:http";
import { listenOnLoopback } from "./loopback.js";

/**
 * @param {string} body with SITE for the site's URL
 * @param {string} site its URL
 */
export async function startEmbedHost(body, site) {
  const server = createServer((request, response) => {
    if (request.url !== "/") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; script-src ${site}; frame-src ${site}` });
    response.end(`<!doctype html><html lang="en"><title>A post</title>${body.replaceAll("SITE", site)}`);
  });
  const { port, stop } = await listenOnLoopback(server);
  return {
    // Another site, and not just another origin, than 127.0.0.1.
    url: `http://localhost:${port}/`,
    stop,
  };
}

/**
 * Makes all storage throw, as browsers do in frames of other sites, and say so. It runs in frames and workers.
 */
export function withoutStorage() {
  const refuse = (/** @type {string} */ name) => () => {
    console.warn(`storage: ${name}`);
    throw new DOMException(`${name} is not allowed here`, "SecurityError");
  };
  const scope = /** @type {any} */ (globalThis);
  for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore", "BroadcastChannel",
    "SharedWorker"]) {
    if (name in scope) Object.defineProperty(scope, name, { configurable: true, get: refuse(name) });
  }
  const navigator = Object.getPrototypeOf(scope.navigator);
  for (const name of ["storage", "locks", "serviceWorker"]) {
    if (name in navigator) Object.defineProperty(navigator, name, { configurable: true, get: refuse(name) });
  }
  if (scope.Document) {
    const cookie = { configurable: true, get: refuse("cookie"), set: refuse("cookie") };
    Object.defineProperty(Document.prototype, "cookie", cookie);
  }
}
