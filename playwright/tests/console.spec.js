// The request console, with the mouse and without.
import { test, expect } from "../fixtures.js";
import { tabTo } from "../lab.js";

test.beforeEach(async ({ lab }, info) => {
  if (!info.title.includes("loading")) await lab.open();
});

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

test("shows every representation as what it is", { tag: "@long" }, async ({ lab, page }) => {
  const accept = page.getByLabel("Accept", { exact: true });
  await expect(accept).toBeHidden();
  await lab.moreOfRequest();
  const as = page.getByLabel("Show the response as");
  await lab.request("POST", "/api/v1/namespaces/default/pods",
    "metadata: {name: shown}\nspec: {containers: [{name: c, image: i}]}");
  await expect(lab.response).toContainText("201");
  await lab.method.selectOption("GET"); // each method has its own
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
  await lab.request("POST", "/api/v1/namespaces/default/configmaps",
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: typed\ndata:\n  k: one\n");
  await expect(lab.response).toContainText("201");
  expect((await lab.fetch("/api/v1/namespaces/default/configmaps/typed")).body.data).toEqual({ k: "one" });
  await lab.request("PATCH", "/api/v1/namespaces/default/configmaps/typed", '{"data": {"k": "two"}}');
  await expect(lab.response).toContainText("200");
  expect((await lab.fetch("/api/v1/namespaces/default/configmaps/typed")).body.data).toEqual({ k: "two" });
  await lab.request("PATCH", "/api/v1/namespaces/default/configmaps/typed", '{"data": {"k"');
  await expect(lab.response).toContainText("400");
  await lab.request("DELETE", "/api/v1/namespaces/default/configmaps/typed");
  await expect(lab.response).toContainText("200");
  expect((await lab.fetch("/api/v1/namespaces/default/configmaps/typed")).status).toBe(404);
});

test("each way to patch has an example, which works and can be sent again", { tag: "@long" }, async ({ lab, page }) => {
  const type = page.getByLabel("patch type");
  const example = page.getByRole("button", { name: "Example", exact: true });
  await expect(example).toBeHidden();
  await lab.sample("Guestbook");
  await expect.poll(async () => (await lab.fetch("/apis/apps/v1/namespaces/default/deployments/frontend")).status).toBe(
    200);
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

test("works with the keyboard alone", { tag: "@long" }, async ({ lab, page }) => {
  await page.locator("body").focus();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the request" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(lab.path).toBeFocused();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("/api/v1/namespaces/default/configmaps");
  await page.keyboard.press("Escape"); // the completions, if they are open
  // A GET has no body, and no editor for one.
  await expect(lab.body).toBeHidden();
  await tabTo(lab.method);
  await page.keyboard.type("PO");
  await expect(lab.method).toHaveValue("POST");
  await tabTo(lab.body);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText('{"metadata": {"name": "by-keyboard"}}');
  await page.keyboard.press("Control+Enter");
  await expect(lab.response).toContainText("201");

  // Out of the editor, to the answer and to the requests.
  await expect(lab.body).toHaveAccessibleDescription(/Escape, then Tab/);
  await page.keyboard.press("Escape");
  await tabTo(lab.answer);
  await expect(lab.answer).toContainText("by-keyboard");
  await tabTo(lab.requests.getByRole("button", { name: /^POST .*, create$/ }));

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

test("each request can be copied as curl, kubectl and fetch", { tag: "@long" }, async ({ lab, page, context }) => {
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
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), form).toMatch(
      new RegExp("^(await |#.*\n)?" + begin.replace("(", "\\(")));
  }
});

test("what is no path says what to type, and offers a request", { tag: "@long" }, async ({ lab, page }) => {
  const problem = page.getByRole("form", { name: "Request" }).getByRole("alert");
  for (const { typed, says, offer } of [
    { typed: "kubectl get pods -A", says: /sends requests, not kubectl commands/, offer: "GET /api/v1/pods" },
    { typed: "kubectl get pods", says: /sends requests, not kubectl commands/,
      offer: "GET /api/v1/namespaces/default/pods" },
    { typed: "deployments", says: /paths that begin with \/api or \/apis/,
      offer: "GET /apis/apps/v1/namespaces/default/deployments" },
    { typed: "nope", says: /paths that begin with \/api or \/apis, such as/,
      offer: "GET /api/v1/namespaces/default/pods" },
    { typed: "https://10.0.0.1:6443/api/v1/pods?limit=5", says: /leave out scheme and host/,
      offer: "GET /api/v1/pods?limit=5" },
    { typed: "https://example.com/", says: /not an API server’s address/,
      offer: "GET /api/v1/namespaces/default/pods" },
    { typed: "", says: /Type the path of a request/, offer: "GET /api/v1/namespaces/default/pods" },
  ]) {
    await test.step(typed || "nothing", async () => {
      await lab.request("GET", "/version");
      await expect(lab.answer).toContainText("gitVersion");
      await lab.request("GET", typed);
      await expect(problem).toContainText(says);
      const button = problem.getByRole("button", { name: offer, exact: true });
      await button.focus();
      await page.keyboard.press("Enter");
      await expect(lab.path).toHaveValue(offer.slice("GET ".length));
      await expect(lab.path).toBeFocused();
      await expect(problem).toBeHidden();
      await page.keyboard.press("Enter");
      await expect(lab.response).toContainText("200");
      await expect(lab.answer).toContainText("List");
    });
  }
});

for (const [what, file] of [
  ["the lab", /lab[^/]*\.wasm/],
  ["the API server", /worker[^/]*\.js/],
]) {
  test(`what is sent while ${what} is still loading is sent when it has started`, { tag: "@long" },
    async ({ lab, page, context }) => {
    let release;
    const held = new Promise((go) => (release = go));
    let asked;
    const loading = new Promise((seen) => (asked = seen));
    await context.route(file, async (route) => {
      asked();
      await held;
      await route.continue();
    });
    await page.goto(lab.url + "/?nosw");
    await loading;
    await lab.request("GET", "/api/v1/namespaces");
    const problem = page.getByRole("form", { name: "Request" }).getByRole("alert");
    if (what === "the API server") await expect(problem).toContainText("sent when it has started");
    release();
    await expect(lab.response).toContainText("200");
    await expect(lab.answer).toContainText("kube-system");
    await expect(problem).toBeHidden();
  });
}

test("body, headers and query are each method’s own: a DELETE after a dry run deletes", { tag: "@long" },
  async ({ lab, page }) => {
  const headers = page.getByLabel("Headers, one a line");
  const path = "/api/v1/namespaces/default/configmaps";
  await lab.method.selectOption("POST");
  await lab.moreOfRequest();
  await headers.fill("X-Mine: yes");
  await lab.request("POST", path + "?dryRun=All", lab.configMap("own"));
  await expect(lab.response).toContainText("201");
  expect((await lab.fetch(path + "/own")).status).toBe(404);
  await lab.path.fill(path);
  await lab.send.click();
  await expect.poll(async () => (await lab.fetch(path + "/own")).status).toBe(200);

  await lab.path.fill(path + "?dryRun=All");
  await lab.method.selectOption("DELETE");
  await expect(lab.path).toHaveValue(path);
  await expect(headers).toHaveValue("");
  await expect(lab.body).toBeHidden();
  await lab.path.fill(path + "/own");
  await lab.send.click();
  await expect.poll(async () => (await lab.fetch(path + "/own")).status).toBe(404);
  const sent = page.getByLabel("Show the response as");
  await sent.selectOption("Request");
  await expect(lab.answer).toContainText("No body.");
  await expect(lab.answer).not.toContainText("X-Mine");

  // What was written for the POST is there still, and a DELETE can be given a body.
  await lab.method.selectOption("POST");
  await expect(lab.path).toHaveValue(path + "/own?dryRun=All");
  await expect(headers).toHaveValue("X-Mine: yes");
  await expect(lab.body).toHaveValue(/"own"/);
  await lab.method.selectOption("DELETE");
  await page.getByRole("button", { name: "Add a body" }).click();
  await expect(lab.body).toBeFocused();
});

test("a path has two lines, then the width of the buttons, before it is cut; Enter sends it", { tag: "@long" },
  async ({ lab, page }) => {
  const shown = () => lab.path.evaluate(
    (el) => ({ cut: el.scrollHeight > el.clientHeight + 2, height: el.clientHeight }));
  const one = await shown();
  expect(one.cut).toBe(false);
  const long = "/api/v1/namespaces/default/pods?labelSelector=app%3Dweb&resourceVersion=0";
  await lab.path.fill(long);
  const two = await shown();
  expect(two).toEqual({ cut: false, height: one.height + 20 });
  await lab.path.press("Enter");
  await expect(lab.response).toContainText("200");
  await expect(lab.path).toHaveValue(long);
  await lab.path.fill("/api/v1/pods\n?limit=1"); // as it is pasted
  await expect(lab.path).toHaveValue("/api/v1/pods?limit=1");
  await lab.path.fill("/version");
  expect(await shown()).toEqual(one);
});

test("Format lays JSON out, and can be undone; what is no JSON says so", { tag: "@long" }, async ({ lab, page }) => {
  const problem = page.getByRole("form", { name: "Request" }).getByRole("alert");
  const format = page.getByRole("button", { name: "Format", exact: true });
  await lab.method.selectOption("POST");
  await lab.body.fill('{"metadata":{"name":"x"},"data":{"n":"1.0"}}');
  await format.click();
  await expect(lab.body).toHaveValue('{\n  "metadata": {\n    "name": "x"\n  },\n  "data": {\n    "n": "1.0"\n  }\n}');
  await page.keyboard.press("ControlOrMeta+Z");
  await expect(lab.body).toHaveValue('{"metadata":{"name":"x"},"data":{"n":"1.0"}}');
  await lab.body.fill('{"metadata":\n{,');
  await format.click();
  await expect(problem).toContainText("Line 2 is not JSON");
  await lab.body.fill("metadata: {name: x}");
  await format.click();
  await expect(problem).toContainText("Only JSON is formatted");
  await expect(lab.body).toHaveValue("metadata: {name: x}");
});

test("an answer is selected as a whole, and copied with what is folded in it", { tag: "@long" },
  async ({ lab, page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await lab.request("POST", "/api/v1/namespaces/default/configmaps", lab.configMap("whole", { last: "line" }));
  await expect(lab.answer).toContainText('"whole"');
  await lab.answer.focus();
  await page.keyboard.press("ControlOrMeta+A");
  const selected = await page.evaluate(() => getSelection().toString());
  expect(selected).toMatch(/^\{[^]*"last": "line"[^]*\}\s*$/);
  expect(selected).not.toContain("Sample data");
  await page.keyboard.press("ControlOrMeta+C");
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(async () => JSON.parse((await copied()) || "{}").data).toEqual({ last: "line" });
  expect(JSON.parse(await copied()).metadata.managedFields).toHaveLength(1);
});
