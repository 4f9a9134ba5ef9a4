// Where answers come from: asked for by the page's fetch, sent to its tap, and seen by
// nobody who has not asked; the same in the tab and by the devserver.
import { EXPLAIN_HEADER } from "../../core/wellknown/wellknown.js";
import { test, expect, ownServerTest } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** What the page and the tap get about some requests, by name. @param {import("@playwright/test").Page} page */
const sources = (page) =>
  page.evaluate(async ([path, header]) => {
    const events = [];
    const off = tabernetes.onTap((e) => events.push(e));
    const ask = async (path, init = {}) => {
      const note = {};
      const response = await fetch(path, { ...init, tabernetes: note });
      if (path.includes("watch=1")) await response.body.cancel();
      else await response.text();
      while (!events.some((e) => e.id === note.id && (e.type === "end" || e.type === "fail"))) {
        await new Promise((r) => setTimeout(r));
      }
      const of = (type) => events.find((e) => e.id === note.id && e.type === type);
      const shown = [...of("request").headers, ...of("head").headers, ...response.headers].map(
        ([name]) => name.toLowerCase());
      return { status: response.status, source: of("head").source,
        shown: shown.filter((name) => /^tabernetes-(explain|source)$/.test(name)) };
    };
    const json = { "Content-Type": "application/json" };
    const out = {
      list: await ask(path + "?resourceVersion=0"),
      watch: await ask(path + "?watch=1&resourceVersion=0"),
      create: await ask(path, { method: "POST", headers: json, body: JSON.stringify({ metadata: { name: "told" } }) }),
      again: await ask(path, { method: "POST", headers: json, body: JSON.stringify({ metadata: { name: "told" } }) }),
      gone: await ask(path + "?resourceVersion=1&continue=none"),
      version: await ask("/version"),
      own: await ask(path, { headers: { [header]: "1" } }),
      head: await ask(path, { method: "HEAD" }),
    };
    off();
    return out;
  }, [configMaps, EXPLAIN_HEADER]);

/** @param {Awaited<ReturnType<typeof sources>>} got */
function check(got) {
  expect(got.list).toEqual(
    { status: 200, source: expect.stringMatching(/^server=0, from=cache, revision=\d+, head=\d+, rule=list-any$/),
      shown: [] });
  expect(got.watch).toEqual(
    { status: 200, source: expect.stringMatching(/^server=0, from=cache, revision=\d+, head=\d+, rule=watch-any$/),
      shown: [] });
  expect(got.create).toEqual(
    { status: 201, source: expect.stringMatching(/^server=0, from=etcd, head=(\d+), rule=write, wrote=\(\1\)$/),
      shown: [] });
  expect(got.again).toEqual(
    { status: 409, source: expect.stringMatching(/^server=0, from=etcd, head=\d+, rule=write-refused$/), shown: [] });
  expect(got.gone).toEqual({ status: 400, source: "server=0, rule=list-invalid", shown: [] });
  expect(got.version).toEqual({ status: 200, source: "", shown: [] });
  expect(got.own).toMatchObject(
    { status: 200, shown: ["tabernetes-explain", "tabernetes-source", "tabernetes-source"] });
  expect(got.own.source).toMatch(/rule=list-latest/);
  expect(got.head).toMatchObject({ source: "", shown: [] }); // which no verb of the API is
}

test("in the tab", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  check(await sources(page));
});

ownServerTest.describe("by the devserver", () => {
  // The browser reports errors of the network.
  ownServerTest.use({ tolerated: [/40[059]/] });

  ownServerTest("the same", { tag: "@long" }, async ({ lab, page, server }) => {
    await lab.open();
    await page.evaluate(() => tabernetes.setTarget("devserver"));
    check(await sources(page));
    expect(await server.apiRequests()).toBeGreaterThan(7);
  });
});

test("what is shown and copied of a request is what was asked", { tag: "@long" }, async ({ lab, page, context }) => {
  await lab.open();
  await lab.request("GET", "/api/v1/namespaces/default");
  await expect(lab.response).toContainText("200");
  await lab.response.getByRole("combobox").selectOption("headers");
  await expect(lab.response).toContainText(/content-type/i);
  await expect(lab.response).not.toContainText(/tabernetes-(source|explain)/i);
  await page.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
  await page.getByRole("button", { name: "curl", exact: true }).first().click();
  await expect.poll(() => page.evaluate(() => window.copied)).toMatch(/\ncurl .*\/api\/v1\/namespaces\/default'?$/);
});
