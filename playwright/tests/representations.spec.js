// One object in all its representations, as a person looks at them.
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** The buttons that choose a form, which give its size. */
const form = (page, name) =>
  page.getByRole("group", { name: /^Representations of/ }).getByRole("button",
    { name: new RegExp("^" + name + "\\b") });

/** The size of a form, in bytes. */
const sizeOf = async (page, name) => Number((await form(page, name).innerText()).replace(/,/g, "").match(/(\d+) B/)[1]);

test("an object in five forms, with sizes, and each field's bytes", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("demo", { greeting: "hello", place: "a tab" }) });
  await lab.request("GET", configMaps + "/demo");
  await expect(page.getByRole("region", { name: "Response body" })).toContainText("hello");
  await page.getByRole("tab", { name: "Representations" }).click();
  const panel = page.getByRole("tabpanel", { name: "Representations" });
  await expect(panel).toContainText("ConfigMap default/demo");
  for (const name of ["JSON", "YAML", "Table", "Protobuf"]) await expect(form(page, name)).toContainText(/\d B/);
  await expect(form(page, "CBOR")).toContainText("none");

  // The sizes are those that a program gets.
  const as = (accept) =>
    page.evaluate(async ([path, accept]) =>
      (await (await fetch(path,
        { headers: { Accept: accept }, tabernetes: { quiet: true } })).arrayBuffer()).byteLength,
          [configMaps + "/demo?pretty=false", accept]);
  expect(await sizeOf(page, "JSON")).toBe(await as("application/json"));
  expect(await sizeOf(page, "Protobuf")).toBe(await as("application/vnd.kubernetes.protobuf"));
  expect(await sizeOf(page, "Protobuf")).toBeLessThan(await sizeOf(page, "JSON"));
  await expect(panel.getByText(/with gzip [\d,]+ B/).first()).toBeAttached();

  // The requests are among the others.
  await page.getByRole("tab", { name: "Console" }).click();
  await expect(lab.requests.getByText("demo?pretty=false").first()).toBeVisible();
  await page.getByRole("tab", { name: "Representations" }).click();

  // A field lights up its bytes, and what lies in it; pointed at, or by keyboard.
  await page.getByRole("button", { name: "Enlarge this panel" }).first().click();
  const dump = panel.getByRole("region", { name: "Protobuf, byte by byte" });
  const metadata = dump.getByRole("row", { name: /\bmetadata\b/ });
  await metadata.hover();
  const lit = dump.locator("tr.is-lit");
  await expect(lit.first()).toContainText("metadata");
  await expect(lit.filter({ hasText: "uid" })).toHaveCount(1);
  await expect(lit.filter({ hasText: "hello" })).toHaveCount(0);
  await metadata.focus();
  await page.keyboard.press("ArrowDown");
  await expect(lit).toHaveCount(1);
  await expect(lit).toContainText("name");

  // What changes meanwhile is said, and read on demand.
  await lab.fetch(configMaps + "/demo",
    { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
      body: { data: { place: "somewhere else" } } });
  await expect(panel.getByText(/changed at \d+/)).toBeVisible();
  await panel.getByRole("button", { name: "Read again" }).click();
  await expect(panel.getByText(/changed at \d+/)).toHaveCount(0);
  await expect(dump).toContainText("somewhere else");
});

test("CBOR comes with its feature gate, and goes when that is undone", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.request("GET", "/api/v1/namespaces/default");
  await expect(page.getByRole("region", { name: "Response body" })).toContainText("kube", { ignoreCase: true });
  await page.getByRole("tab", { name: "Representations" }).click();
  await form(page, "CBOR").click();
  await page.getByRole("button", { name: "Turn the gate on" }).click();
  await expect(form(page, "CBOR")).toContainText(/\d B/);
  await expect(page.getByRole("region", { name: "CBOR, byte by byte" })).toContainText("default");
  await page.getByRole("button", { name: /Undo/ }).click();
  await expect(form(page, "CBOR")).toContainText("none");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });
  test("one form at a time", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Console" }).click();
    await lab.path.fill("/api/v1/namespaces/default");
    await lab.path.press("Control+Enter");
    await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog", { name: "More panels" }).getByRole("button", { name: "Representations" }).click();
    await expect(form(page, "JSON")).toContainText(/\d B/);
    await form(page, "YAML").click();
    await expect(page.getByRole("region", { name: "YAML", exact: true })).toContainText("apiVersion: v1");
    await expect(page.getByRole("region", { name: "JSON", exact: true })).toHaveCount(0);
  });
});
