// CEL in the page: a rule and a policy in every engine, and all whose answers were recorded at a kube-apiserver.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { startPlainHost } from "../plainhost.js";
import { configMaps } from "./parts.js";

/** The lines of a file of the core. */
const linesOf = (path) =>
  readFileSync(new URL("../../core/" + path, import.meta.url), "utf8").trim().split("\n").map((l) => JSON.parse(l));

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const registration = "/apis/admissionregistration.k8s.io/v1/";
const group = "rules.example.com";

/** A definition whose objects have the rules in properties: p0, p1 and so on. */
function definition(name, rules) {
  const properties = {};
  rules.forEach(({ schema, rule }, i) =>
    (properties["p" + i] = { ...JSON.parse(schema), "x-kubernetes-validations": [JSON.parse(rule)] }));
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `${name}s.${group}` },
    spec: { group, scope: "Cluster", names: { plural: name + "s", kind: "K" + name },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }] },
  };
}

/**
 * Makes requests in the page, one after another: each a method, a path and a body.
 *
 * @param {import("../engines/page.js").Page} page
 * @param {string[]} requests
 */
const ask = (page, requests) =>
  page.evaluate(async (requests) => {
    const answers = [];
    for (const request of requests) {
      const [, method, path, body] = /** @type {string[]} */ (/^(\S+) (\S+) ?([^]*)$/.exec(request));
      const kind = method === "PATCH" ? "merge-patch+json" : "json";
      const got = await fetch(path, { method, body: body || undefined,
        headers: { "Content-Type": "application/" + kind }, tabernetes: { quiet: true } });
      const warnings = got.headers.get("Warning");
      answers.push({ code: got.status, body: await got.json(), warnings: warnings ?? "" });
    }
    return answers;
  }, requests);

/** What an answer says of rules; empty if it is a success. */
function saidOf({ code, body }) {
  if (code < 300) return "";
  const causes = body.details?.causes ?? [];
  if (causes.length === 0) return body.message;
  const plain = (text) => text.replace(/\bp\d+\b/g, "p");
  return causes.map((c) => `${c.reason} ${plain(c.field)}: ${plain(c.message)}`).sort().join("; ")
    .replace(/selfType\d*/g, "selfType");
}

/** Asks about the objects of a rule, which is the property at. */
async function askRule(page, name, at, { values, update }) {
  const path = `/apis/${group}/v1/${name}s`;
  const object = (value) => `{"apiVersion":"${group}/v1","kind":"K${name}","metadata":{"name":"o${at}"},` +
    `"spec":{"p${at}":${value}}}`;
  return (await ask(page, values.map((value, n) =>
    !update ? `POST ${path}?dryRun=All ${object(value)}`
      : n === 0 ? `POST ${path} ${object(value)}`
      : `PATCH ${path}/o${at} {"spec":{"p${at}":${value}}}`))).map(saidOf);
}

/** Waits until a path is served. @param {import("../engines/page.js").Page} page */
const served = (page, path) => page.until(path + " is served", async (path) => (await fetch(path)).ok, path);

/**
 * Opens the page, and has it load the evaluator: on a slow machine that may take longer than a request may, and than a
 * driver waits for a script.
 *
 * @param {import("../engines/page.js").Page} page
 */
async function open(page) {
  await page.open();
  const first = definition("first", [{ schema: '{"type":"string"}', rule: '{"rule":"true"}' }]);
  await page.evaluate((path, body) => {
    const load = async () => {
      const got = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
      if (got.status === 504) return load();
      /** @type {any} */ (window).evaluates = got.ok;
    };
    void load();
  }, definitions + "?dryRun=All", JSON.stringify(first));
  while (!(await page.evaluate(() => /** @type {any} */ (window).evaluates ?? false))) {
    await new Promise((wake) => setTimeout(wake, 250));
  }
}

/** What matters of an answer about policies, as the recording has it. */
function answerOf({ code, body, warnings }, whole) {
  const answer = { code };
  if (warnings) answer.warnings = [...warnings.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((m) => m[1]);
  if (body.kind === "Status") {
    if (body.reason) answer.reason = body.reason;
    if (body.message) answer.message = body.message;
    if (body.details?.causes) answer.causes = body.details.causes;
  } else if (whole) {
    const object = JSON.parse(JSON.stringify(body).replace(/g-[a-z0-9]{5}\b/g, "g-xxxxx"));
    for (const name of ["uid", "creationTimestamp", "resourceVersion", "managedFields", "generation"]) {
      delete object.metadata[name];
    }
    for (const name of Object.keys(object.spec ?? {})) if (name.startsWith("serviceAccount")) delete object.spec[name];
    answer.object = object;
  }
  return answer;
}

/** Why a webhook cannot be called is said in the words of the host. */
const hostless = (answer) =>
  JSON.parse(JSON.stringify(answer).replace(/(failed to call webhook: Post [^ ]* ).*?(")/g, "$1…$2")
    .replace(/g-[a-z0-9]{5}\b/g, "g-xxxxx"));

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "CEL: a rule and a policy refuse",
    tab: "rooms are evaluated by their server",
    async run({ page }) {
      await open(page);
      const rules = [{ schema: '{"type":"string"}', rule: '{"rule":"self != \'x\'","message":"is x"}' }];
      assert.equal((await ask(page, [`POST ${definitions} ${JSON.stringify(definition("few", rules))}`]))[0].code, 201);
      await served(page, `/apis/${group}/v1/fews`);
      assert.deepEqual(await askRule(page, "few", 0, { values: ['"x"', '"y"'] }),
        ['FieldValueInvalid spec.p: Invalid value: "x": is x', ""]);
      const resourceRules = [
        { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }];
      const policy = { metadata: { name: "no-data" }, spec: { matchConstraints: { resourceRules },
        validations: [{ expression: "!has(object.data)" }] } };
      const binding = { metadata: { name: "no-data" }, spec: { policyName: "no-data", validationActions: ["Deny"] } };
      const got = await ask(page, [
        `POST ${registration}validatingadmissionpolicies ${JSON.stringify(policy)}`,
        `POST ${registration}validatingadmissionpolicybindings ${JSON.stringify(binding)}`,
        `POST ${configMaps} {"metadata":{"name":"one"},"data":{"a":"b"}}`,
        `POST ${configMaps} {"metadata":{"name":"none"}}`,
      ]);
      assert.deepEqual(got.map(({ code }) => code), [201, 201, 422, 201]);
      assert.equal(got[2].body.message, 'configmaps "one" is forbidden: ValidatingAdmissionPolicy \'no-data\' with ' +
        "binding 'no-data' denied request: failed expression: !has(object.data)");
    },
  },
  {
    name: "CEL: a policy refuses in a cluster of the package for npm",
    long: true,
    tab: "the cluster is a program's",
    async run({ page, without, fromFile }) {
      if (without.size > 0 || fromFile) return; // the package is the same
      const host = await startPlainHost({ dist: process.env.TABERNETES_NPM ?? "dist/npm" });
      try {
        await page.tab.goto(`${host.url}/licenses.txt`);
        const said = await page.evaluate(async (registration, configMaps) => {
          const { createCluster } = await import(new URL("/browser.js", location.href).href);
          const cluster = await createCluster();
          const post = async (path, body) => (await cluster.fetch(path, { method: "POST",
            headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json();
          const resourceRules = [
            { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }];
          await post(registration + "validatingadmissionpolicies", { metadata: { name: "no-data" }, spec: {
            matchConstraints: { resourceRules }, validations: [{ expression: "!has(object.data)" }] } });
          await post(registration + "validatingadmissionpolicybindings", { metadata: { name: "no-data" },
            spec: { policyName: "no-data", validationActions: ["Deny"] } });
          const { message } = await post(configMaps, { metadata: { name: "one" }, data: { a: "b" } });
          await cluster.close();
          return message;
        }, registration, configMaps);
        assert.equal(said, 'configmaps "one" is forbidden: ValidatingAdmissionPolicy \'no-data\' with binding ' +
          "'no-data' denied request: failed expression: !has(object.data)");
      } finally {
        await host.stop();
      }
    },
  },
  {
    name: "CEL: the recorded rules",
    long: true,
    tab: "rooms are evaluated by their server",
    async run({ page }) {
      await open(page);
      const all = linesOf("conformance/rules/testdata/rules.jsonl");
      assert.ok(all.length > 300);
      const valid = all.filter((r) => !r.definition);
      for (let n = 0; n * 40 < valid.length; n++) {
        const name = "r" + "abcdefghijklmnop"[n];
        const rules = valid.slice(n * 40, n * 40 + 40);
        assert.deepEqual((await ask(page, [`POST ${definitions} ${JSON.stringify(definition(name, rules))}`]))
          .map(saidOf), [""]);
        await served(page, `/apis/${group}/v1/${name}s`);
        for (const [at, rule] of rules.entries()) {
          assert.deepEqual(await askRule(page, name, at, rule), rule.answers, rule.name);
        }
      }
      for (const rule of all.filter((r) => r.definition)) {
        const sent = `POST ${definitions}?dryRun=All ${JSON.stringify(definition("one", [rule]))}`;
        assert.deepEqual((await ask(page, [sent])).map(saidOf), [rule.definition], rule.name);
      }
    },
  },
  {
    name: "CEL: the recorded policies",
    long: true,
    tab: "rooms are evaluated by their server",
    async run({ page }) {
      await open(page);
      const all = linesOf("internal/plugins/policies/testdata/exchanges.jsonl");
      assert.ok(all.length > 150);
      for (const part of ["before", "requests"]) {
        for (const { name, whole, [part]: exchanges } of all) {
          const got = await ask(page, exchanges.map((e) => e.request));
          assert.deepEqual(got.map((a) => hostless(answerOf(a, whole && part === "requests"))),
            exchanges.map((e) => hostless(e.answer)), name);
        }
      }
    },
  },
];
