// The loopback proxy itself: what the replay relies on.
import { test, expect } from "../fixtures.js";
import http from "node:http";
import { startProxy } from "../proxy.js";

function ask(url, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const req = http.request(url, { method, headers, agent: false }, (res) => {
      const chunks = [];
      res.on("data", (c) => chunks.push(c));
      res.on("end", () => resolve(
        { status: res.statusCode, headers: res.headers, text: Buffer.concat(chunks).toString() }));
      res.on("error", reject);
    });
    req.on("error", reject);
    req.end(body);
  });
}

test("an HTTP client talks to the server in the tab", async ({ lab }) => {
  await lab.open();
  const proxy = await startProxy(lab.page);
  try {
    const configMaps = proxy.url + "/api/v1/namespaces/default/configmaps";
    const made = await ask(configMaps,
      { method: "POST", headers: { "Content-Type": "application/json", "User-Agent": "client/2.1 (x)" },
        body: JSON.stringify({ metadata: { name: "by-http" }, data: { k: "v" } }) });
    expect(made.status).toBe(201);
    expect(JSON.parse(made.text).metadata.name).toBe("by-http");
    expect(JSON.parse(made.text).metadata.managedFields[0].manager).toBe("client");
    expect((await lab.fetch("/api/v1/namespaces/default/configmaps/by-http")).status).toBe(200);
    const nameless = await ask(configMaps,
      { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ metadata: { name: "nameless" }, data: { k: "v" } }) });
    expect(JSON.parse(nameless.text).metadata.managedFields[0].manager).toBe("unknown");
    expect((await ask(configMaps + "/by-http", { method: "HEAD" })).status).toBe(405);
    const yaml = await ask(configMaps,
      { method: "POST", headers: { "Content-Type": "application/yaml" }, body: "metadata: {name: ä}" });
    expect(JSON.parse(yaml.text)).toMatchObject({ kind: "Status", code: 422 });

    // A watch streams; leaving it ends the page's fetch.
    const aborted = lab.page.evaluate(
      () => new Promise((done) => tabernetes.onTap((e) => e.type === "fail" && e.aborted && done(e.id))));
    await new Promise((resolve, reject) => {
      const req = http.get(configMaps + "?watch=1&resourceVersion=0", { agent: false }, (res) => {
        expect(res.statusCode).toBe(200);
        res.once("data", (c) => {
          expect(JSON.parse(String(c).split("\n")[0]).type).toBe("ADDED");
          res.destroy();
          resolve();
        });
      });
      req.on("error", reject);
    });
    expect(await aborted).toBeGreaterThan(0);
  } finally {
    await proxy.close();
  }
});
