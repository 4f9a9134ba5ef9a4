// @ts-check
/**
 * Chooses where a cluster is kept: the private file system, else IndexedDB, which
 * the page has open for its worker, else memory; and for a tab that does not own the cluster, a copy in memory.
 * A cluster without a name is a fork: it is kept nowhere, and no storage is opened for it.
 *
 * @import { Store } from "../protocol"
 */
import { OPFSStore, copyOf, listAside, readAside, removeAside } from "./opfs.js";
import { PageStore } from "./pagestore.js";

/**
 * @typedef {object} Storage
 * @property {Store | null} store null: the cluster lives in memory
 * @property {Uint8Array | null} copy what a cluster in memory begins with
 * @property {string} problem why it is not kept, or ""
 * @property {() => Promise<string[]>} listAside
 * @property {(name: string) => Promise<ArrayBuffer>} readAside
 * @property {(name: string) => Promise<void>} removeAside
 */

/** @param {unknown} error */
const words = (error) => (error instanceof Error ? error.message : String(error));

/** What a cluster in memory has set aside: nothing. */
const nothingAside = {
  listAside: async () => /** @type {string[]} */ ([]),
  /** @param {string} name @returns {Promise<ArrayBuffer>} */
  readAside: async (name) => {
    throw new Error(`nothing was set aside as ${name}`);
  },
  /** @param {string} name */
  removeAside: async (name) => {
    throw new Error(`nothing was set aside as ${name}`);
  },
};

/**
 * @param {string} cluster "": a fork
 * @param {boolean} owner whether this tab may write
 * @param {MessagePort | null} pageStore leads to the page's store; null for a fork
 * @returns {Promise<Storage>}
 */
export async function openStorage(cluster, owner, pageStore) {
  if (!cluster || !pageStore) return { store: null, copy: null, problem: "", ...nothingAside };
  const directory = await directoryOf(cluster);
  if (directory) {
    const aside = {
      listAside: () => listAside(directory),
      readAside: (/** @type {string} */ name) => readAside(directory, name),
      removeAside: (/** @type {string} */ name) => removeAside(directory, name),
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
      removeAside: (/** @type {string} */ name) => page.removeAside(name),
    };
    if (owner) return { store: page, copy: null, problem: "", ...aside };
    const copy = async () => new Uint8Array(await (await blobOf(page)).arrayBuffer());
    return { store: null, ...(await copied(copy, "")), ...aside };
  } catch (error) {
    return {
      store: null,
      copy: null,
      problem: `This browser offers no storage (${words(error)}): the cluster is lost when the tab closes.`,
      ...nothingAside,
    };
  }
}

/**
 * The saved log as it is, sound or not.
 *
 * @param {Storage} storage
 */
export async function savedLog({ store, copy }) {
  if (store) return blobOf(store);
  return new Blob(copy ? [/** @type {Uint8Array<ArrayBuffer>} */ (copy)] : []);
}

/**
 * Forgets the saved cluster, but not what was set aside.
 *
 * @param {Storage} storage
 */
export async function erase({ store }) {
  if (!store) throw new Error("another tab has the saved cluster");
  await store.saveHead(new Uint8Array());
  await store.begin();
  try {
    await store.commit();
  } catch (error) {
    await store.abort();
    throw error;
  }
  if ((await store.read(0)).length > 0) throw new Error("the saved cluster could not be removed");
}

/** All that a store has saved. @param {Store} store */
async function blobOf(store) {
  /** @type {Uint8Array<ArrayBuffer>[]} */ const pieces = [];
  for (let at = 0; ; at += pieces[pieces.length - 1].length) {
    const piece = await store.read(at);
    if (piece.length === 0) return new Blob(pieces);
    pieces.push(/** @type {Uint8Array<ArrayBuffer>} */ (piece));
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
