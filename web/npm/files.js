// @ts-check
/** As much of the browser's private file system as the worker uses, in a directory of this machine. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** @param {any} error */
const asInBrowsers = (error) =>
  error?.code === "ENOENT" ? new DOMException(error.message, "NotFoundError") : error;

export class Directory {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
  }

  /** @param {string} name */
  async getDirectoryHandle(name) {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true });
    return new Directory(path);
  }

  /** @param {string} name @param {{create?: boolean}} [options] */
  async getFileHandle(name, { create = false } = {}) {
    const path = join(this.path, name);
    try {
      closeSync(openSync(path, create ? "a" : "r"));
    } catch (error) {
      throw asInBrowsers(error);
    }
    return new FileHandle(path);
  }

  /** @param {string} name */
  async removeEntry(name) {
    await rm(join(this.path, name)).catch((error) => Promise.reject(asInBrowsers(error)));
  }

  async *keys() {
    yield* await readdir(this.path);
  }
}

export class FileHandle {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
  }

  async createSyncAccessHandle() {
    return new AccessHandle(openSync(this.path, "r+"));
  }

  async getFile() {
    return new Blob([await readFile(this.path)]);
  }
}

class AccessHandle {
  /** @param {number} file */
  constructor(file) {
    this.file = file;
  }

  getSize() {
    return fstatSync(this.file).size;
  }

  /** @param {Uint8Array} into @param {{at: number}} where */
  read(into, { at }) {
    return readSync(this.file, into, 0, into.length, at);
  }

  /** @param {Uint8Array} bytes @param {{at: number}} where */
  write(bytes, { at }) {
    return writeSync(this.file, bytes, 0, bytes.length, at);
  }

  /** @param {number} size */
  truncate(size) {
    ftruncateSync(this.file, size);
  }

  flush() {
    fsyncSync(this.file);
  }

  close() {
    closeSync(this.file);
  }
}
