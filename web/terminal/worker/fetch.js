// @ts-check
/** The fetch of an instance: the kernel makes the request, in the page. */
import { Client } from "../../../wasm/host/client.js";
import { writeBlock } from "../../../wasm/host/headers.js";

/**
 * @param {MessagePort} port
 * @param {(headers: Headers) => boolean} [owned] whether a request is the page owner's: see wasm/PROTOCOL.md
 * @returns {(url: string, init?: any) => Promise<Response>} as Go's net/http calls it
 */
export function portFetch(port, owned = () => false) {
  const client = new Client(port);
  return (url, { method = "GET", headers, body, signal } = {}) => {
    // Go's memory is not to be given away.
    const bytes = body ? new Uint8Array(body).slice().buffer : null;
    const all = new Headers(headers);
    return client.fetch({
      method, url: String(url), headers: writeBlock(all), body: bytes, signal, ...(owned(all) && { owner: true }),
    });
  };
}
