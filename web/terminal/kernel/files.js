// @ts-check
/**
 * The tree of files, in memory, with the errors of POSIX. Paths are absolute. Each call is done when it returns.
 *
 * Invariants:
 *   - Listeners get each change of what is below a path, once, after it.
 *   - All files together take no more than LIMIT bytes.
 *
 * Costs: a path is walked name by name.
 */
import { O_CREAT, O_DIRECTORY, O_EXCL, O_RDWR, O_TRUNC, O_WRONLY } from "../system/constants.js";
import { Errno } from "./errno.js";
import { Node } from "./node.js";
import { absolute, within } from "../system/paths.js";

/** What all files of a tree may take together, in bytes. */
export const LIMIT = 128 << 20;

/** How many links a path may lead through. */
const LINKS = 40;

/** The name that a path ends with, and the directory. @param {string} path */
function split(path) {
  const at = path.lastIndexOf("/");
  return { dir: path.slice(0, at) || "/", name: path.slice(at + 1) };
}

export class Files {
  root = new Node("dir", 0o755, 0);
  /** What all files take. */ bytes = 0;
  /** @type {Set<(path: string) => void>} */ #listeners = new Set();

  /** Reports paths that have changed. Returns what ends the reports. @param {(path: string) => void} listener */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @param {string} path */
  changed(path) {
    for (const listener of this.#listeners) listener(path);
  }

  /**
   * Walks a path.
   *
   * @param {string} path
   * @param {boolean} follow whether a link that it ends with is followed
   * @returns {{parent: Node, name: string, node: Node | undefined, path: string}} node is undefined if only the last
   *   name is not there; path is the way without links
   */
  #walk(path, follow, links = 0) {
    const names = absolute(path).split("/").slice(1).filter(Boolean);
    let node = this.root;
    let parent = node;
    let walked = "";
    for (const [i, name] of names.entries()) {
      if (node.kind !== "dir") throw new Errno("ENOTDIR");
      if (!node.allows(1)) throw new Errno("EACCES");
      parent = node;
      const next = node.entries.get(name);
      const last = i === names.length - 1;
      if (!next) {
        if (!last) throw new Errno("ENOENT");
        return { parent, name, node: undefined, path: `${walked}/${name}` };
      }
      if (next.kind === "link" && (follow || !last)) {
        if (links >= LINKS) throw new Errno("ELOOP");
        const rest = names.slice(i + 1).join("/");
        const to = absolute(next.target, walked || "/");
        return this.#walk(rest ? `${to}/${rest}` : to, follow, links + 1);
      }
      walked += `/${name}`;
      node = next;
    }
    return { parent, name: names.at(-1) ?? "", node, path: walked || "/" };
  }

  /** @param {string} path @param {boolean} [follow] */
  find(path, follow = true) {
    const { node } = this.#walk(path, follow);
    if (!node) throw new Errno("ENOENT");
    return node;
  }

  /** Puts a node into a directory. @param {string} path @param {(mode?: number) => Node} make */
  #add(path, make) {
    const found = this.#walk(path, false);
    if (found.node) throw new Errno("EEXIST");
    if (!found.parent.allows(3)) throw new Errno("EACCES");
    const node = make();
    node.names++;
    found.parent.entries.set(found.name, node);
    found.parent.touch();
    this.changed(found.path);
    return node;
  }

  /** Takes a name out of a directory. @param {string} path @param {(node: Node) => void} check */
  #remove(path, check) {
    const { node, parent, name, path: found } = this.#walk(path, false);
    if (!node) throw new Errno("ENOENT");
    check(node);
    if (!name) throw new Errno("EBUSY");
    if (!parent.allows(3)) throw new Errno("EACCES");
    parent.entries.delete(name);
    parent.touch();
    if (--node.names === 0) this.bytes -= node.size;
    this.changed(found);
  }

  /**
   * Opens a file or a directory.
   *
   * @param {string} path
   * @param {number} flags
   * @param {number} mode of a file that is made
   * @returns {{node: Node, path: string}}
   */
  open(path, flags, mode) {
    const found = this.#walk(path, !(flags & O_EXCL));
    let { node } = found;
    if (node && flags & O_CREAT && flags & O_EXCL) throw new Errno("EEXIST");
    if (!node) {
      if (!(flags & O_CREAT)) throw new Errno("ENOENT");
      return { node: this.#add(found.path, () => new Node("file", mode)), path: found.path };
    }
    const writes = (flags & (O_WRONLY | O_RDWR)) !== 0;
    if (node.kind === "dir" && writes) throw new Errno("EISDIR");
    if (node.kind !== "dir" && flags & O_DIRECTORY) throw new Errno("ENOTDIR");
    if (!node.allows((writes ? 2 : 0) | (flags & O_WRONLY ? 0 : 4))) throw new Errno("EACCES");
    if (writes && flags & O_TRUNC && node.kind === "file") this.truncateNode(node, 0, found.path);
    return { node, path: found.path };
  }

  /** @param {Node} node @param {Uint8Array} bytes @param {number} at @param {string} path */
  writeNode(node, bytes, at, path) {
    const more = Math.max(0, at + bytes.length - node.size);
    if (this.bytes + more > LIMIT) throw new Errno("ENOSPC");
    node.write(bytes, at);
    if (node.names > 0) this.bytes += more;
    this.changed(path);
  }

  /** @param {Node} node @param {number} size @param {string} path */
  truncateNode(node, size, path) {
    const before = node.size;
    if (this.bytes + size - before > LIMIT) throw new Errno("ENOSPC");
    node.truncate(size);
    if (node.names > 0) this.bytes += size - before;
    this.changed(path);
  }

  /** @param {string} path @param {number} size */
  truncate(path, size) {
    const { node, path: found } = this.#walk(path, true);
    if (!node) throw new Errno("ENOENT");
    if (node.kind === "dir") throw new Errno("EISDIR");
    if (!node.allows(2)) throw new Errno("EACCES");
    this.truncateNode(node, size, found);
  }

  /** @param {string} path @param {number} mode */
  mkdir(path, mode) {
    this.#add(path, () => new Node("dir", mode));
  }

  /**
   * Makes a directory, and those above it, where they are missing.
   *
   * @param {string} path
   * @param {number} [mode]
   * @param {number} [owner]
   */
  mkdirs(path, mode = 0o755, owner = undefined) {
    let node = this.root;
    for (const name of absolute(path).split("/").filter(Boolean)) {
      let next = node.entries.get(name);
      if (!next) {
        next = new Node("dir", mode, owner);
        next.names = 1;
        node.entries.set(name, next);
      }
      node = next;
    }
    return node;
  }

  /** The names in a directory. @param {string} path */
  readdir(path) {
    const node = this.find(path);
    if (node.kind !== "dir") throw new Errno("ENOTDIR");
    if (!node.allows(4)) throw new Errno("EACCES");
    return [...node.entries.keys()].sort();
  }

  /** @param {string} path */
  unlink(path) {
    this.#remove(path, (node) => {
      if (node.kind === "dir") throw new Errno("EISDIR");
    });
  }

  /** @param {string} path */
  rmdir(path) {
    this.#remove(path, (node) => {
      if (node.kind !== "dir") throw new Errno("ENOTDIR");
      if (node.entries.size > 0) throw new Errno("ENOTEMPTY");
    });
  }

  /** @param {string} from @param {string} to */
  rename(from, to) {
    const old = this.#walk(from, false);
    const { node } = old;
    if (!node) throw new Errno("ENOENT");
    const next = this.#walk(to, false);
    if (next.node === node) return;
    if (!old.name || !next.name || within(next.path, old.path)) throw new Errno("EINVAL");
    if (!old.parent.allows(3) || !next.parent.allows(3)) throw new Errno("EACCES");
    if (next.node) {
      if (next.node.kind === "dir" && node.kind !== "dir") throw new Errno("EISDIR");
      if (next.node.kind !== "dir" && node.kind === "dir") throw new Errno("ENOTDIR");
      if (next.node.entries.size > 0) throw new Errno("ENOTEMPTY");
      if (--next.node.names === 0) this.bytes -= next.node.size;
    }
    old.parent.entries.delete(old.name);
    next.parent.entries.set(next.name, node);
    old.parent.touch();
    next.parent.touch();
    this.changed(old.path);
    this.changed(next.path);
  }

  /** @param {string} path @param {string} name */
  link(path, name) {
    const node = this.find(path);
    if (node.kind === "dir") throw new Errno("EPERM");
    this.#add(name, () => node);
  }

  /** @param {string} target @param {string} path */
  symlink(target, path) {
    this.#add(path, () => Object.assign(new Node("link", 0o777), { target, size: target.length }));
  }

  /** @param {string} path */
  readlink(path) {
    const node = this.find(path, false);
    if (node.kind !== "link") throw new Errno("EINVAL");
    return node.target;
  }

  /** Changes what is known of a file. @param {string} path @param {(node: Node) => void} change */
  #change(path, change) {
    const { node, path: found } = this.#walk(path, true);
    if (!node) throw new Errno("ENOENT");
    if (node.owner === 0) throw new Errno("EPERM");
    change(node);
    this.changed(found);
  }

  /** @param {string} path @param {number} mode */
  chmod(path, mode) {
    this.#change(path, (node) => (node.mode = mode & 0o7777));
  }

  /** @param {string} path @param {number} seconds since 1970 */
  utimes(path, seconds) {
    this.#change(path, (node) => (node.changed = seconds * 1000));
  }
}
