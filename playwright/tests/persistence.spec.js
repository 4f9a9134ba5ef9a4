// What outlives a reload, a crash, damage, and a second tab.
import { readFile } from "node:fs/promises";
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Writes a little history and says what it was. */
async function write(lab) {
  const made = (await lab.fetch(configMaps, { method: "POST", body: lab.configMap("kept", { k: "1" }) })).body;
  const changed = (await lab.fetch(configMaps + "/kept", { method: "PUT", body: { ...made, data: { k: "2" } } })).body;
  const gone = (await lab.fetch(configMaps, { method: "POST", body: lab.configMap("gone") })).body;
  await lab.fetch(configMaps + "/gone", { method: "DELETE" });
  return { made, changed, gone };
}

/** Events of a watch from a version, as many as asked. */
function events(page, version, count) {
  return page.evaluate(
    async ([path, version, count]) => {
      const abort = new AbortController();
      const watch = await fetch(`${path}?watch=1&resourceVersion=${version}`, { signal: abort.signal });
      const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const lines = text.split("\n").slice(0, -1);
        if (lines.length >= count) {
          abort.abort();
          return lines.slice(0, count).map((l) => JSON.parse(l)).map(
            (e) => `${e.type} ${e.object.metadata?.name} ${e.object.metadata?.resourceVersion}`);
        }
        const { value, done } = await reader.read();
        if (done) return [text, "the watch ended"];
        text += value;
      }
    },
    [configMaps, version, count],
  );
}

test("a reload keeps objects, revisions and history", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const { made, changed, gone } = await write(lab);
  const before = (await lab.fetch(configMaps)).body;
  const story = await events(page, made.metadata.resourceVersion, 3);
  expect(story[0]).toBe(`MODIFIED kept ${changed.metadata.resourceVersion}`);
  expect(story[1]).toBe(`ADDED gone ${gone.metadata.resourceVersion}`);

  await page.reload();
  await lab.ready();
  const after = (await lab.fetch(configMaps)).body;
  expect(after.items).toEqual(before.items);
  expect(Number(after.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(before.metadata.resourceVersion));
  expect(await events(page, made.metadata.resourceVersion, 3)).toEqual(story);
  const past = (await lab.fetch(
    `${configMaps}?resourceVersion=${made.metadata.resourceVersion}&resourceVersionMatch=Exact`)).body;
  expect(past.items.map((o) => o.data?.k)).toEqual(["1"]);
  const next = (await lab.fetch(configMaps, { method: "POST", body: lab.configMap("next") })).body;
  expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));

  // What is answered is durable: a page that is gone a moment later has lost nothing.
  await page.evaluate((path) =>
    fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ metadata: { name: "last" } }) }).then(() => void setTimeout(() => location.reload())),
        configMaps);
  await page.waitForLoadState();
  await lab.ready();
  expect((await lab.fetch(configMaps + "/last")).status).toBe(200);
});

test.describe("crash", () => {
  test.use({ tolerated: [/panic|goroutine|crash|asked|exit code|unreachable|wasm_exec|Uncaught|Go program/i] });
  test("a crash is said, and a restart brings everything back", async ({ lab, page }) => {
    await lab.open();
    const { made, changed } = await write(lab);
    const broken = page.evaluate(async (path) => {
      const watch = await fetch(path + "?watch=1&resourceVersion=1");
      const reader = watch.body.getReader();
      try {
        while (!(await reader.read()).done);
        return "ended as if it were whole";
      } catch (e) {
        return e.name;
      }
    }, configMaps);
    await page.evaluate(() => fetch("/readyz")); // the watch is open by now
    await page.evaluate(() => tabernetes.crash());
    const banner = page.getByRole("alert").filter({ hasText: "The cluster in this tab has stopped" });
    await expect(banner).toBeVisible();
    expect(await broken).toBe("TypeError");
    expect(await page.evaluate((path) => fetch(path).then(() => "answered", (e) => e.name), configMaps)).toBe(
      "TypeError");
    await banner.getByRole("button", { name: /restart/i }).click();
    await lab.ready();
    await expect(banner).toBeHidden();
    expect((await lab.fetch(configMaps + "/kept")).body).toEqual(changed);
    expect((await events(page, made.metadata.resourceVersion, 1))[0]).toBe(
      `MODIFIED kept ${changed.metadata.resourceVersion}`);
  });

  test("a cluster that has crashed can be downloaded and removed without being loaded", { tag: "@long" },
    async ({ lab, page }) => {
    await lab.open();
    const { changed } = await write(lab);
    await page.evaluate(() => tabernetes.crash());
    const banner = page.getByRole("alert").filter({ hasText: "The cluster in this tab has stopped" });
    const download = page.waitForEvent("download");
    await banner.getByRole("button", { name: "Download what is saved" }).click();
    const file = await (await download).path();
    page.once("dialog", (dialog) => dialog.accept());
    await banner.getByRole("button", { name: "Remove it and start over" }).click();
    await expect(banner).toBeHidden();
    await lab.ready();
    expect((await lab.fetch(configMaps + "/kept")).status).toBe(404);
    // What was downloaded can be opened.
    await page.locator("#cluster-file").setInputFiles(
      { name: "a.tabernetes", mimeType: "application/octet-stream", buffer: await readFile(file) });
    await expect(page.locator("#cluster-file-result")).toHaveText("a.tabernetes is the cluster now.");
    expect((await lab.fetch(configMaps + "/kept")).body).toEqual(changed);
  });
});

test("a second tab shares the cluster, or works on a copy if that is chosen", async ({ lab, page, context }) => {
  await lab.open();
  const { changed } = await write(lab);
  const second = await context.newPage();
  const other = new lab.constructor(second, lab.url);
  await other.open();
  await expect(second.getByRole("status").filter({ hasText: "This is tab 2 of one cluster" })).toBeVisible();
  await expect(page.getByRole("banner")).toContainText("saved, tab 1 of 2");
  expect((await other.fetch(configMaps + "/kept")).body).toEqual(changed);
  await other.fetch(configMaps, { method: "POST", body: other.configMap("of-both") });
  expect((await lab.fetch(configMaps + "/of-both")).status).toBe(200);

  await second.getByRole("button", { name: "Work on a copy" }).click();
  await expect(second.getByRole("status").filter({ hasText: "works on a copy" })).toBeVisible();
  await other.ready();
  expect((await other.fetch(configMaps + "/kept")).body).toEqual(changed); // what was saved is there to see
  await other.fetch(configMaps, { method: "POST", body: other.configMap("of-the-second") });
  await other.fetch(configMaps + "/kept", { method: "DELETE" });
  expect((await other.fetch(configMaps + "/of-the-second")).status).toBe(200);
  expect((await lab.fetch(configMaps + "/of-the-second")).status).toBe(404);
  await second.getByRole("button", { name: "Share the cluster" }).click();
  await expect(second.getByRole("status").filter({ hasText: "This is tab 2 of one cluster" })).toBeVisible();
  await other.ready();
  expect((await other.fetch(configMaps + "/of-the-second")).status).toBe(404);
  expect((await other.fetch(configMaps + "/kept")).status).toBe(200);
});
