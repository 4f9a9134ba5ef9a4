// A static host that only knows files: below a path, without compression, and with 404 for everything else.
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { listenOnLoopback } from "./loopback.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
  ".json": "application/json", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
  ".txt": "text/plain", ".gz": "application/gzip", ".lzma": "application/octet-stream" };

/** How much of a file a network has on its way when its reader gives up, in bytes. */
const WINDOW = 65_536;

/**
 * Serves the built site. A program that is not packed is sent no further than a network's window, so a page that wants
 * it waits forever.
 *
 * @param {{prefix?: string, withholds?: boolean, dist?: string}} [options] withholds: programs that are not packed
 */
export async function startPlainHost({ prefix = "/", withholds = false, dist = process.env.TABERNETES_DIST ?? "dist" } =
{}) {
  const dir = resolve(root, dist);
  /** @type {{path: string, status: number, bytes: number}[]} */
  const sent = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    const entry = { path: pathname, status: 404, bytes: 0 };
    sent.push(entry);
    const name = pathname.startsWith(prefix) ? pathname.slice(prefix.length) || "index.html" : "";
    const file = join(dir, name);
    const found = name && file.startsWith(dir) && (await stat(file).catch(() => null));
    if (!found || !found.isFile()) return void response.writeHead(404, { "content-type": "text/plain" }).end("none\n");
    const headers = { "content-type": types[extname(name)] ?? "application/octet-stream",
      etag: `"${found.size}-${found.mtimeMs}"`, "cache-control": "max-age=600", "content-length": found.size };
    if (request.headers["if-none-match"] === headers.etag) {
      delete headers["content-length"];
      entry.status = 304;
      return void response.writeHead(304, headers).end();
    }
    entry.status = 200;
    response.writeHead(200, headers);
    if (request.method === "HEAD") return void response.end();
    if (withholds && name.endsWith(".wasm")) {
      entry.bytes = WINDOW;
      return void response.write((await readFile(file)).subarray(0, WINDOW));
    }
    createReadStream(file).on("data", (data) => (entry.bytes += data.length)).pipe(response);
  });
  const { port, stop } = await listenOnLoopback(server);
  return {
    /** The URL of the page, without its last slash. */
    url: `http://127.0.0.1:${port}${prefix.slice(0, -1)}`,
    /** What was asked for, in its order, and how much of it was sent. */
    sent,
    bytes: () => sent.reduce((sum, { bytes }) => sum + bytes, 0),
    stop,
  };
}
