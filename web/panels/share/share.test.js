// What is shared: its form, and how a damaged or hostile one is handled.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { bombOf, countUnpacked } from "../../browser/bomb.js";
import { bytes, numbers, reference, roles, sound } from "./fixture.js";
import { derivedUID, payloads, put, Reader, zigzag } from "./frames.js";
import { markedSnapshot } from "./marked.js";
import { framesOf } from "./plain.js";
import { ShareError, fileOf, fromFile, fromLink, linkOf, packed } from "./pack.js";
import { told } from "./parts.js";
import { takeShared } from "./take.js";

/** Links of each version that ever was, with what they share. */
const kept = JSON.parse(await readFile(new URL("./testdata/links.json", import.meta.url), "utf8"));

const all = {
  title: "A & <b>", manifests: "a: 1\n---\nb: 2", settings: { chaos: { seed: 7 } },
  request: { method: "PATCH", path: "/api/v1/namespaces/default/pods/web?dryRun=All", headers: "A: b", body: "{}" },
  view: { revision: 31, selected: "pods/default/web" },
  watches: ["/api/v1/pods?watch=1&resourceVersion=5"], place: "lesson-paging-2",
  layout: { panel: "console", presenter: false, theme: "dark" },
};

test("a level is a part of the third version", async () => {
  const level = "---\nnamespaces: level, level-b\n---\n\n# Paint <b>it</b>\n";
  const p = await packed({ level }, reference);
  assert.match(linkOf(p), /^#share=3\./);
  assert.match(linkOf(await packed(all, reference)), /^#share=2\./, "what older pages read keeps their version");
  assert.deepEqual(await fromLink(linkOf(p), reference), { level });
  assert.deepEqual(await fromFile(new Uint8Array(await fileOf(p).arrayBuffer()), reference), { level });
  const read = {
    title: "Paint <b>it</b>", namespaces: ["level", "level-b"], settings: { cache: { replicas: [{}, {}] } },
  };
  assert.deepEqual(told({ level }, { cache: { replicas: [{ lagSeconds: 5 }] } }, read), [
    "A level to solve: Paint <b>it</b>", "It starts by emptying these namespaces: level, level-b",
    "A setting: API servers: 2 (cache.replicas)",
    "A setting: API server 1: how late the watch caches of the server are: 0 s (cache.replicas[0].lagSeconds)"]);
  for (const bad of [1, ["a"]]) {
    const damaged = await packed(/** @type {any} */ ({ level: bad }), reference);
    await assert.rejects(fromLink(linkOf(damaged), reference), /its part “level” is not what it should be/);
  }
});

test("a link and a file bring what was shared", async () => {
  const cluster = new Uint8Array([...bytes.subarray(0, 9000), 1, 2, 3, ...bytes.subarray(20_000)]);
  for (const shared of [all, { ...all, cluster }, { view: {} }, {}]) {
    const p = await packed(shared, reference);
    assert.deepEqual(await fromLink(linkOf(p), reference), shared);
    assert.deepEqual(await fromFile(new Uint8Array(await fileOf(p).arrayBuffer()), reference), shared);
  }
  assert.deepEqual(await fromFile(cluster, reference), { cluster }, "a saved cluster is a file, too");
});

const origin = { uid: "ac452fd4-89ec-47d2-be0f-2eaebcd9be04", began: 1795730000 };

/**
 * Bytes in which texts are replaced that are as long.
 *
 * @param {Uint8Array} from
 * @param {RegExp} what
 * @param {() => string} by
 */
const replaced = (from, what, by) =>
  new Uint8Array(Buffer.from(Buffer.from(from).toString("latin1").replace(what, by), "latin1"));

/** Frames at the times that their objects name, and some milliseconds later. @param {Uint8Array[]} frames */
const timed = (frames) => frames.map((payload, i) => {
  const created = /"creationTimestamp":"([^"]*)"/.exec(Buffer.from(payload).toString("latin1"));
  if (!created) return payload;
  const r = new Reader(payload.subarray(1));
  const head = [payload[0]];
  for (const n of [r.number(), r.number()]) put(head, n);
  put(head, zigzag(BigInt(Date.parse(created[1]) + i) * 1_000_000n));
  r.number();
  return new Uint8Array(Buffer.concat([Buffer.from(head), payload.subarray(1 + r.at)]));
});

/** The snapshot of a new cluster: its secret and the uids of what its controllers make are others, and each time. */
function fresh() {
  const random = numbers(1);
  const hex = (n) => [...Array(n)].map(() => "0123456789abcdef"[random(16)]).join("");
  let all = sound(timed(framesOf(bytes, origin)));
  const made = Buffer.from(all).indexOf('"kind":"Service"');
  const uid = () => `"uid":"${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}"`;
  all = new Uint8Array([...all.subarray(0, made), ...replaced(all.subarray(made), /"uid":"[^"]{36}"/g, uid)]);
  return sound(payloads(replaced(all, /"secret":"[^"]{43}/, () => `"secret":"${hex(43)}`)));
}

test("uids are derived as the API server derives them", () => {
  // core/registry/names_internal_test.go has the same.
  assert.equal(derivedUID("v1/namespaces/kube-system", origin.uid), "94879cb8-96b4-4353-bdff-6434170d4709");
});

test("a fresh cluster takes a thousand characters", async () => {
  const cluster = fresh();
  const link = linkOf(await packed({ cluster }, reference));
  assert.ok(link.length < 1200, `${link.length} characters`);
  assert.deepEqual(await fromLink(link, reference), { cluster });
  // One whose uids are not derived, as those of older pages.
  const random = numbers(2);
  const uid = () => `-4${[0, 0, 0].map(() => random(10)).join("")}-`;
  const other = sound(payloads(replaced(cluster, /-4[0-9a-f]{3}-/g, uid)));
  const longer = linkOf(await packed({ cluster: other }, reference));
  assert.ok(longer.length < 3000, `${longer.length} characters`);
  assert.deepEqual(await fromLink(longer, reference), { cluster: other });
});

test("a link of a new cluster with RBAC on can be sent by any messenger, whenever that was switched on", async () => {
  for (const [revision, began, later] of [[61, origin.began, []], [70_000, origin.began + 86_400, [3, 90, 90]]]) {
    const known = { uid: "5f0c0a4e-2d52-4c1c-9a53-4c7d5a3f7a10", began, revision, later };
    const cluster = sound(timed([...framesOf(bytes, origin), ...framesOf(roles, known)]));
    assert.match(Buffer.from(cluster).toString("latin1"), new RegExp(`"resourceVersion":"${revision + 130}"`));
    const link = linkOf(await packed({ cluster }, reference));
    assert.match(link, /^#share=5\./, "older pages say that it is newer");
    assert.ok(link.length < 900, `${link.length} characters`);
    assert.deepEqual(await fromLink(link, reference), { cluster });
  }
  // What a page had when it was switched on there, seconds after it began.
  const { cluster } = await fromLink(kept.find((one) => one.version === 4).link, reference);
  const link = linkOf(await packed({ cluster, view: { revision: 200 }, title: "RBAC" }, reference));
  assert.ok(link.length + "https://tabernetes.example/lab/".length < 1600, `${link.length} characters`);
  assert.deepEqual((await fromLink(link, reference)).cluster, cluster);
});

test("what is no snapshot is shared all the same", async () => {
  const cluster = fresh();
  for (const one of [cluster.subarray(0, 9000), cluster.with(40_000, cluster[40_000] ^ 1), new Uint8Array([1, 2, 3])]) {
    assert.equal(markedSnapshot(one, [bytes]), null);
    assert.deepEqual(await fromLink(linkOf(await packed({ cluster: one }, reference)), reference), { cluster: one });
  }
});

test("links of every version are read", async () => {
  assert.ok(kept.length > 0);
  for (const { link, shares } of kept) {
    const { cluster, ...rest } = await fromLink(link, reference);
    assert.deepEqual(rest, shares.parts);
    assert.equal(cluster?.length ?? 0, shares.cluster);
  }
});

/** A link of JSON text, and of a cluster, as somebody else may have made it. */
function forged(text, delta = [], version = 1) {
  const body = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return `#share=${version}.` + deflateRawSync(Buffer.concat([length, body, Buffer.from(delta)])).toString("base64url");
}

const hostile = {
  "nothing": "#share=",
  "no version": "#share=abc",
  "a newer version": "#share=6.abc",
  "an old one that never was": "#share=0.abc",
  "a version that is no number": "#share=1e3.abc",
  "no bytes": "#share=1.",
  "no base64": "#share=1.a*b",
  "one letter": "#share=1.a",
  "nothing compressed": "#share=1.AAAA",
  "cut off": linkOf({ version: 2, bytes: new Uint8Array(deflateRawSync(Buffer.alloc(3000, "ab"))).subarray(0, 12) }),
  "too short": "#share=1." + deflateRawSync(Buffer.from([0])).toString("base64url"),
  "a length beyond its end": "#share=1." + deflateRawSync(Buffer.from([255, 255, 255, 255, 123])).toString("base64url"),
  "no JSON": forged("{"),
  "no UTF-8": "#share=1." + deflateRawSync(Buffer.from([0, 0, 0, 2, 255, 254])).toString("base64url"),
  "null": forged("null"),
  "a list": forged("[]"),
  "a text": forged('"a"'),
  "an unknown part": forged('{"script":"alert(1)"}'),
  "a part of the prototype": forged('{"__proto__":{"title":"x"}}'),
  "a constructor": forged('{"constructor":1}'),
  "a long title": forged(JSON.stringify({ title: "x".repeat(121) })),
  "a title that is no text": forged('{"title":{}}'),
  "manifests that are no text": forged('{"manifests":[]}'),
  "settings that are a list": forged('{"settings":[]}'),
  "settings that are null": forged('{"settings":null}'),
  "settings that nest": forged(`{"settings":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`),
  "a request without a path": forged('{"request":{"method":"GET"}}'),
  "a request without a method": forged('{"request":{"path":"/api"}}'),
  "another method": forged('{"request":{"method":"CONNECT","path":"/api"}}'),
  "a method in a list": forged('{"request":{"method":["GET"],"path":"/api"}}'),
  "another origin": forged('{"request":{"method":"GET","path":"https://evil.example/api"}}'),
  "another host": forged('{"request":{"method":"GET","path":"//evil.example/api"}}'),
  "a host behind a backslash": forged('{"request":{"method":"GET","path":"/\\\\evil.example/api"}}'),
  "a script": forged('{"request":{"method":"GET","path":"javascript:alert(1)"}}'),
  "no API": forged('{"request":{"method":"GET","path":"/rooms/x"}}'),
  "a path with a line": forged('{"request":{"method":"GET","path":"/api\\nHost: x"}}'),
  "long headers": forged(JSON.stringify({ request: { method: "GET", path: "/api", headers: "x".repeat(9000) } })),
  "headers that are no text": forged('{"request":{"method":"GET","path":"/api","headers":[["a","b"]]}}'),
  "another field": forged('{"request":{"method":"GET","path":"/api","token":"x"}}'),
  "watches that are a text": forged('{"watches":"/api/v1/pods"}'),
  "watches elsewhere": forged('{"watches":["https://evil.example/"]}'),
  "too many watches": forged(JSON.stringify({ watches: Array(21).fill("/api/v1/pods?watch=1") })),
  "a revision below zero": forged('{"view":{"revision":-1}}'),
  "half a revision": forged('{"view":{"revision":1.5}}'),
  "a revision in words": forged('{"view":{"revision":"1"}}'),
  "a view that is null": forged('{"view":null}'),
  "a long choice": forged(JSON.stringify({ view: { selected: "x".repeat(601) } })),
  "a place that is a script": forged('{"place":"javascript:alert(1)"}'),
  "a place that is a room": forged('{"place":"room=https://evil.example/&token=x"}'),
  "a place that shares again": forged('{"place":"share=1.AAAA"}'),
  "a place that loads": forged('{"place":"from=https://evil.example"}'),
  "a place with more": forged('{"place":"lesson-a&room=x"}'),
  "a place with markup": forged('{"place":"lesson-<img>"}'),
  "a panel with markup": forged('{"layout":{"panel":"<b>"}}'),
  "colours that do not exist": forged('{"layout":{"theme":"x\\"y"}}'),
  "a presenter that is a number": forged('{"layout":{"presenter":1}}'),
  "a cluster without bytes": forged('{"cluster":true}'),
  "a cluster that is damaged": forged('{"cluster":true}', [9, 9, 9]),
  "a cluster beyond the reference": forged('{"cluster":true}', [1, 0, 0, 255, 255, 127]),
  "a cluster that never ends": forged('{"cluster":true}', [1, 255, 255, 255, 255, 255, 255, 255]),
  "a cluster that is too large": forged('{"cluster":true}',
    [255, 7, ...Array(1023).fill(0), ...Array(1023).fill(0), ...Array(1023 * 3).fill(255)]),
  "an origin without a time": forged(`{"cluster":{"uid":"${origin.uid}"}}`, [], 2),
  "an origin that is no uid": forged('{"cluster":{"uid":"$&","began":1}}', [], 2),
  "an origin beyond all times": forged(`{"cluster":{"uid":"${origin.uid}","began":1e15}}`, [], 2),
  "an origin with more": forged(`{"cluster":{"uid":"${origin.uid}","began":1,"x":1}}`, [], 2),
  "roles without a revision": forged(`{"cluster":${JSON.stringify({ ...origin, roles: origin })}}`, [], 4),
  "roles before the first revision": forged(
    `{"cluster":${JSON.stringify({ ...origin, roles: { ...origin, revision: -1, later: [] } })}}`, [], 4),
  "roles after a switch that never ended": forged(`{"cluster":${JSON.stringify({ ...origin,
    roles: { ...origin, revision: 70, later: Array(61).fill(1) } })}}`, [], 4),
  "roles with more": forged(`{"cluster":${JSON.stringify({ ...origin,
    roles: { ...origin, revision: 70, later: [], roles: origin } })}}`, [], 4),
  "references that are not there": forged('{"cluster":["2"]}', [], 5),
  "references by another name": forged('{"cluster":["1,roles"]}', [], 5),
  "no references": forged('{"cluster":[]}', [], 5),
  "marked frames that are not there": forged('{"cluster":["1"]}', [0, 9], 5),
  "a marked frame without an end": forged('{"cluster":["1"]}', [0, 1, 255, 127], 5),
  "a uid that is cut off": forged('{"cluster":["1"]}', [0, 1, 8, 86, 2, 0, 1, 97, 1, 98, 2, 1, 0], 5),
  "a uid without an ancestor": forged('{"cluster":["1"]}', [0, 1, 8, 86, 2, 0, 1, 97, 1, 98, 3, 1, 0], 5),
  "a revision before all": forged('{"cluster":["1"]}', [0, 1, 7, 86, 2, 9, 1, 97, 1, 98, 1, 0], 5),
  "frames that are not there": forged(`{"cluster":${JSON.stringify(origin)}}`, [0, 9], 2),
  "a frame without an end": forged(`{"cluster":${JSON.stringify(origin)}}`, [0, 1, 255, 127], 2),
  "frames without times": forged(`{"cluster":${JSON.stringify(origin)}}`, [0, 1, 3, 86, 1, 1], 2),
  "more than the frames": forged(`{"cluster":${JSON.stringify(origin)}}`, [0, 1, 1, 66, 7], 2),
  "frames that make more of themselves": forged(`{"cluster":${JSON.stringify(origin)}}`,
    [0, ...[135, 137, 250, 1], ...Array(1 << 20).fill(0)], 2),
  "a bomb": "#share=1." + deflateRawSync(Buffer.alloc(40 << 20)).toString("base64url"),
};

test("damaged and hostile links are refused with a sentence", async () => {
  assert.ok(Object.keys(hostile).length >= 60, String(Object.keys(hostile).length));
  for (const [name, link] of Object.entries(hostile)) {
    await assert.rejects(fromLink(link, reference), (error) => {
      assert.ok(error instanceof ShareError, `${name}: ${error.stack}`);
      assert.match(error.message, /^(it|its|the) /, name);
      return true;
    }, name);
  }
  await assert.rejects(fromLink(hostile["a newer version"], reference), /newer version/);
  const newer = new TextEncoder().encode("tabernetes share 6\nabc");
  await assert.rejects(fromFile(newer, reference), /newer version/);
  await assert.rejects(fromFile(new TextEncoder().encode("tabernetes share 1\nabc"), reference), /damaged/);
  await assert.rejects(fromFile(new TextEncoder().encode("tabernetes share "), reference), ShareError);
});

test("of a bomb no more is unpacked than what is bounded", async (t) => {
  const counted = countUnpacked(t);
  const bomb = { bytes: new Uint8Array(bombOf(600)), version: 2 };
  assert.ok(bomb.bytes.length < 1 << 20, `${bomb.bytes.length} bytes`);
  await assert.rejects(fromLink(linkOf(bomb), reference), /^Error: it is longer than/);
  assert.equal(counted.bytes, 0, "a link that is too long is not unpacked");
  const file = new Uint8Array(await fileOf(bomb).arrayBuffer());
  await assert.rejects(fromFile(file, reference), /^Error: it is larger than/);
  assert.ok(counted.bytes <= 260 << 20, `${counted.bytes} bytes were unpacked of a file`);
  const p = await packed({ ...all, cluster: new Uint8Array(bytes) }, reference);
  assert.deepEqual(await fromLink(linkOf(p), reference), { ...all, cluster: new Uint8Array(bytes) });
});

test("a link that was cut anywhere, or changed, does nothing but say so", async () => {
  const link = linkOf(await packed({ ...all, cluster: new Uint8Array(bytes) }, reference));
  const random = numbers(5);
  for (let i = 0; i < 200; i++) {
    const at = 9 + random(link.length - 9);
    const other = random(2) ? link.slice(0, at) : link.slice(0, at) + "A-_9z"[random(5)] + link.slice(at + 1);
    if (other === link) continue;
    try {
      const shared = await fromLink(other, reference); // what a letter more or less says is text, at most
      assert.ok(told(shared).every((line) => typeof line === "string"));
    } catch (error) {
      assert.ok(error instanceof ShareError, error.stack);
    }
  }
});

test("where a link opens is said in words", () => {
  for (const [view, says] of /** @type {[object, string][]} */ ([
    [{ revision: 61 }, "Opens at revision 61"], [{ selected: "rev-61" }, "Opens at revision 61"],
    [{ selected: "pods/default/web" }, "Opens with pods/default/web chosen"],
  ])) assert.deepEqual(told({ view }), [says]);
});

test("what a link brings is said, part by part", () => {
  assert.deepEqual(told({ ...all, cluster: new Uint8Array(4500) }), [
    "A whole cluster with its history, 5 kB, which takes the place of this tab’s cluster",
    "2 objects, which are applied to this tab’s cluster",
    "A setting: The seed that decides which faults happen, and when; the server chooses one if it is not set: 7 " +
      "(chaos.seed)",
    "A request for the console, which is not sent: PATCH /api/v1/namespaces/default/pods/web?dryRun=All",
    "Opens at revision 31, with pods/default/web chosen",
    "1 watch to open: /api/v1/pods?watch=1&resourceVersion=5",
    "A place: the lesson paging-2",
    "The layout: the open tab, the presenter, the colours",
  ]);
});

test("a link is taken off the address", () => {
  const replaced = [];
  const history = { state: 1, replaceState: (...args) => replaced.push(args) };
  for (const [hash, want] of [["#share=1.x", "#share=1.x"], ["#from=a", "#from=a"], ["#lesson-a", ""], ["", ""]]) {
    assert.equal(takeShared({ hash, pathname: "/p", search: "?q" }, history), want);
  }
  assert.deepEqual(replaced, [[1, "", "/p?q"], [1, "", "/p?q"]]);
});
