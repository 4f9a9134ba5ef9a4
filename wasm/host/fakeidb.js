// For tests: as much of IndexedDB as idb.js uses, over databases that a test can make fail at any step. Transactions
// run one after another in the order they were made in, take no request once they are committed or have nothing
// under way, and change all that they were to change or nothing.

const turn = () => new Promise((resolve) => setImmediate(resolve));
const copyOf = (stores) => new Map([...stores].map(([name, s]) => [name, { ...s, values: new Map(s.values) }]));

const fail = (name, message) => new DOMException(message, name);

class Range {
  /** Each of lower and upper is undefined or [key, open]. */
  constructor(lower, upper) {
    if (lower && upper && (lower[0] > upper[0] || (lower[0] === upper[0] && (lower[1] || upper[1])))) {
      throw fail("DataError", "the lower bound is above the upper one");
    }
    Object.assign(this, { lower, upper });
  }
  static lowerBound = (key, open = false) => new Range([key, open], undefined);
  static upperBound = (key, open = false) => new Range(undefined, [key, open]);
  static bound = (low, high, lowOpen = false, highOpen = false) => new Range([low, lowOpen], [high, highOpen]);
  has(key) {
    const { lower, upper } = this;
    if (lower && (key < lower[0] || (key === lower[0] && lower[1]))) return false;
    return !upper || key < upper[0] || (key === upper[0] && !upper[1]);
  }
}

/** The keys that a query means, in their order. */
function keysOf(store, query, count = Infinity) {
  const wanted = (key) => query === undefined || (query instanceof Range ? query.has(key) : key === query);
  const all = [...store.values.keys()].filter(wanted);
  return all.sort((a, b) => (a < b ? -1 : 1)).slice(0, count);
}

/** Each method that makes a request: what it does to a store, and what its result is. */
const methods = {
  add(store, value, key = store.autoIncrement ? store.next++ : undefined) {
    if (store.values.has(key)) throw fail("ConstraintError", `there is a value at ${key}`);
    store.values.set(key, value);
    return key;
  },
  put(store, value, key) {
    store.values.set(key, value);
    return key;
  },
  get: (store, query) => structuredClone(store.values.get(keysOf(store, query)[0])),
  delete: (store, query) => keysOf(store, query).forEach((key) => store.values.delete(key)),
  clear: (store) => store.values.clear(),
  getAll: (store, query, count) => keysOf(store, query, count).map((key) => structuredClone(store.values.get(key))),
  getAllKeys: (store, query, count) => keysOf(store, query, count),
};

class Transaction extends EventTarget {
  error = null;
  requests = [];
  active = true;
  over = false;

  constructor(disk, names, mode) {
    super();
    Object.assign(this, { disk, names, mode });
    this.ended = this.#run(disk.last);
    disk.last = this.ended;
  }

  objectStore(name) {
    if (!this.names.includes(name)) throw fail("NotFoundError", `${name} is not in the scope`);
    const ask = (method) => [method, (...args) => this.#ask(name, method, args)];
    return Object.fromEntries(Object.keys(methods).map(ask));
  }

  #ask(name, method, args) {
    if (!this.active) throw fail("TransactionInactiveError", `${method} on a transaction that is over`);
    const reads = method.startsWith("get");
    if (!reads && this.mode === "readonly") throw fail("ReadOnlyError", `${method} on a transaction that only reads`);
    const request = { onsuccess: null, onerror: null, result: undefined, error: null };
    const given = reads ? args : structuredClone(args.map((a) => (a instanceof Range ? null : a)));
    const taken = () => args.map((a, i) => (a instanceof Range ? a : given[i]));
    const act = (stores) => methods[method](stores.get(name), ...taken());
    this.requests.push({ request, method, act });
    return request;
  }

  commit() {
    if (!this.active) throw fail("InvalidStateError", "it is over");
    this.active = false;
  }

  abort() {
    if (this.over) throw fail("InvalidStateError", "it is over");
    this.#abort(null);
  }

  async #run(before) {
    await before;
    const { disk } = this;
    const stores = copyOf(disk.stores);
    for (await turn(); !this.over; await turn()) {
      const next = this.requests.shift();
      try {
        if (next) {
          disk.step(next.method);
          next.request.result = next.act(stores);
        } else {
          this.active = false;
          disk.step("commit");
          if (this.mode !== "readonly") disk.stores = stores;
          disk.step("committed");
          this.over = true;
          this.dispatchEvent(new Event("complete"));
        }
      } catch (error) {
        const whole = error.name === "QuotaExceededError"; // which is no fault of the one request
        if (next && whole) this.requests.unshift(next);
        if (next && !whole) this.#refuse(next, error);
        if (!this.over) this.#abort(error);
        continue;
      }
      if (next) this.#call(next.request.onsuccess);
    }
  }

  #refuse({ request }, error) {
    request.error = error;
    this.#call(request.onerror);
  }

  /** What a listener throws aborts the transaction. */
  #call(listener) {
    try {
      listener?.({});
    } catch {
      if (!this.over) this.#abort(fail("AbortError", "a listener has thrown"));
    }
  }

  #abort(error) {
    this.error = error;
    this.active = false;
    this.over = true;
    const aborted = () => fail("AbortError", "the transaction was aborted");
    for (const request of this.requests.splice(0)) this.#refuse(request, aborted());
    void turn().then(() => this.dispatchEvent(new Event("abort")));
  }
}

class Database {
  closed = false;
  constructor(disk) {
    this.disk = disk;
  }
  transaction(names, mode = "readonly") {
    if (this.closed || this.disk.gone) throw fail("InvalidStateError", "the connection is closed");
    return new Transaction(this.disk, names, mode);
  }
  createObjectStore(name, { autoIncrement = false } = {}) {
    if (this.disk.stores.has(name)) throw fail("ConstraintError", `there is a store ${name}`);
    this.disk.stores.set(name, { autoIncrement, next: 1, values: new Map() });
  }
  close() {
    this.closed = true;
  }
}

/** One database: what is committed of it. */
export class Disk {
  version = 0;
  stores = new Map();
  last = Promise.resolve();
  /** Whether the connection's owner has crashed: its requests have no effect any more. */
  gone = false;
  /**
   * Called with each thing a transaction does: a request's method, "commit" before and "committed" after what it did
   * is kept. It returns "crash", an error to fail with, or nothing.
   * @type {(what: string) => "crash" | Error | void}
   */
  fault = () => {};

  step(what) {
    const fault = this.gone ? "crash" : this.fault(what);
    const happens = what === "committed" && fault !== "crash" ? undefined : fault; // which nothing undoes
    if (happens === "crash") {
      this.gone = true;
      throw fail("AbortError", "the tab is gone");
    }
    if (happens) throw happens;
  }

  /** What the next page finds. */
  after() {
    const disk = new Disk();
    disk.version = this.version;
    disk.stores = copyOf(this.stores);
    return disk;
  }
}

/** Makes disk the only database there is, until the next call. */
export function use(disk) {
  globalThis.IDBKeyRange = Range;
  globalThis.indexedDB = {
    open(_name, version) {
      const listeners = { onsuccess: null, onerror: null, onupgradeneeded: null };
      const request = { ...listeners, result: new Database(disk), error: null };
      disk.last = disk.last.then(turn).then(() => {
        const oldVersion = disk.version;
        if (oldVersion > version) {
          request.error = fail("VersionError", "the database is of a newer version");
          return request.onerror?.({});
        }
        if (oldVersion < version) request.onupgradeneeded?.({ oldVersion });
        disk.version = version;
        request.onsuccess?.({});
      });
      return request;
    },
  };
}
