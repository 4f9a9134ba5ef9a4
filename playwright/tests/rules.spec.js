// The tables of get, list and watch: every cell is run, in forks of the cluster.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";

const secrets = "/api/v1/namespaces/default/secrets";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The number of cells: two for each row of the three tables in core/README.md. */
const readme = readFileSync(new URL("../../core/README.md", import.meta.url), "utf8");
const cells = 2 * readme.split("\n").filter((l) => /^\|.*\| `(get|list|watch)-[a-z-]+` \|/.test(l)).length;

const tab = (page) => page.getByRole("tab", { name: "Rules", exact: true });
const panel = (page) => page.getByRole("tabpanel", { name: "Rules" });
const cell = (page, asked, behind = false) =>
  panel(page).getByRole("button",
    { name: `Run ${asked}, with a cache that ${behind ? "is behind" : "keeps up"}`, exact: true });
const answer = (page) => page.getByRole("region", { name: "Answer of the chosen cell" });

/** Where the present cluster is, and what it has. */
async function state(lab) {
  const { status } = (await lab.fetch(CONTROL_PLANE)).body;
  const { items } = (await lab.fetch(secrets)).body;
  return { revision: status.revision, compacted: status.compactedRevision,
    secrets: items.map((i) => `${i.metadata.name}@${i.metadata.resourceVersion}`) };
}

/** Puts Secrets and a quota into the cluster that would be in the way. */
async function fill(lab) {
  for (const name of ["b", "zz"]) {
    const made = await lab.fetch(secrets, { method: "POST", body: { metadata: { name }, stringData: { mine: "1" } } });
    expect(made.status).toBe(201);
  }
  const quota = { metadata: { name: "none" }, spec: { hard: { secrets: "2" } } };
  expect((await lab.fetch("/api/v1/namespaces/default/resourcequotas", { method: "POST", body: quota })).status).toBe(
    201);
}

test("every cell of the tables is as its row says, and the cluster is not touched",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await fill(lab);
  // Its controllers write by themselves for a moment.
  let before = await state(lab);
  await expect
    .poll(async () => {
      const was = before.revision;
      before = await state(lab);
      return before.revision === was;
    })
    .toBe(true);
  const workers = page.workers().length;
  await tab(page).click();
  await panel(page).getByRole("button", { name: "Run all" }).click();
  await expect(panel(page)).toContainText(`${cells} of ${cells} run, all as their rows say`, { timeout: 90_000 });
  await expect(panel(page)).toContainText(new RegExp(`fork of revision ${before.revision}, made \\d\\d:\\d\\d:\\d\\d`));
  await expect(panel(page).getByText("✗")).toHaveCount(0);
  expect(page.workers().length).toBe(workers + 2);
  expect(await state(lab)).toEqual(before);

  // Who leaves the tab ends the forks; what they answered stays.
  await page.getByRole("tab", { name: "Console" }).click();
  await expect.poll(() => page.workers().length).toBe(workers);
  await tab(page).click();
  await expect(panel(page)).toContainText(`was a fork of revision ${before.revision}`);
});

test("a cell shows its answer, where that came from, and by which rule", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await tab(page).click();
  await cell(page, "get HEAD", true).click();
  await expect(answer(page)).toContainText("As expected: waits 3 s, then 504, Retry-After: 1");
  await expect(answer(page)).toContainText("from cache");
  await expect(answer(page)).toContainText("waited 3s");
  await expect(answer(page)).toContainText(
    "as the cache has it, once it has that version; 504 if it does not within 3 s");
  await expect(answer(page)).toContainText('"reason": "Timeout"');

  // The dock has the room of the stage if it is asked to.
  await page.getByRole("button", { name: "Enlarge this panel" }).first().click();
  await expect(page.getByRole("button", { name: "Make this panel small again" }).first()).toHaveAttribute(
    "aria-pressed", "true");
  await panel(page).getByRole("radio", { name: "watch" }).check();
  await cell(page, "watch 0, bookmarks", true).click();
  await expect(answer(page)).toContainText("As expected: ADDED for all as the cache has it, end mark, then changes");
  await expect(answer(page)).toContainText(/ADDED a, ADDED b, ADDED c, ADDED d, BOOKMARK \d+/);
  await expect(answer(page)).toContainText('"k8s.io/initial-events-end": "true"');

  // A fork that was made before is not of the cluster as it is now.
  await expect(panel(page)).toContainText("fork of revision");
  const made = await lab.fetch(secrets, { method: "POST", body: { metadata: { name: "later" } } });
  await panel(page).getByRole("button", { name: "Fork again" }).click();
  await expect(panel(page)).toContainText(`fork of revision ${made.body.metadata.resourceVersion}, made`);
  await expect(answer(page)).toBeHidden();
});

test("is used with the keyboard alone, and axe finds nothing", { tag: "@long" }, async ({ lab, page }) => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await lab.open();
    await tab(page).focus();
    await page.keyboard.press("Enter");
    await cell(page, "get unset").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await expect(cell(page, "get 0", true)).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(answer(page)).toContainText("As expected: as the cache has it");
    await expect(cell(page, "get 0", true)).toBeFocused();
    await page.keyboard.press("End");
    await expect(cell(page, "get garbage", true)).toBeFocused();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await expect(answer(page).getByRole("link")).toBeFocused();
    await page.evaluate(axe);
    const found = await page.evaluate(
      async () => (await window.axe.run("#dock")).violations.map(
        (v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`));
    expect(found, colorScheme).toEqual([]);
  }
});

test("says why there is no fork", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await page.evaluate(() => {
    const { fetch } = tabernetes;
    tabernetes.fetch = (path, init) =>
      (String(path).endsWith("/snapshot") ? Promise.resolve(new Response('{"message":"not today"}', { status: 403 }))
        : fetch(path, init));
  });
  await tab(page).click();
  await cell(page, "get unset").click();
  await expect(panel(page)).toContainText("There is no fork: 403 not today");
});
