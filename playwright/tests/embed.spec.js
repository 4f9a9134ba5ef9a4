// Snippets in a page of another origin with a strict policy, whose frames have no storage.
import { chromium } from "@playwright/test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../fixtures.js";
import { startEmbedHost, withoutStorage } from "../embedhost.js";

const PODS = "/api/v1/namespaces/default/configmaps";

const POST = `<h1>A post</h1>
<pre><code class="language-http"># @name list
GET ${PODS}

###
GET ${PODS}?watch=1&amp;resourceVersion={{list.response.body.metadata.resourceVersion}}</code></pre>
<tabernetes-snippet label="Write"><pre>POST ${PODS}

{"metadata": {"name": "written"}}</pre></tabernetes-snippet>
<tabernetes-snippet setup><details><summary>Setup</summary><pre>POST ${PODS}

{"metadata": {"name": "there"}}</pre></details></tabernetes-snippet>
<script src="SITE/embed/embed.js" data-fences defer></script>`;

/** Opens a page of another site, and notes what its frames ask for. */
async function open(page, server, body) {
  const host = await startEmbedHost(body, server.url);
  const asked = [];
  page.on("console", (m) => m.text().startsWith("storage: ") && asked.push(m.text()));
  await page.addInitScript(withoutStorage);
  await page.route("**/worker.js", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `(${withoutStorage})();${await answer.text()}` });
  });
  await page.goto(host.url);
  return { host, asked };
}

test("what is pressed is run, also if the page moves under the pointer", async ({ page, server }) => {
  const { host } = await open(page, server, POST);
  const run = page.getByRole("button", { name: "Run: Write" });
  const down = async () => {
    const { x, y, width, height } = await run.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    return height;
  };
  await page.mouse.move(0, await down() * 3); // who moves away does not press
  await page.mouse.up();
  await down();
  await page.locator("h1").evaluate((el) => (el.style.height = "300px"));
  await page.mouse.up();
  await expect(page.locator("iframe[title*='Write']")).toHaveCount(1);
  await host.stop();
});

test("snippets run in a page of another site, and share a cluster", async ({ page, server }) => {
  const { host, asked } = await open(page, server, POST);
  // Nothing is loaded before it is asked for, and the text is there.
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(page.getByText("# @name list")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Run/ })).toHaveCount(2);

  await page.getByRole("button", { name: "Run: GET /api/v1/namespaces/default/configmaps" }).press("Enter");
  const list = page.frameLocator("iframe[title*='@name list']");
  await expect(list.getByRole("status").filter({ hasText: "200 OK" })).toBeVisible();
  await expect(list.getByRole("region", { name: "Answer to list" })).toContainText('"name": "there"');
  await list.getByRole("button", { name: "Run: GET" }).click();
  await expect(list.getByRole("button", { name: "Stop: GET" })).toBeFocused();
  await expect(list.getByText("200 OK, 0 events")).toBeVisible();

  // What another snippet writes comes to the watch of this one.
  await page.getByRole("button", { name: "Run: Write" }).click();
  const write = page.frameLocator("iframe[title*='Write']");
  await expect(write.getByRole("status").filter({ hasText: "201 Created" })).toBeVisible();
  await expect(list.getByText("200 OK, 1 event")).toBeVisible();
  await expect(list.getByRole("listitem")).toContainText(/ADDED ConfigMap default\/written resourceVersion \d+/);
  await list.getByRole("button", { name: "Stop: GET" }).click();
  await expect(list.getByText("200 OK, 1 event, stopped")).toBeVisible();

  // A request can be changed; an error is said as the API says it.
  const field = write.getByRole("textbox");
  await field.fill("GET /api/v1/namespaces/default/configmaps/none");
  await field.press("Control+Enter");
  await expect(write.getByRole("status").filter({ hasText: "404 Not Found" })).toBeVisible();
  await field.fill("GET elsewhere");
  await write.getByRole("button", { name: "Run" }).click();
  await expect(write.getByText("a path that starts with / is needed")).toBeVisible();
  await field.fill("GET /metrics.html");
  await write.getByRole("button", { name: "Run" }).click();
  await expect(write.getByText("That is no path of the API.")).toBeVisible();

  // A new cluster has what the setup makes, and nothing else; no answer of the old one is left.
  await write.getByRole("button", { name: "Reset" }).click();
  await expect(list.getByText("200 OK, 1 event, stopped")).toHaveCount(0);
  await list.getByRole("button", { name: "Run: list" }).click();
  await expect(list.getByRole("region", { name: "Answer to list" })).toContainText('"name": "there"');
  await expect(list.getByRole("region", { name: "Answer to list" })).not.toContainText("written");

  // A snippet that is taken out ends alone.
  await page.evaluate(() => document.querySelector("tabernetes-snippet")?.remove());
  await field.fill("GET /api/v1/namespaces");
  await field.press("Control+Enter");
  await expect(write.getByRole("status").filter({ hasText: "200 OK" })).toBeVisible();
  expect(asked, "storage that was asked for").toEqual([]);
  await host.stop();
});

test("without JavaScript a snippet is its text", { tag: "@long" }, async ({ browser, server }) => {
  const host = await startEmbedHost(POST, server.url);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(host.url);
  await expect(page.getByText(`POST ${PODS}`).first()).toBeVisible();
  await expect(page.getByRole("button")).toHaveCount(0);
  await context.close();
  await host.stop();
});

test("only what is for embedding can be framed", async ({ request, server }) => {
  const headers = async (path) => (await request.get(server.url + path)).headers();
  for (const path of ["/embed/frame.html", "/embed/embed.js", "/embed/lab.html", "/embed/examples.html"]) {
    const got = await headers(path);
    expect(got["content-security-policy"], path).toMatch(/; frame-ancestors \*$/);
    expect(got["cross-origin-resource-policy"], path).toBe("cross-origin");
  }
  for (const path of ["/", "/index.html", "/sw.js", "/licenses.txt"]) {
    const got = await headers(path);
    expect(got["content-security-policy"], path).toMatch(/; frame-ancestors 'none'$/);
    expect(got["cross-origin-resource-policy"], path).toBe("same-origin");
  }
});

test("the lab runs in a page of another site, in memory", { tag: "@long" }, async ({ page, server }) => {
  const body = `<tabernetes-lab link="#capstone" height="800"><p>A picture of the lab.</p></tabernetes-lab>
    <script src="SITE/embed/embed.js" defer></script>`;
  const { host, asked } = await open(page, server, body);
  await expect(page.getByText("A picture of the lab.")).toBeVisible();
  await page.getByRole("button", { name: "Open the lab" }).click();
  await expect(page.getByText("A picture of the lab.")).toBeHidden();
  const lab = page.frameLocator("iframe");
  await expect(lab.locator("#st-ruler .st-fold").first()).toBeVisible();
  const frame = page.frames()[1];
  expect(await frame.evaluate(async () => {
    await window.tabernetes.ready;
    const { status } = await fetch("/api/v1/namespaces/default");
    window.tabernetes.setTarget("devserver");
    window.tabernetes.setRoom({ base: location.origin + "/", token: "t", name: "n" });
    const { persistent, problem, secondTab, tabs } = window.tabernetes.status;
    const { target, room } = window.tabernetes;
    return { status, persistent, problem, secondTab, tabs, target, room };
  })).toEqual({ status: 200, persistent: false, problem: "", secondTab: false, tabs: 1, target: "tab", room: null });
  await expect(lab.locator("#room-button")).toBeHidden();

  // The capstone's frame, for a learner's code, may be framed in it.
  expect(await frame.evaluate(() => new Promise((ready) => {
    const sandbox = document.createElement("iframe");
    sandbox.setAttribute("sandbox", "allow-scripts");
    sandbox.src = new URL("capstone-frame.html", document.baseURI).href;
    addEventListener("message", ({ source, data }) => source === sandbox.contentWindow && ready(data));
    document.body.append(sandbox);
  }))).toBe("ready");
  await expect(lab.locator(".banner")).toHaveCount(0);
  expect(asked, "storage that was asked for").toEqual([]);
  await host.stop();
});

test("in a browser that blocks what is of third parties", { tag: "@long" }, async ({ server, launchOptions }) => {
  const profile = await mkdtemp(join(tmpdir(), "tabernetes-embed-"));
  await mkdir(join(profile, "Default"));
  const preferences = { profile: { cookie_controls_mode: 1, block_third_party_cookies: true } };
  await writeFile(join(profile, "Default", "Preferences"), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(profile, launchOptions);
  const host = await startEmbedHost(POST, server.url);
  const page = await context.newPage();
  await page.goto(host.url);
  await page.getByRole("button", { name: "Run: Write" }).click();
  const write = page.frameLocator("iframe[title*='Write']");
  await expect(write.getByRole("status").filter({ hasText: "201 Created" })).toBeVisible();
  const refused = () => page.frames()[1].evaluate(() => {
    try {
      return String(localStorage);
    } catch (error) {
      return error.name;
    }
  });
  expect(await refused(), "its storage").toBe("SecurityError");
  await context.close();
  await host.stop();
  await rm(profile, { recursive: true, force: true });
});

test.describe("a site without kubectl", () => {
  test("the snippet of commands says so, and requests run", { tag: "@long" }, async ({ page, server }) => {
    const { host } = await open(page, server, `<tabernetes-snippet label="Commands" language="kubectl"
      ><pre>kubectl get pods</pre></tabernetes-snippet>
      <tabernetes-snippet label="Request"><pre>GET ${PODS}</pre></tabernetes-snippet>
      <script src="SITE/embed/embed.js" defer></script>`);
    await page.getByRole("button", { name: "Run: Commands" }).click();
    await expect(page.frameLocator("iframe[title*='Commands']").locator(".status"))
      .toContainText("This site was built without kubectl");
    await page.getByRole("button", { name: "Run: Request" }).click();
    await expect(page.frameLocator("iframe[title$=': Request']").locator(".status")).toContainText("200 OK");
    await host.stop();
  });
});
