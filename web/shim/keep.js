// @ts-check
/**
 * Asks the browser to keep the saved cluster, as soon as there is something to keep: until then it may delete it when
 * storage is short, and Safari does after seven days without a visit.
 *
 * @import { TapEvent } from "./tabernetes"
 */

const ASKED = "tabernetes.persist-asked";
const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * @param {object} parts
 * @param {Pick<StorageManager, "persist" | "persisted"> | undefined} parts.storage
 * @param {(listener: (event: TapEvent) => void) => () => void} parts.onTap
 * @param {Pick<Storage, "getItem" | "setItem">} parts.memory
 *   where it is noted that the question was asked: some browsers put it to the person
 * @param {(evictable: boolean) => void} parts.tell called whenever it is known
 */
export async function keepStorage({ storage, onTap, memory, tell }) {
  if (!storage?.persist || !storage.persisted) return tell(true);
  if (await storage.persisted().catch(() => false)) return tell(false);
  tell(true);
  if (memory.getItem(ASKED)) return;
  const off = onTap((event) => {
    if (event.type !== "request" || READS.has(event.method ?? "")) return;
    queueMicrotask(() => off());
    if (memory.getItem(ASKED)) return;
    memory.setItem(ASKED, "yes");
    storage.persist().then((kept) => tell(!kept)).catch(() => {});
  });
}
