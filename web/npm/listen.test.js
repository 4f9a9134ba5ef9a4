import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { test } from "node:test";
import { listen } from "./listen.js";

test("a web page cannot use the server", async (t) => {
  let asked = 0;
  const server = await listen(async () => {
    asked++;
    return new Response("{}");
  });
  t.after(() => server.close());
  const { port } = new URL(server.url);
  /** @type {[Record<string, string>, number][]} */
  const all = [
    [{}, 200], [{ host: `localhost:${port}` }, 200], [{ origin: server.url }, 200],
    [{ host: `evil.example:${port}` }, 421], [{ host: "127.0.0.1:1" }, 421],
    [{ host: `localhost:${port}@evil.example` }, 421],
    [{ origin: "https://evil.example" }, 403], [{ origin: "null" }, 403], [{ origin: "http://127.0.0.1:1" }, 403],
  ];
  for (const [headers, code] of all) {
    const sent = request(`${server.url}/api/v1/namespaces`, { method: "POST", headers });
    sent.end('{"metadata":{"name":"x"}}');
    const [answer] = await once(sent, "response");
    let text = "";
    for await (const chunk of answer) text += chunk;
    assert.equal(answer.statusCode, code, JSON.stringify(headers));
    assert.equal(JSON.parse(text).code, code === 200 ? undefined : code);
  }
  assert.equal(asked, 3);
});
