// QR codes, and copies of a room.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { modules, qrCode } from "./qr.js";
import { readRoom } from "./room.js";

const LINK = "https://192.168.1.23:8080/#room=0adf8397dd&token=lI4l3_iX095IIwSb8Xdfog";

// These were read by a decoder when they were noted.
test("QR codes", () => {
  const bits = (text) => modules(text).flat().map(Number).join("");
  const hash = (text) => createHash("sha256").update(bits(text)).digest("hex").slice(0, 16);
  const sizes = { a: 21, [LINK]: 33, ["x".repeat(106)]: 37, ["x".repeat(107)]: 41, ["ä".repeat(67)]: 41 };
  for (const [text, size] of Object.entries(sizes)) assert.equal(modules(text)?.length, size, text);
  assert.deepEqual([hash("a"), hash(LINK), hash("x".repeat(134))],
    ["c8b94007197ad57d", "fd422f89ecd9b6ed", "fcf6199d8b88b33d"]);
  assert.equal(modules("x".repeat(135)), null);
  assert.deepEqual(qrCode("x".repeat(135)), { path: "", size: 0 });
  const { path, size } = qrCode("a");
  assert.equal(size, 21);
  assert.match(path, /^M0 0h7v1h-7z(M\d+ \d+h\d+v1h-\d+z)+$/);
});

const POD = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "team", uid: "pod", resourceVersion: "9",
  ownerReferences: [{ kind: "Widget", name: "w", uid: "widget" }, { kind: "Gone", name: "g", uid: "gone" }] },
  spec: { a: 1 }, status: { phase: "Running" } };

/** A fetch that answers for a room and a tab, and notes what is written. */
function clusters() {
  const lists = {
    "/apis": { groups: [{ name: "x.dev", preferredVersion: { groupVersion: "x.dev/v1" } },
      { name: "sandbox.tabernetes.dev", preferredVersion: { groupVersion: "sandbox.tabernetes.dev/v1" } }] },
    "/api/v1": { resources: [
      { name: "pods", namespaced: true, verbs: ["list", "create"] }, { name: "pods/status", verbs: ["get"] },
      { name: "namespaces", namespaced: false, verbs: ["list", "create"] },
      { name: "secrets", namespaced: true, verbs: ["list", "create"] },
      { name: "componentstatuses", namespaced: false, verbs: ["list"] },
      { name: "events", namespaced: true, verbs: ["list", "create"] },
    ] },
    "/apis/x.dev/v1": { resources: [{ name: "widgets", namespaced: true, verbs: ["list", "create"] }] },
    "/api/v1/pods": { items: [POD, { metadata: { name: "ending", namespace: "team", deletionTimestamp: "now" } }] },
    "/api/v1/namespaces": { items: [{ metadata: { name: "default", uid: "d" } },
      { metadata: { name: "team", uid: "t" } }] },
    "/apis/x.dev/v1/widgets": { items: [{ metadata: { name: "w", namespace: "team", uid: "widget" } }] },
  };
  const written = [];
  let early = 2; // requests that the quotas refuse
  const fetch = async (path, { method, body, tabernetes }) => {
    const answer = (status, object) => new Response(JSON.stringify(object), { status });
    assert.equal(tabernetes.quiet, true);
    if (tabernetes.target === "room" && early-- > 0) {
      return new Response("{}", { status: 429, headers: { "Retry-After": "0.01" } });
    }
    if (tabernetes.target === "room") {
      assert.equal(method, "GET", "a room is only read");
      return lists[path] ? answer(200, lists[path]) : answer(403, { message: "no" });
    }
    assert.equal(tabernetes.target, "tab");
    written.push([method, path, JSON.parse(body)]);
    if (path.endsWith("/namespaces") && body.includes('"default"')) return answer(409, {});
    return answer(201, { metadata: { uid: "new-" + JSON.parse(body).metadata?.name } });
  };
  return { fetch, written };
}

test("a copy of a room has what may be listed, owners first", async () => {
  const { fetch, written } = clusters();
  const room = await readRoom(fetch);
  assert.equal(written.length, 0);
  const said = await room.copy();
  assert.equal(said, "3 objects copied. They are new ones, with their own revisions and without history. " +
    "You may not list 1 of the room’s types.");
  const [reset, ...rest] = written.map(([method, path]) => `${method} ${path}`);
  assert.equal(reset, "POST /apis/sandbox.tabernetes.dev/v1/controlplanes/default/reset");
  assert.deepEqual(rest.slice(2), ["POST /apis/x.dev/v1/namespaces/team/widgets", "POST /api/v1/namespaces/team/pods",
    "PATCH /api/v1/namespaces/team/pods/p/status"]);
  const pod = written.at(-2)[2];
  assert.deepEqual(pod.metadata, { name: "p", namespace: "team",
    ownerReferences: [{ kind: "Widget", name: "w", uid: "new-w" }] });
  assert.deepEqual([pod.spec, pod.status, written.at(-1)[2]], [{ a: 1 }, undefined, { status: { phase: "Running" } }]);
});

test("a room that does not answer is not copied", async () => {
  await assert.rejects(readRoom(async () => new Response("", { status: 503 })), /does not list/);
});
