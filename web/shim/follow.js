// @ts-check
/**
 * A tab that follows: its requests go to the server of the tab that leads, until that is closed and this tab, or
 * another one, leads.
 *
 * @typedef {object} Config
 * @property {Tabs} tabs
 * @property {LockManager} locks
 * @property {string} cluster
 * @property {MessagePort} port the server's end of this page's port
 * @property {number} silence how long the tab that leads may be silent at first, in milliseconds
 *
 * @typedef {object} News
 * @property {(persistent: boolean) => void} open the server answers; what is written is kept, or is not. It may be
 *   called again
 * @property {(why: string) => void} lost there is another server, or will be
 * @property {(reason: string) => void} stopped the server has crashed
 * @property {(ownership: Ownership) => void} lead this tab owns the saved cluster now
 * @property {() => void} silent nobody leads in a way that this page understands
 *
 * @import { Ownership } from "./ownership.js"
 * @import { Tabs } from "./tabs.js"
 */
import { relay } from "../../wasm/host/channel.js";
import { ownLater } from "./ownership.js";

/**
 * Begins to follow. Returns what ends it; nothing is reported afterwards.
 *
 * @param {Config} config
 * @param {News} news
 * @returns {() => void}
 */
export function follow({ tabs, locks, cluster, port, silence }, news) {
  const over = new AbortController();
  /** @template {any[]} A @param {(...args: A) => void} f @returns {(...args: A) => void} */
  const still = (f) => (...args) => void (!over.signal.aborted && f(...args));
  const silent = setTimeout(still(news.silent), silence);
  over.signal.addEventListener("abort", () => clearTimeout(silent));
  /** Unknown until the tab that leads has said it, which may be after its server has answered. @type {boolean?} */
  let persistent = null;
  let opened = false;
  const tell = () => void (opened && persistent !== null && news.open(persistent));
  tabs.follow({
    here: still((kept) => {
      persistent = kept;
      clearTimeout(silent);
      tell();
    }),
    lost: still(() => news.lost("the tab that had the cluster was closed, or has started it again")),
    stopped: still((reason) => news.stopped(`${reason} (in the tab that has the cluster)`)),
  }).then((channel) => {
    if (over.signal.aborted) return channel.close();
    const end = relay(channel, port, still(() => {
      opened = true;
      tell();
    }));
    over.signal.addEventListener("abort", end);
  }, still(news.silent));
  ownLater(locks, cluster, over.signal).then((ownership) => {
    if (over.signal.aborted) ownership.release();
    else news.lead(ownership);
  }, () => {}); // it was given up
  return () => over.abort();
}
