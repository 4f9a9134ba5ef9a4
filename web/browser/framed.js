// @ts-check
/**
 * The lab in a frame of somebody else's page: /embed/lab.html, which its document says before any script runs, or the
 * page itself, from a host that sends no header against it. The page around it may have a visitor press what they do
 * not see, so there is nothing in it that is worth that: no storage, no service worker, no room, and no cluster but
 * one in memory.
 */
const said = globalThis.document?.documentElement?.dataset?.framed;

/** Whether the document is the one that is made for frames, which lies in a separate folder. */
export const embedded = said === "";

export const framed = said !== undefined || (globalThis.parent ?? globalThis.self) !== globalThis.self;

/** Takes from a page what it could keep something with: none of its scripts can, whatever the browser allows. */
export function keepNothing() {
  for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore", "BroadcastChannel"]) {
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException("a framed page keeps nothing", "SecurityError");
      },
    });
  }
  for (const name of ["storage", "locks", "serviceWorker"]) {
    Object.defineProperty(navigator, name, { value: undefined });
  }
}
