// A cluster that has taken all the memory that a tab lets it have.
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Creates ConfigMaps of 0.9 MB until one is refused, and says how many there are and what the answer was. */
function fill(page, from = 0) {
  return page.evaluate(
    async ([path, from]) => {
      const value = "0123456789".repeat(90_000);
      for (let n = from; n < 400; n++) {
        const body = JSON.stringify({ metadata: { name: `big-${n}` }, data: { value } });
        const r = await fetch(path,
          { method: "POST", headers: { "Content-Type": "application/json" }, body, tabernetes: { quiet: true } });
        const text = await r.text();
        if (r.status !== 201) return { n, status: r.status, answer: JSON.parse(text) };
      }
      return { n: 400, status: 201, answer: null };
    },
    [configMaps, from],
  );
}

test("a full cluster refuses what is new, says so, and goes on once something is deleted", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  const full = await fill(page);
  expect(full.status).toBe(500);
  expect(full.answer).toEqual({
    kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure",
      message: "etcdserver: mvcc: database space exceeded", code: 500,
  });
  expect(full.n).toBeGreaterThan(80);

  const banner = page.getByRole("alert").filter({ hasText: "Writes are refused now" });
  await expect(banner).toContainText("database space exceeded: the objects take");
  await expect(page.getByRole("banner")).toContainText(/not saved/i);
  expect((await lab.fetch("/readyz")).status).toBe(500);

  // Reading continues, of all of it in pieces, and a watch.
  const page1 = (await lab.fetch(`${configMaps}?limit=3`)).body;
  expect(page1.items).toHaveLength(3);
  const deleted = page.evaluate(
    async ([path, version]) => {
      const watch = await fetch(`${path}?watch=1&resourceVersion=${version}`, { tabernetes: { quiet: true } });
      window.watching = true;
      const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
      const { value } = await reader.read();
      await reader.cancel();
      return value.slice(0, 18);
    },
    [configMaps, page1.metadata.resourceVersion],
  );
  await page.waitForFunction(() => window.watching);

  // Deleting does, and makes room.
  for (let n = full.n - 8; n < full.n; n++) {
    expect((await lab.fetch(`${configMaps}/big-${n}`, { method: "DELETE" })).status).toBe(200);
  }
  expect(await deleted).toBe('{"type":"DELETED",');
  await expect(banner).toBeHidden();
  expect((await lab.fetch("/readyz")).text).toBe("ok");
  const again = await fill(page, full.n);
  expect(again.status).toBe(500);
  expect(again.n).toBeGreaterThanOrEqual(full.n + 7);

  // All of it is there after a reload, which is as full.
  await page.reload();
  await page.waitForFunction(() => window.tabernetes?.state === "ready");
  expect((await lab.fetch("/readyz")).status).toBe(500);
  const names = await page.evaluate(async (path) => {
    const r = await fetch(path,
      { headers: { Accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
        tabernetes: { quiet: true } });
    return (await r.json()).items.map((o) => o.metadata.name).filter((name) => name.startsWith("big-"));
  }, configMaps);
  expect(names).toHaveLength(again.n - 8);
  await expect(banner).toBeVisible();
  const all = await page.evaluate(async (path) => {
    const r = await fetch(path, { method: "DELETE", tabernetes: { quiet: true } });
    return [r.status, (await r.arrayBuffer()).byteLength]; // as much as there was
  }, configMaps);
  expect(all).toEqual([200, expect.any(Number)]);
  expect(all[1]).toBeGreaterThan(80_000_000);
  expect((await lab.fetch(configMaps, { method: "POST", body: lab.configMap("after") })).status).toBe(201);
  await expect(banner).toBeHidden();
});
