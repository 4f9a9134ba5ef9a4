// A saved cluster that is damaged, and a storage that fails.
import { readFile } from "node:fs/promises";
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/**
 * Changes the log in the private file system, on a page without a cluster: leaves keep of it, or
 * flips bits of the byte in its middle.
 */
async function damage(page, url, how) {
  await page.goto(url + "/icon.svg");
  await page.evaluate(async ({ keep, flip }) => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("tabernetes");
    const directory = await root.getDirectoryHandle("default");
    for (const name of ["log-0", "log-1"]) {
      const handle = await directory.getFileHandle(name);
      const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
      if (bytes.length < 64) continue;
      const file = await handle.createWritable({ keepExistingData: true });
      const middle = bytes.length >> 1;
      if (keep !== undefined) await file.truncate(keep);
      if (flip) await file.write({ type: "write", position: middle, data: new Uint8Array([bytes[middle] ^ flip]) });
      await file.close();
    }
  }, how);
}

/** Resolves when the page has noted that the log has come to where it is. */
async function recorded(page) {
  await page.evaluate(async () => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("tabernetes");
    const handle = await (await root.getDirectoryHandle("default")).getFileHandle("head");
    const read = async () => String(new Uint8Array(await (await handle.getFile()).arrayBuffer()));
    const before = await read();
    await fetch("/api/v1/namespaces/default/configmaps", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ metadata: { name: "noted" } }),
    });
    while ((await read()) === before) await new Promise((wake) => setTimeout(wake, 20));
  });
}

/** How a log is damaged, given how long it was before its last write, with the head of its file. */
const ways = {
  "a byte in the middle is flipped": () => ({ flip: 0x55 }),
  "its end is missing": (before) => ({ keep: before }),
};
const headOfFile = 16;

// The bare style sheet that stands in for a page without a cluster has no icon.
test.use({ tolerated: [/favicon\.ico/] });

for (const [how, way] of Object.entries(ways)) {
  const tag = way === ways["its end is missing"] ? "@long" : [];
  test(`a damaged cluster is not opened without being asked: ${how}`, { tag }, async ({ lab, page }) => {
    // Without the service worker, which would open the whole page instead of one of its files.
    await lab.open("/?nosw");
    await lab.fetch(configMaps, { method: "POST", body: lab.configMap("first") });
    const size = await page.evaluate(async () => (await tabernetes.savedLog()).size);
    await lab.fetch(configMaps, { method: "POST", body: lab.configMap("second") });
    await recorded(page);
    await damage(page, lab.url, way(headOfFile + size));

    await page.goto(lab.url + "/?nosw");
    const asked = page.getByRole("alert").filter({ hasText: "The saved cluster is damaged, and was not opened" });
    await expect(asked).toBeVisible();
    const download = page.waitForEvent("download");
    await asked.getByRole("button", { name: "Download what is saved" }).click();
    const file = await readFile(await (await download).path());
    expect(await page.evaluate(() => tabernetes.status.state)).toBe("damaged");

    await asked.getByRole("button", { name: "Open the intact part" }).click();
    await expect(asked).toBeHidden();
    await lab.ready();
    expect((await lab.fetch(configMaps + "/first")).status).toBe(how === "its end is missing" ? 200 : 404);
    expect((await lab.fetch(configMaps + "/second")).status).toBe(404);
    const health = await page.evaluate(() => fetch("/readyz?verbose").then((r) => r.text()));
    expect(health).toMatch(/\[\+\]etcd ok: the saved cluster is damaged/);
    await lab.fetch(configMaps, { method: "POST", body: lab.configMap("anew") });

    // The copy is there at any later time, until it is removed.
    await page.reload();
    await lab.ready();
    expect((await lab.fetch(configMaps + "/anew")).status).toBe(200);
    await expect(asked).toBeHidden();
    await lab.openMenu("Levers");
    const copies = page.locator("#kept-copies");
    await expect(copies.getByRole("listitem")).toHaveCount(1);
    const again = page.waitForEvent("download");
    await copies.getByRole("button", { name: /^Download/ }).click();
    expect(await readFile(await (await again).path())).toEqual(file);
    page.once("dialog", (dialog) => dialog.accept());
    await copies.getByRole("button", { name: /^Remove/ }).click();
    await expect(copies).toBeHidden();
  });
}

test("instead of what is sound a new cluster can be had", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/?nosw");
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("first") });
  await recorded(page);
  await damage(page, lab.url, { flip: 0x55 });
  await page.goto(lab.url + "/?nosw");
  await page.getByRole("button", { name: "Start a new cluster" }).click();
  await lab.ready();
  expect((await lab.fetch(configMaps)).body.items.map((o) => o.metadata.name)).not.toContain("first");
  expect(await page.evaluate(() => tabernetes.setAsides())).toHaveLength(1);
});

test("a storage that fails is told at once, leaves no trace of what it did not take, and is told to work again",
  { tag: "@long" }, async ({ lab, page, context }) => {
  await context.route("**/*worker*.js", async (route) => {
    const response = await route.fetch();
    const faults = `{
      let full = false;
      const faults = new BroadcastChannel("faults");
      faults.onmessage = ({ data }) => {
        full = data;
        faults.postMessage("done");
      };
      const { write } = FileSystemSyncAccessHandle.prototype;
      FileSystemSyncAccessHandle.prototype.write = function (bytes, o) {
        return full ? 0 : write.call(this, bytes, o);
      };
    }`;
    await route.fulfill({ response, body: faults + (await response.text()) });
  });
  await lab.open("/?nosw");
  const kept = page.getByRole("banner");
  await expect(kept).toContainText("saved");
  const before = (await lab.fetch(configMaps)).body;
  /** The worker has other channels for requests: it is waited until it knows. */
  const storageIsFull = (full) => page.evaluate((full) => new Promise((done) => {
    const faults = (self.faults ??= new BroadcastChannel("faults"));
    faults.onmessage = done;
    faults.postMessage(full);
  }), full);
  await storageIsFull(true);
  const refused = await lab.fetch(configMaps, { method: "POST", body: lab.configMap("refused") });
  expect(refused.status).toBe(500);
  expect(refused.body.message).toContain("full");
  await expect(kept).toContainText("not saved");
  await expect(page.getByRole("alert").filter({ hasText: "Writes are refused now" })).toBeVisible();
  expect(await page.evaluate(() => fetch("/readyz").then((r) => r.status))).toBe(500);
  const during = (await lab.fetch(configMaps)).body;
  expect(during.items).toEqual(before.items);
  expect(during.metadata.resourceVersion).toBe(before.metadata.resourceVersion);

  await storageIsFull(false);
  await expect(kept).not.toContainText("not saved"); // nobody has to write for that
  await expect(page.getByRole("alert").filter({ hasText: "Writes are refused now" })).toBeHidden();
  expect(await page.evaluate(() => fetch("/readyz").then((r) => r.status))).toBe(200);
  expect((await lab.fetch(configMaps, { method: "POST", body: lab.configMap("taken") })).status).toBe(201);
  await page.reload();
  await lab.ready();
  expect((await lab.fetch(configMaps)).body.items.map((o) => o.metadata.name)).toEqual(
    expect.arrayContaining(["taken"]));
  expect((await lab.fetch(configMaps + "/refused")).status).toBe(404);
});
