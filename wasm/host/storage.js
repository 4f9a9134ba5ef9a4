// @ts-check
/**
 * Chooses where a cluster is kept: the private file system, else IndexedDB, which
 * the page has open for its worker, else memory; and for a tab that does not own the cluster, a copy in memory.
 *
 * @import { Store } from "../protocol"
 */
import { OPFSStore, copyOf, listAside, readAside } from "./opfs.js";
import { PageStore } from "./pagestore.js";

/**
 * @typedef {object} Storage
 * @property {Store | null} store null: the cluster lives in memory
 * @property {Uint8Array | null} copy what a cluster in memory begins with
 * @property {string} problem why it is not kept, or ""
 * @property {() => Promise<string[]>} listAside
 * @property {(name: string) => Promise<ArrayBuffer>} readAside
 */

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? error.message : String(error));

/**
 * @param {string} cluster
 * @param {boolean} owner whether this tab may write
 * @param {MessagePort} pageStore leads to the page's store
 * @returns {Promise<Storage>}
 */
export async function openStorage(cluster, owner, pageStore) {
  const directory = await directoryOf(cluster);
  if (directory) {
    const aside = {
      listAside: () => listAside(directory),
      readAside: (/** @type {string} */ name) => readAside(directory, name),
    };
    let problem = "";
    if (owner) {
      try {
        return { store: await OPFSStore.open(directory), copy: null, problem: "", ...aside };
      } catch (error) {
        problem = `The saved cluster could not be opened (${words(error)}).`;
      }
    }
    return { store: null, ...(await copied(() => copyOf(directory), problem)), ...aside };
  }
  try {
    const page = new PageStore(pageStore);
    await page.open();
    const aside = {
      listAside: () => page.listAside(),
      readAside: (/** @type {string} */ name) => page.readAside(name),
    };
    if (owner) return { store: page, copy: null, problem: "", ...aside };
    return { store: null, ...(await copied(() => page.read(), "")), ...aside };
  } catch (error) {
    return {
      store: null,
      copy: null,
      problem: `This browser offers no storage (${words(error)}): the cluster is gone when the tab is closed.`,
      listAside: async () => [],
      readAside: async (name) => {
        throw new Error(`nothing was set aside as ${name}`);
      },
    };
  }
}

/** @param {() => Promise<Uint8Array>} read @param {string} problem */
async function copied(read, problem) {
  try {
    return { copy: await read(), problem };
  } catch (error) {
    return { copy: null, problem: `${problem} The saved cluster could not be copied (${words(error)}).`.trim() };
  }
}

/**
 * The directory of a cluster; null where there is no private file system, or none
 * that can be appended to. A failure of one that is there is not null: to answer
 * with other storage then would look as if everything were lost.
 *
 * @param {string} cluster
 */
async function directoryOf(cluster) {
  if (!("FileSystemFileHandle" in self) || !("createSyncAccessHandle" in FileSystemFileHandle.prototype)) return null;
  let root;
  try {
    root = await navigator.storage.getDirectory();
  } catch {
    return null; // as private windows of some browsers do
  }
  const all = await root.getDirectoryHandle("tabernetes", { create: true });
  return all.getDirectoryHandle(cluster, { create: true });
}
