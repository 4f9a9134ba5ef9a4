import assert from "node:assert/strict";
import { test } from "node:test";
import { KEY } from "../browser/controlplane.js";
import { settled } from "./settled.js";

/** A page whose requests go to a target; what it was asked is in asked. */
function page(target, answer = async () => new Response("")) {
  const asked = [];
  const fetch = (url, init) => {
    asked.push(`${init.method} ${url.split("/").at(-1)} ${init.body}`);
    return answer(init);
  };
  return { target, fetch, asked };
}

test("the programs are waited for where they run", async (t) => {
  const store = new Map();
  globalThis.localStorage = { getItem: (key) => store.get(key) ?? null };
  t.after(() => delete globalThis.localStorage);
  const asks = async (target) => {
    const one = page(target);
    await settled(one);
    return one.asked;
  };
  assert.deepEqual(await asks("tab"), [], "they are off");
  const wait = ['POST advance {"seconds":0}'];
  assert.deepEqual(await asks("scene"), wait);
  store.set(KEY, "on");
  assert.deepEqual(await asks("tab"), wait);
  assert.deepEqual(await asks("server"), []);
  assert.deepEqual(await asks("room"), []);
});

test("not longer than that, and not where there is no answer", async (t) => {
  const alive = setTimeout(() => {}, 60_000); // the time of the signal alone lets Node end
  t.after(() => clearTimeout(alive));
  const late = page("scene", ({ signal }) => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  }));
  await settled(late, 10);
  await settled(page("scene", async () => Promise.reject(new TypeError("Failed to fetch"))));
});
