// The first visit: how soon the page paints, is read, and answers.
import { test, expect, watchContext } from "../fixtures.js";
import { Lesson, lessonFiles, namespaces } from "../lesson.js";

const [first] = lessonFiles();

test("the page starts an API server and answers its first request", async ({ lab, page }) => {
  await page.addInitScript(() => {
    // As a script of the page would: as soon as there is a fetch to call.
    const begin = performance.now();
    const ask = () => {
      if (!window.tabernetes) return void setTimeout(ask);
      fetch("/api/v1/namespaces/default").then(async (r) => {
        window.firstAnswer = { after: performance.now() - begin, status: r.status,
          name: (await r.json()).metadata.name };
      });
    };
    ask();
  });
  await page.goto(lab.url);
  await expect(page.getByRole("heading", { name: "Tabernetes" })).toBeVisible();
  const first = await (await page.waitForFunction(() => window.firstAnswer)).jsonValue();
  expect(first).toMatchObject({ status: 200, name: "default" });
  console.log(`first answered request, nothing cached: ${first.after.toFixed(0)} ms after the page was opened`);
  await lab.ready();

  const names = (await lab.fetch("/api/v1/namespaces")).body.items.map((n) => n.metadata.name);
  expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  expect((await lab.fetch("/version")).body.gitVersion).toMatch(/^v1\.36\.\d+\+[0-9A-Za-z.-]+$/);
});

test("the page can be read before any script has run", async ({ browser, server }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(server.url);
  await expect(page.getByRole("heading", { name: "Tabernetes" })).toBeVisible();
  const lesson = page.getByRole("region", { name: "Lesson" });
  await expect(lesson.getByRole("heading", { level: 2 })).not.toBeEmpty();
  await expect(lesson.getByRole("heading", { level: 3 })).not.toHaveCount(0);
  await expect(lesson.getByRole("button", { name: /^Run / }).first()).toBeVisible();
  await expect(page.getByRole("form", { name: "Request", exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "Stage" })).toContainText("How to read a lane");
  await context.close();
});

/** Opens the page without a script until what it returns is called. */
async function openWithout(script, { lab, page, context }) {
  let release;
  const held = new Promise((go) => (release = go));
  await context.route(script, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(lab.url + "/?nosw", { waitUntil: "commit" });
  await expect(page.locator(".lesson-bar").getByRole("button", { name: "Run" })).toBeVisible();
  return release;
}

for (const [what, script] of [["page", /\/app\.js$/], ["lab", /lab[^/]*\.wasm/]]) {
  test(`a key that is pressed before the ${what}’s script has come acts once it has`,
    { tag: "@long" }, async ({ lab, page, context }) => {
    const release = await openWithout(script, { lab, page, context });
    for (const key of ["t", "r", "r", "T"]) await page.keyboard.press(key); // each once
    release();
    await expect(new Lesson(page).step(1).locator(".lesson-chip").first()).toHaveText(/^200/);
    await expect(page.getByRole("region", { name: "The stage as tables" })).toBeVisible();
    expect(await namespaces(lab)).toEqual(expect.arrayContaining(first.namespaces));
  });

  test(`what is pressed before the ${what}’s script has come is done once it has`,
    { tag: "@long" }, async ({ lab, page, context }) => {
    const release = await openWithout(script, { lab, page, context });
    const step = new Lesson(page).step(1);
    const skip = step.getByRole("button", { name: "Just run it" });
    if (await skip.count()) await skip.click(); // an answer is needed, and it comes first
    await step.locator("[data-action=lesson-run]").first().click();
    await page.getByRole("button", { name: /^Servers/ }).click();
    const freeze = page.getByRole("button", { name: "Freeze cache" });
    await freeze.click();
    await freeze.click(); // nothing has happened yet
    await page.keyboard.press("Escape");
    release();
    await expect(page.getByRole("button", { name: "Thaw cache" })).toBeVisible();
    await expect(step.locator(".lesson-chip").first()).toHaveText(/^200/);
    expect(await namespaces(lab)).toEqual(expect.arrayContaining(first.namespaces));
  });
}

test("what is pressed is clicked, also if the page moves under the pointer",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const step = new Lesson(page).step(1);
  const skip = step.getByRole("button", { name: "Just run it" });
  if (await skip.count()) await skip.click();
  const run = step.locator("[data-action=lesson-run]").first();
  const push = (height) => run.evaluate((el, height) => {
    const above = document.createElement("div");
    above.style.height = height + "px";
    el.closest(".lesson-http").before(above);
  }, height);
  const down = async () => {
    await run.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await run.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    return { x, y };
  };
  // Who moves the pointer away does not press.
  const { x, y } = await down();
  await page.mouse.move(x - 12, y - 12);
  await page.mouse.up();
  await down();
  await push(60);
  await page.mouse.up();
  await expect(step.locator(".lesson-chip").first()).toHaveText(/^200/);
  await expect(run).toHaveText("Stop"); // pressed once
});

test("the policy forbids inline scripts and eval", { tag: "@long" }, async ({ lab, page }) => {
  const answer = await page.goto(lab.url);
  const policy = answer.headers()["content-security-policy"];
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(policy).not.toContain("unsafe-inline");
  expect(policy).not.toMatch(/'unsafe-eval'/);
  await lab.ready();
  const meta = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  expect(meta).toContain("script-src 'self' 'wasm-unsafe-eval'");
});

test("what the policy forbids does not run, and these tests would notice", async ({ browser, server }) => {
  const context = await browser.newContext();
  const problems = [];
  await watchContext(context, problems);
  const page = await context.newPage();
  await page.goto(server.url);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.injected = true";
    document.body.append(script);
    document.body.setAttribute("style", "color: red");
  });
  await expect.poll(() => problems.filter((p) => p.startsWith("policy:")).join("\n")).toMatch(
    /script-src[^]*style-src/);
  expect(await page.evaluate(() => window.injected)).toBeUndefined();
  await context.close();
});

test("the OpenAPI documents say what fields are for", { tag: "@long" }, async ({ lab }) => {
  await lab.open();
  const { body } = await lab.fetch("/openapi/v3/api/v1");
  expect(body.components.schemas["io.k8s.api.core.v1.PodSpec"].properties.containers.description).toContain(
    "List of containers belonging to the pod");
});
