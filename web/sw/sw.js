// The service worker: after one visit the page opens with the server stopped.
//
// At install it fetches every file of its version, checked against the hash the
// build gave it, into a cache of its own; only a whole version is ever used. A
// new version waits until the old one's tabs are closed or until the page, when
// asked by its reader, tells it to take over; until then the old version keeps
// its cache and serves its tabs. It never touches API requests: those are the
// page's fetch shim's, or go to a real server.
//
// The terminal's files are kept from its first use on, when the page asks for it; a
// later version keeps its own then. What is large of it, the parts of kubectl, the
// page keeps itself, in a cache of its own.
//
// The build puts VERSION, PRECACHE, LATE and NETWORK_FIRST in.

/// <reference lib="webworker" />

import { API_PATH, DEVSERVER } from "../../core/wellknown/wellknown.js";

/** @type {string} */ const version = VERSION;
/** @type {{url: string, integrity: string}[]} */ const precache = PRECACHE;
// Files of the terminal; one without integrity is not of this version: the network is asked first.
/** @type {{url: string, integrity: string}[]} */ const late = LATE;
// While developing the network is asked first, so that no build is ever missed.
/** @type {boolean} */ const networkFirst = NETWORK_FIRST;

const prefix = "tabernetes-";
const cacheName = prefix + version;
const kept = new Set([...precache, ...late].map((file) => file.url));
const changing = new Set(late.filter((file) => !file.integrity).map((file) => file.url));

/** The cache of the page's own: see web/terminal/load.js. */
const PARTS = "tabernetes-kubectl";

/** Whether a cache is that of another version. @param {string} name */
const isOther = (name) => name.startsWith(prefix) && name !== cacheName && name !== PARTS;

/** Whether a path belongs to an API server, here or elsewhere, or to the devserver. @param {string} path */
const notOurs = (path) => API_PATH.test(path) || path.startsWith(DEVSERVER);

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", (event) => {
  event.waitUntil(install());
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

worker.addEventListener("message", (event) => {
  if (event.data?.type === "take-over") event.waitUntil(worker.skipWaiting());
  if (event.data?.type === "keep-terminal") event.waitUntil(keepLate(new Map()));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin || notOurs(url.pathname)) return;
  if (request.mode === "navigate") {
    event.respondWith(answer(request, "/"));
  } else if (kept.has(url.pathname)) {
    event.respondWith(answer(request, url.pathname));
  }
});

async function install() {
  const cache = await caches.open(cacheName);
  const before = await filesBefore();
  await Promise.all(precache.map((file) => keep(cache, file, before)));
  if (late.some(({ url }) => before.has(nameOf(url)))) await keepLate(before);
  if (networkFirst) await worker.skipWaiting();
}

/**
 * Keeps a file, which is fetched unless another version has it.
 *
 * @param {Cache} cache
 * @param {{url: string, integrity: string}} file
 * @param {Awaited<ReturnType<typeof filesBefore>>} before
 */
async function keep(cache, { url, integrity }, before) {
  const same = await before.get(nameOf(url))?.(integrity);
  // "no-cache" asks the server whether the browser's own copy still holds, so
  // that what the page has just downloaded is not downloaded again.
  const response = same ?? (await fetch(url, integrity ? { cache: "no-cache", integrity } : { cache: "no-cache" }));
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  await cache.put(url, response);
}

/**
 * Keeps the files of the terminal, as far as they can be had.
 *
 * @param {Awaited<ReturnType<typeof filesBefore>>} before
 */
async function keepLate(before) {
  const cache = await caches.open(cacheName);
  await Promise.allSettled(late.map(async (file) => {
    if (!file.integrity || !(await cache.match(file.url))) await keep(cache, file, before);
  }));
}

/** The name of a file in whichever version; "" if its URL has no version. @param {string} url */
const nameOf = (url) => /\/build\/[^/]+\/(.*)$/.exec(url)?.[1] ?? "";

/**
 * The files of other versions by their names: each as a function that returns it if its content has a hash, so that
 * what has not changed is not downloaded again.
 */
async function filesBefore() {
  /** @type {Map<string, (integrity: string) => Promise<Response | undefined>>} */
  const found = new Map();
  for (const name of (await caches.keys()).filter(isOther)) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      if (nameOf(request.url)) found.set(nameOf(request.url), (hash) => sameFile(cache, request, hash));
    }
  }
  return found;
}

/** @param {Cache} cache @param {Request} request @param {string} integrity */
async function sameFile(cache, request, integrity) {
  const response = await cache.match(request);
  const body = await response?.arrayBuffer();
  if (!response || !body) return;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  if (integrity !== "sha256-" + btoa(String.fromCharCode(...hash))) return;
  const headers = new Headers(response.headers);
  headers.delete("Content-Encoding");
  headers.delete("Content-Length");
  // A response of its own, without a URL: a script's own is that of its response.
  return new Response(body, { headers });
}

async function activate() {
  // The caches of other versions: their last tab has closed, or was told.
  const names = await caches.keys();
  await Promise.all(names.filter(isOther).map((n) => caches.delete(n)));
  await worker.clients.claim();
}

/**
 * Answers a request with the file that this version keeps under a URL.
 *
 * @param {Request} request
 * @param {string} url
 */
async function answer(request, url) {
  const fromCache = async () => (await caches.open(cacheName)).match(url);
  if (networkFirst || changing.has(url)) {
    try {
      return await fetch(request);
    } catch (err) {
      const response = await fromCache();
      if (response) return response;
      throw err;
    }
  }
  // A browser short of storage may have dropped the cache.
  return (await fromCache()) ?? fetch(request);
}
