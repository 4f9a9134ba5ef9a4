// What the tap knows, over a reload of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keep, lasts, setLasts, takeKept } from "./lasting.js";
import { Tap } from "./tap.js";

const encode = (s) => new TextEncoder().encode(s);

/** A session's storage, as forgiving() gives it; what is longer than most is refused without a word. */
function storage(most = Infinity) {
  const kept = new Map();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void (value === "" ? kept.delete(key) : value.length <= most && kept.set(key, value)),
  };
}

const asks = (more = {}) =>
  ({ method: "GET", url: "/api/v1/pods", headers: [["a", "b"]], body: "", origin: "page", place: "tab", ...more });

/** Ends the page of a tap, and returns that of the page after it, and all that it reports. */
function reload(t, tap, session, clusters = {}) {
  keep(session, { ...tap.known, clusters }, 9e12);
  const past = takeKept(session);
  const next = new Tap(past?.page, past?.last, past?.events);
  t.after(() => next.close());
  const seen = [];
  next.subscribe((e) => seen.push(e));
  return { next, seen, past };
}

function begin(t) {
  const tap = new Tap();
  t.after(() => tap.close());
  return tap;
}

test("requests, answers, the page's name and its clusters are there again", (t) => {
  const tap = begin(t);
  const session = storage();
  const a = tap.request(asks({ sent: new Uint8Array([1, 255]) }));
  a.head(200, "");
  a.chunk(encode("a€b").subarray(0, 2)); // a letter that is cut
  a.chunk(new Uint8Array([0, 254]));
  a.end();
  const before = [];
  tap.subscribe((e) => before.push(e));
  const { next, seen, past } = reload(t, tap, session, { tab: "uid" });
  const known = ({ bytes, sent, text, ...more }) =>
    ({ ...more, text, bytes: [...(bytes ?? [])], sent: [...(sent ?? [])] });
  assert.deepEqual(seen.map(known), before.map(known));
  assert.equal(next.page, tap.page);
  assert.deepEqual(past?.clusters, { tab: "uid" });
  assert.equal(next.request(asks()).id, 2, "ids go on");
  assert.equal(session.kept.size, 0, "a copy of the tab would be the same page");
});

test("what was under way is over, and scenes are gone", (t) => {
  const tap = begin(t);
  const watch = tap.request(asks({ url: "/api/v1/pods?watch=1" }));
  watch.head(200, "");
  watch.chunk(encode("{}\n"));
  tap.request(asks({ place: "scene 1" }));
  const { seen } = reload(t, tap, storage());
  assert.deepEqual(seen.map((e) => e.type), ["request", "head", "chunk", "fail"]);
  assert.deepEqual(
    [seen[3].error, seen[3].aborted, seen[3].time], ["the page was reloaded", true, 9e12]);
});

test("the newest requests are kept, as far as there is space", (t) => {
  const tap = begin(t);
  for (let i = 0; i < 5; i++) {
    const r = tap.request(asks({ url: `/api/v1/pods/${i}`, body: "x".repeat(900_000) }));
    r.end();
  }
  const { seen, next } = reload(t, tap, storage());
  assert.deepEqual(seen.filter((e) => e.type === "request").map((e) => e.id), [4, 5]);
  assert.equal(next.request(asks()).id, 6);
  assert.deepEqual(reload(t, tap, storage(1000)).seen, [], "a session without space for it");
});

test("requests that were cleared do not come back", (t) => {
  const tap = begin(t);
  tap.request(asks()).end();
  tap.request(asks({ place: "devserver" })).end();
  tap.request(asks());
  tap.clear("tab");
  assert.deepEqual(reload(t, tap, storage()).seen.map((e) => e.type + e.id), ["request2", "end2", "request3", "fail3"]);
});

test("nothing is kept if that is chosen", (t) => {
  const tap = begin(t);
  tap.request(asks()).end();
  const session = storage();
  assert.equal(lasts(session), true);
  setLasts(session, false);
  assert.equal(lasts(session), false);
  assert.deepEqual(reload(t, tap, session).seen, []);
  setLasts(session, true);
  assert.equal(reload(t, tap, session).seen.length, 2);
});

test("what is no text of ours is nothing", () => {
  for (const text of ["", "null", "{", "[]", '{"form":2}', '{"form":1,"page":"p","last":1,"events":7}',
    '{"form":1,"page":"p","last":"1","events":[]}', '{"form":1,"page":"p","last":1,"events":[{"b64":"%"}]}']) {
    const session = storage();
    session.setItem("tabernetes.tap", text);
    assert.equal(takeKept(session), null, text);
  }
});
