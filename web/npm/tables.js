// @ts-check
/**
 * Tests of policies, in the tables that `tabernetes test` reads (devserver/README.md), for runners of JavaScript: one
 * cluster for a table, which each test finds as it was given.
 *
 * @import { Cluster } from "./index"
 * @import { Options, Table, TableTest } from "./tables"
 */
import { EVALUATE, VERBS, assume, cameTo, differ, evaluation, isPolicy, merge, put, send } from "./manifests.js";

const ALL_VERBS = /** @type {const} */ ([...VERBS, EVALUATE]);

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
    const verbs = ALL_VERBS.filter((verb) => when[verb] !== undefined);
    if (verbs.length !== 1) throw new TypeError(`when has to have one of ${ALL_VERBS.join(", ")}`);
    const [verb] = verbs;
    if (verb === EVALUATE) {
      if (!table.expression) throw new TypeError("the table has no expression");
      if ((then.value === undefined) === (then.error === undefined)) {
        throw new TypeError("then has to say either value or error");
      }
    } else if (Boolean(then.allowed) === (then.refused !== undefined)) {
      throw new TypeError("then has to say either allowed: true or refused");
    }
    if (then.audit) throw new TypeError("audit annotations are known to `tabernetes test` and to Go alone");
    const { cluster, snapshot, policies } = await (started ??= start());
    await cluster.levers.restore(snapshot);
    await put(cluster, [...policies, ...(await given(own?.files, own?.objects))]);
    if (verb === EVALUATE) {
      const variables = merge(object, when[verb]);
      return judgeValue(then, await evaluation(cluster, /** @type {string} */ (table.expression), variables,
        when.as ?? as));
    }
    const written = when[verb];
    const all = typeof written === "string" ? await read(written) : [merge(object, written)];
    if (all.length !== 1) throw new TypeError(`${written} has ${all.length} objects, not one`);
    const [whole] = all;
    await assume(cluster, [whole]);
    const sent = typeof written === "string" ? whole : written;
    const { subresource, manager, force } = when;
    await judge(then, await send(cluster, verb, whole, sent, { subresource, as: when.as ?? as, manager, force }));
  }

  return {
    tests: table.tests.map((test) => ({ name: test.name, run: () => run(test) })),
    close: async () => (await started?.catch(() => null))?.cluster.close(),
  };
}

/** @param {string} difference */
function expect(difference) {
  if (difference) throw new Error(difference);
}

/**
 * Throws how a value differs from what is expected.
 *
 * @param {TableTest["then"]} then
 * @param {Parameters<typeof cameTo>[0]} answer
 */
function judgeValue({ value, error }, answer) {
  const is = cameTo(answer);
  if (error === undefined) expect(is.error ? `it has no value: ${is.error}` : differ(value, is.value, ""));
  else if (!is.error) throw new Error(`it is ${JSON.stringify(is.value)}`);
  else if (!is.error.includes(error)) throw new Error(`the error is ${is.error}; not ${error}`);
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
  expect(differ(object ?? {}, answer, ""));
}
