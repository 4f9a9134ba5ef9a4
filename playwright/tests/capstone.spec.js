// The capstone: code of the learner's is judged, in a sandbox that reaches nothing.
import { readFileSync } from "node:fs";
import { wrong as wrongController } from "../../web/course/capstone/clients/reconcile/wrong.js";
import { wrong } from "../../web/course/capstone/clients/wrong.js";
import { expect, test } from "../fixtures.js";
import { pathOf } from "../site.js";

const right = readFileSync(new URL("../../web/course/capstone/clients/right.js", import.meta.url), "utf8");

const controller = readFileSync(
  new URL("../../web/course/capstone/clients/reconcile/right.js", import.meta.url), "utf8");

/** Has code judged and returns what is said. */
async function judge(page, code, level = 1, seed = 1) {
  await page.fill("#capstone-code", code);
  const all = page.getByRole("button", { name: "Open all levels" });
  if (await all.isVisible()) await all.click();
  await page.selectOption("#capstone-level", String(level));
  await page.fill("#capstone-seed", String(seed));
  await page.getByRole("button", { name: "Judge one run" }).click();
  await expect(page.getByRole("button", { name: "Judge one run" })).toBeVisible();
  return page.locator(".capstone-result");
}

test.beforeEach(async ({ page, server }) => {
  await page.goto(server.url + "/#capstone");
  await expect(page.locator("#capstone-code")).toBeVisible();
});

test("a right reflector passes, and a wrong one is told its rule", { tag: "@long" }, async ({ page }) => {
  await expect(await judge(page, right, 3)).toContainText("One run of level 3 is passed: seed 1");
  const deaf = await wrong(right, "R7");
  const said = await judge(page, deaf, 3, 2);
  await expect(said).toContainText("Rule R7");
  await expect(page.locator(".capstone-moment tr").last()).toContainText("R7");
  await expect(page.locator(".capstone-picture .capstone-broken")).toHaveCount(1);
  await page.reload();
  await expect(page.locator("#capstone-code")).toHaveValue(deaf);
});

test("a right controller passes, beside the real one, and a wrong one does not", { tag: "@long" }, async ({ page }) => {
  await page.getByRole("button", { name: "Open all levels" }).click();
  await page.selectOption("#capstone-level", "7");
  await expect(page.locator("#capstone-code")).toHaveValue(/function reconcile/);
  await expect(await judge(page, controller, 7)).toContainText("One run of level 7 is passed: seed 1");
  await expect(page.locator(".capstone-beside tbody tr")).toHaveCount(3);
  await expect(page.locator(".capstone-beside mark")).toHaveCount(0);
  const wrong = wrongController(controller, "makes Pods without an owner");
  await expect(await judge(page, wrong, 7)).toContainText("Rule C1");
  await page.reload();
  await page.selectOption("#capstone-level", "1");
  await expect(page.locator("#capstone-code")).toHaveValue(/function reflect/);
});

test("the code it begins with is told what it lacks", { tag: "@long" }, async ({ page }) => {
  await page.getByRole("button", { name: "Open all levels" }).click();
  await page.getByRole("button", { name: "Judge one run" }).click();
  await expect(page.locator(".capstone-result")).toContainText("Rule R16");
});

test("code that is no code, has no reflect, or throws is told so", { tag: "@long" }, async ({ page }) => {
  await expect(await judge(page, "export const = 1")).toContainText("SyntaxError");
  await expect(await judge(page, "export const a = 1;")).toContainText("no function reflect");
  await expect(await judge(page, 'export async function reflect() { throw new Error("oh no"); }')).toContainText(
    "oh no");
});

test("code that never rests is ended, and the next is judged", { tag: "@long" }, async ({ page }) => {
  await expect(await judge(page, "export async function reflect() { for (;;); }")).toContainText("did not respond");
  await expect(await judge(page, right)).toContainText("is passed: seed 1");
});

test("the sandbox has no network, no storage and no way to the page", async ({ page }) => {
  // What it throws shows what it can reach.
  const probe = `export async function reflect() {
    const tries = {
      network: () => import("${pathOf("app.js")}"),
      storage: () => indexedDB.open("x"),
      cookies: () => self.document.cookie,
      scripts: () => importScripts("${pathOf("app.js")}"),
      request: () => new XMLHttpRequest(),
      page: () => self.parent.document,
      origin: () => { if (self.origin !== "null") return "reached"; throw new Error(); },
    };
    const reached = [];
    for (const [name, f] of Object.entries(tries)) {
      try { await f(); reached.push(name); } catch {}
    }
    throw new Error("reached: " + reached.join(" ") + ".");
  }`;
  await expect(await judge(page, probe)).toContainText("reached: .");
});

test("a run can be stopped", { tag: "@long" }, async ({ page }) => {
  await page.fill("#capstone-code", right);
  await page.getByRole("button", { name: "Open all levels" }).click();
  await page.getByRole("button", { name: "Pass the level: 21 seeds" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByRole("button", { name: "Judge one run" })).toBeVisible();
  await expect(await judge(page, right)).toContainText("is passed: seed 1");
});

test("a level comes with its lesson; its editor shows lines and errors; a lost run is watched on the stage",
  { tag: "@long" }, async ({
  page, lab,
}) => {
  // Nothing is open before the lesson is passed, and the page says which lesson that is.
  const levels = page.locator("#capstone-level option");
  await expect(levels.first()).toBeDisabled();
  await expect(levels.first()).toContainText("after lesson 4");
  await expect(page.getByRole("button", { name: "Judge one run" })).toBeDisabled();
  await expect(page.locator(".course-page")).toContainText("Level 1 opens after lesson 4");
  await page.evaluate(() => {
    const id = "list-then-watch";
    const { lessons } = JSON.parse(document.getElementById("course-index").textContent);
    const { steps } = lessons.find((l) => l.id === id);
    const slug = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    localStorage.setItem("tabernetes/lesson/" + id, JSON.stringify({ passed: steps.map(slug) }));
  });
  await page.goto("about:blank");
  await lab.open("/#lesson-list-then-watch");
  const link = page.locator('article[data-lesson-id="list-then-watch"] .lesson-opens a');
  await expect(link).toBeVisible();
  await expect(link).toContainText("level 1 of the capstone, calm");

  // By the keyboard from there: the level that it opens is chosen.
  await link.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("#capstone-level")).toHaveValue("1");
  await expect(levels.first()).toBeEnabled();
  await expect(levels.nth(1)).toBeDisabled();
  const editor = page.locator(".capstone-editor");
  await expect(editor).toHaveClass(/is-live/);
  await expect(editor.locator(".gutter")).toContainText("1\n2\n3");
  await expect(editor.locator(".colours .k").first()).toHaveText("export");
  await expect(page.locator("#capstone-code"), "it covers no colours")
    .toHaveCSS("background-color", "rgba(0, 0, 0, 0)");

  // An error has its line; what is printed and passed stands in the log.
  await page.fill("#capstone-code", "export async function reflect() {\n  await null;\n  throw new Error('oh no');\n}");
  await page.getByRole("button", { name: "Judge one run" }).click();
  await page.getByRole("button", { name: "Show line 3" }).click();
  await expect(editor.locator(".colours > div.is-wrong")).toHaveText("  throw new Error('oh no');");
  await page.fill("#capstone-code", "export async function reflect({ store }) {\n  const = 1;\n}");
  await page.getByRole("button", { name: "Judge one run" }).click();
  await expect(page.locator(".capstone-result")).toContainText(/Line 2: SyntaxError/);
  await page.fill("#capstone-code", `export async function reflect({ path, fetch, store, signal }) {
  const list = await (await fetch(path, { signal })).json();
  console.log("items", list.items.length);
  store.replace(list.items.slice(1), list.metadata.resourceVersion);
  store.put(undefined, "x");
}`);
  await page.getByRole("button", { name: "Judge one run" }).click();
  await expect(page.locator(".capstone-result")).toContainText("Rule R");
  const moment = page.locator(".capstone-moment");
  const items = Number(/items (\d+)/.exec(await moment.innerText())[1]);
  await expect(moment).toContainText(`store.replace(${items - 1} objects`);

  // It is played again, in a cluster put aside for it, to the verdict.
  await page.getByRole("button", { name: "Watch it on the stage" }).click();
  await expect(page.locator("#panel-present")).toContainText(/request 1 lists|R1/);
});

test("on a phone the page fits, and a run is judged", { tag: "@long" }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(await judge(page, right, 1)).toContainText("One run of level 1 is passed");
  const wide = await page.locator(".course-page").evaluate((el) => el.scrollWidth > el.clientWidth + 1);
  expect(wide).toBe(false);
});
