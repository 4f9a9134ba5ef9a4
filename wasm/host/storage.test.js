// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { openStorage } from "./storage.js";

test("a fork has no storage, and opens none", async () => {
  // There is no private file system here, and asking for it would fail.
  const storage = await openStorage("", false, null);
  assert.equal(storage.store, null);
  assert.equal(storage.copy, null);
  assert.equal(storage.problem, "");
  assert.deepEqual(await storage.listAside(), []);
  await assert.rejects(storage.readAside("x"), /nothing was set aside as x/);
  await assert.rejects(storage.removeAside("x"), /nothing was set aside as x/);
});
