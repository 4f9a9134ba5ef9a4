// Links to rooms, and what a tab remembers of its room.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RoomMemory, linkTo, parseLink, takeLink } from "./link.js";

const ORIGIN = "https://tab.example";
const TOKEN = "lI4l3_iX095IIwSb8-dfog";
const HERE = `${ORIGIN}/rooms/0adf8397dd/`;

test("links to rooms", () => {
  const cases = {
    [`#room=0adf8397dd&token=${TOKEN}`]: { base: HERE, token: TOKEN },
    [`#token=${TOKEN}&room=https%3A%2F%2Fother.example%2Frooms%2Fx%2F`]:
      { base: "https://other.example/rooms/x/", token: TOKEN },
    "#room=http://127.0.0.1:8080/&token=a": { base: "http://127.0.0.1:8080/", token: "a" },
    "#rooms": { base: "", token: "" },
    "#room=0adf8397dd": { base: HERE, token: "" },
    "#room=0adf8397dd&token=a%0Ab": { base: HERE, token: "" },
  };
  for (const [hash, want] of Object.entries(cases)) assert.deepEqual(parseLink(hash, ORIGIN), want, hash);
  for (const room of ["", "x", "../0adf8397dd", "javascript:alert(1)/", "https://a.example/x", "https://a.example/?/",
    "https://u:p@a.example", "https://a.example/a/../b/"]) {
    assert.equal(parseLink("#room=" + encodeURIComponent(room), ORIGIN).base, "?", room);
  }
  for (const hash of ["", "#", "#lesson=watch", "#roomsx", "#token=a"]) {
    assert.equal(parseLink(hash, ORIGIN), null, hash);
  }
});

test("a link that is made leads where it came from", () => {
  assert.equal(linkTo(HERE, TOKEN, ORIGIN), `#room=0adf8397dd&token=${TOKEN}`);
  for (const base of [HERE, "https://other.example/rooms/0adf8397dd/", "https://tab.example/"]) {
    assert.deepEqual(parseLink(linkTo(base, TOKEN, ORIGIN), ORIGIN), { base, token: TOKEN });
  }
});

test("a link to a room is taken off the address, and nothing else is", () => {
  const replaced = [];
  const history = { state: { a: 1 }, replaceState: (...args) => replaced.push(args) };
  const at = (hash) => ({ hash, origin: ORIGIN, pathname: "/lab/", search: "?nosw" });
  assert.equal(takeLink(at("#lesson/watch"), history), null);
  assert.deepEqual(replaced, []);
  assert.deepEqual(takeLink(at("#room=0adf8397dd&token=abc"), history), { base: HERE, token: "abc" });
  assert.deepEqual(replaced, [[{ a: 1 }, "", "/lab/?nosw"]]);
});

test("the room is remembered, and forgotten", () => {
  const items = new Map();
  const memory = new RoomMemory({ getItem: (k) => items.get(k) ?? null,
    setItem: (k, v) => void (v ? items.set(k, v) : items.delete(k)) });
  assert.equal(memory.read(), null);
  const room = { base: HERE, token: TOKEN, name: "ada-x" };
  memory.write(room);
  assert.deepEqual(memory.read(), room);
  memory.write(null);
  assert.equal(items.size, 0);
  for (const bad of ["{", "1", '{"base":"https://x","token":"a"}', '{"base":"https://x/"}']) {
    items.set("tabernetes.room", bad);
    assert.equal(memory.read(), null, bad);
  }
});
