// A server of tests on this machine alone.
import { once } from "node:events";

/**
 * Has a server listen, and returns where, and what ends it with all of its connections.
 *
 * @param {import("node:http").Server} server
 * @param {number} [port] 0: a free one
 */
export async function listenOnLoopback(server, port = 0) {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    port: address.port,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
