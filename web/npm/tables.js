// @ts-check
/**
 * Tests of policies, in the tables that `tabernetes test` reads (devserver/README.md), for runners of JavaScript: one
 * cluster for a table, which each test finds as it was given.
 *
 * @import { Cluster } from "./index"
 * @import { Options, Table, TableTest } from "./tables"
 */
import { VERBS, assume, isMap, isPolicy, merge, put, send } from "./manifests.js";

/**
 * @param {Table} table
 * @param {Options} options
 */
export function runTable(table, { createCluster, manifests }) {
  const { files, objects, authorization, object, as } = table.given ?? {};
  const read = (/** @type {string} */ name) => {
    if (!manifests) throw new TypeError(`${name}: the option manifests has to read it`);
    return manifests(name);
  };
  const given = async (/** @type {string[]} */ names = [], /** @type {any[]} */ more = []) => [
    ...(await Promise.all(names.map(read))).flat(), ...more];
  /** @type {Promise<{cluster: Cluster, snapshot: Uint8Array, policies: any[]}> | undefined} */
  let started;
  const start = async () => {
    const cluster = await createCluster();
    const all = await given(files, objects);
    if (authorization) await cluster.levers.set({ authorization: { mode: authorization } });
    await put(cluster, all.filter((m) => !isPolicy(m)));
    return { cluster, snapshot: await cluster.levers.snapshot(), policies: all.filter(isPolicy) };
  };

  /** @param {TableTest} test */
  async function run({ given: own, when, then }) {
    const verbs = VERBS.filter((verb) => when[verb] !== undefined);
    if (verbs.length !== 1) throw new TypeError(`when has to have one of ${VERBS.join(", ")}`);
    if (Boolean(then.allowed) === (then.refused !== undefined)) {
      throw new TypeError("then has to say either allowed: true or refused");
    }
    if (then.audit) throw new TypeError("audit annotations are known to `tabernetes test` and to Go alone");
    const { cluster, snapshot, policies } = await (started ??= start());
    await cluster.levers.restore(snapshot);
    await put(cluster, [...policies, ...(await given(own?.files, own?.objects))]);
    const written = when[verbs[0]];
    const all = typeof written === "string" ? await read(written) : [merge(object, written)];
    if (all.length !== 1) throw new TypeError(`${written} has ${all.length} objects, not one`);
    const [whole] = all;
    await assume(cluster, [whole]);
    const sent = typeof written === "string" ? whole : written;
    const { subresource, manager, force } = when;
    await judge(then, await send(cluster, verbs[0], whole, sent, { subresource, as: when.as ?? as, manager, force }));
  }

  return {
    tests: table.tests.map((test) => ({ name: test.name, run: () => run(test) })),
    close: async () => (await started?.catch(() => null))?.cluster.close(),
  };
}

/** Throws how an answer differs from what is expected. @param {TableTest["then"]} then @param {Response} response */
async function judge({ refused, warnings, object }, response) {
  const answer = await response.json();
  const is = `it is refused with ${response.status} ${answer.reason}: ${answer.message}`;
  if (refused === undefined) {
    if (!response.ok) throw new Error(is);
  } else {
    const { message = "", code = response.status, reason = answer.reason } =
      typeof refused === "string" ? { message: refused } : refused;
    if (response.ok) throw new Error("it is allowed");
    if (!answer.message.includes(message) || code !== response.status || reason !== answer.reason) {
      throw new Error(`${is}; not with ${code} ${reason}: ${message}`);
    }
  }
  if (warnings) {
    const header = response.headers.get("Warning") ?? "";
    const texts = Array.from(header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g), ([, quoted]) => JSON.parse(quoted));
    if (texts.length !== warnings.length || warnings.some((text, i) => !texts[i].includes(text))) {
      throw new Error(`the warnings are ${JSON.stringify(texts)}, not ${JSON.stringify(warnings)}`);
    }
  }
  if (object) differ(object, answer, "");
}

/** Throws the first field that is not as is wanted. @param {any} want @param {any} got @param {string} at */
function differ(want, got, at) {
  if (isMap(want) && isMap(got)) {
    for (const key of Object.keys(want)) differ(want[key], got[key], at ? `${at}.${key}` : key);
  } else if (Array.isArray(want) && Array.isArray(got) && want.length === got.length) {
    want.forEach((item, i) => differ(item, got[i], `${at}[${i}]`));
  } else if (want !== (got ?? null)) {
    throw new Error(`${at}: it is ${JSON.stringify(got ?? null)}, not ${JSON.stringify(want)}`);
  }
}
