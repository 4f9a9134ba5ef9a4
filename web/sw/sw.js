// The service worker: after one visit the page opens with the server stopped.
//
// At install it fetches every file of its version, checked against the hash the
// build gave it, into a separate cache; only a whole version is ever used. A
// new version waits until the old one's tabs are closed or until the page, when
// asked by its reader, tells it to take over; until then the old version keeps
// its cache and serves its tabs. It answers for its page and its files, and for
// nothing else below its path: other pages, and the API of a real server, may be there.
//
// The files of the terminal and the control plane are kept from the first use on of either, when the page asks for
// it; a later version keeps its own then. What is large of them, the parts of their programs, the
// page keeps itself, in separate caches, and so does the cluster's worker with the
// evaluator of CEL.
//
// What a host does not compress, of which the build has packed files, is taken from
// the smallest of them.
//
// Every script of this origin can write into the cache. So nothing of it is answered
// before its content has the hash that the build gave it, and the headers are the
// build's: what a script of somebody else's may have put there is not there any longer
// after a reload. A file that is damaged is fetched again.
//
// A file whose URL has its version is taken from what the browser itself has kept of the
// network, while it has it: no script can write there, nothing has to be hashed, and the
// engine has what it compiled of the file.
//
// The build puts VERSION, UNPACKER, PRECACHE, LATE, HEADERS and NETWORK_FIRST in; URLs
// are relative to this script.

/// <reference lib="webworker" />

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/**
 * @typedef {{url: string, integrity: string, packed?: string[], changes?: boolean}} SiteFile Packed: endings.
 *   Changes: a later one may have taken its place, so the network is asked first.
 */

/** The path of the page. */
const root = new URL(".", worker.location.href).pathname;
const below = (/** @type {SiteFile[]} */ files) => files.map((file) => ({ ...file, url: root + file.url }));

/** @type {string} */ const version = VERSION;
const precache = below(PRECACHE);
/** Files of the terminal and the control plane. */
const late = below(LATE);
/** What the site's files are sent with. */
const headers = Object.entries(HEADERS);
// While developing the network is asked first, so that no build is ever missed.
/** @type {boolean} */ const networkFirst = NETWORK_FIRST;

// Sites below other paths of this origin have theirs.
const prefix = "tabernetes-" + root.slice(1);
const cacheName = prefix + version;
const kept = new Map([...precache, ...late].map((file) => [file.url, file]));

/** The caches of the page's own, see web/terminal/load.js, and that of the evaluator of CEL: see wasm/host/cel.js. */
const OTHERS = ["tabernetes-kubectl", "tabernetes-controllers", "tabernetes-cel"];

/** Whether a cache is that of another version. @param {string} name */
const isOther = (name) =>
  name.startsWith(prefix) && !name.slice(prefix.length).includes("/") && name !== cacheName && !OTHERS.includes(name);

worker.addEventListener("install", (event) => {
  event.waitUntil(install());
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

worker.addEventListener("message", (event) => {
  if (event.data?.type === "take-over") event.waitUntil(worker.skipWaiting());
  if (event.data?.type === "keep-late") event.waitUntil(keepLate(new Map()));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin) return;
  const file = kept.get(url.pathname === root + "index.html" ? root : url.pathname);
  if (file) event.respondWith(answer(request, file));
  else if (url.pathname === root + "bench.html") event.respondWith(fetch(request).catch(benchMissing));
});

/** Says what is missing: the bench is not kept, since few open it. */
function benchMissing() {
  return new Response("<!doctype html><html lang=en><title>Bench</title><p>The bench is not kept on this device: " +
    'opening it needs a network. <a href="./">To the lab</a>', { status: 503, headers: [...headers,
    ["Content-Type", "text/html; charset=utf-8"]] });
}

async function install() {
  const cache = await caches.open(cacheName);
  const before = await filesBefore();
  await Promise.all(precache.map((file) => keep(cache, file, before)));
  if (late.some(({ url }) => before.has(nameOf(url)))) await keepLate(before);
  if (networkFirst) await worker.skipWaiting();
}

/**
 * Keeps a file, which is fetched unless this version or another one has it.
 *
 * @param {Cache} cache
 * @param {SiteFile} file
 * @param {Awaited<ReturnType<typeof filesBefore>>} [before]
 */
async function keep(cache, { url, integrity, packed }, before) {
  if (await sound(cache, url, integrity)) return;
  let found = await before?.get(nameOf(url))?.(integrity);
  const type = !found && packed ? await plainType(url) : "";
  for (const ending of (type && packed) || []) found ??= await unpacked(url, ending, integrity, type);
  await cache.put(url, found ?? (await download(url, integrity)));
}

/**
 * Downloads a file. "no-cache" asks the server whether the browser's own copy still holds, so that what the page has
 * just downloaded is not downloaded again.
 *
 * @param {string} url
 * @param {string} [integrity]
 */
async function download(url, integrity) {
  const response = await fetch(url, integrity ? { cache: "no-cache", integrity } : { cache: "no-cache" });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response;
}

/** What plainType has found out, by what names end in. @type {Map<string, Promise<string>>} */
const types = new Map();

/** The content type of files such as this one, if the host does not compress them; else "". @param {string} url */
function plainType(url) {
  const ending = /[^.]*$/.exec(url)?.[0] ?? "";
  const type = types.get(ending) ?? fetch(url, { method: "HEAD" }).then(
    ({ ok, headers }) => (ok && !headers.has("content-encoding") && headers.get("content-type")) || "", () => "");
  types.set(ending, type);
  return type;
}

/**
 * The file of which a packed one lies beside it; nothing if it is not what the build made.
 *
 * @param {string} url
 * @param {string} ending of the packed one
 * @param {string} integrity
 * @param {string} type
 */
async function unpacked(url, ending, integrity, type) {
  try {
    if (ending === ".lzma") worker.importScripts(root + UNPACKER);
    const { body, headers } = await download(url + ending);
    if (!body) return;
    const encoded = headers.has("content-encoding"); // then the browser has unpacked it
    const plain = ending === ".lzma" ? /** @type {any} */ (worker).tabernetesUnlzma(body)
      : encoded ? body : body.pipeThrough(new DecompressionStream("gzip"));
    const content = await new Response(plain).arrayBuffer();
    if ((await hashOf(content)) === integrity) return new Response(content, { headers: { "content-type": type } });
  } catch {
    // another one will do, or the file as it is
  }
}

/**
 * Keeps the files that are late, as far as they can be had.
 *
 * @param {Awaited<ReturnType<typeof filesBefore>>} before
 */
async function keepLate(before) {
  const cache = await caches.open(cacheName);
  await Promise.allSettled(late.map((file) => keep(cache, file, before)));
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
      if (nameOf(request.url)) found.set(nameOf(request.url), (hash) => sound(cache, request, hash));
    }
  }
  return found;
}

/** The hash of content, as the build gives it. @param {ArrayBuffer} content */
async function hashOf(content) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return "sha256-" + btoa(String.fromCharCode(...hash));
}

/**
 * What a cache has under a URL, if its content has that hash.
 *
 * @param {Cache} cache
 * @param {string | Request} url
 * @param {string} integrity
 */
async function sound(cache, url, integrity) {
  const response = await cache.match(url);
  const body = await response?.arrayBuffer().catch(() => null);
  if (!response || !body || (await hashOf(body)) !== integrity) return;
  const type = response.headers.get("content-type");
  // A new response, without a URL: a script's own is that of its response.
  return new Response(body, { headers: type ? [...headers, ["content-type", type]] : headers });
}

/**
 * The same of a program, which is compiled while it comes: its last piece is held back until the hash is known. If that
 * is another, the file breaks off, so that nothing of it can be run, and is not kept any longer.
 *
 * @param {Cache} cache
 * @param {string} url
 * @param {string} integrity
 */
async function streamed(cache, url, integrity) {
  const body = (await cache.match(url))?.body;
  if (!body) return;
  /** @type {Uint8Array<ArrayBuffer>[]} */ const pieces = [];
  let length = 0;
  /** @type {Uint8Array | undefined} */ let held;
  const checked = new TransformStream({
    transform: (/** @type {Uint8Array<ArrayBuffer>} */ piece, controller) => {
      if (held) controller.enqueue(held);
      held = piece;
      pieces.push(piece.slice()); // what is sent may be gone
      length += piece.length;
    },
    flush: async (controller) => {
      const whole = new Uint8Array(length);
      for (let at = 0, i = 0; i < pieces.length; at += pieces[i++].length) whole.set(pieces[i], at);
      if ((await hashOf(whole.buffer)) === integrity) return void (held && controller.enqueue(held));
      await cache.delete(url);
      controller.error(new Error(`${url} is damaged`));
    },
  });
  return new Response(body.pipeThrough(checked), { headers: [...headers, ["content-type", "application/wasm"]] });
}

/**
 * A file as the browser itself has kept it of the network, if it has. Not if "reload" is asked for, and not a worker's
 * script, whose headers are to be the build's on every host.
 *
 * @param {string} url of the file
 * @param {Request} request
 */
async function downloaded(url, { cache, destination }) {
  if (!nameOf(url) || cache === "reload" || destination === "worker") return;
  const response = await fetch(url, { cache: "only-if-cached", mode: "same-origin" }).catch(() => null);
  return response?.ok ? response : undefined;
}

async function activate() {
  // The caches of other versions: their last tab has closed, or was asked to go.
  const names = await caches.keys();
  await Promise.all(names.filter(isOther).map((n) => caches.delete(n)));
  await worker.clients.claim();
}

/**
 * Answers a request with a file that this version keeps. What is not there, since a browser short of storage may have
 * dropped the cache, or is damaged, is taken from the network and kept again.
 *
 * @param {Request} request
 * @param {SiteFile} file
 */
async function answer(request, file) {
  const { url, integrity } = file;
  const cache = await caches.open(cacheName);
  if (networkFirst || file.changes) {
    try {
      return await fetch(request);
    } catch (err) {
      const response = await sound(cache, url, integrity);
      if (response) return response;
      throw err;
    }
  }
  const response = (await downloaded(url, request)) ??
    (url.endsWith(".wasm") ? await streamed(cache, url, integrity) : await sound(cache, url, integrity));
  if (response) return response;
  const damaged = await cache.delete(url);
  if (!damaged && late.includes(file)) return fetch(request); // they are kept once the page asks for it
  await keep(cache, file).catch(() => {}); // no network or space, or the site is of another version by now
  const again = await sound(cache, url, integrity);
  if (again) return again;
  try {
    return await fetch(request);
  } catch (err) {
    if (!damaged) throw err;
    const text = "This browser's copy of the file is damaged, and there is no connection to the server of the page.\n";
    return new Response(text, { status: 503, headers: { "content-type": "text/plain" } });
  }
}
