// The log in the private file system, with a fault at every step of what a journal does with it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Directory } from "./fakeopfs.js";
import { OPFSStore, copyOf, listAside, readAside } from "./opfs.js";

const bytes = (s) => new TextEncoder().encode(s);
const text = (b) => new TextDecoder().decode(b);
const open = (directory) => OPFSStore.open(directory, 0);
const no = () => new Error("the storage refuses it");

/** Each kind of fault: what happens to one step. */
const kinds = {
  "an error": () => {
    throw no();
  },
  "an error, though it is done": () => ({ error: no() }),
  "a short write": (what) => (what === "write" ? { room: 5 } : undefined),
  "a short write, and a count that is an error": (what) =>
    what === "write" ? { room: 5, count: 2 ** 32 - 8 } : undefined,
  "a short write, and an error": (what) => (what === "write" ? { room: 13, error: no() } : undefined),
};
const crashes = {
  "a crash before": kinds["an error"],
  "a crash after": kinds["an error, though it is done"],
  "a crash in the middle": (what) => ({ room: what === "write" ? 13 : undefined, error: no() }),
};

/** Every fault, for some steps from the one called at on. After a crash nothing is done any more. */
function* faults(at) {
  for (const [kind, fault] of Object.entries(kinds)) {
    for (const often of [1, 2, 3, Infinity]) {
      yield {
        name: `${kind}, ${often} times from step ${at} on`,
        crashes: false,
        fault: (step, what) => step - at < often && fault(what),
      };
    }
  }
  for (const [kind, fault] of Object.entries(crashes)) {
    yield {
      name: `${kind} step ${at}`,
      crashes: true,
      fault: (step, what) => (step === at ? fault(what) : kinds["an error"]()),
    };
  }
}

/** Every way in which the three files can be left: by a tab that is gone, and by the power. */
const remains = Array.from({ length: 8 }, (_, i) => ({
  name: i === 0 ? "the tab is gone" : `the power is gone (${i})`,
  what: (name) => ((i >> ["log-0", "log-1", "head"].indexOf(name)) & 1 ? "durable" : "now"),
}));
remains.push({ name: "the power is gone, and took all but the last write", what: () => "last" });

const record = (n) => `the log has come to ${n} (${n * 7919})`;
/** What a record says; null if it is refused. */
function parse(said) {
  const n = Number(/ to (\d+) /.exec(said)?.[1]);
  return said === record(n) ? n : null;
}

/** Does what a journal does, and knows what may be found whenever it is interrupted. */
class Journal {
  /** What is acknowledged. */ log = "";
  count = 0;
  /** What may be behind it, in part. */ refused = "";
  /** What may be in its place. @type {string[]} */ instead = [];
  /** What the record may say. */ records = new Set([0]);
  broken = false;
  attempts = 0;

  /** @param {OPFSStore} store */
  constructor(store) {
    this.store = store;
  }

  append() {
    if (this.broken) return this.rewrite();
    this.refused = `+${this.count + 1} ${"a".repeat(20)} ${++this.attempts};`;
    this.broken = true;
    this.store.append(bytes(this.refused));
    this.broken = false;
    this.count++;
    this.took(this.log + this.refused);
  }

  rewrite() {
    const content = this.count === 0 ? "" : `=${this.count} ${"s".repeat(40)} ${++this.attempts};`;
    this.instead.push(content);
    try {
      this.store.begin();
      for (let at = 0; at < content.length; at += 16) this.store.write(bytes(content.slice(at, at + 16)));
      this.store.commit();
    } catch (error) {
      this.store.abort();
      throw error;
    }
    this.broken = false;
    this.took(content);
  }

  took(log) {
    Object.assign(this, { log, refused: "", instead: [] });
  }

  saveHead() {
    this.records.add(this.count);
    this.store.saveHead(bytes(record(this.count)));
    this.records = new Set([this.count]);
  }

  mayBe(found) {
    return this.instead.includes(found) || (found.startsWith(this.log) && (this.log + this.refused).startsWith(found));
  }
}

const work = /** @type {const} */ ([
  "append", "append", "saveHead", "rewrite", "append", "rewrite",
  "append", "saveHead", "append", "rewrite", "append", "saveHead",
]);

test("whatever fails, what was acknowledged is found, and nothing else", async () => {
  let times = 0;
  for (let at = 0, reached = true; reached; at++) {
    reached = false;
    for (const { name, crashes, fault } of faults(at)) {
      const directory = new Directory();
      const journal = new Journal(await open(directory));
      let steps = 0;
      directory.step = (what) => (steps++ >= at ? fault(steps - 1, what) || undefined : undefined);
      for (const [i, what] of work.entries()) {
        let failed = false;
        try {
          journal[what]();
        } catch {
          failed = true;
        }
        if (crashes && failed) break;
        if (failed || i === work.length - 1) await inspect(directory, journal, `${name}, after ${i} ${what}`);
      }
      if (crashes) await inspect(directory, journal, name);
      reached ||= steps > at;
      times++;
      // The next attempt shows what works again.
      if (crashes) continue;
      directory.step = () => {};
      journal.rewrite();
      journal.append();
      journal.saveHead();
      assert.equal(await inspect(directory, journal, `${name}, once it works again`), journal.log);
    }
  }
  assert.ok(times > 500, `${times} faults`);
});

/** Looks at all that may be left. Returns what the last of it is. */
async function inspect(directory, journal, where) {
  const looked = directory.step;
  directory.step = () => {};
  let got;
  for (const { name, what } of remains) {
    const at = `${where}; ${name}`;
    const left = directory.after(what);
    const store = await open(left);
    got = text(store.read(0));
    const both = `found ${JSON.stringify(got)}; acknowledged is ${JSON.stringify(journal.log)}`;
    assert.ok(journal.mayBe(got), `${at}: ${both}`);
    assert.equal(text(await copyOf(left)), got, at);
    const said = text(store.head());
    const n = said === "" ? 0 : parse(said);
    assert.ok(n === null || (n <= journal.count && journal.records.has(n)), `${at}: the record says ${said}`);
    // A page that finds it can continue with it.
    store.append(bytes("more"));
    store.close();
    assert.equal(text((await open(left.after("durable"))).read(0)), got + "more", at);
  }
  directory.step = looked;
  return got;
}

test("what a refused append has left does not come back", async () => {
  const directory = new Directory();
  const store = await open(directory);
  store.append(bytes("kept "));
  let flushes = 0;
  directory.step = (what) => (what === "flush" && flushes++ === 0 ? { error: no() } : undefined); // though it is done
  assert.throws(() => store.append(bytes("refused")), /refuses/);
  directory.step = () => {};
  assert.equal(text((await open(directory.after("durable"))).read(0)), "kept ");

  directory.step = (what) => (what === "write" ? undefined : kinds["an error"]());
  assert.throws(() => store.append(bytes("refused again")), /refuses/);
  directory.step = () => {};
  store.append(bytes("x"));
  for (const what of /** @type {const} */ (["now", "durable"])) {
    assert.equal(text((await open(directory.after(what))).read(0)), "kept x", what);
  }
});

test("a cluster that could not be begun is begun the next time", async () => {
  let times = 0;
  for (let at = 0, reached = true; reached; at++) {
    reached = false;
    for (const { name, fault } of faults(at)) {
      const directory = new Directory();
      let steps = 0;
      directory.step = (what) => (steps++ >= at ? fault(steps - 1, what) || undefined : undefined);
      const begun = await open(directory).catch(() => null);
      directory.step = () => {};
      reached ||= steps > at;
      times++;
      for (const { name: lost, what } of remains) {
        const store = await open(directory.after(what));
        assert.equal(text(store.read(0)), "", `${name}; ${lost}`);
      }
      if (begun) continue;
      const again = await open(directory); // nothing is left open
      again.append(bytes("first"));
      assert.equal(text((await open(directory.after("durable"))).read(0)), "first", name);
    }
  }
  assert.ok(times > 100, `${times} faults`);
});

test("what could not be set aside leaves the log, and no half copy unless the tab is gone", async () => {
  const log = "damaged".repeat(1 << 18); // which is more than one piece
  let times = 0;
  for (let at = 0, reached = true; reached; at++) {
    reached = false;
    for (const { name, crashes, fault } of faults(at)) {
      const directory = new Directory();
      const store = await open(directory);
      store.append(bytes(log));
      let steps = 0;
      directory.step = (what) => (steps++ >= at ? fault(steps - 1, what) || undefined : undefined);
      const kept = await store.setAside().catch(() => null);
      directory.step = () => {};
      reached ||= steps > at;
      times++;
      const left = directory.after("durable");
      assert.ok(text((await open(left)).read(0)) === log.slice(0, 1 << 20), name);
      const names = await listAside(left);
      if (kept) assert.ok(text(new Uint8Array(await readAside(left, kept))) === log, name);
      else if (name.includes(", 1 times")) assert.deepEqual(names, [], name); // or the half could not be removed either
      if (crashes) continue;
      assert.ok(text(new Uint8Array(await readAside(directory, await store.setAside()))) === log, name);
    }
  }
  assert.ok(times > 100, `${times} faults`);
});

test("a count that no read can have is an error, and never content", async () => {
  const content = "acknowledged";
  const uses = {
    "at the start": (directory) => open(directory),
    "of the log": (_, store) => store.read(0),
    "of the record": (_, store) => store.head(),
    "of a copy": (_, store) => store.setAside(),
  };
  for (const [what, use] of Object.entries(uses)) {
    for (const room of [0, 5, Infinity]) {
      const directory = new Directory();
      const store = await open(directory);
      store.append(bytes(content));
      store.saveHead(bytes(record(1)));
      if (what === "at the start") store.close();
      const before = directory.after("now");
      const name = `${what}, of which ${room} bytes are read`;
      let reads = 0;
      directory.step = (step) => (step === "read" ? (reads++, { room, count: 2 ** 32 - 8 }) : undefined);
      await assert.rejects(async () => use(directory, store), /cannot be read/, name);
      assert.equal(reads, 1, name);
      directory.step = () => {};
      if (what !== "at the start") store.close();
      for (const left of [directory, directory.after("durable"), before]) {
        const again = await open(left); // nothing is left open
        assert.equal(text(again.read(0)), content, name);
        assert.equal(text(again.head()), record(1), name);
        assert.deepEqual(await listAside(left), [], name);
      }
    }
  }
});

test("a copy is not made of two files that take turns meanwhile", async () => {
  const directory = new Directory();
  const store = await open(directory);
  store.append(bytes("old"));
  // The one that is to be the log is read before it is, and the other one after it was.
  const order = [];
  directory.reading = (name) => {
    order.push(name);
    if (name !== "log-1" || order.length > 2) return;
    store.begin();
    store.write(bytes("new"));
    store.commit();
  };
  assert.equal(text(await copyOf(directory)), "new");
  assert.ok(order.length > 2);
});
