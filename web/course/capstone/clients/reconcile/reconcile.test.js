// Level 7, by controllers: the right one passes all seeds, writes what the recorded real one wrote, and of those that
// are wrong on purpose each is failed by its rule, in words that say what went wrong. TABERNETES_LONG=1 plays more.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { WRONG, wrong } from "./wrong.js";
import { recorded } from "./recorded.js";
import { localController } from "../../local.js";
import { nodeCluster } from "../../node.js";
import { play } from "../../play.js";
import { REAL } from "../../controller-real.js";
import { RULES } from "../../controller-rules.js";
import { threadClient } from "../../thread.js";

const right = readFileSync(new URL("right.js", import.meta.url), "utf8");
const long = process.env.TABERNETES_LONG === "1";

/** Those that are played in any case: what people get wrong first. */
const TYPICAL = new Set(["trusts its cache", "makes Pods without an owner", "makes all Pods at once",
  "deletes the first ones that it finds", "counts by labels alone"]);

let loads = 0;
const run = async (text, seed) => {
  const load = () => import("data:text/javascript," + encodeURIComponent(`${text}\n// ${loads++}`));
  return play({ newCluster: nodeCluster, client: await localController(load, seed), level: 7, seed });
};
const said = ({ verdict }) => verdict && `${verdict.rule} at ${verdict.at / 1000} s: ${verdict.text}`;

test("level 7: the right controller passes, and writes what the real one wrote", async () => {
  for (let seed = 1; seed <= (long ? 200 : 2); seed++) {
    const result = await run(right, seed);
    assert.equal(said(result), null, `seed ${seed}`);
    assert.equal(result.beside.length, REAL.length);
    for (const { wanted, yours, real } of result.beside) assert.deepEqual(yours, real, `${wanted} wanted`);
  }
});

test("what the real controller wrote is what was recorded beside the real server", () => {
  assert.deepEqual(REAL, recorded());
  assert.ok(REAL.every((step) => step.length > 5));
});

test("a run over a port is the same each time, restarts too", { skip: !long && "long" }, async (t) => {
  const run = async () => {
    const { client } = threadClient(t);
    await client.load(right, 2, "reconcile");
    return play({ newCluster: nodeCluster, client, level: 7, seed: 2 });
  };
  const first = await run();
  assert.equal(said(first), null);
  assert.ok(first.log.some(({ text }) => text === "the controller is restarted"));
  assert.deepEqual(await run(), first);
});

for (const [name, { rule, says, seed }] of Object.entries(WRONG)) {
  test(`${rule}: ${name}`, { skip: !long && !TYPICAL.has(name) && "TABERNETES_LONG=1 plays it" }, async () => {
    for (const at of long ? [seed, 11, 12, 13] : [seed]) {
      const result = await run(wrong(right, name), at);
      if (at !== seed && result.passed) continue; // what it does not know did not come up
      assert.equal(result.verdict?.rule, rule, `seed ${at}: ${said(result)}`);
      if (at === seed) assert.match(result.verdict.text, says);
      assert.ok(result.verdict.text.endsWith(RULES[rule].real));
    }
  });
}

test("each rule is broken by somebody", () => {
  const broken = new Set(Object.values(WRONG).map(({ rule }) => rule));
  assert.deepEqual(Object.keys(RULES).filter((rule) => !broken.has(rule)), []);
});
