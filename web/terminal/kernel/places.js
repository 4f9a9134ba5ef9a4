// @ts-check
/**
 * The files of each place, that is, of each cluster that the page can speak with: what is in the home directory is
 * kept, but for kubectl's cache; the rest is in memory, until the page is left.
 *
 * Invariants:
 *   - A change is on its way to the storage before anything else happens in the page, and changes are stored in their
 *     order.
 *   - A storage that fails is reported once, and files continue in memory.
 */
import { HOME, KUBE_CACHE } from "../system/constants.js";
import { Files } from "./files.js";
import { Node, USER } from "./node.js";
import { within } from "../system/paths.js";

/**
 * @typedef {object} Kept a file as it is stored
 * @property {string} path
 * @property {"file" | "dir" | "link"} kind
 * @property {number} mode
 * @property {number} changed
 * @property {Uint8Array} content
 * @property {string} target
 */

/**
 * @typedef {object} Storage where files are kept. Each call rejects if that is not possible.
 * @property {(place: string) => Promise<Kept[]>} read
 * @property {(place: string, remove: string[], put: Kept[]) => Promise<void>} write removes paths with all below them,
 *   then puts files
 */

const DEVICES = ["null", "tty", "stdin", "stdout", "stderr"];

/** A tree as it begins. */
function begin() {
  const files = new Files();
  files.mkdirs("/home", 0o755, 0);
  files.mkdirs(KUBE_CACHE, 0o755, USER);
  files.mkdirs("/tmp", 0o1777, 0);
  files.mkdirs("/bin", 0o755, 0);
  const devices = files.mkdirs("/dev", 0o755, 0);
  for (const target of DEVICES) {
    devices.entries.set(target, Object.assign(new Node("device", 0o666, 0), { target, names: 1 }));
  }
  return files;
}

/** @param {string} path */
const isKept = (path) => within(path, HOME) && path !== HOME && !within(path, KUBE_CACHE);

export class Places {
  /** @type {Map<string, Promise<Files>>} */ #all = new Map();

  /** @param {Storage | null} storage @param {(sentence: string) => void} trouble called once if files cannot be kept */
  constructor(storage, trouble) {
    this.storage = storage;
    this.trouble = trouble;
  }

  /** The files of a place. @param {string} place @returns {Promise<Files>} */
  of(place) {
    let files = this.#all.get(place);
    if (!files) this.#all.set(place, (files = this.#open(place)));
    return files;
  }

  /** @param {unknown} error */
  #failed(error) {
    console.error(error);
    if (!this.storage) return;
    this.storage = null;
    this.trouble("The browser does not keep the terminal's files: they are gone when this page is left.");
  }

  /** @param {string} place */
  async #open(place) {
    const files = begin();
    try {
      const kept = (await this.storage?.read(place)) ?? [];
      for (const one of kept.sort((a, b) => (a.path < b.path ? -1 : 1))) restore(files, one);
    } catch (error) {
      this.#failed(error);
    }
    /** @type {Set<string>} */ let dirty = new Set();
    /** The write that is under way. */ let writing = Promise.resolve();
    let due = false;
    const write = () => {
      due = false;
      const paths = [...dirty];
      dirty = new Set();
      /** @type {Kept[]} */ const put = [];
      for (const path of paths) collect(files, path, put);
      writing = Promise.all([writing, this.storage?.write(place, paths, put)]).then(
        () => {}, (error) => this.#failed(error));
    };
    files.onChange((path) => {
      if (!isKept(path)) return;
      dirty.add(path);
      if (!due) queueMicrotask(write);
      due = true;
    });
    return files;
  }
}

/** Puts a stored file into the tree. @param {Files} files @param {Kept} kept */
function restore(files, { path, kind, mode, changed, content, target }) {
  const at = path.lastIndexOf("/");
  const dir = files.mkdirs(path.slice(0, at), 0o755, USER);
  const name = path.slice(at + 1);
  const node = dir.entries.get(name) ?? new Node(kind, mode);
  node.names = 1;
  node.mode = mode;
  node.target = target;
  if (kind === "file") node.write(content, 0);
  files.bytes += node.size;
  node.changed = changed;
  dir.entries.set(name, node);
}

/**
 * Adds what has to be stored of a path: what is there, and all below.
 *
 * @param {Files} files
 * @param {string} path
 * @param {Kept[]} put
 */
function collect(files, path, put) {
  const node = at(files, path);
  if (!node || node.kind === "device" || !isKept(path)) return;
  const { mode, changed, target, kind } = node;
  put.push({ path, kind, mode, changed, target, content: kind === "file" ? node.content.slice() : new Uint8Array(0) });
  for (const name of node.entries.keys()) collect(files, `${path}/${name}`, put);
}

/** The node at a path, whatever its permissions. @param {Files} files @param {string} path */
function at(files, path) {
  /** @type {Node | undefined} */ let node = files.root;
  for (const name of path.split("/").filter(Boolean)) node = node?.entries.get(name);
  return node;
}
