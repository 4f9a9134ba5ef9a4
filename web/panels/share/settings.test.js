import assert from "node:assert/strict";
import { test } from "node:test";
import { SETTINGS } from "../../../core/settings/settings.js";
import { keepsOut, merged } from "./keepsout.js";
import { changes } from "./settings.js";

/** The settings of a new cluster. */
function fresh() {
  const spec = { cache: { replicas: [{ lagSeconds: 0, frozen: false }] }, faults: [] };
  for (const { path, default: value } of SETTINGS) {
    if (value === undefined || path.includes("[]")) continue;
    const names = path.split(".");
    const last = names.pop();
    let at = spec;
    for (const name of names) at = at[name] ??= {};
    at[last] = value;
  }
  return spec;
}

test("settings are said one by one, as far as they are others", () => {
  const spec = structuredClone(fresh());
  assert.deepEqual(changes(spec, fresh()), []);
  assert.deepEqual(changes({}, fresh()), []);
  spec.authorization.mode = "RBAC";
  spec.authentication.withoutCredentials = "Unauthorized";
  spec.authentication.tokens = [{ token: "secret", user: "jane" }];
  spec.history.retentionSeconds = 30;
  spec.chaos.seed = 7;
  spec.clock.paused = true;
  spec.cache.replicas = [{ lagSeconds: 5 }, { frozen: true }];
  spec.featureGates = { WatchList: false };
  spec.faults = [{ status: 503 }];
  spec.strange = { deep: "<b>" };
  assert.deepEqual(changes(spec, fresh()), [
    "API servers: 2 (cache.replicas)",
    "API server 1: how late the watch caches of the server are: 5 s (cache.replicas[0].lagSeconds)",
    "API server 2: the watch caches are frozen (cache.replicas[1].frozen)",
    "Rows that disturb some clients’ requests: 1 (faults)",
    "etcd is compacted every 30 s (history.retentionSeconds)",
    "The clock is paused (clock.paused)",
    "The seed that decides which faults happen, and when; the server chooses one if it is not set: 7 (chaos.seed)",
    "Roles decide who may do what (authorization.mode)",
    "Requests without credentials are refused (authentication.withoutCredentials)",
    "Bearer tokens that are accepted: that of jane (authentication.tokens)",
    "The feature gate WatchList is off (featureGates.WatchList)",
    "strange.deep is \"<b>\"",
  ]);
  assert.ok(!changes(spec, fresh()).join().includes("secret"), "a token is not shown");
});

test("whatever somebody has made of settings is said, in lines that are not too many or too long", () => {
  const deep = {};
  for (let i = 0, at = deep; i < 12; i++) at = at.x = {};
  for (const spec of [{ authentication: null }, { authentication: "x" }, { cache: { replicas: 7 } }, { faults: "x" },
    { featureGates: [1] }, { cache: { replicas: [null, [], "x"] } }, { "": { "": 1 } }, { chaos: { acts: {} } },
    { authentication: { tokens: [null, 1] } }, { a: "x".repeat(5000) }, deep,
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`n${i}`, i]))]) {
    const lines = changes(spec, fresh());
    assert.ok(lines.length <= 61 && lines.every((line) => line.length < 450), lines.join("\n").slice(0, 2000));
    assert.equal(keepsOut(merged(spec, fresh())), false);
  }
});

test("who is kept out", () => {
  const of = (withoutCredentials, mode = "AlwaysAllow") =>
    keepsOut(merged({ authorization: { mode }, authentication: { withoutCredentials } }, fresh()));
  assert.deepEqual([of("Admin"), of("Admin", "RBAC"), of("Anonymous"), of("Anonymous", "RBAC"), of("Unauthorized"),
    of("Unauthorized", "RBAC")], [false, false, false, true, true, true]);
  const here = { authentication: { withoutCredentials: "Anonymous" } };
  assert.equal(keepsOut(merged({ authorization: { mode: "RBAC" } }, here)), true);
});
