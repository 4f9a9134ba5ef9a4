// A loopback HTTP server that answers every request with a page's own fetch, so
// that any client (the recordings' replay, kubectl, client-go) can be pointed at
// the server inside the tab.
//
//   const proxy = await startProxy(page);   // the page has to be open
//   … proxy.url …
//   await proxy.close();
//
// What goes through it is shown by the lab, unless it is to be quiet.
//
// Bodies are streamed and binary-safe. A client that goes away aborts the page's
// fetch; a fetch that fails breaks the client's connection, never ends it as if
// the answer were whole. It listens on 127.0.0.1 only.

import http from "node:http";
import { listenOnLoopback } from "./loopback.js";
import { pollLine, pushLine } from "./proxy-line.js";

/** Headers that belong to the client's connection, not to its request. */
const hopByHop = new Set(
  ["connection", "content-length", "host", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"]);

/**
 * @param {import("playwright-core").Page | import("./engines/driver").Tab} page
 * @param {{port?: number, quiet?: boolean}} [options]
 */
export async function startProxy(page, { port = 0, quiet = false } = {}) {
  /** @type {Map<number, (report: import("./proxy-line.js").Report) => void>} */
  const open = new Map();
  let last = 0;
  const line = await ("exposeBinding" in page ? pushLine : pollLine)(/** @type {any} */ (page), quiet,
    (r) => open.get(r.id)?.(r));

  /**
   * @param {{method: string, url: string, rawHeaders: string[], body: Buffer}} request
   * @param {http.ServerResponse} res
   */
  function answer(request, res) {
    const id = ++last;
    const fields = [];
    // The server sees the client's agent, not the browser's, even if the client sends none.
    if (!request.rawHeaders.some((name, i) => i % 2 === 0 && name.toLowerCase() === "user-agent"))
      fields.push(["User-Agent", ""]);
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      if (!hopByHop.has(request.rawHeaders[i].toLowerCase()))
        fields.push([request.rawHeaders[i], request.rawHeaders[i + 1]]);
    }
    res.on("close", () => {
      if (!open.delete(id)) return;
      line.send({ id, cancel: true });
    });
    open.set(id, (r) => {
      switch (r.kind) {
        case "head":
          res.sendDate = false;
          res.writeHead(r.status, answerFields(r.headers));
          res.flushHeaders();
          break;
        case "chunk":
          res.write(Buffer.from(r.data, "base64"));
          break;
        case "end":
          open.delete(id);
          res.end();
          break;
        case "fail":
          open.delete(id);
          res.destroy(new Error(r.error));
          break;
      }
    });
    const body = request.body.length > 0 ? request.body.toString("base64") : null;
    line.send({ id, method: request.method, url: request.url, headers: fields, body });
  }

  const server = http.createServer(async (req, res) => {
    const chunks = [];
    try {
      for await (const chunk of req) chunks.push(chunk);
    } catch {
      return; // the client went away
    }
    answer({ method: req.method ?? "GET", url: req.url ?? "/", rawHeaders: req.rawHeaders,
      body: Buffer.concat(chunks) }, res);
  });
  server.on("clientError", (error, socket) => {
    const request = unusualRequest(error);
    if (!request || !socket.writable) {
      socket.destroy();
      return;
    }
    const asked = { method: request.method, httpVersionMajor: 1, httpVersionMinor: 1, headers: {} };
    const res = new http.ServerResponse(/** @type {any} */ (asked));
    res.shouldKeepAlive = false;
    res.assignSocket(/** @type {any} */ (socket));
    res.on("finish", () => socket.end());
    answer(request, res);
  });
  server.requestTimeout = 0; // watches stay open
  server.maxRequestsPerSocket = 1; // so that an unusual request finds its socket free
  const listening = await listenOnLoopback(server, port);
  return {
    url: `http://127.0.0.1:${listening.port}`,
    async close() {
      await listening.stop();
      await line.close();
    },
  };
}

/**
 * Node's parser knows only registered methods. A whole request with another one,
 * in one packet, is read here.
 */
function unusualRequest(error) {
  if (error.code !== "HPE_INVALID_METHOD" || !error.rawPacket) return null;
  const packet = error.rawPacket;
  const end = packet.indexOf("\r\n\r\n");
  const [line, ...lines] = packet.subarray(0, end).toString("latin1").split("\r\n");
  const found = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.1$/.exec(line);
  if (end < 0 || !found) return null;
  const rawHeaders = lines.flatMap((l) => [l.slice(0, l.indexOf(":")), l.slice(l.indexOf(":") + 1).trim()]);
  return { method: found[1], url: found[2], rawHeaders, body: packet.subarray(end + 4) };
}

/** What fetch has joined is taken apart again where a client would see it. */
function answerFields(headers) {
  const out = {};
  for (const [name, value] of headers) {
    if (hopByHop.has(name) && name !== "content-length") continue;
    out[name] = name === "warning" ? value.split(/, (?=\d{3} )/) : value;
  }
  return out;
}
