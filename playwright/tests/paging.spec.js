// The API concepts page's own example: 1,253 pods in pages of 500.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const pods = "/api/v1/namespaces/paging/pods";

async function count(lab) {
  const { body } = await lab.fetch(pods + "?limit=1");
  return (body.metadata.remainingItemCount ?? 0) + (body.items ?? []).length;
}

test("1,253 pods in three pages of one snapshot, while pods are deleted", async ({ lab, page }) => {
  await lab.open();
  await lab.sample("1,253 pods");
  await expect.poll(() => count(lab), { timeout: 30_000 }).toBe(1253);
  await page.keyboard.press("Escape");
  const names = (await lab.fetch(pods)).body.items.map((p) => p.metadata.name);

  const timeline = new Timeline(page);
  await timeline.showTables();
  // Pages of the console are kept to be compared.
  await page.evaluate(() => {
    const text = new Map();
    window.pagesSeen = [];
    tabernetes.onTap((e) => {
      if (e.type === "request" && /pods\?.*limit=500/.test(e.url)) text.set(e.id, "");
      else if (e.type === "chunk" && text.has(e.id)) text.set(e.id, text.get(e.id) + e.text);
      else if (e.type === "end" && text.has(e.id)) window.pagesSeen.push(JSON.parse(text.get(e.id)));
    });
  });
  await lab.request("GET", pods + "?limit=500");
  const next = timeline.pages.getByRole("button", { name: /^Next page of list/ });
  await expect(next).toBeVisible();
  await expect(timeline.pages).toContainText("753 remain");

  for (const name of [names[10], names[600], names[601], names[1252]]) expect((await lab.fetch(`${pods}/${name}`, { method: "DELETE" })).status).toBe(200);
  await next.click();
  await expect(timeline.pages).toContainText("253 remain");
  for (const name of [names[700], names[1100]]) expect((await lab.fetch(`${pods}/${name}`, { method: "DELETE" })).status).toBe(200);
  await next.click();
  await expect(timeline.pages).toContainText("All 3 pages show revision");

  const pages = await page.evaluate(() => window.pagesSeen.map((p) => ({ version: p.metadata.resourceVersion, names: p.items.map((o) => o.metadata.name), more: !!p.metadata.continue })));
  expect(pages.map((p) => p.names.length)).toEqual([500, 500, 253]);
  expect(new Set(pages.map((p) => p.version)).size).toBe(1);
  expect(pages.flatMap((p) => p.names)).toEqual(names);
  expect(await count(lab)).toBe(1247);

  const table = timeline.pages.getByRole("table").locator("tbody tr");
  await expect(table).toHaveCount(3);
  const rows = await table.allInnerTexts();
  for (const [i, range] of ["1–500", "501–1000", "1001–1253"].entries()) {
    expect(rows[i]).toContain(range);
    expect(rows[i]).toContain(pages[0].version);
  }
  // Each deletion of a pod is two writes: the order to stop, and the end.
  await expect(timeline.pages).toContainText("12 later");
});

test("a token expires with its snapshot, and two ways lead on", async ({ lab, page }) => {
  await lab.open();
  for (let i = 0; i < 7; i++) await lab.fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: lab.configMap("c" + i) });
  const timeline = new Timeline(page);
  await lab.request("GET", "/api/v1/namespaces/default/configmaps?limit=3");
  await expect(timeline.pages.getByText("continue token")).toBeVisible();
  await timeline.pages.getByText("continue token").click();
  await expect(timeline.pages).toContainText("opaque");
  await lab.fetch("/api/v1/namespaces/default/configmaps/c6", { method: "DELETE" });
  await lab.lever("Compact now");
  await timeline.pages.getByRole("button", { name: /^Next page of list/ }).click();
  await expect(timeline.pages).toContainText("410");
  await timeline.pages.getByRole("button", { name: "Go on from the same key" }).click();
  await expect(timeline.pages).toContainText("not one moment");
});
