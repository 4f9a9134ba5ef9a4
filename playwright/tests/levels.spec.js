// One's own levels: made in the page, shared by a link, solved by somebody else.
import { readFile } from "node:fs/promises";
import { test, expect } from "../fixtures.js";
import { deflateRawSync } from "node:zlib";
import { expectNoViolations } from "../axe.js";
import { Lesson } from "../lesson.js";
import { tabTo } from "../lab.js";

const paint = "/api/v1/namespaces/level/configmaps/paint";
const START = `POST /api/v1/namespaces/level/configmaps

{"metadata": {"name": "paint"}, "data": {"color": "red"}}`;
const SOLUTION = `PATCH ${paint}
Content-Type: application/merge-patch+json

{"data": {"color": "blue"}}

###
GET ${paint}`;

/** The page of levels. */
async function openLevels(page) {
  await page.evaluate(() => (location.hash = "#levels"));
  const form = page.locator("#levels form");
  await expect(form).toBeVisible();
  return form;
}

/** Writes a level into the form: the n-th row is the n-th fieldset. */
async function write(form) {
  await form.getByLabel("Title").fill("Paint it blue");
  await form.getByLabel("Story").fill("Somebody has painted `paint` red. <img src=x onerror=\"window.hit = 1\">");
  await form.getByLabel("Requests that make the start").fill(START);
  await form.getByLabel(/^Settings/).fill("servers: 2");
  await form.getByLabel("What is to be reached").fill("The ConfigMap `paint` is blue.");
  const row = form.getByRole("group", { name: "Row r1" });
  await row.getByLabel("In words").fill("It is blue");
  await row.getByLabel("Path").fill(paint);
  await row.getByLabel("Conditions").fill("response.body.data.color = blue");
  await form.getByLabel("only these, or none").check();
  await form.getByLabel("compact", { exact: true }).check();
  await form.getByLabel(/^Solution/).fill(SOLUTION);
  await form.getByLabel("Hint").fill("A merge patch changes what it names.");
}

/** Sends a request by a script of the page, as the console does. */
const send = (page, method, body) => page.evaluate(async ([path, method, body]) => (await fetch(path, {
  method, ...(body && { body, headers: { "Content-Type": "application/merge-patch+json" } }),
})).status, [paint, method, body]);

test("a level is made, shared by link and solved in a fresh profile",
  { tag: "@long" }, async ({ lab, page, browser }) => {
  await lab.open();
  const form = await openLevels(page);
  const said = form.getByRole("status");
  await form.getByRole("button", { name: "Try it" }).click();
  await expect(said).toHaveText(/^Title: /);
  await expect(form.getByLabel("Title")).toBeFocused();
  await write(form);
  await form.getByLabel("Requests that make the start").fill("POST /api/v1/namespaces/default/configmaps");
  await form.getByRole("button", { name: "Try it" }).click();
  await expect(said).toContainText("Start, line 1: a level's requests write in its own namespaces");
  await form.getByLabel("Requests that make the start").fill(START);
  await expect(said).toHaveText("");

  await form.getByRole("button", { name: "Try it" }).click();
  const lesson = new Lesson(page);
  await expect(lesson.title).toHaveText("Paint it blue");
  await expect(lesson.article).toContainText('<img src=x onerror="window.hit = 1">');
  await expect.poll(() => send(page, "GET")).toBe(200);
  expect(await send(page, "PATCH", '{"data": {"color": "blue"}}')).toBe(200);
  await send(page, "GET");
  await expect(lesson.step(1)).toHaveAttribute("data-state", "passed");

  const again = await openLevels(page);
  await again.getByRole("button", { name: "Take it from how I solved it" }).click();
  await expect(again.getByRole("status")).toContainText("The picture is of what you have done");
  await expect(again.getByRole("button", { name: "Take it from how I solved it" }), "the focus stays").toBeFocused();
  await again.getByRole("button", { name: "Copy the link" }).click();
  const field = again.getByLabel("Its link");
  await expect(field).toHaveValue(/#share=3\./);
  const url = await field.inputValue();
  expect(url.length, "a level’s link").toBeLessThan(2000);

  // Another try takes the place of the first; what is kept and what is written is not lost by one press.
  const kept = page.locator(".levels-kept > li");
  const title = form.getByLabel("Title");
  await title.fill("Paint it red");
  await form.getByRole("button", { name: "Try it" }).click();
  await expect(lesson.title).toHaveText("Paint it red");
  await openLevels(page);
  await expect(kept).toHaveCount(1);
  await title.fill("Unfinished");
  await kept.getByRole("button", { name: "Edit Paint it red" }).click();
  await expect(title).toHaveValue("Paint it red");
  await said.getByRole("button", { name: "Take back what was written" }).click();
  await expect(title).toHaveValue("Unfinished");
  await kept.getByRole("button", { name: "Forget Paint it red" }).press("Enter");
  await expect(kept).toHaveCount(1);
  await kept.getByRole("button", { name: "Forget Paint it red and its progress" }).press("Enter");
  await expect(kept).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Begin another level" })).toBeFocused();

  const fresh = await browser.newContext();
  const other = await fresh.newPage();
  await other.goto(url);
  const opened = other.getByRole("region", { name: "Share", exact: true });
  await expect(opened).toContainText("A level to solve: Paint it blue");
  await expect(opened).toContainText("It starts by emptying these namespaces: level");
  await expect(opened.getByRole("listitem")).toHaveText([/^A level/, /^It starts/,
    /^A setting: API servers: 2 \(cache.replicas\)/, /^A setting: /]);
  const asked = [];
  other.on("request", (r) => asked.push(r.url()));
  await opened.getByRole("button", { name: "Open it" }).click();
  const theirs = new Lesson(other);
  await expect(theirs.title).toHaveText("Paint it blue");
  await expect(theirs.article).toContainText("These levers are allowed, and do not count: compact.");
  await expect.poll(() => send(other, "GET")).toBe(200);
  await expect(theirs.shown.locator(".lesson-picture")).toBeAttached();
  expect(await other.evaluate(() => [typeof window.hit, document.querySelectorAll(".lesson img").length]))
    .toEqual(["undefined", 0]);
  expect(asked.filter((u) => /\/x$|onerror/.test(u)), "nothing of a text is fetched").toEqual([]);
  expect(await send(other, "PATCH", '{"data": {"color": "blue"}}')).toBe(200);
  await send(other, "GET");
  await expect(theirs.step(1)).toHaveAttribute("data-state", "passed");
  await other.reload();
  await expect(theirs.title).toHaveText("Paint it blue");
  await fresh.close();
});

/** A link to a level, as somebody may write it by hand. */
function linkOf(level) {
  const json = Buffer.from(JSON.stringify({ level }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return "/#share=3." + deflateRawSync(Buffer.concat([length, json])).toString("base64url");
}

test("what is no level is refused with a sentence; keys, a file and a phone do", { tag: "@long" },
  async ({ lab, page, browser }) => {
  await lab.open();
  const good = await readFile(new URL("../../web/lesson/format/testdata/level.md", import.meta.url), "utf8");
  for (const [bad, says] of [
    ["", "its level is not one of this page (line 1: no title"],
    [good.replace("namespaces: level", "namespaces: level, kube-system"), "they are emptied when it starts"],
    [good.replace("POST /api/v1/namespaces/level", "POST /api/v1/namespaces/level/../default"), "plain paths"],
    [good.replace("###\nGET", "###\nPUT /apis/sandbox.tabernetes.dev/v1/controlplanes/default/snapshot\n###\nGET"),
      "a level may use these levers"],
  ]) {
    const fresh = await browser.newContext();
    const other = await fresh.newPage();
    await other.goto(new URL(linkOf(bad), page.url()).href);
    const panel = other.getByRole("region", { name: "Share", exact: true });
    await expect(panel).toContainText(says);
    await expect(panel).toContainText("Nothing was changed.");
    await expect(panel.getByRole("button", { name: "Open it" })).toBeHidden();
    await fresh.close();
  }

  // By keys, on a phone.
  await page.setViewportSize({ width: 390, height: 844 });
  const form = await openLevels(page);
  await write(form);
  await expectNoViolations(page, "the form of a level", { within: "#levels", rules: 5 });
  const small = await form.locator("button:visible, input[type=text]:visible, textarea:visible, select:visible")
    .evaluateAll((all) => all.map((el) => [el.textContent.slice(0, 30), el.getBoundingClientRect()])
      .filter(([, box]) => box.height < 44 || box.right > innerWidth || box.left < 0));
  expect(small).toEqual([]);
  await tabTo(form.getByRole("button", { name: "Add a row" }));
  await page.keyboard.press("Enter");
  const row = form.getByRole("group", { name: "Row r2" });
  await expect(row.getByLabel("In words")).toBeFocused();
  await page.keyboard.type("It is kept");
  await page.keyboard.press("Tab");
  await page.keyboard.type("no DELETE");
  await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  await page.keyboard.type("configmaps/*");
  const download = page.waitForEvent("download");
  await tabTo(form.getByRole("button", { name: "Save as a file" }));
  await page.keyboard.press("Enter");
  const file = await download;
  expect(file.suggestedFilename()).toBe("paint-it-blue.tabernetes");

  const fresh = await browser.newContext({ colorScheme: "dark" });
  const other = await fresh.newPage();
  await other.goto(page.url().replace(/#.*/, ""));
  await other.evaluate(() => window.tabernetes.ready);
  await other.getByRole("button", { name: "Share", exact: true }).click();
  const picking = other.waitForEvent("filechooser");
  await other.getByRole("button", { name: "Open a file" }).click();
  await (await picking).setFiles(await file.path());
  await other.getByRole("button", { name: "Open it" }).click();
  const lesson = new Lesson(other);
  await expect(lesson.title).toHaveText("Paint it blue");
  await expect(lesson.checks).toHaveText([/It is blue/, /It is kept/, /No lever was used but those that are allowed/]);
  await fresh.close();
});
