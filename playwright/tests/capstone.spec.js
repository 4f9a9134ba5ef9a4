// The capstone: code of the learner's is judged, in a sandbox that reaches nothing.
import { readFileSync } from "node:fs";
import { wrong } from "../../web/capstone/clients/wrong.js";
import { expect, test } from "../fixtures.js";
import { pathOf } from "../site.js";

const right = readFileSync(new URL("../../web/capstone/clients/right.js", import.meta.url), "utf8");

/** Has code judged and returns what is said. */
async function judge(page, code, level = 1, seed = 1) {
  await page.fill("#capstone-code", code);
  await page.selectOption("#capstone-level", String(level));
  await page.fill("#capstone-seed", String(seed));
  await page.getByRole("button", { name: "Judge it" }).click();
  await expect(page.getByRole("button", { name: "Judge it" })).toBeVisible();
  return page.locator(".capstone-result");
}

test.beforeEach(async ({ page, server }) => {
  await page.goto(server.url + "/#capstone");
  await expect(page.locator("#capstone-code")).toBeVisible();
});

test("a right reflector passes, and a wrong one is told its rule", async ({ page }) => {
  await expect(await judge(page, right, 3)).toContainText("Seed 1 is passed");
  const deaf = await wrong(right, "R7");
  const said = await judge(page, deaf, 3, 2);
  await expect(said).toContainText("Rule R7");
  await expect(page.locator(".capstone-moment tr").last()).toContainText("R7");
  await expect(page.locator(".capstone-picture .capstone-broken")).toHaveCount(1);
  await page.reload();
  await expect(page.locator("#capstone-code")).toHaveValue(deaf);
});

test("the code it begins with is told what it lacks", { tag: "@long" }, async ({ page }) => {
  await page.getByRole("button", { name: "Judge it" }).click();
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
  await expect(await judge(page, right)).toContainText("is passed");
});

test("the sandbox has no network, no storage and no way to the page", async ({ page }) => {
  // What it can reach is told by what it throws.
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
  await page.getByRole("button", { name: "With 21 seeds" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByRole("button", { name: "Judge it" })).toBeVisible();
  await expect(await judge(page, right)).toContainText("is passed");
});
