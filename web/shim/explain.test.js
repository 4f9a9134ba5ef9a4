// The shim asks where answers come from, for the tap, and the page does not notice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EXPLAIN_HEADER, SOURCE_HEADER } from "../../core/wellknown/wellknown.js";
import { Client } from "../../wasm/host/client.js";
import { servePort } from "../../wasm/host/serve.js";
import { createFetch } from "./shim.js";
import { Tap } from "./tap.js";

/** As a Headers object lists it. */
const EXPLAIN = EXPLAIN_HEADER.toLowerCase();
const FROM = "server=0, from=cache, revision=38, head=46, rule=list-any";

/**
 * A page with a cluster, and a devserver, that both tell where answers come from if they are asked; paths say how
 * they answer. asked are the headers of the requests that have reached one of them.
 *
 * @param {import("node:test").TestContext} t
 * @param {"tab" | "devserver"} target
 */
function page(t, target) {
  const { port1, port2 } = new MessageChannel();
  const tap = new Tap("page");
  const asked = [];
  t.after(() => {
    port1.close();
    tap.close();
  });
  const tells = (headers) => {
    asked.push(headers);
    return /true|1/.test(headers[EXPLAIN] ?? "") ? { [SOURCE_HEADER]: FROM } : {};
  };
  servePort(port2, (method, url, block, body, sink) => {
    const lines = block.split("\n").slice(0, -1);
    const told = tells(Object.fromEntries(lines.map((line) => line.split(": "))));
    const headers = Object.entries({ "X-A": "1", ...told }).map(([name, value]) => `${name}: ${value}\n`).join("");
    if (url.endsWith("/stream")) {
      sink.head(200, headers);
      sink.chunk(new TextEncoder().encode("one"));
      sink.cancel = sink.pull = () => {};
    } else if (url.endsWith("/empty")) sink.whole(204, headers, new Uint8Array());
    else sink.whole(200, headers, new TextEncoder().encode("whole"));
  });
  const networkFetch = async (request) => {
    const headers = { "X-A": "1", ...tells(Object.fromEntries(request.headers)) };
    if (request.url.endsWith("/opaque")) return Response.error();
    if (request.url.endsWith("/empty")) return new Response(null, { status: 204, headers });
    if (!request.url.endsWith("/stream")) return new Response("whole", { headers });
    return new Response(new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode("one")) }), { headers });
  };
  const client = new Client(port1);
  const fetch = createFetch(
    { networkFetch, client: () => client, target: () => target, tap, base: () => "https://tab.example/" });
  const events = (type) => {
    const seen = [];
    tap.subscribe((e) => e.type === type && seen.push(e))();
    return seen;
  };
  return { fetch, asked, events };
}

for (const target of /** @type {const} */ (["tab", "devserver"])) {
  test(`${target}: the tap is told, and the page is not`, async (t) => {
    const { fetch, asked, events } = page(t, target);
    for (const [path, init, body] of [
      ["/api/whole", {}, "whole"],
      ["/api/whole", { method: "POST", body: "x", headers: { "X-B": "2" } }, "whole"],
      ["/api/empty", {}, ""],
    ]) {
      const response = await fetch(path, init);
      assert.deepEqual([...response.headers].filter(([name]) => name !== "content-type"), [["x-a", "1"]]);
      assert.equal(response.clone().headers.get(SOURCE_HEADER), null);
      assert.equal(await response.text(), body);
    }
    assert.deepEqual(asked.map((headers) => headers[EXPLAIN]), ["?1;id=page.1", "?1;id=page.2", "?1;id=page.3"]);
    assert.equal(asked[1]["x-b"], "2");
    for (const { headers } of events(
      "request")) assert.ok(!headers.some(([name]) => /explain/i.test(name)), `${headers}`);
    const heads = events("head");
    assert.equal(heads.length, 3);
    for (const { headers, source } of heads) {
      assert.equal(source, FROM);
      assert.ok(!headers.some(([name]) => /source/i.test(name)), `${headers}`);
      assert.ok(headers.some(([name]) => /x-a/i.test(name)), `${headers}`);
    }
  });

  test(`${target}: a stream is told of at its head`, async (t) => {
    const { fetch, events } = page(t, target);
    const response = await fetch("/api/stream");
    assert.equal(response.headers.get(SOURCE_HEADER), null);
    assert.equal(events("head")[0].source, FROM);
    const reader = response.body.getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), "one");
    await reader.cancel();
  });

  test(`${target}: a page that asks itself is answered`, async (t) => {
    const { fetch, asked, events } = page(t, target);
    for (const path of ["/api/whole", "/api/empty"]) {
      const response = await fetch(path, { headers: { [EXPLAIN_HEADER]: "true" } });
      assert.equal(response.headers.get(SOURCE_HEADER), FROM);
    }
    assert.deepEqual(asked.map((headers) => headers[EXPLAIN]), ["true", "true"]);
    assert.deepEqual(events("request")[0].headers, [[EXPLAIN, "true"]]);
    assert.equal(events("head")[0].source, FROM);
    assert.ok(events("head")[0].headers.some(([name, value]) => /source/i.test(name) && value === FROM));
    // A page that asks for no source is not asked over.
    await fetch("/api/whole", { headers: { [EXPLAIN_HEADER]: "no" } });
    assert.equal(asked[2][EXPLAIN], "no");
    assert.equal(events("head")[2].source, "");
  });

  test(`${target}: what the tap does not hear of asks nothing`, async (t) => {
    const { fetch, asked, events } = page(t, target);
    await fetch("/api/whole", { tabernetes: { quiet: true } });
    assert.deepEqual([asked[0][EXPLAIN], events("head").length], [undefined, 0]);
  });
}

test("an answer that nobody may look into is handed on as it is", async (t) => {
  const { fetch } = page(t, "devserver");
  const response = await fetch("/api/opaque");
  assert.deepEqual([response.type, response.status], ["error", 0]);
});
