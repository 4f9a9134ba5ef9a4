// More ways to be right, none of which may be failed; and more ways to break a rule, each named by that rule.
// TABERNETES_LONG=1 plays more of the right ones.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CONTROL_PLANE } from "../../../../core/wellknown/wellknown.js";
import { importText } from "./wrong.js";
import { localClient } from "../local.js";
import { nodeCluster } from "../node.js";
import { play } from "../play.js";

const right = readFileSync(new URL("right.js", import.meta.url), "utf8");

/** The right client with pieces of its text replaced. */
async function variant(changes) {
  let text = right;
  for (const [from, to] of changes) {
    assert.equal(text.split(from).length, 2, `there once: ${from}`);
    text = text.replace(from, () => to);
  }
  return (await importText(text)).reflect;
}

const LONG = process.env.TABERNETES_LONG === "1";

const run = (reflect, level, seed) =>
  play({ newCluster: nodeCluster, client: localClient(reflect, seed), level, seed });

const QUERY = `token ? { limit: 500, continue: token } : { limit: 500 }`;
const STATE = `let version = "";`;
const LINES = `      const lines = (rest + decoder.decode(value, { stream: true })).split("\\n");
        rest = lines.pop() ?? "";`;

/** The streaming list: the state comes as events, and a mark ends it. A server that sends none is old: it is listed. */
const STREAMING = [
  [STATE, `${STATE}\n  let old = false;\n  let state = null;`],
  [`if (version === "") await list();`, `if (version === "" && old) await list();`],
  [`else if (doubt) await prove();`, `else if (doubt && version !== "") await prove();`],
  [
    "    const response = await ask({ " +
      `watch: 1, resourceVersion: version, allowWatchBookmarks: "true", timeoutSeconds });`,
    `    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const query = { watch: 1, allowWatchBookmarks: "true", timeoutSeconds };
    const initial = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", resourceVersion: "" };
    state = version === "" ? [] : null;
    const mine = state;
    if (mine) sleep(20).then(() => { if (state === mine) { old = true; stop.abort(); } }, () => {});
    const response = await ask({ ...query, ...(state ? initial : { resourceVersion: version }) }, both);`,
  ],
  [`  async function ask(query) {`, `  async function ask(query, both = signal) {`],
  ["`, { signal });", "`, { signal: both });"],
  [
    `    version = object.metadata.resourceVersion;\n    if (type`,
    `    if (state && !object.metadata.annotations?.["k8s.io/initial-events-end"]) return void state.push(object);
    version = object.metadata.resourceVersion;
    if (state) {
      store.replace(state, version);
      doubt = false;
      state = null;
      return;
    }
    if (type`,
  ],
];

/** Changes of the streaming client, with a piece of one of them replaced. */
const streaming = (from, to) => STREAMING.map(([there, then]) => [there, then.replace(from, to)]);

const ANY = `token ? { limit: 500, continue: token } : begun ? { limit: 500 } : { limit: 500, resourceVersion: "0" }`;
const NOT_OLDER = `token
          ? { limit: 500, continue: token }
          : last && !never
            ? { resourceVersion: last, resourceVersionMatch: "NotOlderThan" }
            : { limit: 500 }`;
const GIVE_UP = `(refused?.tooLarge && ++tooLarge > PATIENCE)) version = "";`;

/** By name: the levels at which it differs, and the changes. */
const RIGHT = {
  "lists in one piece": { levels: [4], changes: [[QUERY, "{}"]] },
  "takes any state at first": {
    levels: [4, 5],
    changes: [
      [STATE, `${STATE}\n  let begun = false;`],
      [QUERY, ANY],
      [`    version = at;`, `    version = at;\n    begun = true;`],
    ],
  },
  "lists what is not older than what it has": {
    levels: [3, 5, 6],
    changes: [
      [STATE, `${STATE}\n  let last = "";\n  let never = false;`],
      [QUERY, NOT_OLDER],
      [`    version = object.metadata`, `    last = version = object.metadata`],
      [`    version = at;`, `    last = version = at;\n    never = false;`],
      [
        GIVE_UP,
        GIVE_UP.replace(`version = "";`, `{\n        version = "";\n        never = refused.tooLarge;\n      }`),
      ],
    ],
  },
  "keeps a bookmark's version to itself": { levels: [2, 3], changes: [[`store.progress(version);`, `return;`]] },
  "reads the stream through the engine's decoder": {
    levels: [2],
    changes: [
      [`.getReader();`, `.pipeThrough(new TextDecoderStream()).getReader();`],
      [`decoder.decode(value, { stream: true })`, `value`],
    ],
  },
  "begins with streaming lists": { levels: [1, 2, 3, 4, 5, 6], changes: STREAMING },
};

for (const [name, { levels, changes }] of Object.entries(RIGHT)) {
  test(`right: ${name}`, async () => {
    const reflect = await variant(changes);
    for (const level of LONG ? [1, 2, 3, 4, 5, 6] : levels) {
      for (let seed = 21; seed < (LONG ? 41 : 22); seed++) {
        const { verdict } = await run(reflect, level, seed);
        const said = verdict && `${verdict.rule}: ${verdict.text}`;
        assert.equal(said, null, `level ${level}, seed ${seed}, at ${verdict?.at} ms`);
      }
    }
  });
}

const PAGE = `page = await (await ask(${QUERY})).json()`;
const CATCH = `if (signal.aborted) return;\n`;
const THROW = `if (error instanceof SyntaxError) throw error;\n`;
const UNFRAMED = `      const lines = decoder.decode(value, { stream: true }).split("\\n")`;

const WRONG = `
  R1 1 1 stores objects that it has changed
  R1 1 1 claims no version
  R4 1 1 watches from now
  R4 1 1 watches from anywhere
  R6 3 2 stores bookmarks
  R7 3 2 stores errors
  R7 3 1 asks again after a 410
  R8 4 1 uses an expired token again
  R8 4 1 goes on with the token of a 410
  R9 5 1 counts on from a version
  R9 5 1 takes versions for whole numbers
  R11 2 1 drops what does not parse
  R11 2 1 takes half a line for an event
  R12 5 1 does not wait as told
  R12 2 1 does not wait longer and longer
  R13 1 1 watches twice
  R13 2 1 lists after each cut
  R14 3 1 has watches of one length
  R14 4 1 asks for large pages
  R14 3 1 leaves the length to the server
  R15 5 1 streams any state
  R16 2 1 lets an exception through
  R16 1 1 returns
  R16 1 1 stores after the end
  R17 6 7 waits for a mark that never comes
`;

/** What each of them does. */
const CHANGES = {
  "stores objects that it has changed": [
    [`store.put(object, version)`, `store.put({ ...object, status: 1 }, version)`],
  ],
  "claims no version": [[`store.replace(objects, version)`, `store.replace(objects)`]],
  "watches from now": [[`resourceVersion: version, allow`, `allow`]],
  "watches from anywhere": [[`resourceVersion: version, allow`, `resourceVersion: "0", allow`]],
  "stores bookmarks": [[`if (type === "BOOKMARK") store.progress(version);\n    else if`, `if`]],
  "stores errors": [[`throw new Refused(object, NaN);`, `return store.put(object, version);`]],
  "asks again after a 410": [[`if (refused?.gone || (`, `if (refused && (`]],
  "uses an expired token again": [
    [PAGE, PAGE.replace(`)).json`, `).catch(() => ask({ limit: 500, continue: token }))).json`)],
  ],
  "goes on with the token of a 410": [
    [`this.retryAfter = retryAfter;`, `this.retryAfter = retryAfter;\n    this.token = status.metadata?.continue;`],
    [PAGE, PAGE.replace(`)).json`, `).catch((e) => ask({ limit: 500, continue: e.token }))).json`)],
  ],
  "counts on from a version": [[`resourceVersion: version, allow`, `resourceVersion: version + 1, allow`]],
  "takes versions for whole numbers": [
    [`    } catch (error) {\n`, `      BigInt(version);\n    } catch (error) {\n      ${THROW}`],
  ],
  "drops what does not parse": [
    [LINES, `${UNFRAMED}.filter(whole);`],
    [STATE, `${STATE}\n  const whole = (l) => { try { return !!JSON.parse(l); } catch { return false; } };`],
  ],
  "takes half a line for an event": [[LINES, `${UNFRAMED}.filter(Boolean);`], [CATCH, CATCH + THROW]],
  "does not wait as told": [[`refused?.retryAfter || Math`, `Math`]],
  "does not wait longer and longer": [[`Math.min(20, 0.5 * 2 ** failures++)`, `0.5`]],
  "watches twice": [[`else await watch();`, `else await Promise.all([watch(), watch()]);`]],
  "lists after each cut": [[`if (!refused) doubt = true;`, `if (!refused) version = "";`]],
  "has watches of one length": [[`120 + Math.floor(Math.random() * 120)`, `60`]],
  "asks for large pages": [[QUERY, QUERY.replaceAll("500", "1000")]],
  "leaves the length to the server": [
    [`allowWatchBookmarks: "true", timeoutSeconds }`, `allowWatchBookmarks: "true" }`],
  ],
  "streams any state": streaming(`resourceVersion: ""`, `resourceVersion: "0"`),
  "lets an exception through": [[`if (!refused) doubt = true;`, `if (!refused) throw error;`]],
  returns: [[`while (!signal.aborted)`, `for (let i = 0; i < 2; i++)`]],
  "stores after the end": [[`if (signal.aborted) return;`, `if (signal.aborted) return store.progress(version);`]],
  "waits for a mark that never comes": streaming(`sleep(20)`, `sleep(2000)`),
};

for (const line of WRONG.trim().split("\n")) {
  const [, rule, level, seed, name] = /^ *(\S+) (\d+) (\d+) (.*)$/.exec(line);
  test(`${rule}: ${name}`, async () => {
    const { verdict } = await run(await variant(CHANGES[name]), Number(level), Number(seed));
    assert.equal(verdict?.rule, rule, verdict?.text);
  });
}

test("code that never waits for anything is stopped", async () => {
  const { verdict } = await run(async ({ sleep }) => { for (;;) await sleep(0); }, 1, 1);
  assert.equal(verdict.rule, "R13");
  assert.match(verdict.text, /10000 calls/);
});

test("only the collection can be asked for", async () => {
  const seen = [];
  await run(
    async ({ fetch, path }) => {
      const ask = async (...args) => fetch(...args).then((r) => r.status, (e) => `${e.name}: ${e.message}`);
      for (const url of [path, path + "/nobody", "/api/v1/secrets", path + "x", CONTROL_PLANE + "/revisions"]) {
        seen.push(await ask(url));
      }
      seen.push(await ask(path, { method: "DELETE" }), await ask("http://"));
    },
    1,
    1,
  );
  assert.deepEqual(seen, [200, 404, 403, 403, 403, 403, "TypeError: Failed to parse URL from http://"]);
});
