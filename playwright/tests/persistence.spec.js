// What outlives a reload, a crash, damage, and a second tab.
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
          return lines.slice(0, count).map((l) => JSON.parse(l)).map((e) => `${e.type} ${e.object.metadata?.name} ${e.object.metadata?.resourceVersion}`);
        }
        const { value, done } = await reader.read();
        if (done) return [text, "the watch ended"];
        text += value;
      }
    },
    [configMaps, version, count],
  );
}

test("a reload keeps objects, revisions and history", async ({ lab, page }) => {
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
  const past = (await lab.fetch(`${configMaps}?resourceVersion=${made.metadata.resourceVersion}&resourceVersionMatch=Exact`)).body;
  expect(past.items.map((o) => o.data?.k)).toEqual(["1"]);
  const next = (await lab.fetch(configMaps, { method: "POST", body: lab.configMap("next") })).body;
  expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));

  // What is answered is durable: a page that is gone a moment later has lost nothing.
  await page.evaluate((path) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ metadata: { name: "last" } }) }).then(() => void setTimeout(() => location.reload())), configMaps);
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
    expect(await page.evaluate((path) => fetch(path).then(() => "answered", (e) => e.name), configMaps)).toBe("TypeError");
    await banner.getByRole("button", { name: /restart/i }).click();
    await lab.ready();
    await expect(banner).toBeHidden();
    expect((await lab.fetch(configMaps + "/kept")).body).toEqual(changed);
    expect((await events(page, made.metadata.resourceVersion, 1))[0]).toBe(`MODIFIED kept ${changed.metadata.resourceVersion}`);
  });
});

/** Changes every file of the origin's private file system, on a page without a cluster. */
async function damage(page, url, how) {
  await page.goto(url + "/app.css");
  return page.evaluate(async (how) => {
    const changed = [];
    async function walk(directory) {
      for await (const handle of directory.values()) {
        if (handle.kind === "directory") {
          await walk(handle);
          continue;
        }
        const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
        if (bytes.length < 64) continue;
        const file = await handle.createWritable({ keepExistingData: true });
        if (how === "middle") await file.write({ type: "write", position: bytes.length >> 1, data: new Uint8Array([bytes[bytes.length >> 1] ^ 0x55]) });
        else await file.write({ type: "write", position: 0, data: new TextEncoder().encode("not a cluster".repeat(3)) });
        await file.close();
        changed.push(handle.name);
      }
    }
    await walk(await navigator.storage.getDirectory());
    return changed;
  }, how);
}

test.describe("damage", () => {
  // The bare style sheet that stands in for a page without a cluster has no icon.
  test.use({ tolerated: [/favicon\.ico/] });
  for (const how of ["beginning", "middle"]) {
  test(`a saved cluster damaged in its ${how} is set aside and named`, async ({ lab, page }) => {
    // Without the service worker, which would open the whole page instead of one of its files.
    await lab.open("/?nosw");
    await write(lab);
    expect(await damage(page, lab.url, how)).toHaveLength(1);
    await lab.open("/?nosw");
    const banner = page.getByRole("alert").filter({ hasText: "The saved cluster could not be read" });
    await expect(banner).toBeVisible();
    const name = await page.evaluate(() => tabernetes.status.setAside);
    expect(name).not.toBe("");
    await expect(banner).toContainText(name);
    expect((await lab.fetch("/api/v1/namespaces/default")).status).toBe(200);
    // It is still there, whole, to be downloaded.
    const download = page.waitForEvent("download");
    await banner.getByRole("button", { name: /download|save/i }).or(banner.getByRole("link", { name: /download|save/i })).click();
    expect((await download).suggestedFilename()).toContain("set-aside");
    // The new cluster is kept like any other.
    await lab.fetch(configMaps, { method: "POST", body: lab.configMap("anew") });
    await page.reload();
    await lab.ready();
    expect((await lab.fetch(configMaps + "/anew")).status).toBe(200);
  });
  }
});

test("a second tab says that it works on a copy, and harms nothing", async ({ lab, page, context }) => {
  await lab.open();
  const { changed } = await write(lab);
  const second = await context.newPage();
  const other = new lab.constructor(second, lab.url);
  await other.open();
  await expect(second.getByRole("status").filter({ hasText: /copy/i })).toBeVisible();
  expect((await other.fetch(configMaps + "/kept")).body).toEqual(changed); // what was saved is there to see
  await other.fetch(configMaps, { method: "POST", body: other.configMap("of-the-second") });
  await other.fetch(configMaps + "/kept", { method: "DELETE" });
  expect((await other.fetch(configMaps + "/of-the-second")).status).toBe(200);

  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("of-the-first") });
  await second.close();
  await page.reload();
  await lab.ready();
  await expect(page.getByRole("status").filter({ hasText: /copy/i })).toHaveCount(0);
  const names = (await lab.fetch(configMaps)).body.items.map((o) => o.metadata.name);
  expect(names).toEqual(expect.arrayContaining(["kept", "of-the-first"]));
  expect(names).not.toContain("of-the-second");
});
