// The page's fetch, as any script in the page would use it.
import { MAX_BODY } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

test.beforeEach(async ({ lab }) => lab.open());

test("answers API requests and lets everything else through", async ({ page }) => {
  const got = await page.evaluate(async () => {
    const of = async (input, init) => {
      const r = await fetch(input, init);
      return { status: r.status, ok: r.ok, type: r.headers.get("content-type"), url: r.url, redirected: r.redirected,
        text: (await r.text()).slice(0, 60) };
    };
    return {
      relative: await of("/version"),
      absolute: await of(location.origin + "/api/v1/namespaces/default"),
      url: await of(new URL("/apis", location.href)),
      request: await of(new Request("/healthz")),
      unknown: await of("/apis/nowhere.example.com/v1"),
      lookalike: await of("/apiary"),
      file: await of(document.querySelector('link[rel="stylesheet"]').href),
      origin: location.origin,
    };
  });
  expect(got.relative).toMatchObject(
    { status: 200, ok: true, type: "application/json", url: got.origin + "/version", redirected: false });
  expect(got.absolute).toMatchObject({ status: 200, type: "application/json" });
  expect(got.url).toMatchObject({ status: 200 });
  expect(got.request).toMatchObject({ status: 200, text: "ok" });
  expect(got.unknown).toMatchObject({ status: 404, ok: false });
  expect(got.lookalike.status).toBe(404); // the web server's own
  expect(got.lookalike.text).not.toContain("404 page not found\n{");
  expect(got.file.type).toContain("text/css");
});
test.use({ tolerated: [/apiary/] });

test("takes every kind of body and every header", async ({ page }) => {
  const got = await page.evaluate(async (path) => {
    const json = (name) => JSON.stringify({ metadata: { name }, data: { "k": "ä€😀" } });
    const post = async (name, body, extra = {}) => {
      const r = await fetch(path,
        { method: "POST", headers: { "Content-Type": "application/json", "User-Agent": "somebody/1.0" }, body,
          ...extra });
      const o = await r.json();
      return [r.status, o.data?.k, o.metadata?.managedFields?.[0]?.manager];
    };
    const bytes = (name) => new TextEncoder().encode(json(name));
    const out = {
      string: await post("b-string", json("b-string")),
      bytes: await post("b-bytes", bytes("b-bytes")),
      view: await post("b-view", new DataView(bytes("b-view").buffer)),
      blob: await post("b-blob", new Blob([json("b-blob")])),
      stream: await post("b-stream", new Blob([json("b-stream")]).stream(), { duplex: "half" }),
    };
    const request = new Request(path,
      { method: "POST", headers: { "Content-Type": "application/json" }, body: json("b-request") });
    out.request = [(await fetch(request)).status, request.bodyUsed];
    return out;
  }, configMaps);
  for (const kind of ["string", "bytes", "view", "blob", "stream"]) {
    expect.soft(got[kind].slice(0, 2), kind).toEqual([201, "ä€😀"]);
  }
  expect(got.request).toEqual([201, true]);
});

test("methods: HEAD, OPTIONS and ones of one's own", async ({ page }) => {
  const got = await page.evaluate(async () => {
    const of = async (method, path) => {
      const r = await fetch(path, { method });
      return [r.status, await r.text()];
    };
    return {
      head: await of("HEAD", "/api/v1/namespaces/default"),
      options: await of("OPTIONS", "/api/v1/namespaces/default"),
      own: await of("FOO", "/api/v1/namespaces/default"),
    };
  });
  expect(got.head).toEqual([405, ""]);
  expect(got.options[0]).toBe(405);
  expect(JSON.parse(got.own[1])).toMatchObject({ kind: "Status", code: 405 });
});

test("a large body comes back whole, one past 3 MiB is refused", { tag: "@long" }, async ({ page }) => {
  const got = await page.evaluate(async ([path, most]) => {
    const post = (size) =>
      fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ metadata: { name: "large" }, data: { k: "x".repeat(size) } }) });
    const kept = await (await post(900_000)).json();
    const again = await (await fetch(path + "/large")).json();
    const refused = await post(most + 1);
    return { kept: kept.data.k.length, again: again.data.k.length,
      refused: [refused.status, (await refused.json()).code] };
  }, [configMaps, MAX_BODY]);
  expect(got).toEqual({ kept: 900_000, again: 900_000, refused: [413, 413] });
});

test("a watch's head comes before there is an event, its events as they happen", async ({ page }) => {
  const got = await page.evaluate(async (path) => {
    const watch = await fetch(path + "?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dlate");
    const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
    const first = reader.read();
    const early = await Promise.race([first.then(() => "an event"), fetch("/readyz").then(() => "nothing")]);
    await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ metadata: { name: "late" } }) });
    const event = JSON.parse((await first).value);
    await reader.cancel();
    return { status: watch.status, early, type: event.type, name: event.object.metadata.name };
  }, configMaps);
  expect(got).toMatchObject({ status: 200, early: "nothing", type: "ADDED", name: "late" });
});

test("more watches than a browser has connections", { tag: "@long" }, async ({ page }) => {
  const got = await page.evaluate(async (path) => {
    const watches = await Promise.all(Array.from({ length: 40 }, () => fetch(path + "?watch=1&labelSelector=many")));
    const first = watches.map(async (w) => {
      const reader = w.body.pipeThrough(new TextDecoderStream()).getReader();
      const { value } = await reader.read();
      await reader.cancel();
      return JSON.parse(value).object.metadata.name;
    });
    await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ metadata: { name: "for-all", labels: { many: "yes" } } }) });
    return [...new Set(await Promise.all(first))];
  }, configMaps);
  expect(got).toEqual(["for-all"]);
});

test("aborting: before the request, before the head, after it", async ({ page }) => {
  const got = await page.evaluate(async (path) => {
    const ended = [];
    const off = tabernetes.onTap((e) => e.type === "fail" && ended.push([e.id, e.aborted]));
    const outcome = (promise) =>
      promise.then(() => "answered", (e) => e.name + (e instanceof DOMException ? "" : " (no DOMException)"));
    const out = {};
    out.before = await outcome(fetch(path, { signal: AbortSignal.abort() }));

    // This one waits three seconds for a version that does not come.
    const waiting = new AbortController();
    const answer = outcome(fetch(path + "?resourceVersion=4000000000", { signal: waiting.signal }));
    await fetch("/readyz"); // by now the other has been sent
    waiting.abort();
    out.waiting = await answer;

    const open = new AbortController();
    const watch = await fetch(path + "?watch=1&resourceVersion=", { signal: open.signal });
    const reader = watch.body.getReader();
    const read = (async () => {
      while (!(await reader.read()).done);
    })();
    open.abort();
    out.open = await outcome(read);

    const reason = new AbortController();
    const own = fetch(path + "?watch=1", { signal: reason.signal });
    reason.abort(new RangeError("mine"));
    out.reason = await outcome(own);
    await fetch("/readyz");
    await new Promise((r) => setTimeout(r));
    off();
    out.reported = ended.every(([, aborted]) => aborted) && ended.length >= 2;
    return out;
  }, configMaps);
  expect(got).toMatchObject(
    { before: "AbortError", waiting: "AbortError", open: "AbortError", reason: "RangeError (no DOMException)",
      reported: true });
});

test("leaving a watch without reading on frees it", { tag: "@long" }, async ({ page }) => {
  const got = await page.evaluate(async (path) => {
    for (let i = 0; i < 100; i++) {
      const watch = await fetch(path + "?watch=1");
      await watch.body.cancel();
    }
    const r = await fetch("/readyz");
    return r.text();
  }, configMaps);
  expect(got).toBe("ok");
});

test("two hundred requests at a time, each with its own answer", { tag: "@long" }, async ({ page }) => {
  const wrong = await page.evaluate(async (path) => {
    const all = Array.from({ length: 200 }, async (_, i) => {
      const made = await fetch(path,
        { method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ metadata: { name: "n" + i }, data: { i: String(i) } }) });
      const o = await made.json();
      return made.status === 201 && o.metadata.name === "n" + i && o.data.i === String(i) ? null : [i, made.status, o];
    });
    return (await Promise.all(all)).filter(Boolean);
  }, configMaps);
  expect(wrong).toEqual([]);
});

test("a Response can be cloned and read in every way", { tag: "@long" }, async ({ page }) => {
  const got = await page.evaluate(async () => {
    const r = await fetch("/api/v1/namespaces/default");
    const [a, b, c, d] = [r, r.clone(), r.clone(), r.clone()];
    const text = await b.text();
    return { json: (await a.json()).metadata.name,
      same: (await c.arrayBuffer()).byteLength === new TextEncoder().encode(text).length, blob: (await d.blob()).type,
        used: a.bodyUsed };
  });
  expect(got).toEqual({ json: "default", same: true, blob: "application/json", used: true });
});
