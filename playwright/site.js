// Copies of the built site in which a feature of the browser is taken away, or a fault built in.
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = resolve(root, process.env.TABERNETES_DIST ?? "dist");

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

/** A worker that a test can stop dead, as a browser that is short of memory does. */
export const STOPPABLE = { worker: `new BroadcastChannel("stop dead").onmessage = () => { for (;;); };` };

/**
 * Makes a copy of the site with code before its scripts.
 *
 * @param {{page?: string, worker?: string}[]} changes
 * @returns {Promise<{dir: string, remove(): Promise<void>}>}
 */
export async function changedSite(changes) {
  const dir = await mkdtemp(join(tmpdir(), "tabernetes-site-"));
  const lines = (key) => changes.map((c) => c[key] ?? "").join("\n");
  const prefixes = { "app.js": lines("page"), "worker.js": lines("worker") };
  let worker = await readFile(join(built, "sw.js"), "utf8");
  const hash = (bytes) => "sha256-" + createHash("sha256").update(bytes).digest("base64");
  for (const name of await readdir(built)) {
    const base = name.replace(/\.br$/, "");
    if (base in prefixes || base === "sw.js") continue;
    await cp(join(built, name), join(dir, name), { recursive: true });
  }
  const publish = async (name, text) => {
    await writeFile(join(dir, name), text);
    await writeFile(join(dir, name + ".br"), brotliCompressSync(text));
  };
  for (const [name, prefix] of Object.entries(prefixes)) {
    const before = await readFile(join(built, name), "utf8");
    const after = prefix + "\n" + before;
    await publish(name, after);
    // The service worker checks what it keeps against the build's hashes.
    worker = worker.replace(hash(before), hash(after));
  }
  await publish("sw.js", worker);
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}
