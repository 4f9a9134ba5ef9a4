// @ts-check
/**
 * A cluster's log in the origin's private file system.
 *
 * Two files take turns. Each begins with a head of 16 bytes: a magic word, a
 * generation, and that generation's complement. The file with the highest
 * generation whose head is sound is the log; what follows its head is what was
 * appended. A replacement fills the other file, makes it durable, and only then writes
 * its head: whenever the tab ends, one of the two is complete. A file without a sound
 * head that nevertheless holds something is handed out as it is, so that a reader
 * finds it unreadable, rather than it being lost. A third file holds the
 * record of how far the log has come.
 *
 * @import { Store } from "../protocol"
 */
import { ASIDE, nameAside } from "./aside.js";

const MAGIC = 0x31424154; // "TAB1"
const HEAD = 16;
const FILES = ["log-0", "log-1"];
const RECORD = "head";
const PIECE = 1 << 20;

/**
 * The generation a head names; 0 when it is not sound.
 *
 * @param {Uint8Array} head
 */
function generationOf(head) {
  if (head.byteLength < HEAD) return 0;
  const view = new DataView(head.buffer, head.byteOffset);
  const generation = view.getUint32(4, true);
  const sound = view.getUint32(0, true) === MAGIC && view.getUint32(8, true) === ~generation >>> 0;
  return sound ? generation : 0;
}

/** @param {number} generation */
function headFor(generation) {
  const view = new DataView(new ArrayBuffer(HEAD));
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, generation, true);
  view.setUint32(8, ~generation >>> 0, true);
  return new Uint8Array(view.buffer);
}

/**
 * Which of two files is the log, and where its content begins.
 *
 * @param {{head: Uint8Array, size: number}[]} files
 */
function choose(files) {
  const generations = files.map((f) => generationOf(f.head));
  const index = generations[1] > generations[0] ? 1 : 0;
  if (generations[index] > 0) return { index, base: HEAD, generation: generations[index] };
  const larger = files[1].size > files[0].size ? 1 : 0;
  // What is no longer than a head has no content: it is of a cluster that was never begun.
  return { index: larger, base: files[larger].size > HEAD ? 0 : files[larger].size, generation: 0 };
}

/** @implements {Store} */
export class OPFSStore {
  #index = 0;
  #base = HEAD;
  #generation = 0;
  #size = 0; // of the active file, its head included
  #filled = 0; // of the other file, while it is to replace the active one
  /** Whether the other file may have a sound head, though it did not become the log. */ #rival = false;
  /** Whether the active file may have something behind its end. */ #torn = false;

  /**
   * @param {FileSystemDirectoryHandle} directory
   * @param {FileSystemSyncAccessHandle[]} handles of the two files
   * @param {FileSystemSyncAccessHandle} record
   */
  constructor(directory, handles, record) {
    this.directory = directory;
    this.handles = handles;
    this.record = record;
    const found = choose(handles.map((h) => ({ head: readAt(h, 0, HEAD), size: h.getSize() })));
    this.#index = found.index;
    this.#base = found.base;
    this.#generation = found.generation;
    this.#size = handles[found.index].getSize();
    if (found.generation === 0 && this.#size === this.#base) {
      this.begin();
      this.commit();
    }
  }

  /**
   * Opens the log in directory. Handles are exclusive: those of a worker that was
   * just ended may need a moment to come free.
   *
   * @param {FileSystemDirectoryHandle} directory
   * @param {number} [patience] in milliseconds
   */
  static async open(directory, patience = 3000) {
    /** @type {FileSystemSyncAccessHandle[]} */
    const handles = [];
    const deadline = performance.now() + patience;
    const names = [...FILES, RECORD];
    try {
      while (handles.length < names.length) {
        const file = await directory.getFileHandle(names[handles.length], { create: true });
        try {
          handles.push(await file.createSyncAccessHandle());
        } catch (error) {
          const busy = error instanceof DOMException && error.name === "NoModificationAllowedError";
          if (!busy || performance.now() > deadline) throw error;
          await new Promise((wake) => setTimeout(wake, 20));
        }
      }
      return new OPFSStore(directory, handles.slice(0, FILES.length), handles[FILES.length]);
    } catch (error) {
      for (const h of handles) h.close();
      throw error;
    }
  }

  /** @param {number} at */
  read(at) {
    const from = this.#base + at;
    return readAt(this.handles[this.#index], from, Math.min(PIECE, this.#size - from));
  }

  /** @param {Uint8Array} bytes */
  append(bytes) {
    // What is added to one file while the other one may be taken for the log would be lost.
    if (this.#rival) this.abort();
    if (this.#torn) this.#mend();
    const handle = this.handles[this.#index];
    try {
      writeAt(handle, this.#size, bytes);
      handle.flush();
    } catch (error) {
      this.#torn = true;
      try {
        this.#mend();
      } catch {
        // before the next append, then
      }
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Removes what a failed append has left. */
  #mend() {
    const handle = this.handles[this.#index];
    handle.truncate(this.#size);
    handle.flush();
    this.#torn = false;
  }

  begin() {
    this.abort();
    this.#filled = HEAD;
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    writeAt(this.handles[1 - this.#index], this.#filled, bytes);
    this.#filled += bytes.length;
  }

  commit() {
    const before = this.handles[this.#index];
    const handle = this.handles[1 - this.#index];
    handle.flush();
    this.#rival = true;
    writeAt(handle, 0, headFor(this.#generation + 1));
    handle.flush();
    this.#rival = this.#torn = false;
    this.#index = 1 - this.#index;
    this.#base = HEAD;
    this.#generation++;
    this.#size = this.#filled;
    try {
      before.truncate(0);
      before.flush();
    } catch {
      // it is of an older generation, and nobody's log any more
    }
  }

  abort() {
    const handle = this.handles[1 - this.#index];
    handle.truncate(0);
    if (this.#rival) handle.flush(); // or the power could bring its head back
    this.#rival = false;
  }

  head() {
    return readAt(this.record, 0, this.record.getSize());
  }

  /** @param {Uint8Array} bytes */
  saveHead(bytes) {
    writeAt(this.record, 0, bytes);
    this.record.truncate(bytes.length);
    this.record.flush();
  }

  async setAside() {
    const name = nameAside(await listAside(this.directory));
    try {
      await this.#copyTo(name);
    } catch (error) {
      await this.directory.removeEntry(name).catch(() => {}); // half a copy is no copy
      throw error;
    }
    return name;
  }

  /** @param {string} name */
  async #copyTo(name) {
    const file = await this.directory.getFileHandle(name, { create: true });
    const copy = await file.createSyncAccessHandle();
    try {
      const from = this.handles[this.#index];
      for (let at = this.#base; at < this.#size; at += PIECE) {
        writeAt(copy, at - this.#base, readAt(from, at, Math.min(PIECE, this.#size - at)));
      }
      copy.flush();
    } finally {
      copy.close();
    }
  }

  close() {
    for (const handle of [...this.handles, this.record]) handle.close();
  }
}

/** @param {FileSystemSyncAccessHandle} handle @param {number} at @param {number} size */
function readAt(handle, at, size) {
  const bytes = new Uint8Array(Math.max(0, size));
  let done = 0;
  while (done < bytes.length) {
    const n = handle.read(bytes.subarray(done), { at: at + done });
    if (n === 0) break;
    if (n > bytes.length - done) throw new Error(`the storage cannot be read (${n})`);
    done += n;
  }
  return bytes.subarray(0, done);
}

/**
 * Writes all of the bytes. In a private window of Chromium whose quota is used up, write does not throw and says that
 * it has written more bytes than it was given: 4294967288, which is the error -8 as a number without a sign.
 *
 * @param {FileSystemSyncAccessHandle} handle @param {number} at @param {Uint8Array} bytes
 */
function writeAt(handle, at, bytes) {
  const n = handle.write(/** @type {Uint8Array<ArrayBuffer>} */ (bytes), { at });
  if (n > bytes.length) throw new Error(`nothing more could be written (${n}): the storage is full`);
  if (n < bytes.length) throw new Error(`only ${n} of ${bytes.length} bytes could be written: the storage is full`);
}

/** @param {FileSystemDirectoryHandle} directory @param {string} name */
export async function removeAside(directory, name) {
  if (!name.startsWith(ASIDE)) throw new Error(`nothing was set aside as ${name}`);
  await directory.removeEntry(name);
}

/**
 * Reads the log of a directory whose handles another tab holds. That tab may be
 * writing: a read that it disturbs is tried again, and so is one that finds no sound
 * head, since the files may have taken turns between reading the one and the other.
 *
 * @param {FileSystemDirectoryHandle} directory
 * @returns {Promise<Uint8Array>}
 */
export async function copyOf(directory) {
  for (let attempt = 1; ; attempt++) {
    try {
      const files = await Promise.all(FILES.map((name) => readFile(directory, name)));
      const { index, base, generation } = choose(files.map((f) => ({ head: f.subarray(0, HEAD), size: f.length })));
      if (generation > 0 || attempt === 5) return files[index].subarray(base);
    } catch (error) {
      if (attempt === 5) throw error;
    }
    await new Promise((wake) => setTimeout(wake, 10 * attempt));
  }
}

/** @param {FileSystemDirectoryHandle} directory @param {string} name */
async function readFile(directory, name) {
  try {
    const file = await (await directory.getFileHandle(name)).getFile();
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotFoundError") return new Uint8Array();
    throw error;
  }
}

/**
 * The names of what was set aside.
 *
 * @param {FileSystemDirectoryHandle} directory
 */
export async function listAside(directory) {
  const names = [];
  for await (const name of directory.keys()) if (name.startsWith(ASIDE)) names.push(name);
  return names.sort();
}

/** @param {FileSystemDirectoryHandle} directory @param {string} name */
export async function readAside(directory, name) {
  if (!name.startsWith(ASIDE)) throw new Error(`nothing was set aside as ${name}`);
  const file = await (await directory.getFileHandle(name)).getFile();
  return file.arrayBuffer();
}
