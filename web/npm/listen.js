// @ts-check
/** A server on loopback that has every request answered by a cluster's fetch: for clients that speak HTTP alone. */
import { once } from "node:events";
import { createServer } from "node:http";

/** Headers of the client's connection, not of its request. */
const ITS_OWN = new Set(
  ["connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

/**
 * Why a request is refused: a web page has made it, under its own name that leads to this machine, or from another
 * origin. Null: it is not.
 *
 * @param {import("node:http").IncomingMessage} request
 */
function refusal({ headers: { host = "", origin }, socket }) {
  const own = ["127.0.0.1", "localhost"].map((name) => `${name}:${socket.localPort}`);
  if (!own.includes(host.toLowerCase())) {
    return { code: 421, message: `This server does not answer for the host "${host}".` };
  }
  if (origin === undefined || own.some((name) => origin === `http://${name}`)) return null;
  return { code: 403, message: `Pages of ${origin} may not use this server.` };
}

/** @param {typeof globalThis.fetch} fetch */
export async function listen(fetch) {
  const server = createServer(async (request, response) => {
    const refused = refusal(request);
    if (refused) {
      const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...refused };
      response.writeHead(refused.code, { "Content-Type": "application/json", "Connection": "close" });
      response.end(JSON.stringify(status));
      return;
    }
    const left = new AbortController();
    response.on("close", () => left.abort());
    try {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = new Headers();
      for (let i = 0; i < request.rawHeaders.length; i += 2) {
        const [name, value] = request.rawHeaders.slice(i, i + 2);
        if (!ITS_OWN.has(name.toLowerCase())) headers.append(name, value);
      }
      const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
      const answer = await fetch(String(request.url), { method: request.method, headers, body, signal: left.signal });
      response.writeHead(answer.status, [...answer.headers].flat());
      response.flushHeaders();
      for await (const chunk of answer.body ?? []) {
        if (!response.write(chunk)) await once(response, "drain", { signal: left.signal });
      }
      response.end();
    } catch {
      response.destroy(); // as a connection that breaks: what has come is not all
    }
  });
  server.requestTimeout = 0; // watches stay open
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
