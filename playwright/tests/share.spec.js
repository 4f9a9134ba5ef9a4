// Share: links and files that carry what the page has, and what opening them does.
import { readFile } from "node:fs/promises";
import { test, expect } from "../fixtures.js";
import { Lab, Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Creates ConfigMaps by a script of the page, and returns the newest revision. */
const create = (page, lab, ...names) => page.evaluate(async ([path, objects]) => {
  let made;
  for (const body of objects) {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    made = await (await fetch(path, init)).json();
  }
  return Number(made.metadata.resourceVersion);
}, [configMaps, names.map((name) => lab.configMap(name))]);

const names = (page) => page.evaluate(async (path) =>
  (await (await fetch(path, { tabernetes: { quiet: true } })).json()).items.map((o) => o.metadata.name), configMaps);

/** The panel, open. */
async function openPanel(page) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const panel = page.getByRole("region", { name: "Share", exact: true });
  await expect(panel.getByRole("heading", { name: "Share", exact: true })).toBeVisible();
  return panel;
}

/** The link in the panel, once it is made. */
async function link(panel, version = 5) {
  const field = panel.getByLabel("Link", { exact: true });
  await expect(field).toHaveValue(new RegExp(`#share=${version}\\.`));
  return field.inputValue();
}

test("a cluster with its history, where to look and a watch open in a fresh profile, once that is said",
  async ({ lab, page, browser }) => {
  const timeline = new Timeline(page);
  await lab.open();
  await lab.settled();
  const head = await create(page, lab, "one", "two", "three");
  await timeline.watch("/api/v1/configmaps");
  await page.evaluate((at) => (location.hash = `#at=${at}`), head - 1);
  await expect.poll(() => timeline.revision()).toBe(head - 1);
  const panel = await openPanel(page);
  await panel.getByLabel("Title").fill("Three <b>maps</b>");
  const without = await link(panel);
  await panel.getByLabel("Open watches").check();
  await expect(panel.getByLabel("Link", { exact: true })).not.toHaveValue(without);
  const url = await link(panel);
  expect(url.length, "a small cluster’s link").toBeLessThan(2000);
  await expect(panel).toContainText(`${url.length.toLocaleString("en-US")} characters.`);
  await expect(panel).not.toContainText("Messengers");

  const fresh = await browser.newContext();
  const other = await fresh.newPage();
  const seen = [];
  other.on("request", (r) => seen.push(r.url()));
  await other.goto(url);
  const opened = other.getByRole("region", { name: "Share", exact: true });
  await expect(opened.getByRole("heading", { name: "Shared with you" })).toBeVisible();
  await expect(opened).toContainText("Three <b>maps</b>");
  await expect(opened).toContainText("A whole cluster with its history");
  await expect(opened).toContainText(`Opens at revision ${head - 1}`);
  await expect(opened).toContainText("1 watch to open: /api/v1/configmaps?");
  expect(other.url(), "the link is off the address").not.toContain("share=");
  expect(seen.filter((u) => u.includes("share=")), "nobody was sent it").toEqual([]);
  expect(await names(other), "nothing was done").not.toContain("one");
  await opened.getByRole("button", { name: "Open it" }).click();
  await expect(opened).toContainText("It is open.");
  const theirs = new Timeline(other);
  await expect.poll(() => theirs.revision()).toBe(head - 1);
  expect(await names(other)).toEqual(expect.arrayContaining(["one", "two", "three"]));
  await expect(theirs.lane("w1")).toContainText("configmaps");
  await opened.getByRole("button", { name: "Restore my cluster" }).click();
  await expect(opened).toContainText("Your cluster is back.");
  expect(await names(other)).not.toContain("one");
  await fresh.close();

  await create(page, lab, ...Array.from({ length: 60 }, (_, i) => `more-${i}`));
  await panel.getByLabel("Open watches").uncheck();
  await expect(panel).toContainText(/characters. Messengers cut links of more than 2,000./);
});

test("what switching RBAC on writes is not in a link, and comes all the same",
  { tag: "@long" }, async ({ lab, page, browser }) => {
  const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  await lab.open();
  await lab.settled();
  const panel = await openPanel(page);
  const without = await link(panel);
  const plane = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default";
  await lab.fetch(plane, { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
    body: { spec: { authorization: { mode: "RBAC" } } } });
  const all = (await lab.fetch(roles)).body;
  expect(all.items.length).toBeGreaterThan(60);
  await panel.getByRole("radio", { name: "None" }).check();
  await panel.getByLabel("The whole cluster, with its history").check(); // as it is now
  const field = panel.getByLabel("Link", { exact: true });
  await expect.poll(async () => (await field.inputValue()).length).toBeGreaterThan(without.length + 100);
  const url = await field.inputValue();
  expect(url.length).toBeLessThan(2000);

  const fresh = await browser.newContext();
  const other = new Lab(await fresh.newPage(), lab.url);
  await other.page.goto(url);
  const opened = other.page.getByRole("region", { name: "Share", exact: true });
  await opened.getByRole("button", { name: "Open it" }).click();
  await expect(opened).toContainText("It is open.");
  expect((await other.fetch(roles)).body.items).toEqual(all.items);
  await fresh.close();
});

/** Chooses the parts of those names, and no others. */
async function choose(panel, objects, ...parts) {
  await panel.getByLabel(objects).check();
  for (const box of await panel.getByRole("checkbox").all()) {
    if (await box.isEnabled()) await box.setChecked(parts.includes(await box.getAttribute("name")));
  }
}

test("manifests, settings, a request, a lesson and the layout: each comes, and the request is not sent",
  { tag: "@long" }, async ({ lab, page, browser }) => {
  await lab.open();
  await page.evaluate(() => (location.hash = "#lesson-verbs-one-body-three-times"));
  await expect.poll(() => page.evaluate(async () => (await fetch("/api/v1/namespaces/verbs")).status)).toBe(200);
  await create(page, lab, "mine");
  await page.evaluate(async () => {
    const init = { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" } };
    const path = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default";
    await (await fetch(path, { ...init, body: JSON.stringify({ spec: { replicas: 3 } }) })).text();
  });
  await lab.method.selectOption("DELETE");
  await lab.path.fill(configMaps + "/mine");
  await page.getByRole("tab", { name: "Objects" }).click();
  const panel = await openPanel(page);
  await choose(panel, "Its objects as manifests", "request", "settings", "place", "layout");
  await expect(panel.locator("#share-has-manifests")).toHaveText(/^\d objects$/); // the lesson's, too
  await panel.getByRole("button", { name: "Copy the link" }).click(); // which is made of what is chosen last
  await expect(panel).toContainText("The link is on the clipboard.");
  const url = await link(panel, 2);

  const fresh = await browser.newContext();
  const other = await fresh.newPage();
  await other.goto(url);
  const opened = other.getByRole("region", { name: "Share", exact: true });
  for (const line of [/\d objects, which are applied/, "A setting: replicas is 3",
    "which is not sent: DELETE " + configMaps, "the lesson verbs-one-body-three-times", "The layout"]) {
    await expect(opened).toContainText(line);
  }
  await opened.getByRole("button", { name: "Open it" }).click();
  await expect.poll(() => names(other)).toContain("mine");
  await expect(other.getByRole("tab", { name: "Console" })).toHaveAttribute("aria-selected", "true");
  await expect(other.getByLabel("Path and query")).toHaveValue(configMaps + "/mine");
  await expect(other.locator("#lesson-verbs-one-body-three-times")).toBeVisible();
  const { spec } = await other.evaluate(async () =>
    (await fetch("/apis/sandbox.tabernetes.dev/v1/controlplanes/default")).json());
  expect(spec.replicas).toBe(3);
  expect(await names(other)).toContain("mine");
  await fresh.close();
});

test("what is too long for a link is a file: picked, dropped, or named by a link",
  { tag: "@long" }, async ({ lab, page, browser }) => {
  await lab.open();
  await create(page, lab, ...[...Array(300)].map((_, i) => `map-${i}-${Math.random()}`));
  const panel = await openPanel(page);
  await expect(panel).toContainText("too long for a link");
  await expect(panel.getByRole("button", { name: "Copy the link" })).toBeDisabled();
  const saved = page.waitForEvent("download");
  await panel.getByRole("button", { name: "Save as a file" }).click();
  const file = await readFile(await (await saved).path());
  expect(file.subarray(0, 19).toString()).toBe("tabernetes share 5\n");

  const fresh = await browser.newContext();
  const other = await fresh.newPage();
  await other.route("**/shared.tabernetes", (route) => route.fulfill({ body: file }));
  const opened = other.getByRole("region", { name: "Share", exact: true });
  const brings = async () => {
    await expect(opened).toContainText("A whole cluster with its history");
    await opened.getByRole("button", { name: "Leave it" }).click();
    await expect(opened).toContainText("Nothing was changed.");
  };
  await other.goto(page.url().split("#")[0] + "#from=shared.tabernetes");
  await expect(opened).toContainText("/shared.tabernetes");
  await opened.getByRole("button", { name: "Load the file" }).click();
  await brings();
  const picked = other.waitForEvent("filechooser");
  await opened.getByRole("button", { name: "Open a file" }).click();
  await (await picked).setFiles({ name: "a.tabernetes", mimeType: "", buffer: file });
  await brings();
  const data = await other.evaluateHandle((bytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], "dropped.tabernetes"));
    return transfer;
  }, [...file]);
  await other.dispatchEvent("#panel-stage", "drop", { dataTransfer: data });
  await expect(opened).toContainText("A whole cluster with its history");
  await opened.getByRole("button", { name: "Open it" }).click();
  await expect.poll(async () => (await names(other)).length).toBeGreaterThan(300);
  await fresh.close();
});

test("a link that is damaged, hostile, newer or elsewhere says so, and changes nothing", async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const head = await create(page, lab, "mine");
  const panel = page.getByRole("region", { name: "Share", exact: true });
  const asked = [];
  page.on("request", (r) => asked.push(r.url()));
  for (const [hash, says] of [
    ["#share=1.AAAA", "it is cut off, or damaged"],
    ["#share=9.AAAA", "it was made by a newer version of this page"],
    ["#share=<img src=x onerror=alert(1)>", "it is no link of this page"],
    ["#from=javascript:alert(1)", "its address is not one of https"],
    ["#from=http://evil.example/x", "its address is not one of https"],
  ]) {
    await page.evaluate((to) => location.assign(to), hash);
    await expect(panel).toContainText(`The link cannot be opened: ${says}`);
    await expect(panel).toContainText("Nothing was changed.");
    expect(await page.evaluate(() => location.hash)).toBe("");
  }
  await page.evaluate(() => location.assign("#from=https://evil.example/x"));
  await expect(panel).toContainText("A file of evil.example: /x");
  expect(asked.filter((u) => u.includes("evil")), "before it is asked for").toEqual([]);
  await panel.getByRole("button", { name: "Leave it" }).click();
  expect(await page.locator("img[src=x]").count()).toBe(0);
  await expect.poll(() => new Timeline(page).revision()).toBe(head);
});
