// The log in the private file system, over files that can lose power.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Directory } from "./fakeopfs.js";
import { OPFSStore, copyOf, listAside, readAside, removeAside } from "./opfs.js";

const bytes = (s) => new TextEncoder().encode(s);
const text = (b) => new TextDecoder().decode(b);
const open = (directory) => OPFSStore.open(directory, 50);
const found = async (directory) => text((await open(directory)).read(0));
const replace = (store, content) => {
  store.begin();
  try {
    for (let at = 0; at < content.length; at += 40) store.write(bytes(content.slice(at, at + 40)));
    store.commit();
  } catch (error) {
    try {
      store.abort();
    } catch {
      // the tab is gone
    }
    throw error;
  }
};

test("appends are there after the power has gone", async () => {
  const directory = new Directory();
  const store = await open(directory);
  assert.equal(text(store.read(0)), "");
  store.append(bytes("one "));
  store.append(bytes("two "));
  assert.equal(text(store.read(0)), "one two ");
  assert.equal(await found(directory.after("durable")), "one two ");
  assert.equal(text(await copyOf(directory)), "one two ");
  store.close();
  const again = await open(directory);
  again.append(bytes("three"));
  assert.equal(await found(directory.after("durable")), "one two three");
});

test("replace is whole or not at all, whenever it is interrupted", async () => {
  const contents = ["old ".repeat(100), "new", "", "newer ".repeat(50)];
  let interruptions = 0;
  for (let upTo = 0; ; upTo++) {
    const directory = new Directory();
    const store = await open(directory);
    store.append(bytes(contents[0]));
    let steps = 0;
    const possible = new Set([contents[0]]);
    directory.step = () => {
      if (steps++ >= upTo) throw new Error("the tab is gone");
    };
    let committed = contents[0];
    for (const next of contents.slice(1)) {
      possible.clear();
      possible.add(committed).add(next);
      try {
        replace(store, next);
        committed = next;
      } catch {
        break;
      }
    }
    directory.step = () => {};
    if (steps <= upTo) break;
    interruptions++;
    for (const what of /** @type {const} */ (["now", "durable"])) {
      const after = directory.after(what);
      const got = await found(after);
      assert.ok(possible.has(got), `interrupted at ${upTo}, ${what}: found ${JSON.stringify(got.slice(0, 20))}`);
      assert.equal(text(await copyOf(directory.after(what))), got);
    }
  }
  assert.ok(interruptions > 10, `${interruptions} interruptions`);
});

test("a failed append leaves the log as it was", async () => {
  const directory = new Directory();
  const store = await open(directory);
  store.append(bytes("kept "));
  directory.step = (what) => (what === "write" ? { room: 3 } : undefined);
  assert.throws(() => store.append(bytes("too long")), /only 3 of 8 bytes .* full/);
  directory.step = (what) => {
    if (what === "flush") throw new Error("no");
  };
  assert.throws(() => store.append(bytes("x")), /no/);
  directory.step = () => {};
  store.append(bytes("more"));
  assert.equal(await found(directory.after("durable")), "kept more");
});

test("a failed replace leaves the log as it was, and can be tried again", async () => {
  const directory = new Directory();
  const store = await open(directory);
  store.append(bytes("kept "));
  directory.step = (what) => (what === "write" ? { room: 1 } : undefined);
  assert.throws(() => replace(store, "other"), /full/);
  directory.step = () => {};
  store.append(bytes("more"));
  assert.equal(await found(directory.after("durable")), "kept more");
  replace(store, "other");
  assert.equal(await found(directory.after("durable")), "other");
});

test("what is set aside can be found again", async () => {
  const directory = new Directory();
  const store = await open(directory);
  store.append(bytes("damaged"));
  const first = await store.setAside();
  assert.match(first, /^set-aside-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.log$/);
  assert.equal(text(store.read(0)), "damaged");
  replace(store, "damaged again");
  const second = await store.setAside();
  assert.notEqual(second, first);
  assert.deepEqual(await listAside(directory), [first, second].sort());
  assert.equal(text(await readAside(directory, first)), "damaged");
  assert.equal(text(await readAside(directory, second)), "damaged again");
  await assert.rejects(readAside(directory, "log-0"), /nothing was set aside/);
  await removeAside(directory, first);
  assert.deepEqual(await listAside(directory), [second]);
  await assert.rejects(removeAside(directory, "log-0"), /nothing was set aside/);
});

test("files without a sound head are handed out, not dropped", async () => {
  const directory = new Directory();
  (await open(directory)).append(bytes("precious"));
  for (const file of directory.files.values()) file.locked = false;
  directory.files.get("log-0").now.fill(7, 0, 4);
  directory.files.get("log-1").now.fill(7, 0, 4);
  const store = await open(directory);
  assert.match(text(store.read(0)), /precious$/);
  const name = await store.setAside();
  assert.match(text(await readAside(directory, name)), /precious$/);
  replace(store, "fresh");
  assert.equal(await found(directory.after("durable")), "fresh");
});

test("opening waits for a worker that was just ended", async () => {
  const directory = new Directory();
  const before = await open(directory);
  before.append(bytes("saved"));
  const opening = OPFSStore.open(directory, 5000);
  setTimeout(() => before.close(), 30);
  assert.equal(text((await opening).read(0)), "saved");
});

test("opening gives up on a file that stays open", async () => {
  const directory = new Directory();
  await open(directory);
  await assert.rejects(open(directory), { name: "NoModificationAllowedError" });
});

test("a copy of nothing is nothing", async () => {
  assert.equal((await copyOf(new Directory())).length, 0);
});

test("a log is read piece by piece", async () => {
  const store = await open(new Directory());
  store.append(new Uint8Array(3 << 20).fill(1));
  let size = 0;
  for (let piece = store.read(0); piece.length > 0; piece = store.read(size)) {
    assert.ok(piece.length <= 1 << 20);
    size += piece.length;
  }
  assert.equal(size, 3 << 20);
});

test("the record of how far the log has come is there after the power has gone", async () => {
  const directory = new Directory();
  const store = await open(directory);
  assert.equal(text(store.head()), "");
  store.saveHead(bytes("a long record"));
  store.saveHead(bytes("record"));
  assert.equal(text((await open(directory.after("durable"))).head()), "record");
  store.saveHead(new Uint8Array());
  assert.equal(text((await open(directory.after("durable"))).head()), "");
});
