// The API concepts page's own example: 1,253 pods in pages of 500.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const pods = "/api/v1/namespaces/paging/pods";

async function count(lab) {
  const { body } = await lab.fetch(pods + "?limit=1");
  return (body.metadata.remainingItemCount ?? 0) + (body.items ?? []).length;
}

test("1,253 pods in three pages of one snapshot, while pods are deleted", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.sample("1,253 pods");
  await expect.poll(() => count(lab)).toBe(1253);
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
  const list = timeline.row("p1");
  const next = list.getByRole("button", { name: "Next page of list p1" });
  await expect(next).toBeVisible();
  await expect(timeline.words("p1")).toHaveAccessibleName(/^p1, paging\/pods, 1 page, as of \d+, 753 remain$/);
  await expect(list).toContainText("753 remain");
  await expect(lab.response).toContainText("pages"); // the verdict

  for (const name of [names[10], names[600], names[601], names[1252]]) {
    expect((await lab.fetch(`${pods}/${name}`, { method: "DELETE" })).status).toBe(200);
  }
  await next.click();
  await expect(timeline.words("p1")).toHaveAccessibleName(/, 2 pages, as of \d+, 253 remain$/);
  // The button shows its answer, as Send does.
  await expect(lab.response).toContainText("continue=");
  for (const name of [names[700], names[1100]]) {
    expect((await lab.fetch(`${pods}/${name}`, { method: "DELETE" })).status).toBe(200);
  }
  await next.click();
  await expect(list).toContainText("whole: one state, 3 pages");

  const pages = await page.evaluate(
    () => window.pagesSeen.map(
      (p) => ({ version: p.metadata.resourceVersion, names: p.items.map((o) => o.metadata.name),
        more: !!p.metadata.continue })));
  expect(pages.map((p) => p.names.length)).toEqual([500, 500, 253]);
  expect(new Set(pages.map((p) => p.version)).size).toBe(1);
  expect(pages.flatMap((p) => p.names)).toEqual(names);
  expect(await count(lab)).toBe(1247);

  await expect.poll(async () => (await timeline.table(/^List p1 of paging\/pods, snapshot at/)).length).toBe(3);
  const rows = await timeline.table(/^List p1/);
  for (const [i, range] of ["1–500", "501–1000", "1001–1253"].entries()) {
    expect(rows[i][1].replaceAll(" ", "")).toBe(range);
    expect(rows[i][4]).toBe(pages[0].version);
  }
  // What was deleted meanwhile is said at its key: the pages hold it still.
  await expect(list).toContainText(/deleted later: still on page [12]/);
});

test("a token expires with its snapshot, and two ways lead on", async ({ lab, page }) => {
  await lab.open();
  const configMaps = "/api/v1/namespaces/default/configmaps";
  for (let i = 0; i < 7; i++) await lab.fetch(configMaps, { method: "POST", body: lab.configMap("c" + i) });
  const timeline = new Timeline(page);
  await lab.request("GET", configMaps + "?limit=3");
  const list = timeline.row("p1");
  await expect(list).toContainText("1 page so far");
  // The token in the answer leads to the next page's request.
  await lab.answer.getByRole("link", { name: /^"?ey/ }).click();
  await expect(lab.path).toHaveValue(/limit=3&continue=ey/);
  await lab.fetch(configMaps + "/c6", { method: "DELETE" });
  await lab.lever("Compact now");
  await expect(list).toContainText("its token has expired");
  await list.getByRole("button", { name: "Next page of list p1" }).click();
  await expect(list).toContainText("410: the token has expired");
  await expect(lab.response).toContainText(/410: etcd was compacted at \d+, after \d+\.The continue token has expired/);
  await expect(lab.response.getByRole("button", { name: "List again" })).toBeVisible();
  await list.getByRole("button", { name: "Continue list p1 from the same key, in the current state" }).click();
  await expect(list).toContainText("two states combined");
  await expect(list).toContainText("c6 is missing: deleted at");
  await expect(timeline.words("p1")).toHaveAccessibleName(/combined from several states/);
  await list.getByRole("button", { name: "Take list p1 off the stage" }).click();
  await expect(timeline.row("p1")).toHaveCount(0);
});

test("a list that came whole takes no room on the stage", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  await lab.request("GET", "/api/v1/namespaces?limit=500");
  await expect(lab.response).toContainText("200");
  await lab.request("GET", "/api/v1/namespaces?limit=2");
  await expect(timeline.rows.getByRole("img", { name: /^p\d, / })).toHaveCount(1);
});
