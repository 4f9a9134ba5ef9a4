// Rules of custom resources and admission policies, which a program evaluates that the page loads when one needs it.
import { expect, test, ownServerTest } from "../fixtures.js";
import { Lab } from "../lab.js";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const crons = "/apis/example.com/v1/namespaces/default/crons";
const registration = "/apis/admissionregistration.k8s.io/v1/";
const configMaps = "/api/v1/namespaces/default/configmaps";

const crd = {
  metadata: { name: "crons.example.com" },
  spec: {
    group: "example.com", scope: "Namespaced", names: { plural: "crons", kind: "Cron" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: {
      spec: { type: "object", properties: { min: { type: "integer" }, max: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "self.min <= self.max", message: "min is above max" }] } } } } }],
  },
};
const cron = (name, min, max) =>
  ({ apiVersion: "example.com/v1", kind: "Cron", metadata: { name }, spec: { min, max } });
const constraints = { resourceRules: [
  { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } } };
const validating = (name, failurePolicy) => ({
  metadata: { name },
  spec: { failurePolicy, matchConstraints: constraints,
    validations: [{ expression: "object.data.size() <= 1", messageExpression:
      "'has ' + string(object.data.size()) + ' keys'" }] },
});
const mutating = {
  metadata: { name: "label" },
  spec: { matchConstraints: constraints, reinvocationPolicy: "Never", mutations: [{ patchType: "ApplyConfiguration",
    applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'by': request.userInfo.username}}}" },
  }] },
};
const binding = (policyName, more) => ({ metadata: { name: policyName }, spec: { policyName, ...more } });

/** Creates an object. @param {Lab} lab */
const post = (lab, path, body) => lab.fetch(path, { method: "POST", body });

/** Creates what must be created. @param {Lab} lab */
async function make(lab, path, body) {
  const made = await post(lab, path, body);
  expect(made, path).toMatchObject({ status: 201 });
  return made;
}

/** A policy and its binding, in force once the server has read them. @param {Lab} lab */
async function enforce(lab, policy) {
  await make(lab, registration + "validatingadmissionpolicies", policy);
  await make(lab, registration + "validatingadmissionpolicybindings",
    binding(policy.metadata.name, { validationActions: ["Deny"] }));
}

/** A resource that is served. @param {Lab} lab */
async function define(lab) {
  await make(lab, crds, crd);
  await expect.poll(async () => (await lab.fetch(crons)).status).toBe(200);
}

const notice = (page) => page.getByRole("status").filter({ hasText: "The evaluator of CEL expressions could not be" });
const many = (lab, name) => lab.configMap(name, { a: "1", b: "2" });
const brokenRule = "Cron.example.com \"wrong\" is invalid: spec: Invalid value: min is above max";
const refused = (policy) => `configmaps "two" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding ` +
  `'${policy}' denied request: has 2 keys`;

test("rules and policies refuse and change what is written", async ({ lab, page }) => {
  const asked = [];
  page.context().on("request", (request) => {
    if (request.url().endsWith("cel.wasm")) asked.push(request.url());
  });
  await lab.open();
  await make(lab, configMaps, many(lab, "before"));
  expect(asked).toEqual([]);

  await define(lab);
  const got = await post(lab, crons, cron("wrong", 3, 2));
  expect({ status: got.status, message: got.body.message }).toEqual({ status: 422, message: brokenRule });
  expect((await make(lab, crons, cron("right", 2, 3))).headers.warning).toBeUndefined();

  await enforce(lab, validating("few-keys", "Fail"));
  await make(lab, registration + "mutatingadmissionpolicies", mutating);
  await make(lab, registration + "mutatingadmissionpolicybindings", binding("label", {}));
  const two = await post(lab, configMaps, many(lab, "two"));
  expect({ status: two.status, message: two.body.message }).toEqual({ status: 422, message: refused("few-keys") });
  const one = await make(lab, configMaps, lab.configMap("one", { a: "1" }));
  expect(one.body.metadata.labels).toEqual({ by: "admin" });
  expect(new Set(asked).size).toBe(1);
  await expect(page.getByText("evaluator of CEL expressions")).toBeHidden();
});

ownServerTest.describe("without the page's server", () => {
  ownServerTest.use({ installs: true, tolerated: [/ERR_CONNECTION_REFUSED|Failed to load resource/] });

  ownServerTest("it is there after a visit that used it", { tag: "@long" }, async ({ lab, page, context, server }) => {
    await lab.open();
    await lab.installed();
    await define(lab);
    expect((await post(lab, crons, cron("wrong", 3, 2))).status).toBe(422);
    await server.stop();
    await page.close();

    const later = new Lab(await context.newPage(), server.url);
    await later.open();
    const got = await post(later, crons, cron("wrong", 3, 2));
    expect({ status: got.status, message: got.body.message }).toEqual({ status: 422, message: brokenRule });
    await expect(notice(later.page)).toBeHidden();
  });
});

/** What a host may do to the program, and what the person sees. */
const troubles = {
  missing: { answer: (route) => route.fulfill({ status: 404, body: "none" }), told: "has no cel.wasm (404)" },
  damaged: {
    answer: async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      body[body.length >> 1] ^= 0x55;
      const { "content-encoding": _, "content-length": __, ...headers } = response.headers();
      await route.fulfill({ status: 200, headers, body });
    },
    told: "cel.wasm was damaged",
  },
};

for (const [how, { answer, told }] of Object.entries(troubles)) {
  test.describe(how, () => {
    test.use({ tolerated: [/cel\.wasm/] });

    test("the program cannot be had, until it can", { tag: "@long" },
      async ({ lab, page, context }) => {
      let broken = true;
      await context.route(/\/cel\.wasm(\.gz)?$/, (route) => (broken ? answer(route) : route.continue()));
      await lab.open();
      await define(lab);
      const unchecked = await make(lab, crons, cron("wrong-1", 3, 2));
      expect(unchecked.headers.warning).toContain("(x-kubernetes-validations) are not evaluated by this server");
      await expect(notice(page)).toContainText(told);

      await make(lab, registration + "validatingadmissionpolicies", validating("ignored", "Ignore"));
      await make(lab, registration + "validatingadmissionpolicybindings",
        binding("ignored", { validationActions: ["Deny"] }));
      await make(lab, configMaps, many(lab, "let-through"));
      await enforce(lab, validating("strict", "Fail"));
      const two = await post(lab, configMaps, many(lab, "two"));
      expect(two.status).toBe(422);
      expect(two.body.message).toContain("'strict' with binding 'strict' denied request: CEL expressions cannot be");

      broken = false;
      const refusedAtLast = await post(lab, configMaps, many(lab, "two"));
      expect(refusedAtLast.body.message).toMatch(/denied request: has 2 keys$/);
      expect((await post(lab, crons, cron("wrong", 3, 2))).body.message).toBe(brokenRule);
      await expect(notice(page)).toBeHidden();
    });
  });
}
