// The list of requests: what a browser's network panel can do, with the cluster's revisions in it.
import { readFile } from "node:fs/promises";
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** A fetch by a script of the page, which the list shows. */
const fetchSeen = (page, path, init = {}) =>
  page.evaluate(async ([path, init]) => void (await (await fetch(path, init)).text()), [path, init]);

const rows = (lab) => lab.requests.locator("tbody tr:not(.spacer)");
/** The short paths of the rows, from the first on. */
const paths = (lab) =>
  rows(lab).evaluateAll(
    (all) => all.map((r) => r.querySelector(".c-method").textContent + " " + r.querySelector(".base").textContent));
const enlarge = (lab) => lab.page.getByRole("button", { name: "Enlarge this panel" }).first().click();
const more = (lab, page) =>
  lab.requests.getByRole("button", { name: "More about the requests" }).click().then(
    () => page.getByRole("dialog", { name: "Requests" }));

/** Some requests of each kind. */
async function some(lab, page) {
  await lab.open();
  await fetchSeen(page, configMaps,
    { method: "POST", headers: { "Content-Type": "application/json", "X-Tag": "Blue" },
      body: JSON.stringify(lab.configMap("findme", { colour: "violet" })) });
  await fetchSeen(page, configMaps + "/findme");
  await fetchSeen(page, "/api/v1/namespaces/default/pods/none");
  await fetchSeen(page, configMaps + "?watch=1&timeoutSeconds=1&resourceVersion=1");
  await lab.request("GET", "/version");
  await expect(rows(lab)).toHaveCount(5);
}

test("a burst of requests draws each element once in a frame", async ({ lab, page }) => {
  await page.addInitScript(() => {
    const counts = (window.counts = new Map());
    const watched = (lab) => {
      const { patch } = lab;
      lab.patch = (el, html) => {
        const of = `${el.id} in the frame at ${document.timeline.currentTime}`;
        counts.set(of, (counts.get(of) ?? 0) + 1);
        return patch(el, html);
      };
      return lab;
    };
    let found;
    Object.defineProperty(window, "tabernetesLab", { get: () => found, set: (lab) => void (found = watched(lab)) });
  });
  await lab.open();
  await page.evaluate(async (path) => {
    await Promise.all(Array.from({ length: 50 }, async () => void (await (await fetch(path)).text())));
  }, configMaps);
  await expect(rows(lab).first()).toContainText("200");
  await expect.poll(() => page.evaluate(() => window.counts.size)).toBeGreaterThan(10);
  expect((await page.evaluate(() => [...window.counts])).filter(([, n]) => n > 1)).toEqual([]);
});

test("filters by kind, by who made it, and by text in paths, headers and bodies",
  { tag: "@long" }, async ({ lab, page }) => {
  await some(lab, page);
  for (const [kind, want] of [
    ["Reads", ["GET /version", "GET pods/none", "GET configmaps/findme"]],
    ["Writes", ["POST configmaps"]],
    ["Watches", ["GET configmaps?watch=1&timeoutSeconds=1&resourceVersion=1"]],
    ["Errors", ["GET pods/none"]],
  ]) {
    await lab.requests.getByRole("radio", { name: kind }).check();
    await expect.poll(() => paths(lab), kind).toEqual(want);
    await expect(lab.requests).toContainText(`${want.length} of 5`);
  }
  await lab.requests.getByRole("radio", { name: "All" }).check();
  const search = lab.requests.getByRole("searchbox");
  for (const [text, want] of [
    ["x-tag: blue", ["POST configmaps"]],
    ["VIOLET", ["GET configmaps?watch=1&timeoutSeconds=1&resourceVersion=1", "GET configmaps/findme",
      "POST configmaps"]],
    ["not found", ["GET pods/none"]],
    ["nowhere", []],
  ]) {
    await search.fill(text);
    await expect.poll(() => paths(lab), text).toEqual(want);
  }
  await expect(lab.requests).toContainText("None of the 5 requests match");
  await lab.requests.getByRole("button", { name: "Show all requests" }).click();
  await expect(rows(lab)).toHaveCount(5);
  await expect(search).toBeFocused();
  await expect(search).toHaveValue("");
  const menu = await more(lab, page);
  await menu.getByLabel("Made by").selectOption("the console");
  await expect.poll(() => paths(lab)).toEqual(["GET /version"]);
});

test("sorts by any column, with the keyboard", { tag: "@long" }, async ({ lab, page }) => {
  await some(lab, page);
  await enlarge(lab);
  for (const name of ["status", "method", "path", "revision", "server", "started", "duration", "size"]) {
    await expect(lab.requests.getByRole("columnheader", { name })).toBeVisible();
  }
  const started = lab.requests.getByRole("columnheader", { name: "started" });
  const path = lab.requests.getByRole("columnheader", { name: "path" });
  await expect(started).toHaveAttribute("aria-sort", "descending");
  await path.getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect(path).toHaveAttribute("aria-sort", "ascending");
  await expect(started).not.toHaveAttribute("aria-sort");
  const sorted = await paths(lab);
  expect(sorted.map((p) => p.split(" ")[1])).toEqual(sorted.map((p) => p.split(" ")[1]).toSorted());
  await expect(path.getByRole("button")).toBeFocused();
  await page.keyboard.press("Space");
  await expect(path).toHaveAttribute("aria-sort", "descending");
  await expect.poll(() => paths(lab)).toEqual(sorted.toReversed());
  await lab.requests.getByRole("columnheader", { name: "duration" }).getByRole("button").click();
  // The watch was open for a second, longer than anything else.
  await expect.poll(async () => (await paths(lab))[0]).toContain("watch=1");
  await expect(rows(lab).first().locator(".c-started")).toHaveText(/^\d\d:\d\d:\d\d\.\d{3}$/);
  await expect(rows(lab).first().locator(".bar-of-time rect").first()).toBeVisible();
});

test("requests and lanes are there after a reload, unless that is unchosen",
  { tag: "@long" }, async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await lab.open();
  await lab.settled();
  const first = await timeline.revision();
  await fetchSeen(page, configMaps + "/kept-1");
  await timeline.watch("/api/v1/configmaps");
  await fetchSeen(page, configMaps,
    { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(lab.configMap("kept-2")) });
  const written = first + 1;
  await expect(timeline.lane("w1")).toContainText("resume after " + written);
  await expect(rows(lab)).toHaveCount(3); // the newest may be drawn after its answer
  const before = await paths(lab);
  await page.reload();
  await lab.ready();
  await expect.poll(() => paths(lab)).toEqual(before);
  await expect(timeline.lane("w1")).toContainText("resume after " + written);
  await timeline.resume("w1");
  const kept = lab.requests.getByRole("button", { name: /kept-1.*from before the reload/ });
  await kept.click();
  await expect(lab.response).toContainText("404");
  await expect(lab.answer).toContainText('configmaps \\"kept-1\\" not found');
  await fetchSeen(page, "/version");
  await expect(lab.requests.getByRole("button", { name: /version/ })).not.toHaveAccessibleName(/before/);
  await expect(kept).toBeVisible();

  const menu = await more(lab, page);
  await menu.getByRole("button", { name: "Clear" }).click();
  await expect(kept).toBeHidden();
  await page.reload();
  await lab.ready();
  // What was under way is not cleared: the watch that was resumed.
  await expect(rows(lab)).toHaveCount(1);
  await expect(rows(lab)).toContainText("watch=1");

  await fetchSeen(page, "/version");
  await (await more(lab, page)).getByLabel("when the page is reloaded").uncheck();
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem("tabernetes.tap.never"))).toBe("1");
  await page.reload();
  await lab.ready();
  await expect(rows(lab)).toHaveCount(0);
});

test("what is listed is exported as an HTTP Archive", { tag: "@long" }, async ({ lab, page }) => {
  await some(lab, page);
  await fetchSeen(page, configMaps + "/findme", { headers: { Accept: "application/vnd.kubernetes.protobuf" } });
  await lab.requests.getByRole("searchbox").fill("findme");
  await expect(lab.requests).toContainText("4 of 6");
  const menu = await more(lab, page);
  const [download] = await Promise.all(
    [page.waitForEvent("download"), menu.getByRole("button", { name: "Export as HAR" }).click()]);
  expect(download.suggestedFilename()).toMatch(/^tabernetes-\d{8}-\d{6}\.har$/);
  const { log } = JSON.parse(await readFile(await download.path(), "utf8"));
  expect(log.version).toBe("1.2");
  expect(log.entries.map((e) => `${e.request.method} ${new URL(e.request.url).pathname} ${e.response.status}`)).toEqual(
    [
    `POST ${configMaps} 201`,
    `GET ${configMaps}/findme 200`,
    `GET ${configMaps} 200`,
    `GET ${configMaps}/findme 200`,
  ]);
  expect(JSON.parse(log.entries[0].request.postData.text).data).toEqual({ colour: "violet" });
  expect(log.entries[0].request.headers).toContainEqual({ name: "x-tag", value: "Blue" });
  expect(log.entries[3].response.content).toMatchObject(
    { encoding: "base64", mimeType: "application/vnd.kubernetes.protobuf" });
  expect(Buffer.from(log.entries[3].response.content.text, "base64").subarray(0, 4)).toEqual(Buffer.from("k8s\0"));
  for (const e of log.entries) expect(Math.abs(Date.parse(e.startedDateTime) - Date.now())).toBeLessThan(600_000);
});

test("a chip tells what a request has to do with the revisions", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const at = async () => Number((await lab.fetch("/api/v1/namespaces?limit=1")).body.metadata.resourceVersion);
  const chip = () => rows(lab).first().locator(".chip");
  const start = await at();
  await fetchSeen(page, configMaps);
  await expect(chip()).toHaveText(`as of ${start}`);
  await fetchSeen(page, configMaps,
    { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(lab.configMap("a")) });
  await expect(chip()).toHaveText(`→ ${start + 1}`);
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("b") });
  await fetchSeen(page, configMaps + "?labelSelector=!x", { method: "DELETE" });
  // kube-root-ca.crt as well, and that one comes back.
  await expect(chip()).toHaveText(new RegExp(`^→ ${start + 3}(, |–)`));
  await fetchSeen(page, CONTROL_PLANE + "/compact", { method: "POST" });
  await expect(chip()).toHaveText(/^history from \d+$/);
  await page.evaluate((path) => void fetch(path + "?watch=1&resourceVersion=1"), configMaps);
  await expect(chip()).toHaveText("w1 · 410");
  await page.evaluate((path) => void fetch(path + "?watch=1"), configMaps);
  await expect(chip()).toHaveText("w2");
  await fetchSeen(page, configMaps + "/none");
  await expect(chip()).toHaveCount(0);
  // It leads to the revision.
  await rows(lab).filter({ hasText: `→ ${start + 1}` }).locator(".chip").click();
  await expect(page.getByRole("region", { name: "Answer" })).toContainText(String(start + 1));
});

test("a row is one exchange: what was sent and what came back; it is sent again, and cleared",
  { tag: "@long" }, async ({ lab, page }) => {
  await some(lab, page);
  await lab.requests.getByRole("button", { name: `POST ${configMaps}, create` }).click();
  await expect(lab.response).toContainText("201");
  await page.getByLabel("Show the response as").selectOption("Request");
  await expect(lab.answer).toContainText("scripts of the page");
  await expect(lab.answer).toContainText("x-tag");
  await expect(lab.answer).toContainText('"colour": "violet"');

  const again = page.getByRole("group", { name: "The chosen request" }).getByRole("button", { name: "Send again" });
  await again.click();
  await expect(lab.response).toContainText("409");
  await expect(rows(lab)).toHaveCount(6);
  await page.getByLabel("Show the response as").selectOption("Request");
  await expect(lab.answer).toContainText("x-tag");
  await expect(lab.answer).toContainText("the console");

  const menu = await more(lab, page);
  await menu.getByRole("button", { name: "Clear" }).click();
  await expect(lab.requests).toContainText("No requests.");
  await expect(again).toHaveCount(0);
});

test("a run of a sample's requests is one row, until it is unfolded", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.sample("1,253 pods");
  const run = lab.requests.getByRole("button", { name: "1,253 requests in a row" });
  await expect(run).toBeVisible();
  await expect(rows(lab)).toHaveCount(2);
  await run.click();
  await expect(run).toHaveAttribute("aria-expanded", "true");
  // Only what can be seen is drawn.
  const drawn = await rows(lab).count();
  expect(drawn).toBeGreaterThan(10);
  expect(drawn).toBeLessThan(100);
  await expect(lab.requests.getByRole("table")).toHaveAttribute("aria-rowcount", "1255");
  await run.click();
  await expect(rows(lab)).toHaveCount(2);
});

test("a path is cut only where there is no room for it, from its beginning on", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  await fetchSeen(page, "/api/v1/pods");
  await fetchSeen(page, CONTROL_PLANE + "/none?cut=off");
  await fetchSeen(page, CONTROL_PLANE + "/no-such-act?with=more&than=there&is=room&for=in&so=narrow&a=list");
  await expect(rows(lab)).toHaveCount(3);
  const cut = () => rows(lab).evaluateAll(
    (all) => all.map((r) =>
      [...r.querySelectorAll(".base, .dir")].filter((el) => el.scrollWidth > el.clientWidth).map((el) => el.className)
        .join()));
  await expect.poll(cut).toEqual(["dir,base", "dir", ""]);
  await page.setViewportSize({ width: 2400, height: 1000 });
  await enlarge(lab);
  await expect.poll(cut).toEqual(["", "", ""]);
});

test("a copied command says that it cannot reach the tab, and asks a devserver", { tag: "@long" },
  async ({ lab, page, context, server }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await lab.open();
  await lab.request("GET", configMaps);
  await lab.requests.getByRole("button", { name: /GET .*configmaps/ }).click();
  for (const tool of ["curl", "kubectl"]) {
    await page.getByRole("button", { name: tool, exact: true }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(
      new RegExp(`^# .*inside a browser tab, which ${tool} cannot reach.*\n${tool} .*${server.url}`));
  }
  await page.getByRole("button", { name: "fetch", exact: true }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`await fetch("${configMaps}")`);
});

test("a read that waits says for what", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.fetch(CONTROL_PLANE,
    { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
      body: { spec: { cache: { replicas: [{ frozen: true }] } } } });
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("late") });
  await expect(new Timeline(page).row("cache")).toContainText("frozen");
  await lab.request("GET", configMaps);
  await expect(rows(lab).first()).toContainText("waiting for the cache");
  await expect(lab.response).toContainText("waiting for the cache");
  await expect(rows(lab).first()).not.toContainText("waiting");
});

test("a request that is made while the server starts says that it waits for it", { tag: "@long" },
  async ({ lab, page, context, server }) => {
  let start = () => {};
  const held = new Promise((done) => (start = done));
  await context.route("**/worker*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(server.url + "/?nosw");
  await page.evaluate((path) => void fetch(path), configMaps);
  await expect(rows(lab).first()).toContainText("waiting for the API server");
  await rows(lab).first().getByRole("button").first().click();
  await expect(lab.response).toContainText("waiting for the API server");
  start();
  await expect(rows(lab).first()).toContainText("200");
  await expect(lab.requests).not.toContainText("waiting");
});

test("an act that needs the console brings it into view", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.request("GET", "/api/v1/namespaces?limit=1");
  await expect(lab.response).toContainText("200");
  const enlarged = lab.response.getByRole("button", { name: /this panel/ });
  await enlarged.click();
  await expect(lab.path).toBeHidden();
  await lab.answer.getByRole("link", { name: /^"?ey/ }).click();
  await expect(lab.path).toHaveValue(/limit=1&continue=ey/);
  await expect(lab.path).toBeFocused();
  // It can be seen and typed into: nothing lies over it.
  const inFront = await lab.path.evaluate((el) => {
    const box = el.getBoundingClientRect();
    return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === el;
  });
  expect(inFront).toBe(true);
  await expect(enlarged).toHaveAttribute("aria-pressed", "false");
});

test("what is chosen is put into the console, to be changed and sent again", { tag: "@long" },
  async ({ lab, page }) => {
  await some(lab, page);
  await lab.requests.getByRole("button", { name: `POST ${configMaps}, create` }).click();
  await page.getByRole("group", { name: "The chosen request" }).getByRole("button", { name: "Open in console" })
    .click();
  await expect(lab.method).toHaveValue("POST");
  await expect(lab.path).toHaveValue(configMaps);
  await expect(lab.body).toHaveValue(/violet/);
  await lab.body.fill(JSON.stringify(lab.configMap("another")));
  await lab.send.click();
  await expect(lab.response).toContainText("201");
});
