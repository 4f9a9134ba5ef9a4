// Scenes: the menu, all of them played, time travel, what disturbs one, and that one's own cluster stays.
import { readdirSync, readFileSync } from "node:fs";
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const secrets = "/api/v1/namespaces/default/secrets";

/** The presenter's lower edge. */
class Edge {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.root = page.getByRole("region", { name: "Presenter" });
    this.says = this.root.locator("#present-text");
    this.sign = this.root.locator("#present-sign");
    this.next = this.root.locator("[data-do=next]");
    this.steps = this.root.getByRole("img", { name: /^Step/ });
  }

  /** Waits until so many of the steps are shown, and nothing is under way. */
  async at(step, of) {
    await expect(this.steps).toHaveAccessibleName(`Step ${step} of ${of}`);
    await expect(this.next).toHaveAttribute("aria-disabled", "false");
  }
}

/** The sentence of each step of each scene. */
function sentences() {
  const folder = new URL("../../web/scenes/", import.meta.url);
  const files = readdirSync(folder).filter((name) => /^\d.*\.md$/.test(name));
  return files.flatMap((name) => readFileSync(new URL(name, folder), "utf8").split(/^## .*$/m).slice(1)
    .map((step) => step.trim().split("\n\n")[0].replace(/\{\{.*?\}\}/g, "12345")));
}

/** Those of the sentences for which the presenter's bar has no room, or that move its upper edge. */
const cut = (page, sentences) =>
  page.evaluate((sentences) => {
    const el = document.getElementById("present-text");
    const bar = () => el.parentElement.getBoundingClientRect().height;
    const [shown, height] = [[...el.childNodes], bar()];
    const all = document.createRange();
    const out = sentences.filter((sentence) => {
      el.replaceChildren(...sentence.split("`").map((text, i) => {
        const part = document.createElement(i % 2 ? "code" : "span");
        part.textContent = text;
        return part;
      }));
      all.selectNodeContents(el);
      const [text, room] = [all.getBoundingClientRect(), el.getBoundingClientRect()];
      return text.right > room.right + 1 || text.bottom > room.bottom + 1 || bar() !== height;
    });
    el.replaceChildren(...shown);
    return sentences.length ? out : ["no sentences"];
  }, sentences);

test("a scene by one click, back in time, and out of it again", async ({ lab, page }) => {
  await lab.open();
  await lab.fetch(secrets, { method: "POST", body: { metadata: { name: "mine" } } });
  const uid = (await lab.fetch("/api/v1/namespaces/default")).body.metadata.uid;
  const timeline = new Timeline(page);
  const menu = await lab.openScenes();
  await menu.getByRole("button", { name: /410 Gone/ }).click();
  await expect(menu).toBeHidden();
  const edge = new Edge(page);
  await edge.at(1, 6);
  await expect(edge.says).toContainText(/Two clients list the Pods at \d+, and watch from there: w1 and w2/);
  expect((await lab.fetch(secrets + "/mine")).status).toBe(404);
  for (let step = 2; step <= 6; step++) {
    await page.locator("body").press(" ");
    await edge.at(step, 6);
  }
  await expect(timeline.words("w2")).toHaveAttribute("aria-label", /error 410/);
  await expect(timeline.lane("w3")).toHaveCount(1);
  await expect(edge.says).toContainText(/It has all Pods as of \d+ now, and w3 continues from there/);
  // B goes back by time travel, Space forward again to the present.
  await page.locator("body").press("b");
  await edge.at(5, 6);
  await expect(edge.says).toContainText(/^410: newer events pushed \d+ out\./);
  await expect(edge.sign).toHaveText("410");
  await page.locator("body").press("b");
  await page.locator("body").press("b");
  await edge.at(3, 6);
  await expect(edge.sign).toHaveText(""); // that of the step left behind is gone
  await expect(timeline.head).toContainText("showing revision");
  for (let step = 4; step <= 6; step++) await page.locator("body").press(" ");
  await edge.at(6, 6);
  await expect(timeline.head).not.toContainText("showing revision");
  await expect(edge.next).toContainText("next scene: Bookmarks");
  // Leave: the tab's cluster is as it was.
  await edge.root.getByRole("button", { name: "Leave the scene" }).click();
  await expect(edge.root).toBeHidden();
  expect((await lab.fetch(secrets + "/mine")).status).toBe(200);
  expect((await lab.fetch("/api/v1/namespaces/default")).body.metadata.uid).toBe(uid);
  await expect(page.getByRole("radio", { name: "In this tab" })).toBeChecked();
});

test("between two steps nothing else is said, and back shows all that a step has written",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#scene=stale");
  const edge = new Edge(page);
  const timeline = new Timeline(page);
  await edge.at(1, 4);
  const settled = [await edge.says.textContent()];
  const head = Number((await lab.fetch("/api/v1/namespaces")).body.metadata.resourceVersion);
  await expect.poll(() => timeline.revision()).toBe(head); // it may not have been drawn yet
  await page.evaluate(() => {
    window.sentences = [];
    const el = document.getElementById("present-text");
    new MutationObserver(() => window.sentences.push(el.textContent)).observe(el,
      { childList: true, subtree: true, characterData: true });
  });
  for (let step = 2; step <= 3; step++) {
    await page.locator("body").press(" ");
    await edge.at(step, 4);
    settled.push(await edge.says.textContent());
  }
  const green = Number(settled[1].match(/At (\d+) the light/)[1]);
  await page.locator("body").press("b");
  await edge.at(2, 4);
  await expect(edge.says).toHaveText(settled[1]);
  await expect.poll(() => timeline.revision()).toBe(green);
  await page.locator("body").press("b");
  await edge.at(1, 4);
  await expect.poll(() => timeline.revision()).toBe(head);
  for (let step = 2; step <= 3; step++) {
    await page.locator("body").press(" ");
    await edge.at(step, 4);
  }
  await expect(edge.says).toHaveText(settled[2]);
  await expect.poll(() => page.evaluate((known) => window.sentences.filter((text) => !known.includes(text)), settled))
    .toEqual([]);
});

test("what a lever did in one cluster is not undone in another", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  await lab.fetch(secrets, { method: "POST", body: { metadata: { name: "mine" } } });
  const timeline = new Timeline(page);
  const undo = page.getByRole("button", { name: /^Undo/ });
  await lab.lever("Compact now");
  await expect(undo).toBeVisible();
  await page.evaluate(() => (location.hash = "#scene=streaming"));
  const edge = new Edge(page);
  await edge.at(1, 4);
  await expect(undo).toBeHidden();
  await lab.lever("Compact now");
  await expect(undo).toBeVisible();
  await edge.root.getByRole("button", { name: "Leave the scene" }).click();
  await expect(edge.root).toBeHidden();
  await expect(timeline.head).toContainText("etcd from");
  await expect(undo).toBeVisible(); // that of the tab's own cluster
  await undo.click();
  await expect(timeline.head).toContainText("all history kept");
  expect((await lab.fetch(secrets + "/mine")).status).toBe(200);
});

test("lanes and requests are those of their cluster: a scene's, and after it the tab's, as they were", { tag: "@long" },
  async ({ lab,
  page }) => {
  await lab.open();
  await lab.settled();
  const timeline = new Timeline(page);
  const own = lab.requests.getByRole("row").filter({ hasText: "serviceaccounts" });
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await timeline.watchChanges(accounts);
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /default\/serviceaccounts, open/);
  await lab.request("POST", accounts, { metadata: { name: "mine" } });
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /open, 1 event/);
  const before = (await timeline.words("w1").getAttribute("aria-label")).split(";")[0]; // then its server's buffer
  const lanes = await timeline.rows.getByRole("listitem").count();
  const requests = await own.count();
  for (const scene of ["streaming", "bookmarks"]) {
    await page.evaluate((id) => (location.hash = "#scene=" + id), scene);
    const edge = new Edge(page);
    await expect(edge.steps).toHaveAccessibleName(/^Step 1 of/);
    await expect(edge.next).toHaveAttribute("aria-disabled", "false");
    await expect(own).toHaveCount(0);
    await expect(timeline.rows.getByRole("listitem").filter({ hasText: "serviceaccounts" })).toHaveCount(0);
    await expect(lab.answer).not.toContainText("mine");
  }
  await new Edge(page).root.getByRole("button", { name: "Leave the scene" }).click();
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", new RegExp("^" + before + ";"));
  await expect(timeline.rows.getByRole("listitem")).toHaveCount(lanes);
  await expect(own).toHaveCount(requests);
  await expect(lab.answer).toContainText("mine");
  await lab.request("DELETE", accounts + "/mine");
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /open, 2 events/);
});

test("all scenes without programs, by Space where one follows another", { tag: "@long" }, async ({ lab, page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await lab.open("/#scene=two-clients&present");
  const tooLong = [];
  const edge = new Edge(page);
  const listed = async (name) => (await page.locator("#scene-cards").getAttribute(name)).split(" ");
  const programs = await listed("data-programs"); // played where those are: playwright/controlplane
  const all = await listed("data-scenes");
  const ids = all.filter((id) => !programs.includes(id));
  expect(ids[0]).toBe("two-clients");
  expect(ids.length).toBeGreaterThanOrEqual(10);
  const titles = [];
  for (const id of ids) {
    await expect(edge.steps).toHaveAccessibleName(/^Step 1 of/);
    const steps = Number((await edge.steps.getAttribute("aria-label")).split(" ").pop());
    for (let step = 1; ; step++) {
      await edge.at(step, steps);
      const said = await edge.says.textContent();
      expect(said, `${id}, step ${step}`).not.toMatch(/\{\{|undefined|did not|could not/);
      const fits = await edge.says.evaluate((el) => el.scrollHeight <= el.clientHeight + 1);
      if (!fits) tooLong.push(`${id}: ${said}`);
      if (step === steps) break;
      await page.keyboard.press(" ");
    }
    titles.push(await edge.root.locator(".present-title").textContent());
    const next = ids[ids.indexOf(id) + 1] ?? ids[0];
    if (all[all.indexOf(id) + 1] === next) await page.keyboard.press(" ");
    else await page.evaluate((id) => (location.hash = `#scene=${id}&present`), next);
  }
  expect(tooLong).toEqual([]);
  expect(new Set(titles).size).toBe(ids.length);
});

test("a link to a scene; what somebody else writes has it set up again", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#scene=finalizer");
  const edge = new Edge(page);
  await edge.at(1, 5);
  await page.locator("body").press(" ");
  await edge.at(2, 5);
  await lab.request("DELETE", "/api/v1/namespaces/default/configmaps/kube-root-ca.crt");
  await expect(edge.next).toContainText("set up again");
  await edge.next.click();
  await expect(edge.next).toContainText("next: is it gone?");
  await edge.at(2, 5);
  await edge.next.click();
  await edge.at(3, 5);
  await expect(edge.says).toContainText("A GET is answered 200: it is still there");
  // None of the sentences that scenes have is cut in the presenter, with revisions of five digits.
  await page.locator("body").press("p");
  for (const [width, height] of [[1440, 900], [1024, 768]]) {
    await page.setViewportSize({ width, height });
    expect(await cut(page, sentences()), `${width} wide`).toEqual([]);
  }
  await page.locator("body").press("p");
  // In the tab's cluster again, and the address no longer names the scene.
  await page.getByRole("radio", { name: "In this tab" }).check();
  await expect(edge.root).toBeHidden();
  expect(await page.evaluate(() => location.hash)).toBe("");
});

test("a scene plays by itself, to its end", { tag: "@long" }, async ({ lab, page }) => {
  await page.clock.install();
  await lab.open("/#scene=streaming");
  const edge = new Edge(page);
  await edge.at(1, 4);
  await edge.root.getByRole("button", { name: "Play by itself" }).click();
  await expect(async () => {
    await page.clock.runFor(1000);
    await expect(edge.steps).toHaveAccessibleName("Step 4 of 4", { timeout: 100 });
  }).toPass();
  await expect(async () => {
    await page.clock.runFor(1000);
    await expect(edge.root.getByRole("button", { name: "Play by itself" })).toHaveAttribute("aria-pressed", "false",
      { timeout: 100 });
  }).toPass();
});

test("the menu by keyboard: arrows, Enter, and Escape", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const menu = await lab.openScenes();
  const card = (name) => menu.getByRole("button", { name });
  await card(/410 Gone/).focus();
  await page.keyboard.press("ArrowRight");
  await expect(card(/^Bookmarks/)).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowDown");
  await expect(card(/410 Gone/)).not.toBeFocused();
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(page.getByRole("button", { name: "Scenes", exact: true })).toBeFocused();
  await expect(page.getByRole("region", { name: "Stage", exact: true })).toBeVisible();
});

test("a link to a scene that is not there opens the scenes and says so", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#scene=goner");
  const menu = page.getByRole("region", { name: "Scenes", exact: true });
  await expect(menu.getByRole("status").filter({ hasText: "goner" })).toBeVisible();
  await menu.getByRole("button", { name: /410 Gone/ }).click();
  await new Edge(page).at(1, 6);
  await lab.openScenes();
  await expect(menu.getByRole("status").filter({ hasText: "goner" })).toHaveCount(0);
});
