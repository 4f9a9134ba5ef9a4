// When the browser is asked to keep what is saved, and what is known of its answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepStorage } from "./keep.js";

const turn = () => new Promise((resolve) => setTimeout(resolve));

function setUp({ persisted = false, answer = true, storage = true } = {}) {
  const kept = new Map();
  const listeners = new Set();
  const seen = { told: [], asked: 0, kept, listeners };
  const parts = {
    storage: storage ? { persisted: async () => persisted, persist: async () => (seen.asked++, answer) } : undefined,
    onTap: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    memory: { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) },
    tell: (evictable) => seen.told.push(evictable),
  };
  const request = (method) => [...listeners].forEach((l) => l({ type: "request", id: 1, time: 0, method }));
  return { parts, seen, request };
}

test("it is asked at the first write, once", async () => {
  const { parts, seen, request } = setUp();
  await keepStorage(parts);
  request("GET");
  request("HEAD");
  await turn();
  assert.deepEqual([seen.asked, seen.told], [0, [true]]);
  request("POST");
  request("DELETE");
  await turn();
  assert.deepEqual([seen.asked, seen.told], [1, [true, false]]);
  assert.equal(seen.listeners.size, 0);
  await keepStorage(parts); // another visit
  assert.equal(seen.listeners.size, 0);
});

test("a browser that refuses may delete it", async () => {
  const { parts, seen, request } = setUp({ answer: false });
  await keepStorage(parts);
  request("POST");
  await turn();
  assert.deepEqual(seen.told, [true, true]);
});

test("one that keeps it already is not asked", async () => {
  const { parts, seen } = setUp({ persisted: true });
  await keepStorage(parts);
  assert.deepEqual([seen.told, seen.listeners.size], [[false], 0]);
});

test("one that cannot be asked may delete it", async () => {
  const { parts, seen } = setUp({ storage: false });
  await keepStorage(parts);
  assert.deepEqual([seen.told, seen.listeners.size], [[true], 0]);
});
