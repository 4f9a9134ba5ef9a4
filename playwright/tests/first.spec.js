// The first minute: a scene that plays by itself beside two ways on, and what it costs whom it is not for.
import { test, expect } from "../fixtures.js";
import { expectNoViolations } from "../axe.js";
import { Timeline, boxOf } from "../lab.js";
import { Lesson } from "../lesson.js";

/** What a first visit begins with. */
class First {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.intro = page.getByRole("group", { name: "What you see" });
    this.steps = this.intro.locator(".present-steps");
    this.lesson = page.getByRole("radio", { name: /^Start: a first watch/ });
    this.scene = page.getByRole("radio", { name: /^See 410 Gone in 30 seconds/ });
    this.run = page.locator(".lesson-bar").getByRole("button", { name: /^Run/ });
    this.play = page.locator(".lesson-bar").getByRole("button", { name: "Play" });
  }

  async open(url) {
    await this.page.goto(url);
    await this.page.waitForFunction(() => window.tabernetes?.state === "ready");
  }

  /** Chooses a way on. */
  async choose(door) {
    await this.page.locator(".door").filter({ has: door }).click();
    await expect(door).toBeChecked();
  }

  async at(step) {
    await expect(this.steps).toHaveAttribute("aria-label", `Step ${step} of 5`);
  }
}

test.describe("a first visit", () => {
  test.use({ first: true });

  test("a scene plays by itself, in another cluster, until a key or a click", async ({ lab, page }) => {
    await page.addInitScript(() => addEventListener("DOMContentLoaded", () => {
      const intro = document.getElementById("st-intro");
      window.offered = [];
      new MutationObserver(() => window.offered.push(...(intro.textContent.match(/Pause|Play/g) ?? []))).observe(intro,
        { childList: true, subtree: true, characterData: true });
    }));
    const first = new First(page);
    await first.open(lab.url);
    await first.at(2);
    await expect(first.intro).toContainText(/^\d+ created the Secret keep: w1 received it\./);
    expect(await page.evaluate(() => [...new Set(window.offered)]), "before it plays by itself").toEqual(["Pause"]);
    await page.keyboard.press("Shift");
    const go = first.intro.getByRole("button", { name: "Play" });
    await expect(go).toBeVisible();
    await go.press("Enter");
    await expect(first.intro.getByRole("button", { name: "Pause" })).toBeVisible();
    await first.at(4);
    await page.locator(".doors h2").click();
    await expect(go).toBeVisible();
    await go.click();
    await first.at(5);
    await expect(first.intro).toContainText(/deleted the Secret keep: both received it, without asking/);
    await expect(new Timeline(page).words("w2")).toHaveAttribute("aria-label", /2 events/);
    // A request of somebody else goes to the own cluster, and is shown, unless it is a quiet one.
    const secrets = (note) => page.evaluate(async (tabernetes) =>
      (await fetch("/api/v1/namespaces/default/secrets", { tabernetes })).json(), note);
    expect(await secrets({ quiet: true })).toMatchObject({ items: [] });
    await expect(first.intro).toBeVisible();
    expect(await secrets()).toMatchObject({ items: [] });
    await expect(first.intro).toBeHidden();
    await expect(page.getByRole("radio", { name: "In this tab" })).toBeChecked();
    await expect(new Timeline(page).rows.locator(".is-lane")).toHaveCount(0);
    await expect(first.lesson).toBeVisible();
  });

  test("skipped at once, and never played again", { tag: "@long" }, async ({ lab, page }) => {
    const first = new First(page);
    await first.open(lab.url);
    await first.intro.getByRole("button", { name: "Skip" }).click();
    await expect(first.intro).toBeHidden();
    expect(await page.evaluate(() => window.tabernetes.target)).toBe("tab");
    await page.reload();
    await lab.ready();
    await expect(new Lesson(page).article.locator("h2")).toBeVisible();
    await expect(first.lesson).toBeHidden();
  });

  test("the lesson’s step is run in the own cluster", { tag: "@long" }, async ({ lab, page }) => {
    const first = new First(page);
    await first.open(lab.url);
    await first.at(1);
    await page.keyboard.press("r");
    await expect(page.locator(".lesson-bar").getByRole("button", { name: "Next" })).toBeEnabled();
    await expect(first.lesson).toBeHidden();
    await expect(first.intro).toBeHidden();
    expect(await page.evaluate(() => window.tabernetes.target)).toBe("tab");
    expect((await lab.fetch("/api/v1/namespaces/first-event")).status).toBe(200);
    await expect(new Timeline(page).lane("w1")).toContainText("first-event/secrets");
  });

  test("410 Gone plays by itself", { tag: "@long" }, async ({ lab, page }) => {
    const first = new First(page);
    await first.open(lab.url);
    await first.choose(first.scene);
    await expect(first.run).toBeHidden();
    await page.keyboard.press("r");
    const edge = page.getByRole("region", { name: "Presenter" });
    await expect(edge.getByRole("img", { name: "Step 2 of 6" })).toBeVisible();
    await expect(first.intro).toBeHidden();
    await edge.getByRole("button", { name: "Leave the scene" }).click();
    await expect(first.lesson).toBeChecked(); // it comes next
    await first.run.click();
    await expect(page.locator(".lesson-bar").getByRole("button", { name: "Next" })).toBeEnabled();
  });

  test("where nothing may move, its end is shown", { tag: "@long" }, async ({ lab, page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const seen = new Set();
    await page.exposeFunction("note", (text) => seen.add(text));
    await page.addInitScript(() => addEventListener("DOMContentLoaded", () => {
      const intro = document.getElementById("st-intro");
      new MutationObserver(() => window.note(intro.textContent.includes("Pause"))).observe(intro,
        { childList: true, subtree: true, characterData: true });
    }));
    const first = new First(page);
    await first.open(lab.url);
    await first.at(5);
    await expect(first.intro.getByRole("button", { name: "Close" })).toBeVisible();
    expect([...seen]).toEqual([false]);
    await expectNoViolations(page, "a first visit");
    await page.emulateMedia({ colorScheme: "dark" });
    await expectNoViolations(page, "a first visit, dark");
  });

  for (const [name, ...sizes] of [["wide", [1280, 720], [1366, 768], [1024, 768]], ["phone", [390, 844]]]) {
    test(`what is to be pressed is in sight: ${name}`, async ({ lab, page }) => {
      const first = new First(page);
      const resize = (at) => page.setViewportSize({ width: sizes[at][0], height: sizes[at][1] });
      await resize(0);
      await first.open(lab.url);
      await first.at(2);
      await page.keyboard.press("Shift");
      for (const [at, [width, height]] of sizes.entries()) {
        await resize(at);
        const inSight = async (locator) => {
          const box = await boxOf(locator);
          expect(box.x).toBeGreaterThanOrEqual(0);
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.x + box.width).toBeLessThanOrEqual(width);
          expect(box.y + box.height).toBeLessThanOrEqual(height);
          await locator.click({ trial: true }); // nothing lies over it
        };
        await expect(width < 700 ? page.locator(".doors-name") : page.getByRole("heading", { name: "Tabernetes" }))
          .toBeInViewport();
        await inSight(first.intro.getByRole("button", { name: "Skip" }));
        await inSight(first.run);
        for (const door of await page.locator(".door").all()) await inSight(door);
        await first.choose(first.scene);
        await inSight(first.play);
        await first.choose(first.lesson);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    });
  }

  test("words are explained until they are put away", { tag: "@long" }, async ({ lab, page }) => {
    const first = new First(page);
    await first.open(lab.url);
    await first.at(1);
    const words = page.getByRole("region", { name: "Words on this page" });
    await expect(words).toContainText("Revision");
    const all = page.locator(".word:visible");
    expect(await all.count()).toBeGreaterThan(2);
    for (const means of await words.locator("dd").allTextContents()) {
      expect(means.split(" ").length, means).toBeLessThanOrEqual(8);
    }
    await words.getByRole("button", { name: "Hide" }).click();
    await expect(all).toHaveCount(0);
    await page.reload();
    await lab.ready();
    await expect(all).toHaveCount(0);
  });
});

for (const [name, path] of [["a later visit", "/"], ["a visit by a link", "/#lesson-addresses"]]) {
  test(`${name} has nothing of it`, { tag: "@long" }, async ({ lab, page }) => {
    const asked = [];
    page.on("request", (r) => asked.push(new URL(r.url()).pathname));
    await lab.open(path);
    await expect(new Lesson(page).article.locator("h2")).toBeVisible();
    await lab.settled();
    await expect(new First(page).lesson).toBeHidden();
    await expect(page.getByRole("group", { name: "What you see" })).toBeHidden();
    expect(asked.filter((p) => /fork|scenes/.test(p))).toEqual([]);
    expect(await page.evaluate(() => window.tabernetes.target)).toBe("tab");
  });
}
