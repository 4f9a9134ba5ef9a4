import assert from "node:assert/strict";
import { test } from "node:test";
import { Programs } from "./programs.js";
import { servePort } from "./serve.js";

/** A program at the end of a port, which answers what it is asked. */
function program(t, programs, name, answer) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const end = { port: port1, shown: [] };
  port1.onmessage = ({ data: m }) => {
    if (m.type !== "clock") return end.heard?.(m);
    end.shown.push([m.offset, m.at]);
    if (m.ask) answer(end, (next, busy = false) => port1.postMessage({ type: "settled", id: 0, next, busy }));
  };
  const serve = (_method, _url, _headers, _body, sink) => sink.whole(200, "", new Uint8Array(0));
  servePort(programs.add(name, port2), serve);
  return end;
}

const request = (id) => ({ type: "request", id, method: "GET", url: "http://x/", headers: "", body: null });

test("the earliest timer of all that wait counts", async (t) => {
  const programs = new Programs();
  assert.equal(await programs.settle(), null, "without programs there is none");
  programs.show(0, 10, 1, 0);
  const first = program(t, programs, "a", (_, say) => say(70));
  program(t, programs, "b", (_, say) => say(50));
  program(t, programs, "c", (_, say) => say(null));
  assert.equal(await programs.settle(), 50);
  programs.remove("b");
  assert.equal(await programs.settle(), 70);
  programs.show(0, 69, 1, 0);
  programs.show(0, 69, 1, 0);
  assert.equal(await programs.settle(), 70);
  programs.show(0, 70, 1, 0);
  assert.equal(await programs.settle(), 70);
  assert.deepEqual(first.shown, [[0, 10], [0, 10], [0, 69], [0, 70], [0, 70]], "it is asked when it is due");
});

test("they are asked again after what one of them has sent, or got", async (t) => {
  const programs = new Programs();
  let asked = 0;
  program(t, programs, "a", ({ port }, say) => {
    if (++asked <= 2) port.postMessage(request(asked));
    say(asked);
  });
  assert.equal(await programs.settle(), 3);
});

test("a request that is open is waited for, until it waits for time itself", async (t) => {
  const programs = new Programs();
  programs.patience = Infinity;
  let open = 3;
  program(t, programs, "a", (_, say) => say(7, --open > 0));
  assert.equal(await programs.settle(), 7);
  assert.equal(open, 0);
  programs.patience = 30;
  program(t, programs, "b", (_, say) => say(5, true));
  const begin = performance.now();
  assert.equal(await programs.settle(), 5);
  assert.ok(performance.now() - begin >= 30);
});

test("one that is silent, or ends, is not waited for; it has the clock all the same", async (t) => {
  const programs = new Programs();
  programs.show(0, 0, 1, 0);
  program(t, programs, "a", (_, say) => say(7));
  assert.equal(await programs.settle(), 7);
  programs.silence = 20; // for the other one: this one is not due, and not asked
  let late;
  const silent = program(t, programs, "b", (_, say) => (late ? say(5) : (late = say)));
  assert.equal(await programs.settle(), 7);
  programs.silence = 60_000;
  assert.equal(await programs.settle(), 7);
  programs.show(0, 1, 1, 0);
  assert.equal(await programs.settle(), 7);
  program(t, programs, "c", () => programs.remove("c"));
  assert.equal(await programs.settle(), 7);
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  while (silent.shown.length < 3) await turn();
  assert.deepEqual(silent.shown, [[0, 0], [0, 0], [0, 1]], "it is asked once");
  late(5);
  while (await programs.settle() !== 5) await turn(); // it counts once it has answered
});

test("one that begins again takes the place of the former", async (t) => {
  const programs = new Programs();
  program(t, programs, "a", () => {});
  const settled = programs.settle();
  program(t, programs, "a", (_, say) => say(9));
  assert.ok([null, 9].includes(await settled));
  assert.equal(await programs.settle(), 9);
});
