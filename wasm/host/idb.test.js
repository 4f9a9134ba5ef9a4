// The log in IndexedDB, over a database that can fail at every step.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk, use } from "./fakeidb.js";
import { IDBStore } from "./idb.js";

const bytes = (s) => new TextEncoder().encode(s);
const text = (b) => new TextDecoder().decode(b);
const full = () => new DOMException("The quota has been exceeded.", "QuotaExceededError");
const PIECE = 40;

/** Opens the store of a page. */
function open(disk) {
  use(disk);
  return IDBStore.open("default");
}

/** The whole log, as the journal reads it: piece by piece, up to an empty one. */
async function read(store) {
  let all = "";
  for (let at = 0; ; ) {
    const piece = await store.read(at);
    if (piece.length === 0) return all;
    at += piece.length;
    all += text(piece);
  }
}

const found = async (disk) => read(await open(disk.after()));

/** Replaces the log as Go does: what fails is given up. */
async function replace(store, content) {
  try {
    await store.begin();
    for (let at = 0; at < content.length; at += PIECE) await store.write(bytes(content.slice(at, at + PIECE)));
    await store.commit();
  } catch (error) {
    await store.abort().catch(() => {});
    throw error;
  }
}

const ways = { "refused once": [full, 1], "refused from then on": [full, Infinity], crash: [() => "crash", 1] };

/**
 * Runs body once for every step that can fail and for each way it can: a request or the transaction is refused, or the
 * page is gone just then. Check gets what is left, and why body failed, if it did. Returns how often that was.
 */
async function atEveryStep(before, body, check) {
  let times = 0;
  for (const [how, [fault, often]] of Object.entries(ways)) {
    for (let at = 0; ; at++) {
      const disk = new Disk();
      const store = await open(disk);
      await before(store);
      let steps = 0;
      disk.fault = () => {
        const since = steps++ - at;
        return since >= 0 && since < often ? fault() : undefined;
      };
      const error = await body(store).then(() => null, (e) => e);
      disk.fault = () => {};
      if (steps <= at) break;
      times++;
      await check({ disk, store, error, how, where: `${how} at step ${at}` });
    }
  }
  return times;
}

test("appends are there when the database is opened again", async () => {
  const disk = new Disk();
  const store = await open(disk);
  assert.equal(await read(store), "");
  await store.append(bytes("one "));
  await store.append(bytes("two "));
  assert.equal(await read(store), "one two ");
  assert.equal(await found(disk), "one two ");
  store.close();
  const again = await open(disk);
  await again.append(bytes("three"));
  assert.equal(await found(disk), "one two three");
  await assert.rejects(store.append(bytes("x")), { name: "InvalidStateError" });
});

test("an empty append does not hide what comes after it", async () => {
  const disk = new Disk();
  const store = await open(disk);
  for (let i = 0; i < 100; i++) await store.append(new Uint8Array());
  await store.append(bytes("seen"));
  assert.equal(await found(disk), "seen");
});

test("an append is there or not, whichever step fails, and what was there before is", async () => {
  const before = (store) => store.append(bytes("kept "));
  const append = (store) => store.append(bytes("more "));
  const times = await atEveryStep(before, append, async ({ disk, store, error, how, where }) => {
    const got = await found(disk);
    assert.ok(["kept ", "kept more "].includes(got), `${where}: found ${got}`);
    if (!error) assert.equal(got, "kept more ", where);
    if (how === "crash") return;
    if (error) assert.equal(error.name, "QuotaExceededError", where);
    await store.append(bytes("again"));
    assert.equal(await read(store), got + "again", where);
  });
  assert.ok(times >= 5, `${times} faults`);
});

test("a refused append leaves the log as it was, and can be tried again", async () => {
  for (const what of ["add", "commit"]) {
    const disk = new Disk();
    const store = await open(disk);
    await store.append(bytes("kept "));
    disk.fault = (step) => (step === what ? full() : undefined);
    await assert.rejects(store.append(bytes("refused ")), { name: "QuotaExceededError" });
    assert.equal(await found(disk), "kept ");
    disk.fault = () => {};
    await store.append(bytes("more"));
    assert.equal(await found(disk), "kept more");
  }
});

test("an exception of a request is why an append fails, and leaves nothing", async () => {
  const disk = new Disk();
  const store = await open(disk);
  await assert.rejects(store.append(/** @type {any} */ (() => {})), { name: "DataCloneError" });
  await store.begin();
  await store.write(bytes("half"));
  await assert.rejects(store.append(/** @type {any} */ (() => {})), { name: "DataCloneError" });
  await store.head(); // which waits for what is under way
  assert.equal(disk.stores.get("notes").values.size, 1, "what the append was to remove first is there");
  await store.append(bytes("more"));
  assert.equal(await found(disk), "more");
});

test("a replacement is whole or not at all, whichever step fails", async () => {
  const contents = { old: "old ".repeat(50), next: "new ".repeat(30), nothing: "" };
  for (const [name, next] of [["next", contents.next], ["nothing", ""]]) {
    const before = async (store) => {
      await store.append(bytes(contents.old));
      await store.append(bytes("!"));
    };
    const act = (store) => replace(store, next);
    const times = await atEveryStep(before, act, async ({ disk, store, error, how, where }) => {
      const got = await found(disk);
      assert.ok([contents.old + "!", next].includes(got), `${where}: found ${got.length} bytes`);
      if (!error) assert.equal(got, next, where);
      // The next one continues with it, this page or another.
      const [later, there] = how === "crash" ? [disk.after()] : [disk, store];
      const successor = there ?? (await open(later));
      await successor.append(bytes("more"));
      assert.equal(await found(later), got + "more", where);
      await replace(successor, "another");
      assert.equal(await read(successor), "another", where);
    });
    assert.ok(times > (name === "next" ? 40 : 15), `${name}: ${times} faults`);
  }
});

test("what a replacement has left is no part of the log for whoever has the database open already", async () => {
  for (const end of ["read", "append", "replace", "replace by nothing", "give up a replacement", "set aside"]) {
    const disk = new Disk();
    const store = await open(disk);
    await store.append(bytes("log "));
    await store.begin();
    await store.write(bytes("half"));
    await store.write(bytes(" of it"));
    // The worker has ended here, and the page starts another.
    assert.equal(await read(store), "log ", end);
    if (end === "append") {
      await store.append(bytes("more"));
      assert.equal(await found(disk), "log more");
    } else if (end.startsWith("replace")) {
      const content = end === "replace" ? "new" : "";
      await replace(store, content);
      assert.equal(await found(disk), content);
    } else if (end === "give up a replacement") {
      await store.begin();
      await store.write(bytes("other"));
      await store.abort();
      assert.equal(await found(disk), "log ");
    } else if (end === "set aside") {
      assert.equal(text(new Uint8Array(await store.readAside(await store.setAside()))), "log ");
    }
  }
});

test("a page that only reads does not disturb the one that replaces the log", async () => {
  const disk = new Disk();
  const owner = await open(disk);
  await owner.append(bytes("old"));
  await owner.begin();
  await owner.write(bytes("new "));
  const other = await open(disk);
  assert.equal(await read(other), "old");
  await owner.write(bytes("log"));
  await owner.commit();
  assert.equal(await read(other), "new log");
});

test("a replacement that somebody else has ended fails, instead of leaving a part of it", async () => {
  for (const how of ["append", "replace"]) {
    const disk = new Disk();
    const slow = await open(disk);
    await slow.append(bytes("old "));
    await slow.begin();
    await slow.write(bytes("never"));
    const successor = await open(disk);
    if (how === "append") {
      await successor.append(bytes("more"));
    } else {
      await successor.begin();
      await successor.write(bytes("another"));
    }
    await assert.rejects(slow.write(bytes("x")), /under way/);
    await assert.rejects(slow.commit(), /under way/);
    assert.equal(await found(disk), how === "append" ? "old more" : "old ");
    if (how === "append") continue;
    await successor.commit();
    assert.equal(await found(disk), "another");
  }
});

test("a log that is replaced while it is read is not read as a mixture", async () => {
  const disk = new Disk();
  const store = await open(disk);
  for (let i = 0; i < 100; i++) await store.append(bytes(`${i} `));
  const other = await open(disk);
  let at = (await other.read(0)).length;
  await replace(store, "new");
  await assert.rejects(async () => {
    for (let piece; (piece = await other.read(at)).length > 0; ) at += piece.length;
  }, /replaced while it was read/);
  assert.equal(await read(other), "new");
});

test("what is given up leaves the log as it was", async () => {
  const disk = new Disk();
  const store = await open(disk);
  await store.append(bytes("kept "));
  await store.begin();
  await store.abort();
  await store.begin();
  await store.write(bytes("x"));
  await store.write(bytes("y"));
  await store.abort();
  await store.abort();
  await store.append(bytes("more"));
  assert.equal(await found(disk), "kept more");
});

test("the record is the old one or the new one, whichever step fails", async () => {
  const before = (store) => store.saveHead(bytes("4"));
  const times = await atEveryStep(before, (store) => store.saveHead(bytes("55")), async ({ disk, error, where }) => {
    const got = text(await (await open(disk.after())).head());
    assert.ok(["4", "55"].includes(got), `${where}: found ${got}`);
    if (!error) assert.equal(got, "55", where);
  });
  assert.ok(times >= 4, `${times} faults`);
  const store = await open(new Disk());
  assert.equal((await store.head()).length, 0);
});

test("replacing the log leaves the record, and the other way round", async () => {
  const disk = new Disk();
  const store = await open(disk);
  await store.saveHead(bytes("4"));
  await replace(store, "four");
  await replace(store, "");
  assert.equal(text(await store.head()), "4");
  await replace(store, "five");
  await store.saveHead(new Uint8Array());
  assert.equal(await found(disk), "five");
});

test("what is set aside is there in whole or not at all, and the log stays", async () => {
  const before = async (store) => {
    await store.append(bytes("damaged"));
    await store.append(bytes(" log"));
  };
  const times = await atEveryStep(before, (store) => store.setAside(), async ({ disk, error, where }) => {
    const store = await open(disk.after());
    assert.equal(await read(store), "damaged log", where);
    const names = await store.listAside();
    assert.ok(names.length === 1 || error, where);
    for (const name of names) assert.equal(text(new Uint8Array(await store.readAside(name))), "damaged log", where);
  });
  assert.ok(times >= 8, `${times} faults`);
});

test("what is set aside can be found and removed", async () => {
  const store = await open(new Disk());
  await store.append(bytes("damaged"));
  const first = await store.setAside();
  assert.match(first, /^set-aside-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.log$/);
  await replace(store, "damaged again");
  const second = await store.setAside();
  assert.notEqual(second, first);
  assert.deepEqual(await store.listAside(), [first, second].sort());
  assert.equal(text(new Uint8Array(await store.readAside(second))), "damaged again");
  await store.removeAside(first);
  assert.deepEqual(await store.listAside(), [second]);
  await assert.rejects(store.readAside(first), /nothing was set aside/);
  assert.equal(await read(store), "damaged again");
});

test("a log of many values is read in their order, piece by piece", async () => {
  const disk = new Disk();
  const store = await open(disk);
  let whole = "";
  for (let i = 0; i < 200; i++) {
    await store.append(bytes(`${i},`));
    whole += `${i},`;
  }
  let requests = 0;
  disk.fault = (what) => void (what === "getAll" && requests++);
  assert.equal(await read(store), whole);
  assert.equal(requests, 5, "64 values are read at a time");
  await assert.rejects(store.read(7), /reading at 7/);
  assert.equal(await read(store), whole);
});

test("a read that fails can be begun again", async () => {
  const disk = new Disk();
  const store = await open(disk);
  await store.append(bytes("kept"));
  disk.fault = (what) => (what === "getAll" ? new DOMException("no", "UnknownError") : undefined);
  await assert.rejects(store.read(0), { name: "UnknownError" });
  disk.fault = () => {};
  assert.equal(await read(store), "kept");
});

test("a database of the first version is read as it was", async () => {
  const logs = { empty: [], "one giant value": ["x".repeat(3 << 20)], "several values": ["one ", "two ", "three"] };
  for (const [name, values] of Object.entries(logs)) {
    const disk = new Disk();
    use(disk);
    await new Promise((resolve) => {
      const request = indexedDB.open("tabernetes-default", 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("batches", { autoIncrement: true });
        request.result.createObjectStore("aside");
      };
      request.onsuccess = resolve;
    });
    const batches = disk.stores.get("batches");
    for (const value of values) batches.values.set(batches.next++, bytes(value));
    disk.stores.get("aside").values.set("set-aside-2026.log", bytes("damaged"));

    const store = await open(disk);
    assert.equal(await read(store), values.join(""), name);
    assert.equal((await store.head()).length, 0);
    assert.deepEqual(await store.listAside(), ["set-aside-2026.log"]);
    await store.append(bytes("!"));
    assert.equal(await found(disk), values.join("") + "!", name);
    await replace(store, "new");
    assert.equal(await found(disk), "new", name);
  }
});

test("a store that is closed ends what is under way", async () => {
  const disk = new Disk();
  const store = await open(disk);
  await store.append(bytes("kept"));
  const under = store.append(bytes("under way"));
  store.close();
  await assert.rejects(under, { message: /aborted/ });
  assert.equal(await found(disk), "kept");
});
