// A store of the page, used by workers that come and go.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PageStore, StoreKeeper } from "./pagestore.js";

const bytes = (s) => new TextEncoder().encode(s);
const text = (b) => new TextDecoder().decode(b);
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A store in memory. */
class Memory {
  log = "";
  aside = new Map();
  closed = false;
  closes = 0;
  note = "";
  next = "";
  read = async (at) => bytes(this.log.slice(at));
  begin = async () => void (this.next = "");
  write = async (b) => void (this.next += text(b));
  commit = async () => void (this.log = this.next);
  abort = async () => void (this.next = "");
  head = async () => bytes(this.note);
  saveHead = async (b) => void (this.note = text(b));
  append = async (b) => {
    if (text(b) === "too much") throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    this.log += text(b);
  };
  setAside = async () => (this.aside.set("set-aside-1.log", this.log), "set-aside-1.log");
  removeAside = async (name) => void this.aside.delete(name);
  listAside = async () => [...this.aside.keys()];
  readAside = async (name) => bytes(this.aside.get(name)).buffer;
  close = () => this.closes++;
}

/** @param {import("node:test").TestContext} t */
function setUp(t, open) {
  const memory = new Memory();
  let opened = 0;
  const keeper = new StoreKeeper("default", /** @type {any} */ (open ?? (async () => (opened++, memory))));
  const worker = () => {
    const { port1, port2 } = new MessageChannel();
    keeper.serve(port1);
    t.after(() => port2.close());
    return new PageStore(port2);
  };
  return { memory, keeper, worker, opened: () => opened };
}

test("every method reaches the page's store", async (t) => {
  const { memory, worker } = setUp(t);
  const store = worker();
  await store.open();
  await store.append(bytes("one "));
  await store.append(bytes("two"));
  assert.equal(text(await store.read(0)), "one two");
  assert.equal(text(await store.read(4)), "two");
  for (const end of /** @type {const} */ (["abort", "commit"])) {
    await store.begin();
    await store.write(bytes("thr"));
    await store.write(bytes("ee"));
    assert.equal(memory.log, "one two");
    await store[end]();
  }
  assert.equal(memory.log, "three");
  await store.saveHead(bytes("5"));
  assert.equal(text(await store.head()), "5");
  assert.equal(await store.setAside(), "set-aside-1.log");
  assert.deepEqual(await store.listAside(), ["set-aside-1.log"]);
  assert.equal(text(new Uint8Array(await store.readAside("set-aside-1.log"))), "three");
  await store.removeAside("set-aside-1.log");
  assert.deepEqual(await store.listAside(), []);
});

test("a store that the browser has closed is opened again", async (t) => {
  const { memory, worker, opened } = setUp(t);
  const store = worker();
  await store.append(bytes("kept"));
  memory.closed = true;
  await assert.rejects(store.append(bytes("lost")), /closed the database/);
  memory.closed = false;
  await store.append(bytes(", more"));
  assert.equal(memory.log, "kept, more");
  assert.equal(opened(), 2);
});

test("what the store refuses is refused to the worker, with its words", async (t) => {
  const { worker } = setUp(t);
  await assert.rejects(worker().append(bytes("too much")), { message: "The quota has been exceeded." });
});

test("a store that cannot be opened is tried again", async (t) => {
  let broken = true;
  const memory = new Memory();
  const { worker } = setUp(t, async () => {
    if (broken) throw new DOMException("The user denied permission.", "InvalidStateError");
    return memory;
  });
  await assert.rejects(worker().open(), /denied permission/);
  broken = false;
  await worker().open();
});

test("what a worker that is gone has asked for is not written behind the back of the next", async (t) => {
  const { memory, worker, opened } = setUp(t);
  const first = worker();
  await first.append(bytes("acknowledged"));
  void first.append(bytes(", under way"));
  const second = worker();
  assert.equal(text(await second.read(0)), "acknowledged");
  await turn();
  assert.equal(memory.log, "acknowledged");
  await second.append(bytes(", next"));
  assert.equal(memory.log, "acknowledged, next");
  assert.equal(opened(), 1);
});

test("a page that is left closes its store, and opens it again when it is come back to", async (t) => {
  const { memory, keeper, worker, opened } = setUp(t);
  await worker().append(bytes("kept"));
  keeper.close();
  await turn();
  assert.equal(memory.closes, 1);
  assert.equal(text(await worker().read(0)), "kept");
  assert.equal(opened(), 2);
});
