import assert from "node:assert/strict";
import { test } from "node:test";
import { controlled } from "./controlled.js";

test("in another cluster than the tab's they work while their Lease is held and there is a Node", async () => {
  const now = Date.parse("2026-05-01T00:00:10Z");
  const spec = { holderIdentity: "one", renewTime: "2026-05-01T00:00:00.000000Z", leaseDurationSeconds: 15 };
  const lease = { items: [{ spec }] };
  const node = { items: [{}] };
  const ended = { items: [{ spec: { ...spec, renewTime: "2026-04-30T23:59:00.000000Z" } }] };
  for (const [lease_, nodes, want] of [[lease, node, true], [ended, node, false], [lease, { items: [] }, false],
    [{ items: [{ spec: { ...spec, holderIdentity: "" } }] }, node, false], [{ items: [] }, node, false],
    [null, node, false]]) {
    const fetch = async (path, { tabernetes }) => {
      assert.deepEqual(tabernetes, { quiet: true, target: "devserver" });
      const body = path.includes("/leases?fieldSelector=metadata.name%3Dkube-controller-manager") ? lease_ : nodes;
      return { ok: body !== null, json: async () => body };
    };
    assert.equal(await controlled({ target: "devserver", fetch }, () => now), want);
  }
  const fetch = () => Promise.reject(new TypeError("network error"));
  assert.equal(await controlled({ target: "devserver", fetch }), false);
});
