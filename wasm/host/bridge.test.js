import test from "node:test";
import assert from "node:assert/strict";
import { Bridge } from "./bridge.js";

const encoder = new TextEncoder();
const text = (/** @type {Uint8Array} */ b) => new TextDecoder().decode(b);

/** A bridge, and what Go has been called with: requests as they are read, and calls of control. */
function start() {
  const bridge = new Bridge();
  const { requests, replies } = bridge.host;
  const asked = [];
  const read = (head, body) => {
    const n = typeof head === "number" ? head : 0;
    const rest = typeof body === "number" ? requests.slice(n, n + body) : body;
    return { head: typeof head === "number" ? text(requests.subarray(0, n)) : head, body: text(rest),
      buffers: [typeof head, typeof body].join() };
  };
  const go = {
    serve: (id, head, body) => void asked.push({ id, ...read(head, body) }),
    resume: (id, head, body) => void asked.push({ id, resumed: true, ...read(head, body) }),
    control: (id, bytes) => void asked.push({ id, bytes }),
    restored: true,
  };
  const tell = (...parts) => {
    let at = 0;
    return parts.map((part) => {
      const bytes = encoder.encode(part);
      replies.set(bytes, at);
      at += bytes.length;
      return bytes.length;
    });
  };
  return { bridge, asked, go, api: bridge.api(go), tell };
}

/** Keeps what it gets. */
function sink() {
  const told = [];
  return {
    told,
    whole: (status, headers, body) => told.push(["whole", status, headers, text(body)]),
    head: (status, headers) => told.push(["head", status, headers]),
    chunk: (bytes) => told.push(["chunk", text(bytes), bytes]),
    end: () => told.push(["end"]),
    fail: (why) => told.push(["fail", why]),
  };
}

test("a request crosses in the buffer, and what does not fit by itself", () => {
  const { api, asked } = start();
  const long = "x".repeat(1 << 14);
  const body = (of) => encoder.encode(of);
  api.serve("GET", "/é", "a: 1\n", null, sink());
  api.serve("PUT", "/api", "", body("{}"), sink());
  api.serve("PUT", "/api", "", body(long), sink());
  api.serve("PUT", "/" + long, "", body("{}"), sink());
  api.serve("PUT", "/" + long, "", null, sink());
  api.resume("hash", "/api", "", null, sink());
  api.serve("GET", "/api\nauthorization: Bearer x", "a: 1\n", null, sink());
  assert.deepEqual(asked, [
    { id: 1, head: "GET /é\na: 1\n", body: "", buffers: "number,number" },
    { id: 2, head: "PUT /api\n", body: "{}", buffers: "number,number" },
    { id: 3, head: "PUT /api\n", body: long, buffers: "number,object" },
    { id: 4, head: `PUT /${long}\n`, body: "{}", buffers: "string,object" },
    { id: 5, head: `PUT /${long}\n`, body: "", buffers: "string,number" },
    { id: 6, resumed: true, head: "hash /api\n", body: "", buffers: "number,number" },
    { id: 7, head: "GET /api authorization: Bearer x\na: 1\n", body: "", buffers: "number,number" },
  ]);
});

test("the buffer of a request that Go has not read yet is left alone", () => {
  const { bridge, go } = start();
  const heads = [];
  const { requests } = bridge.host;
  const api = bridge.api({ ...go, serve(id, head) {
    if (id === 1) api.serve("GET", "/within", "", null, sink());
    heads.push(typeof head === "string" ? head : text(requests.subarray(0, head)));
  } });
  api.serve("GET", "/first", "", null, sink());
  assert.deepEqual(heads, ["GET /within\n", "GET /first\n"]);
});

test("a reply comes out of the buffer, to whom it is for", () => {
  const { bridge: { host }, api, tell } = start();
  const [a, b, c] = [sink(), sink(), sink()];
  for (const s of [a, b, c]) api.serve("GET", "/", "", null, s);
  host.head(2, 200, ...tell("n: w\n"));
  host.whole(1, 201, ...tell("n: v\n", "body"));
  host.whole(1, 201, ...tell("n: v\n", "again"));
  host.chunk(2, ...tell("one"));
  host.chunk(2, 0);
  host.chunk(2, encoder.encode("long"));
  host.end(2);
  host.chunk(2, ...tell("late"));
  host.whole(3, 404, "n: long\n", ...tell("short"));
  assert.deepEqual(a.told, [["whole", 201, "n: v\n", "body"]]);
  assert.deepEqual(b.told.map(([what, ...rest]) => [what, ...rest.slice(0, 2)].filter((v) => !v.buffer)),
    [["head", 200, "n: w\n"], ["chunk", "one"], ["chunk", "one"], ["chunk", "long"], ["end"]]);
  assert.equal(b.told[1][2], b.told[2][2], "the same bytes");
  assert.deepEqual(c.told, [["whole", 404, "n: long\n", "short"]]);
});

test("credit and cancelling say which request it is", () => {
  const { api, asked } = start();
  const of = sink();
  api.serve("GET", "/", "", null, of);
  of.pull(5);
  of.cancel();
  assert.deepEqual(asked.slice(1), [{ id: 1, bytes: 5 }, { id: 1, bytes: -1 }]);
  assert.equal(api.restored, true);
  assert.equal(api.owner, undefined);
});
