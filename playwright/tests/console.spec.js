// The request console, with the mouse and without.
import { test, expect } from "../fixtures.js";
import { tabTo } from "../lab.js";

test.beforeEach(async ({ lab }) => lab.open());

test("sends, and shows status, headers and body", async ({ lab }) => {
  await lab.request("GET", "/api/v1/namespaces");
  await expect(lab.response).toContainText("200");
  await expect(lab.answer).toContainText("NamespaceList");
  await expect(lab.answer).toContainText("kube-system");
  await lab.request("GET", "/api/v1/namespaces/default/pods/none");
  await expect(lab.response).toContainText("404");
  await expect(lab.answer).toContainText('pods \\"none\\" not found');
  await expect(lab.requests).toContainText("/api/v1/namespaces/default/pods/none");
});

test("shows every representation as what it is", async ({ lab, page }) => {
  const accept = page.getByLabel("Accept", { exact: true });
  const as = page.getByLabel("Show the response as");
  await lab.request("POST", "/api/v1/namespaces/default/pods", "metadata: {name: shown}\nspec: {containers: [{name: c, image: i}]}");
  await accept.selectOption("Table");
  await lab.request("GET", "/api/v1/namespaces/default/pods");
  await expect(lab.answer.getByRole("columnheader", { name: "Nominated Node" })).toBeVisible();
  await expect(lab.answer.getByRole("row").filter({ hasText: "shown" })).toContainText("0/1");
  await as.selectOption("JSON");
  await expect(lab.answer).toContainText('"columnDefinitions"');
  await as.selectOption("Table");
  await accept.selectOption("protobuf");
  await lab.request("GET", "/api/v1/namespaces/default/pods/shown");
  await expect(as).toHaveValue("hex");
  await expect(lab.answer).toContainText("6b 38 73 00");
  await expect(lab.answer).toContainText("k8s.");
  await accept.selectOption("metadata");
  await lab.request("GET", "/api/v1/namespaces/default/pods/shown");
  await expect(lab.answer).toContainText('"PartialObjectMetadata"');
  await accept.selectOption("YAML");
  await lab.request("GET", "/api/v1/namespaces/default/pods/shown");
  await expect(lab.answer).toContainText("kind: Pod");
  await accept.selectOption("JSON");
});

test("creates from YAML, updates and patches from JSON", async ({ lab }) => {
  await lab.request("POST", "/api/v1/namespaces/default/configmaps", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: typed\ndata:\n  k: one\n");
  await expect(lab.response).toContainText("201");
  expect((await lab.fetch("/api/v1/namespaces/default/configmaps/typed")).body.data).toEqual({ k: "one" });
  await lab.request("PATCH", "/api/v1/namespaces/default/configmaps/typed", '{"data": {"k": "two"}}');
  await expect(lab.response).toContainText("200");
  expect((await lab.fetch("/api/v1/namespaces/default/configmaps/typed")).body.data).toEqual({ k: "two" });
  await lab.request("PATCH", "/api/v1/namespaces/default/configmaps/typed", '{"data": {"k"');
  await expect(lab.response).toContainText("400");
  await lab.request("DELETE", "/api/v1/namespaces/default/configmaps/typed", "");
  await expect(lab.response).toContainText("200");
  expect((await lab.fetch("/api/v1/namespaces/default/configmaps/typed")).status).toBe(404);
});

test("each way to patch has an example, which works and can be sent again", async ({ lab, page }) => {
  const type = page.getByLabel("patch type");
  const example = page.getByRole("button", { name: "Example", exact: true });
  await expect(example).toBeHidden();
  await lab.sample("Guestbook");
  await expect.poll(async () => (await lab.fetch("/apis/apps/v1/namespaces/default/deployments/frontend")).status).toBe(200);
  await page.keyboard.press("Escape");
  await lab.method.selectOption("PATCH");
  const send = async (name, status) => {
    await type.selectOption(name);
    await example.click();
    await lab.send.click();
    await expect(lab.response).toContainText(status);
  };
  await send("apply", "201");
  await expect(lab.answer).toContainText('"green"');
  await send("merge", "200");
  await expect(lab.answer).toContainText('"blue"');
  await expect(lab.answer).not.toContainText('"slow"');
  await send("JSON patch", "200");
  await expect(lab.answer).toContainText('"red"');
  // Another manager has the colour by now: a conflict, unless it is forced.
  await send("apply", "409");
  await send("strategic merge", "200");
  await expect(lab.answer).toContainText("registry.example/guestbook-frontend:6");

  const applied = lab.requests.getByRole("row").filter({ hasText: "fieldManager=me" }).first();
  await applied.getByRole("button").first().click();
  await page.getByRole("button", { name: "Open in console", exact: true }).click();
  await expect(type).toHaveValue("application/apply-patch+yaml");
  await expect(lab.path).toHaveValue(/configmaps\/demo\?fieldManager=me$/);
  await lab.path.fill((await lab.path.inputValue()) + "&force=true");
  await lab.send.click();
  await expect(lab.response).toContainText("200");
  await expect(lab.answer).toContainText('"green"');
});

test("works with the keyboard alone", async ({ lab, page }) => {
  await page.locator("body").focus();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the request" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(lab.path).toBeFocused();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("/api/v1/namespaces/default/configmaps");
  await page.keyboard.press("Escape"); // the completions, if they are open
  await tabTo(lab.method);
  await page.keyboard.type("PO");
  await expect(lab.method).toHaveValue("POST");
  await tabTo(lab.body);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText('{"metadata": {"name": "by-keyboard"}}');
  await page.keyboard.press("Control+Enter");
  await expect(lab.response).toContainText("201");

  // Out of the editor, to the answer and on to the requests.
  await page.keyboard.press("Escape");
  await tabTo(lab.answer);
  await expect(lab.answer).toContainText("by-keyboard");
  const row = lab.requests.getByRole("button").or(lab.requests.locator("[tabindex='0']")).first();
  await tabTo(row);

  // And with Enter in the path.
  await page.keyboard.press("Alt+3");
  await expect(lab.path).toBeFocused();
  await tabTo(lab.method);
  await page.keyboard.type("GE");
  await expect(lab.method).toHaveValue("GET");
  await tabTo(lab.path);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("/api/v1/namespaces/default/configmaps/by-keyboard");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await expect(lab.response).toContainText("200");
});

test("each request can be copied as curl, kubectl and fetch", async ({ lab, page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await lab.request("POST", "/api/v1/namespaces/default/configmaps", '{"metadata": {"name": "it\'s"}}');
  await expect(lab.response).toContainText("422");
  for (const [form, begin] of [
    ["curl", "curl "],
    ["kubectl", "kubectl "],
    ["fetch", "fetch("],
  ]) {
    await lab.requests.locator("[data-row]").first().click();
    await page.getByRole("button", { name: new RegExp(`^copy as ${form}$|^${form}$`, "i") }).first().click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), form).toMatch(new RegExp("^(await |#.*\n)?" + begin.replace("(", "\\(")));
  }
});
