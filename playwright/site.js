// Copies of the built site in which a feature of the browser is removed, or a fault built in.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = resolve(root, process.env.TABERNETES_DIST ?? "dist");

const hash = (bytes) => "sha256-" + createHash("sha256").update(bytes).digest("base64");

/** What the paths of the files of a build begin with. */
function baseOf(dir) {
  const { version, versioned } = JSON.parse(readFileSync(join(dir, "assets.json"), "utf8"));
  return versioned ? `build/${version}/` : "";
}

/** The path of a file of the built site, as its page asks for it. @param {string} name */
export const pathOf = (name) => "/" + baseOf(built) + name;

/** Writes a file of a site, and its compressed form. */
async function publish(dir, name, text) {
  await writeFile(join(dir, name), text);
  await writeFile(join(dir, name + ".br"), brotliCompressSync(text));
}

/** Makes a copy of the built site. */
async function copySite() {
  const dir = await mkdtemp(join(tmpdir(), "tabernetes-site-"));
  await cp(built, dir, { recursive: true });
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/**
 * The optional features, with what takes each away: a line that runs before the page's script, and one before the
 * worker's.
 */
export const FEATURES = {
  "byte streams": {
    page: `globalThis.ReadableStream = class extends ReadableStream {
      constructor(source, strategy) {
        if (source?.type === "bytes") throw new TypeError("ReadableByteStreamController is not implemented");
        super(source, strategy);
      }
    };`,
  },
  "private file system": { worker: `delete globalThis.FileSystemFileHandle;` },
  locks: { page: `delete Navigator.prototype.locks;` },
  "service worker": { page: `delete Navigator.prototype.serviceWorker;` },
  clipboard: { page: `delete Navigator.prototype.clipboard;` },
};

/** Lets the page find that its browser registers no service worker. It runs in the page. */
export function refuseServiceWorkers() {
  const container = globalThis.ServiceWorkerContainer?.prototype; // which not every frame has
  if (container) container.register = () => Promise.reject(new Error("this test has no service worker"));
}

/** A page without what opens it when its server is gone. That takes a third of what a start costs. */
export const NO_INSTALL = { page: `(${refuseServiceWorkers})();` };

/** A worker that a test can stop dead, as a browser that is short of memory does. */
export const STOPPABLE = { worker: `new BroadcastChannel("stop dead").onmessage = () => { for (;;); };` };

/**
 * Makes a copy of the site with code before its scripts.
 *
 * @param {{page?: string, worker?: string, frame?: string}[]} changes frame: before the script of snippets' frames
 * @returns {Promise<{dir: string, remove(): Promise<void>}>}
 */
export async function changedSite(changes) {
  const site = await copySite();
  const lines = (key) => changes.map((c) => c[key] ?? "").join("\n");
  const base = baseOf(site.dir);
  let worker = await readFile(join(site.dir, "sw.js"), "utf8");
  for (const [name, prefix] of Object.entries({ "app.js": lines("page"), "worker.js": lines("worker"),
    "snippet.js": lines("frame") })) {
    const before = await readFile(join(site.dir, base + name), "utf8");
    const after = prefix + "\n" + before;
    await publish(site.dir, base + name, after);
    // The service worker checks what it keeps against the build's hashes.
    worker = worker.replace(hash(before), hash(after));
  }
  await publish(site.dir, "sw.js", worker);
  return site;
}

/**
 * Makes a copy of the site in whose place another build can be put: the same files under another version, as the
 * builder does it, and without those of the build before.
 *
 * @returns {Promise<{dir: string, deploy(): Promise<void>, remove(): Promise<void>}>}
 */
export async function deployedSite() {
  const site = await copySite();
  const deploy = async () => {
    const index = JSON.parse(await readFile(join(site.dir, "assets.json"), "utf8"));
    const next = createHash("sha256").update(index.version).digest("hex").slice(0, 12);
    const renew = (text) => text.replaceAll(index.version, next);
    const page = await readFile(join(site.dir, "index.html"), "utf8");
    const worker = await readFile(join(site.dir, "sw.js"), "utf8");
    await rename(join(site.dir, "build", index.version), join(site.dir, "build", next));
    const files = { "index.html": renew(page), "sw.js": renew(worker).replace(hash(page), hash(renew(page))) };
    for (const [name, text] of Object.entries(files)) {
      await publish(site.dir, name, text);
      index.assets.find((a) => a.name === name).hash = createHash("sha256").update(text).digest("hex");
    }
    await writeFile(join(site.dir, "assets.json"), renew(JSON.stringify(index)));
  };
  return { ...site, deploy };
}

/** Lets the page find that it was visited before, so that nothing plays by itself. It runs in the page. */
export function visited() {
  if (self !== top) return; // a frame keeps nothing
  try {
    const today = Math.floor(Date.now() / (24 * 60 * 60 * 1000));
    if (localStorage.getItem("tabernetes/visited") === null) localStorage.setItem("tabernetes/visited", String(today));
  } catch {
    // about:blank has no storage
  }
}
