// The bench: texts at the left, requests in the middle, outcomes at the right.
import { readFile } from "node:fs/promises";
import { expectNoViolations } from "../axe.js";
import { startEmbedHost } from "../embedhost.js";
import { expect, test } from "../fixtures.js";

/** Opens the bench and waits until all requests were tried. */
async function open(page, server, hash = "") {
  await page.goto(`${server.url}/bench.html${hash}`);
  await tried(page);
}

/** Waits until all requests were tried. */
async function tried(page) {
  await expect(page.locator("#since")).toContainText("in force since");
  await expect.poll(() => page.locator("#requests .row").evaluateAll((rows) =>
    rows.every((row) => row.querySelector(".chip"))))
    .toBe(true);
}

const rows = (page) => page.locator("#requests .row");

test("a policy is broken and corrected by keyboard", async ({ page, server }) => {
  await open(page, server, "#bench-replicas");
  await expect(page.getByRole("heading", { name: "Refused by the policy max-replicas." })).toBeVisible();
  await expect(rows(page).nth(0)).toContainText("refused by max-replicas");
  await expect(rows(page).nth(1)).toContainText("changed by add-team");
  // What made it false is underlined, and the fields in it have values.
  await expect(page.locator(".cel u")).toHaveText("object.spec.replicas <= int(params.data.max)");
  await expect(page.locator(".vals")).toContainText('object.spec.replicas = 5');
  await expect(page.locator(".vals")).toContainText('params.data.max = "3"');
  await expect(page.locator("pre.diff").first()).toContainText("+     team: shop");

  // From the list into the text: a limit that is another one.
  const text = page.getByRole("textbox", { name: "Policy" });
  await text.focus();
  await text.evaluate((area) => {
    const at = area.value.indexOf("<= int(params.data.max)");
    area.setSelectionRange(at, at + 2);
  });
  await page.keyboard.type(">");
  await page.keyboard.press("Control+Enter");
  await tried(page);
  await expect(rows(page).nth(0)).toContainText("changed by add-team");
  await expect(rows(page).nth(1)).toContainText("refused by max-replicas");
  await expect(rows(page).nth(1).locator(".chip.was")).toHaveCount(1);

  // No expression at all: it is said with the line, and nothing is in force but what was right.
  await text.focus();
  await text.evaluate((area) => {
    const at = area.value.indexOf("has(object.metadata.labels.team)");
    area.setSelectionRange(at, at + 3);
  });
  await page.keyboard.type("hat");
  await expect(page.locator("#problems")).toContainText("Policy, line 18");
  await expect(page.locator(".squiggle").first()).toBeAttached();
  await page.keyboard.press("Control+Enter");
  await tried(page);
  await expect(page.locator("#problems")).toContainText("undeclared reference to 'hat'");

  // Back, by the editor's own undo.
  for (let i = 0; i < 4; i++) await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+Enter");
  await tried(page);
  await expect(page.locator("#problems")).toBeHidden();
});

test("what is typed is completed by its type, and shared", { tag: "@long" }, async ({ page, server, context }) => {
  await open(page, server, "#bench-replicas");
  const text = page.getByRole("textbox", { name: "Policy" });
  await text.focus();
  await text.evaluate((area) => {
    const at = area.value.indexOf("object.spec.replicas <=") + "object.spec.".length;
    area.setSelectionRange(at, at + "replicas".length);
  });
  await page.keyboard.type("pau");
  const offer = page.getByRole("listbox", { name: "What can be here" });
  await expect(offer.getByRole("option")).toHaveText(/pausedbool/);
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("r");
  await expect(offer.getByRole("option", { name: /^replicas/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(offer).toBeHidden();
  await page.keyboard.press("Control+ ");
  await offer.getByRole("option", { name: /^replicas/ }).waitFor();
  for (let i = 0; i < 10 && !/^replicas/.test(await offer.locator("[aria-selected=true]").textContent()); i++) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await expect(text).toHaveValue(/object\.spec\.replicas <= int/);

  await page.keyboard.press("Control+Enter");
  await tried(page);
  const link = page.url();
  expect(link).toMatch(/#bench=1\./);
  expect(link.length).toBeLessThan(2000);
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("textbox", { name: "Link" })).toHaveValue(link);

  const other = await context.newPage();
  await other.goto(link);
  await tried(other);
  await expect(other.getByRole("textbox", { name: "Policy" })).toHaveValue(await text.inputValue());
  await expect(other.getByRole("heading", { name: "Refused by the policy max-replicas." })).toBeVisible();
});

test("a policy is written, with the mistakes that its authors make",
  { tag: "@long" }, async ({ page, server, context }) => {
  await open(page, server, "#example=empty");
  const text = page.getByRole("textbox", { name: "Policy" });
  const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: few
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  validations:
  - expresion: size(object.data) < 2
`;
  const apply = async () => {
    await page.keyboard.press("Control+Enter");
    await tried(page);
  };
  const problems = page.locator("#problems");
  await text.fill(policy);
  await apply();
  await expect(problems).toContainText("Policy, line 10 spec.validations[0].expresion: field not declared in schema");
  await text.fill(policy.replace("expresion", "expression").trimEnd());
  await text.press("End");
  await page.keyboard.type(" + 0");
  // Behind a number no name can be: Enter begins a line.
  await page.keyboard.press("Control+ ");
  await page.keyboard.press("Enter");
  await expect(text).toHaveValue(/< 2 \+ 0\n\s*$/);

  await page.getByRole("button", { name: "New" }).click();
  await page.getByRole("textbox", { name: "Object of the request" }).fill(
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\ndata: {a: a, b: b}\n");
  await apply();
  await expect(rows(page)).toContainText("allowed");
  await expect(problems).toContainText("no ValidatingAdmissionPolicyBinding has the policyName few");
  await page.getByRole("tab", { name: "Binding" }).click();
  const binding = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: fev, validationActions: [Deny]}
`;
  await page.getByRole("textbox", { name: "Binding" }).fill(binding);
  await apply();
  await expect(problems).toContainText("Binding, line 4 there is no ValidatingAdmissionPolicy fev");
  await page.getByRole("textbox", { name: "Binding" }).fill(binding.replace("fev", "few"));
  await apply();
  await expect(rows(page)).toContainText("refused by few");
  await expect(problems).toBeHidden();

  // The link does not say that something else was expected.
  const other = await context.newPage();
  await other.goto(page.url());
  await tried(other);
  await expect(rows(other)).toContainText("refused by few");
  await expect(other.locator("#requests")).not.toContainText("not as expected");
  // A file that is saved has what is answered now.
  await page.getByRole("textbox", { name: "Binding" }).fill(binding.replace("fev", "few").replace("Deny", "Warn"));
  await page.getByRole("button", { name: "Share" }).click();
  const [saved] = await Promise.all([page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as tests" }).click()]);
  expect(await readFile(await saved.path(), "utf8")).toMatch(/allowed: true\s+warnings:/);
});

test("what is applied is what was there, and types are looked at one by one @long", async ({ page, server }) => {
  await open(page, server, "#example=empty");
  const text = page.getByRole("textbox", { name: "Policy" });
  await text.fill(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: images}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: ["", apps], apiVersions: [v1], operations: [CREATE], resources: [pods, deployments]}
  validations:
  - expression: object.spec.containers.all(c, c.image.startsWith("ok/"))
`);
  await expect(page.locator("#problems")).toHaveText(/line 9 apps\/v1 Deployment: undefined field 'containers'/);
  const before = () => text.evaluate((area) => {
    const at = area.value.indexOf("object.spec.") + "object.spec.".length;
    area.focus();
    area.setSelectionRange(at, at);
  });
  await before();
  const types = page.getByRole("combobox", { name: "The type that the expression is about" });
  await expect(types).toHaveValue("Pod");
  await types.selectOption("Deployment");
  await before();
  await page.keyboard.press("Control+ ");
  await expect(page.getByRole("option", { name: /^minReadySeconds/ })).toBeVisible();
  await page.keyboard.press("Escape");

  // What is typed while it is applied is not in force, and is not mixed with what is.
  await page.keyboard.press("Control+Enter");
  await page.keyboard.type("x");
  await expect(page.getByRole("button", { name: "Apply" })).not.toHaveAttribute("aria-disabled", "true");
  await expect(page.locator("#since")).toHaveText("changed");
  await page.keyboard.press("Backspace");
  await expect(page.locator("#since")).toContainText("in force since");
});

test("what a link brings is text @long", async ({ page, server }) => {
  const table = `# <img src=x onerror=alert(1)>
given:
  objects:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: "<b>x</b>"}}
tests:
- name: "<script>alert(1)</script>"
  when: {create: {apiVersion: v1, kind: ConfigMap, metadata: {name: "<i>y</i>"}}}
  then: {allowed: true}
`;
  await open(page, server, `#table=${encodeURIComponent(table)}`);
  await expect(page.locator("#about")).toHaveText("<img src=x onerror=alert(1)>");
  await expect(rows(page)).toContainText("<script>alert(1)</script>");
  await expect(page.locator("#outcome")).toContainText("<i>y</i>");
  await expect(page.locator("main :is(img, script, i:not(.use i)), main b:text-is('x')")).toHaveCount(0);
  // What is refused is said, and an example is there.
  await page.goto(`${server.url}/bench.html#table=${encodeURIComponent("a: &a [x]\nb: *c\ntests: []")}`);
  await expect(page.locator("#about")).toHaveText("The text cannot be opened: line 2: there is no &c above");
  await tried(page);
  await page.goto(`${server.url}/bench.html#bench=1.AAAA`);
  await page.reload();
  await expect(page.locator("#about")).toContainText("The link cannot be opened");
});

test("nothing is wrong with any example @long", async ({ page, server }) => {
  await open(page, server);
  const names = await page.locator("#examples .item").allTextContents();
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    await page.getByRole("button", { name: "Examples" }).click();
    await page.locator("#examples .item", { hasText: name }).first().click();
    await expect(page.locator("#about")).toHaveText(name);
    await tried(page);
    await expect(page.locator("#problems"), name).toBeHidden();
    await expect(rows(page).filter({ hasText: "not as expected" }), name).toHaveCount(0);
    const n = await rows(page).count();
    for (let i = 0; i < n; i++) {
      await rows(page).nth(i).click();
      await expect(page.locator("#outcome h2")).not.toHaveText("This cannot be sent.");
    }
  }
});

test("nothing is wrong for those who hear or enlarge it @long", async ({ page, server }) => {
  for (const hash of ["#bench-replicas", "#bench-escalation", "#bench-managers", "#bench-bounds",
    "#bench-expression"]) {
    await open(page, server, hash);
    await page.evaluate(() => document.querySelectorAll("#outcome details").forEach((d) => (d.open = true)));
    await expectNoViolations(page, hash);
  }
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, server, "#bench-team");
  await expectNoViolations(page, "dark");
  // 200 % of a small window, and a phone.
  for (const viewport of [{ width: 640, height: 360 }, { width: 390, height: 844 }, { width: 320, height: 640 }]) {
    await page.setViewportSize(viewport);
    for (const view of ["Texts", "Requests", "Outcome"]) {
      await page.getByRole("tab", { name: view }).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${view} ${viewport.width}`).toBe(true);
      await expectNoViolations(page, `${view} ${viewport.width}`);
    }
  }
});

test("it loads nothing of the lab, and the lab leads to it @long", async ({ page, server }) => {
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").at(-1)));
  await open(page, server);
  expect(asked).not.toContain("lab.wasm");
  expect(asked).not.toContain("app.js");
  asked.length = 0;
  await page.goto(`${server.url}/#bench-labels`);
  await page.waitForURL(/bench\.html/);
  await tried(page);
  await expect(page.locator("#about")).toContainText("Labels");
});

test("pages of others show it @long", async ({ page, server }) => {
  const host = await startEmbedHost(`<h1>A post</h1>
<tabernetes-bench label="A table"><pre># From a post
tests:
- name: a name with capitals
  when: {create: {apiVersion: v1, kind: ConfigMap, metadata: {name: Web}}}
  then: {refused: lower case}
</pre></tabernetes-bench>
<script src="SITE/embed/embed.js" defer></script>`, server.url);
  await page.goto(host.url);
  await expect(page.locator("iframe")).toHaveCount(0);
  await page.getByRole("button", { name: "Try it" }).click();
  const bench = page.frameLocator("iframe[title='A table']");
  await expect(bench.locator("#about")).toHaveText("From a post");
  await expect(bench.locator("#requests .row")).toContainText("422");
  await expect(bench.locator("#outcome")).toContainText("a lowercase RFC 1123 subdomain");
  await host.stop?.();
});
