import assert from "node:assert/strict";
import { test } from "node:test";
import { Replica } from "./replica.js";

const room = { base: "https://host.example/rooms/0123456789/", token: "t", name: "ada" };

/** A room whose streams the test makes, and the worker of its replica. */
function stage() {
  /** @type {{path: string, say: (text: string) => void, end: () => void}[]} */
  const streams = [];
  /** @type {((n: number) => void)[]} */
  const listeners = [];
  const open = async function* (_, path, signal) {
    /** @type {string[]} */ const queue = [];
    let over = false;
    let wake = () => {};
    streams.push({
      path,
      say: (text) => {
        queue.push(text);
        wake();
      },
      end: () => {
        over = true;
        wake();
      },
    });
    for (const tell of listeners.splice(0)) tell(streams.length);
    signal.addEventListener("abort", () => streams.at(-1)?.end());
    for (;;) {
      while (queue.length === 0 && !over) await new Promise((resolve) => (wake = () => resolve(undefined)));
      if (queue.length === 0) return;
      yield /** @type {string} */ (queue.shift());
    }
  };
  /** Resolves when there were so many streams. */
  const opened = async (n) => {
    while (streams.length < n) await new Promise((resolve) => listeners.push(resolve));
    return streams[n - 1];
  };
  /** @type {{path: string, body: string}[]} */ const told = [];
  const fork = {
    client: { name: "the replica's" },
    problem: "",
    closed: false,
    /** What the replica answers to a line. */
    fetch: async (path, { body }) => {
      told.push({ path, body });
      return Response.json(JSON.parse(body), { status: JSON.parse(body).refused ? 400 : 200 });
    },
    close() {
      this.closed = true;
    },
  };
  return { open, opened, told, fork, replica: new Replica(room, /** @type {any} */ (fork), open, 1) };
}

const at = (revision, more = {}) => JSON.stringify({ cluster: "u", rights: "r", revision, ...more });

test("a reader waits for the first snapshot, and for a revision", async () => {
  const { opened, replica, told } = stage();
  const stream = await opened(1);
  assert.equal(stream.path, "apis/sandbox.tabernetes.dev/v1/rooms/default/relay");
  const any = replica.reached(0);
  const later = replica.reached(9);
  stream.say("{}");
  stream.say(at(5));
  assert.equal(await any, true);
  assert.equal(await replica.reached(9, 1), false, "nobody waits for ever");
  stream.say(at(9));
  assert.equal(await later, true);
  assert.deepEqual(told.map(({ path }) => path.slice(-8)), ["?begin=1", "t/replay", "t/replay"]);
  replica.close();
});

test("a stream that breaks off is taken up where it was", async () => {
  const { opened, replica } = stage();
  (await opened(1)).say(at(5));
  assert.equal(await replica.reached(5), true);
  (await opened(1)).end();
  const again = await opened(2);
  assert.match(again.path, /\?cluster=u&rights=r&since=5$/);
  assert.equal(await replica.reached(5), true, "meanwhile it answers");
  again.say(at(6));
  assert.equal(await replica.reached(6), true);
  replica.close();
});

test("what does not go on begins anew with a snapshot", async () => {
  const { opened, replica } = stage();
  (await opened(1)).say(at(5));
  assert.equal(await replica.reached(5), true);
  (await opened(1)).say('{"refused":1}');
  const again = await opened(2);
  assert.doesNotMatch(again.path, /since/);
  again.say(at(7, { ended: "your rights have changed" }));
  assert.match((await opened(3)).path, /since=7$/);
  replica.close();
});

test("a room without a relay is asked itself, at once", async () => {
  const { opened, replica } = stage();
  (await opened(1)).end();
  await opened(2);
  assert.equal(await replica.reached(0), false);
  replica.close();
});

test("a replica that is closed ends its worker, and whoever waits", async () => {
  const { opened, replica, fork } = stage();
  await opened(1);
  const waiting = replica.reached(1);
  replica.close();
  assert.equal(await waiting, false);
  assert.equal(fork.closed, true);
});
