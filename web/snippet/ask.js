// @ts-check
/** @import { Request } from "./http.js" */
import { resolve } from "./http.js";

/**
 * Sends a request of a block, with its references filled in.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {Request} request
 * @param {number} index
 * @param {(name: string) => unknown} answer
 * @param {AbortSignal} [signal]
 */
export async function ask(fetch, request, index, answer, signal) {
  const { method, target, headers, body } = resolve(request, index, answer);
  const init = { method, headers, signal, ...(body ? { body } : {}) };
  return { target, response: await fetch(target, init) };
}
