// For tests: a directory of the private file system whose files can fail, lose their tab, and lose power.

/** A file: what was written, and what of it would survive the power. */
class File {
  now = new Uint8Array();
  durable = new Uint8Array();
  /** As durable, but the last write has reached the disk before those that came before it. */
  last = new Uint8Array();
  locked = false;
}

/**
 * A directory whose files call step before each thing they do. It may throw, or return how many bytes are written or
 * read at most, what is thrown once they are, and how many the file says there were.
 */
export class Directory {
  /** @type {Map<string, File>} */ files = new Map();
  /** @type {(what: string) => {room?: number, error?: unknown, count?: number} | void} */
  step = () => {};

  async getFileHandle(name, { create = false } = {}) {
    if (!this.files.has(name)) {
      if (!create) throw new DOMException("no such file", "NotFoundError");
      this.does("create", () => this.files.set(name, new File()));
    }
    const file = this.files.get(name);
    return {
      createSyncAccessHandle: async () => {
        if (file.locked) throw new DOMException("it is open", "NoModificationAllowedError");
        this.does("open", () => {});
        file.locked = true;
        return new Handle(this, file);
      },
      getFile: async () => {
        this.reading(name);
        return new Blob([file.now]);
      },
    };
  }

  /** Called before a tab that only reads reads a file. @type {(name: string) => void} */
  reading = () => {};

  async removeEntry(name) {
    this.does("remove", () => this.files.delete(name));
  }

  async *keys() {
    yield* this.files.keys();
  }

  /** Does one thing, as step will have it. */
  does(what, how) {
    const fault = this.step(what) ?? {};
    const done = how(fault.room);
    if (fault.error) throw fault.error;
    return fault.count ?? done;
  }

  /**
   * What is found after the power has gone, or only the tab. The power may take what was not made durable from some
   * files, and not from others.
   *
   * @typedef {"now" | "durable" | "last"} What
   * @param {What | ((name: string) => What)} what
   */
  after(what) {
    const found = new Directory();
    for (const [name, file] of this.files) {
      const copy = new File();
      copy.now = copy.durable = copy.last = file[typeof what === "string" ? what : what(name)].slice();
      found.files.set(name, copy);
    }
    return found;
  }
}

/** What content is once part was written into it. */
function written(content, part, at) {
  const grown = new Uint8Array(Math.max(content.length, at + part.length));
  grown.set(content);
  grown.set(part, at);
  return grown;
}

class Handle {
  constructor(directory, file) {
    this.directory = directory;
    this.file = file;
  }
  getSize() {
    return this.file.now.length;
  }
  read(into, { at }) {
    return this.directory.does("read", (room = into.length) => {
      const part = this.file.now.subarray(at, at + Math.min(room, into.length));
      into.set(part);
      return part.length;
    });
  }
  write(bytes, { at }) {
    return this.directory.does("write", (room) => {
      const part = bytes.subarray(0, room);
      this.file.now = written(this.file.now, part, at);
      this.file.last = written(this.file.durable, part, at);
      return part.length;
    });
  }
  truncate(size) {
    this.directory.does("truncate", () => {
      const cut = new Uint8Array(size);
      cut.set(this.file.now.subarray(0, size));
      this.file.now = this.file.last = cut;
    });
  }
  flush() {
    this.directory.does("flush", () => (this.file.durable = this.file.last = this.file.now.slice()));
  }
  close() {
    this.file.locked = false;
  }
}
