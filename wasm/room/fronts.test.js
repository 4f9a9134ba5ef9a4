import assert from "node:assert/strict";
import { test } from "node:test";
import { Fronts } from "./fronts.js";

const EMPTY = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));

/** How many programs were started. */
let programs = 0;

/** A program that hands each request to a room, and adds a header. */
globalThis.Go = class {
  importObject = {};
  _resume() {}
  async run() {
    programs++;
    const { env, binding } = globalThis.context;
    binding.handleRequest = async (request) => {
      const room = env.ROOMS.get(env.ROOMS.idFromName("a"));
      await room.fetch(new Request("https://room.invalid/", { method: request.method }));
      return new Response(null, { headers: { Added: "1", "Cross-Origin-Resource-Policy": "same-origin" } });
    };
  }
};

/** An environment with rooms that answer when the test says so. */
function rooms() {
  const asked = [];
  const room = { fetch: () => new Promise((resolve, reject) => asked.push({ resolve, reject })) };
  return { asked, env: { ASSETS: {}, ROOMS: { idFromName: (name) => name, get: () => room } } };
}

/** Resolves when the program has done what it can do before a room answers. */
const decided = () => new Promise((resolve) => setImmediate(resolve));

const request = () => {
  const asked = new Request("http://localhost/rooms/a/");
  asked.headers.set("Host", "localhost");
  return asked;
};

test("no program waits for the answer of a room", async () => {
  const fronts = new Fronts(EMPTY);
  const { asked, env } = rooms();
  const answers = [];
  programs = 0;
  for (let n = 1; n <= 20; n++) {
    answers.push(fronts.answer(request(), env, {}));
    do await decided();
    while (asked.length < n);
  }
  assert.equal(programs, 1);
  asked.forEach(({ resolve }, n) => resolve(new Response(`answer ${n}`, { status: 201 })));
  for (const [n, answer] of (await Promise.all(answers)).entries()) {
    assert.equal(answer.status, 201);
    assert.equal(await answer.text(), `answer ${n}`);
    assert.equal(answer.headers.get("Added"), "1");
  }
});

test("a room that cannot be reached", async () => {
  const { asked, env } = rooms();
  const answer = new Fronts(EMPTY).answer(request(), env, {});
  await decided();
  asked[0].reject(new Error("reset"));
  const { status, headers } = await answer;
  assert.equal(status, 503);
  assert.equal(headers.get("Retry-After"), "5");
  assert.equal(headers.get("Added"), "1");
});

test("a file that pages of others may load stays one, and all else is for the own origin", async () => {
  const rows = [["cross-origin", "cross-origin"], ["same-origin", "same-origin"], [undefined, "same-origin"]];
  for (const [own, want] of rows) {
    const { asked, env } = rooms();
    const answer = new Fronts(EMPTY).answer(request(), env, {});
    await decided();
    asked[0].resolve(new Response("", { headers: own ? { "Cross-Origin-Resource-Policy": own } : {} }));
    assert.equal((await answer).headers.get("Cross-Origin-Resource-Policy"), want);
  }
});
