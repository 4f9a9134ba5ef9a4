// The service worker run with stand-ins for the browser's caches and network. More than 400 lines: one file for one
// script, whose tests share the stand-ins.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";
import { gzipSync } from "node:zlib";
import * as wellknown from "../../core/wellknown/wellknown.js";
import { unpacked } from "../unpack/lzma.js";

const source = readFileSync(new URL("sw.js", import.meta.url), "utf8");
const integrityOf = (text) => "sha256-" + createHash("sha256").update(text).digest("base64");
/** What the packed files of programs are, in LZMA. */
const inLZMA = { "the program": "XQAAgAALAAAAAAAAAAA6GgjOdr7U6azrkmuQS6U=",
  another: "XQAAgAAHAAAAAAAAAAAwm4pCyjQSNCNXAA==", other: "XQAAgAAFAAAAAAAAAAA3nQkz0mLFswA=" };
const origin = "http://127.0.0.1:8080";

/** What the build has every file sent with. */
const built = { "Content-Security-Policy": "default-src 'self'", "X-Content-Type-Options": "nosniff" };

/**
 * Starts a service worker of a version, over caches that outlive it. textOf: what the build has at a path. kept: what
 * the browser itself has kept of the network.
 */
function start({ root = "/", version = "one", packed = undefined, unpacks = true, networkFirst = false,
  stores = new Map(), network = filesOf(version), textOf = (path) => `${version} ${path}`, files = {},
  parts = "parts", kept = {} } = {}) {
  const listeners = new Map();
  const calls = { fetched: [], skipped: 0, claimed: 0 };
  const caches = {
    keys: async () => [...stores.keys()],
    delete: async (name) => stores.delete(name),
    open: async (name) => {
      if (!stores.has(name)) stores.set(name, new Map());
      const store = stores.get(name);
      return {
        put: async (url, response) => void store.set(url, response),
        delete: async (url) => store.delete(url),
        match: async (asked) => store.get(asked.url ? new URL(asked.url).pathname : asked)?.clone(),
        keys: async () => [...store.keys()].map((url) => ({ url: origin + url })),
      };
    },
  };
  const fetch = async (request, init) => {
    if (init?.cache === "only-if-cached") {
      assert.equal(init.mode, "same-origin", "a browser wants that");
      if (request in kept) return new Response(kept[request]);
      throw new TypeError("Failed to fetch");
    }
    calls.fetched.push({ url: request.url ?? request, ...init });
    const response = await network(request, init);
    if (!init?.integrity || !response.ok) return response;
    const body = await response.clone().text();
    if (integrityOf(body) !== init.integrity) throw new TypeError("Failed to fetch: it has another hash");
    return response;
  };
  const self = {
    location: new URL(origin + root + "sw.js"),
    addEventListener: (type, listener) => listeners.set(type, listener),
    importScripts: (url) => {
      calls.fetched.push({ url });
      if (!unpacks) throw new Error("it is not there");
      self.tabernetesUnlzma = unpacked;
    },
    skipWaiting: async () => void calls.skipped++,
    clients: { claim: async () => void calls.claimed++ },
  };
  const precache = [
    { url: "", integrity: integrityOf(textOf(root)) },
    { url: "app.js", integrity: integrityOf(textOf(root + "app.js")) },
    ...Object.entries(files).map(([url, text]) => ({ url, integrity: integrityOf(text), packed })),
  ];
  const late = [{ url: `build/${version}/terminal.js`, integrity: integrityOf("terminal") },
    { url: "kubectl/kubectl.json", integrity: integrityOf(parts), changes: true }];
  const constants = { VERSION: version, UNPACKER: `build/${version}/unlzma.js`, PRECACHE: precache, LATE: late,
    HEADERS: built, NETWORK_FIRST: networkFirst };
  const engine = { Object, URL, Error, Promise, Map, Headers, Response, crypto, btoa, String, Uint8Array,
    DecompressionStream, TransformStream };
  vm.runInNewContext(source, { self, caches, fetch, ...engine, ...constants });
  const send = async (type, event = {}) => {
    let work = undefined;
    listeners.get(type)({ ...event, waitUntil: (p) => (work = p) });
    await work;
  };
  return {
    stores,
    calls,
    send,
    /** What the worker answers a request with; undefined when it leaves it alone. */
    async answer(path, { method = "GET", mode = "cors", cache = "default", destination = "" } = {}) {
      let answer;
      const url = new URL(path, origin).href;
      listeners.get("fetch")({ request: { url, method, mode, cache, destination }, respondWith: (p) => (answer = p) });
      return answer;
    },
    /** The same, as text. */
    async ask(path, init) {
      return (await this.answer(path, init))?.text();
    },
  };
}

/** A network with the files of a version. */
function filesOf(version) {
  return async (request) => new Response(`${version} ${new URL(request.url ?? request, origin).pathname}`);
}

test("install fetches every file, checked and not twice", async () => {
  const sw = start({ network: filesOf("one") });
  await sw.send("install");
  assert.deepEqual(sw.calls.fetched, [
    { url: "/", cache: "no-cache", integrity: integrityOf("one /") },
    { url: "/app.js", cache: "no-cache", integrity: integrityOf("one /app.js") },
  ]);
  assert.deepEqual([...sw.stores.get("tabernetes-one").keys()].sort(), ["/", "/app.js"]);
  assert.equal(sw.calls.skipped, 0, "it must wait for the tabs of the version before");
});

test("a version that is not whole is not installed", async () => {
  const sw = start({ network: async (url) => new Response("", { status: url === "/app.js" ? 500 : 200 }) });
  await assert.rejects(sw.send("install"), /\/app\.js: 500/);
});

test("files and navigations are answered without the network", async () => {
  const sw = start({ network: filesOf("one") });
  await sw.send("install");
  sw.calls.fetched.length = 0;
  assert.equal(await sw.ask("/app.js"), "one /app.js");
  assert.equal(await sw.ask("/app.js?build=2"), "one /app.js");
  assert.equal(await sw.ask("/", { mode: "navigate" }), "one /");
  assert.equal(await sw.ask("/?some#where", { mode: "navigate" }), "one /");
  assert.equal(await sw.ask("/index.html", { mode: "navigate" }), "one /");
  assert.deepEqual(sw.calls.fetched, []);
});

test("without a network the bench says that it is not kept", async () => {
  const sw = start({ network: (request) => (request.url?.includes("bench") ? Promise.reject(new TypeError("no network"))
    : filesOf("one")(request)) });
  await sw.send("install");
  assert.match(await sw.ask("/bench.html", { mode: "navigate" }), /The bench is not kept on this device/);
  const online = start({ network: async (request) => new Response(`the network's ${request.url}`) });
  assert.match(await online.ask("/bench.html", { mode: "navigate" }), /^the network's .*bench\.html$/);
});

test("what is not the site's is left alone", async () => {
  const sw = start({ network: filesOf("one") });
  await sw.send("install");
  const below = ["/api/v1/pods?watch=1", "/apis/apps/v1", "/openapi/v3", "/readyz/ping", "/metrics?x",
    wellknown.DEVSERVER + "reload"];
  for (const path of [...wellknown.API_ROOTS, ...below]) {
    assert.equal(await sw.ask(path), undefined, path);
    assert.equal(await sw.ask(path, { mode: "navigate" }), undefined, path);
  }
  assert.equal(await sw.ask("/app.js", { method: "POST" }), undefined);
  assert.equal(await sw.ask("https://elsewhere.example/app.js"), undefined);
  assert.equal(await sw.ask("/unknown.js"), undefined);
  // Nor are other pages, which would be at a path that the page's own files are not below.
  for (const path of ["/apiary", "/some/where?else", "/embed/", "/_devserver2"]) {
    assert.equal(await sw.ask(path, { mode: "navigate" }), undefined, path);
  }
});

test("below a path it keeps what is there, and leaves the origin's other sites alone", async () => {
  const stores = new Map([["tabernetes-root", new Map()], ["tabernetes-other/old", new Map()],
    ["tabernetes-lab/old", new Map()]]);
  const sw = start({ root: "/lab/", stores, network: filesOf("one") });
  await sw.send("install");
  await sw.send("activate");
  assert.deepEqual(sw.calls.fetched.map(({ url }) => url), ["/lab/", "/lab/app.js"]);
  assert.equal(await sw.ask("/lab/", { mode: "navigate" }), "one /lab/");
  assert.equal(await sw.ask("/lab/index.html", { mode: "navigate" }), "one /lab/");
  assert.equal(await sw.ask("/lab/app.js"), "one /lab/app.js");
  for (const path of ["/", "/app.js", "/lab", "/lab/api/v1/pods", "/api/v1/pods"]) {
    assert.equal(await sw.ask(path, { mode: "navigate" }), undefined, path);
  }
  assert.deepEqual([...stores.keys()].sort(), ["tabernetes-lab/one", "tabernetes-other/old", "tabernetes-root"]);

  const atRoot = start({ version: "two", stores, network: filesOf("two") });
  await atRoot.send("activate");
  assert.deepEqual([...stores.keys()].sort(), ["tabernetes-lab/one", "tabernetes-other/old"]);
});

/** A host with files and the packed ones beside them; damaged are the endings of those that are others. */
function plainHost(files, { compresses = false, damaged = [], encodes = false } = {}) {
  return async (asked) => {
    const name = /[^/]*$/.exec(asked)[0];
    const [, plain, ending] = /^(.*?)(\.gz|\.lzma)?$/.exec(name);
    const text = files[plain] ?? "a page";
    const headers = { "content-type": plain === "" ? "text/html" : "application/wasm" };
    const inside = damaged.includes(ending) ? "other" : text;
    if (ending === ".lzma") return new Response(Buffer.from(inLZMA[inside], "base64"), { headers });
    if (ending && !encodes) return new Response(gzipSync(inside), { headers });
    return new Response(text, { headers: compresses || ending ? { ...headers, "content-encoding": "gzip" } : headers });
  };
}

for (const { name, of, host, want } of [
  { name: "a host that does not compress", want: ["/a.wasm.lzma", "/b.wasm.lzma"] },
  { name: "one that says that packed files are compressed", of: { packed: [".gz"] }, host: { encodes: true },
    want: ["/a.wasm.gz", "/b.wasm.gz"] },
  { name: "one without what unpacks them", of: { unpacks: false }, want: ["/a.wasm.gz", "/b.wasm.gz"] },
  { name: "one whose packed files are others", host: { damaged: [".lzma"] },
    want: ["/a.wasm.lzma", "/b.wasm.lzma", "/a.wasm.gz", "/b.wasm.gz"] },
  { name: "one all of whose packed files are others", host: { damaged: [".lzma", ".gz"] },
    want: ["/a.wasm.lzma", "/b.wasm.lzma", "/a.wasm.gz", "/b.wasm.gz", "/a.wasm", "/b.wasm"] },
  { name: "a host that compresses", host: { compresses: true }, want: ["/a.wasm", "/b.wasm"] },
]) {
  test(`what is taken from ${name}`, async () => {
    const files = { "a.wasm": "the program", "b.wasm": "another" };
    const named = { "build/one/a.wasm": files["a.wasm"], "build/one/b.wasm": files["b.wasm"] };
    const textOf = () => "a page";
    const sw = start({ files: named, packed: [".lzma", ".gz"], textOf, network: plainHost(files, host), ...of });
    await sw.send("install");
    const asked = sw.calls.fetched.filter(({ url, method }) => !method && /\.wasm/.test(url));
    assert.deepEqual(asked.map(({ url }) => url.replace("/build/one", "")).sort(), want.sort());
    assert.equal(sw.calls.fetched.filter(({ method }) => method === "HEAD").length, 1, "one of each type");
    assert.ok(sw.calls.fetched.every(({ url }) => !url.endsWith("unlzma.js") || url === "/build/one/unlzma.js"));
    assert.equal(await sw.ask("/build/one/a.wasm"), "the program");
    const kept = sw.stores.get("tabernetes-one").get("/build/one/b.wasm");
    assert.equal(await kept.text(), "another");
    assert.equal(kept.headers.get("content-type"), "application/wasm");
  });
}

test("a new version leaves the old one's tabs alone until it takes over", async () => {
  const stores = new Map([["somebody-else's", new Map()]]);
  const one = start({ stores, network: filesOf("one") });
  await one.send("install");
  await one.send("activate");
  const two = start({ version: "two", stores, network: filesOf("two") });
  await two.send("install");
  assert.equal(await one.ask("/app.js"), "one /app.js");
  await two.send("message", { data: { type: "something else" } });
  await two.send("message", { data: null });
  assert.equal(two.calls.skipped, 0);
  await two.send("message", { data: { type: "take-over" } });
  assert.equal(two.calls.skipped, 1);
  await two.send("activate");
  assert.equal(two.calls.claimed, 1);
  assert.deepEqual([...stores.keys()].sort(), ["somebody-else's", "tabernetes-two"]);
  assert.equal(await two.ask("/app.js"), "two /app.js");
});

test("what a version has in common with the one before is not downloaded again", async () => {
  const stores = new Map();
  const texts = { same: "the same", changed: "old" };
  const network = async (request) => new Response(texts[/[^/]*$/.exec(request)[0]] ?? "a page",
    { headers: { "content-type": "text/javascript", "content-encoding": "br" } });
  const files = (v) => ({ [`build/${v}/course/same`]: texts.same, [`build/${v}/changed`]: texts.changed });
  const textOf = () => "a page";
  const one = start({ stores, network, textOf, files: files("1") });
  await one.send("install");
  texts.changed = "new";
  const two = start({ version: "two", stores, network, textOf, files: files("2") });
  await two.send("install");
  assert.deepEqual(two.calls.fetched.map(({ url }) => url), ["/", "/app.js", "/build/2/changed"]);
  assert.equal(await two.ask("/build/2/course/same"), "the same");
  assert.equal(await two.ask("/build/2/changed"), "new");
  const copied = stores.get("tabernetes-two").get("/build/2/course/same");
  const sent = Object.entries(built).map(([name, value]) => [name.toLowerCase(), value]);
  assert.deepEqual([...copied.headers], [...sent, ["content-type", "text/javascript"]].sort());
  assert.equal(await one.ask("/build/1/changed"), "old");
});

test("a cache that the browser dropped is no loss while there is a network", async () => {
  const sw = start({ network: filesOf("one") });
  await sw.send("install");
  sw.stores.clear();
  assert.equal(await sw.ask("/app.js"), "one /app.js");
});

/** Puts something else into the cache than the build has. */
const foul = (sw, path, text, headers = {}) =>
  sw.stores.get("tabernetes-one").set(path, new Response(text, { headers }));

test("what is in the cache and not of the build is fetched again", async () => {
  const sw = start();
  await sw.send("install");
  sw.calls.fetched.length = 0;
  foul(sw, "/", "a page of somebody else's");
  assert.equal(await sw.ask("/", { mode: "navigate" }), "one /");
  assert.deepEqual(sw.calls.fetched.map(({ url }) => url), ["/"]);
  assert.equal(await sw.ask("/", { mode: "navigate" }), "one /");
  assert.equal(sw.calls.fetched.length, 1, "and it is kept");
});

test("a file of a version comes from what the browser itself has kept, if it may", async () => {
  const url = "/build/one/app.js";
  const kept = { "/": "a page", "/app.js": "a script" };
  const sw = start({ files: { [url.slice(1)]: "a script" }, network: async () => new Response("a script"),
    textOf: () => "a script", kept });
  await sw.send("install");
  sw.calls.fetched.length = 0;
  assert.equal(await sw.ask(url), "a script", "it may have nothing");
  kept[url] = "the browser's";
  assert.equal(await sw.ask(url), "the browser's");
  assert.equal(await sw.ask(url + "?a"), "the browser's");
  for (const other of [{ cache: "reload" }, { destination: "worker" }]) {
    assert.equal(await sw.ask(url, other), "a script");
  }
  for (const path of ["/", "/app.js"]) assert.equal(await sw.ask(path), "a script", "it has no version");
  assert.deepEqual(sw.calls.fetched, []);
});

test("while a service worker lives, its cache is not trusted either", async () => {
  const sw = start();
  await sw.send("install");
  assert.equal(await sw.ask("/app.js"), "one /app.js");
  foul(sw, "/app.js", "a script of somebody else's");
  assert.equal(await sw.ask("/app.js"), "one /app.js");
});

test("a damaged program breaks off before its end, and is fetched again then", async () => {
  const files = { "a.wasm": "the program", "b.wasm": "another" };
  const names = Object.fromEntries(Object.entries(files).map(([name, text]) => [`build/one/${name}`, text]));
  const sw = start({ files: names, textOf: () => "a page", network: plainHost(files) });
  await sw.send("install");
  const pieces = ["a program ", "of somebody ", "else's"];
  const encoder = new TextEncoder();
  sw.stores.get("tabernetes-one").set("/build/one/a.wasm",
    new Response(ReadableStream.from(pieces.map((piece) => encoder.encode(piece)))));
  const reader = (await sw.answer("/build/one/a.wasm")).body.getReader();
  const come = [];
  await assert.rejects(async () => {
    for (;;) come.push(new TextDecoder().decode((await reader.read()).value));
  }, /is damaged/);
  assert.ok(!come.join("").includes("else's"), "its last piece was sent");
  assert.equal(await sw.ask("/build/one/a.wasm"), "the program");
  assert.equal((await sw.answer("/build/one/b.wasm")).headers.get("content-type"), "application/wasm");
});

test("headers are the build's, whatever the cache has", async () => {
  const sw = start();
  await sw.send("install");
  foul(sw, "/", "one /", { "content-type": "text/html", refresh: "0;url=https://elsewhere.example/", link: "<x>",
    "content-security-policy": "default-src *" });
  const { headers } = await sw.answer("/", { mode: "navigate" });
  assert.deepEqual([...headers].sort(), [["content-security-policy", "default-src 'self'"],
    ["content-type", "text/html"], ["x-content-type-options", "nosniff"]]);
});

test("offline a damaged file is said to be, and is not answered", async () => {
  let online = true;
  const network = async (request) => {
    if (!online) throw new TypeError("Failed to fetch");
    return filesOf("one")(request);
  };
  const sw = start({ network });
  await sw.send("install");
  online = false;
  foul(sw, "/", "a page of somebody else's");
  const answer = await sw.answer("/", { mode: "navigate" });
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /copy of the file is damaged/);
  await assert.rejects(sw.ask("/"), /Failed to fetch/, "it has gone");
  online = true;
  assert.equal(await sw.ask("/"), "one /");
});

test("a damaged file of a version that its server no longer has is asked of the server", async () => {
  let version = "one";
  const sw = start({ network: (request) => filesOf(version)(request) });
  await sw.send("install");
  version = "two";
  foul(sw, "/", "a page of somebody else's");
  assert.equal(await sw.ask("/", { mode: "navigate" }), "two /");
  assert.equal(sw.stores.get("tabernetes-one").has("/"), false);
});

test("an install takes what is sound of its own version, and nothing else", async () => {
  const sw = start();
  await sw.send("install");
  foul(sw, "/app.js", "a script of somebody else's");
  const again = start({ stores: sw.stores });
  await again.send("install");
  assert.deepEqual(again.calls.fetched.map(({ url }) => url), ["/app.js"]);
  assert.equal(await again.ask("/app.js"), "one /app.js");
});

test("while developing the network is asked first", async () => {
  let online = true;
  const sw = start({
    networkFirst: true,
    network: async (request) => {
      if (!online) throw new TypeError("Failed to fetch");
      return filesOf("newest")(request);
    },
    textOf: (path) => `newest ${path}`,
  });
  await sw.send("install");
  assert.equal(sw.calls.skipped, 1);
  sw.calls.fetched.length = 0;
  assert.equal(await sw.ask("/app.js"), "newest /app.js");
  assert.equal(sw.calls.fetched.length, 1);
  online = false;
  assert.equal(await sw.ask("/app.js"), "newest /app.js");
  sw.stores.clear();
  await assert.rejects(sw.ask("/app.js"), /Failed to fetch/);
});

/** A network with the terminal's files. */
const withTerminal = (parts = () => "parts") => async (asked) => {
  const { pathname } = new URL(asked.url ?? asked, origin);
  if (pathname.endsWith(".json")) return new Response(parts());
  if (pathname.endsWith("terminal.js")) return new Response("terminal");
  return new Response("a page");
};

test("the terminal's files are kept when the page asks for it, and by later versions then", async () => {
  const [network, textOf] = [withTerminal(), () => "a page"];
  const one = start({ network, textOf });
  await one.send("install");
  assert.equal(await one.ask("/build/one/terminal.js"), "terminal");
  const keptBy = (version) => {
    return [...one.stores.get(`tabernetes-${version}`).keys()].filter((url) => /terminal|kubectl/.test(url)).sort();
  };
  assert.deepEqual(keptBy("one"), [], "the page has not asked for it");
  await one.send("message", { data: { type: "keep-late" } });
  assert.deepEqual(keptBy("one"), ["/build/one/terminal.js", "/kubectl/kubectl.json"]);

  const offline = start({ stores: one.stores, textOf, network: () => Promise.reject(new TypeError("offline")) });
  assert.equal(await offline.ask("/build/one/terminal.js"), "terminal");
  assert.equal(await offline.ask("/kubectl/kubectl.json"), "parts");

  const two = start({ version: "two", stores: one.stores, network, textOf });
  await two.send("install");
  assert.deepEqual(keptBy("two"), ["/build/two/terminal.js", "/kubectl/kubectl.json"]);
});

test("the list of kubectl's parts is asked of the network first, since it is of no version", async () => {
  let parts = "parts";
  let online = true;
  const network = withTerminal(() => {
    if (!online) throw new TypeError("offline");
    return parts;
  });
  const sw = start({ network, textOf: () => "a page" });
  await sw.send("install");
  await sw.send("message", { data: { type: "keep-late" } });
  parts = "newer parts";
  assert.equal(await sw.ask("/kubectl/kubectl.json"), "newer parts");
  online = false;
  assert.equal(await sw.ask("/kubectl/kubectl.json"), "parts");
  foul(sw, "/kubectl/kubectl.json", "parts of somebody else's");
  await assert.rejects(sw.ask("/kubectl/kubectl.json"), /offline/);
});

test("a version that takes over leaves the parts of kubectl alone", async () => {
  const stores = new Map([
    ["tabernetes-old", new Map()], ["tabernetes-kubectl", new Map()], ["tabernetes-controllers", new Map()]]);
  const sw = start({ stores, network: filesOf("one") });
  await sw.send("install");
  await sw.send("activate");
  assert.deepEqual([...stores.keys()].sort(), ["tabernetes-controllers", "tabernetes-kubectl", "tabernetes-one"]);
});
