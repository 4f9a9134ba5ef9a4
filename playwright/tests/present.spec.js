// The presenter acts: its sentence, the line for commands, the keys of the levers, its lanes.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

test("commands, by keyboard alone", async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const timeline = new Timeline(page);
  const edge = page.getByRole("region", { name: "Presenter" });
  const says = edge.locator("#present-text");
  const line = edge.getByRole("combobox");
  const run = async (text) => {
    await page.keyboard.press("/");
    await expect(line).toBeFocused();
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  await page.locator("body").press("p");
  await run("get cm -w");
  await expect(says).toContainText(/^w1 watches default\/configmaps after \d+\./);
  await expect(line).toBeHidden();
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("one") });
  await expect(says).toContainText(/^\d+ created the ConfigMap one: w1 received it\./);
  // Completion: the ghost by Tab, the others by the arrows. What is typed at once is for the line, and pulls no lever.
  const revision = Number((await says.textContent()).match(/^\d+/)[0]);
  await expect.poll(() => timeline.revision()).toBe(revision); // the stage's head may be drawn after the sentence
  await page.evaluate(() => {
    for (const key of ["/", "c"]) {
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }
  });
  await page.keyboard.type("cu");
  await expect(line).toHaveValue("cu");
  await expect(timeline.head).toContainText("all history kept");
  expect(await timeline.revision()).toBe(revision);
  await expect(edge.locator("#present-ghost")).toHaveText("cut w1");
  await page.keyboard.press("Tab");
  await expect(line).toHaveValue("cut w1");
  await page.keyboard.press("Enter");
  await expect(says).toContainText(/^w1 was cut after \d+: it can resume from \d+\./);
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /broken off/);
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("two") });
  await run("resume w1");
  await expect(says).toContainText(/^w1 resumed after \d+: 1 event that it missed came at once\./);
  // A lever that does nothing says why, and a path outside of the resources is answered, too.
  for (const [command, refusal] of [["resume w1", "w1 is open."], ["lag 5000", "A server can lag by up to 3600 s."]]) {
    await run(command);
    await expect(says).toHaveText(refusal);
    await page.keyboard.press("Escape");
  }
  await run("/healthz");
  await expect(says).toHaveText("GET /healthz: 200 OK, ok.");
  await run("/version");
  await expect(says).toContainText(/^GET \/version: 200 OK, v1\./);
  await run("freeze");
  await expect(says).toContainText("The API server is frozen");
  await run("freeze");
  await expect(says).toContainText("The API server keeps up with etcd again.");
  await run("cut w9");
  await expect(says).toHaveText("No lane w9. There are w1.");
  await expect(line).toBeFocused(); // to be corrected
  await page.keyboard.press("Escape");
  await expect(line).toBeHidden();
  await run("compact");
  await expect(says).toContainText(/^etcd was compacted: history starts at \d+\./);
  await run("lag 5");
  await expect(says).toContainText("The API server learns of each write 5 s late.");
  await run("lag 0");
  await expect(says).toContainText("The API server keeps up with etcd again.");
  await run(`${configMaps}/none`);
  await expect(says).toContainText("404");
  // The selection, and back to the last thing.
  await page.keyboard.press("]");
  await expect(says).toContainText(/^w1 resumed/);
  for (let lever = 0; lever < 4; lever++) await page.keyboard.press("ArrowLeft"); // those above are revisions, too
  await page.keyboard.press("ArrowLeft");
  await expect(says).toContainText(/^\d+ created the ConfigMap two: w1 received it\./);
  await page.keyboard.press("Escape");
  await expect(says).toContainText("404");
  await page.keyboard.press("Escape");
  await expect(edge).toBeHidden();
});

test("keys: shown while held or pinned, and they pull levers of the chosen lane",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  for (const from of ["now", "head"]) await timeline.watch(configMaps, from);
  await expect(timeline.lane("w2")).toHaveCount(1);
  const edge = page.getByRole("region", { name: "Presenter" });
  const says = edge.locator("#present-text");
  const tray = edge.getByText("cut the lane, or all");
  await page.locator("body").press("p");
  await page.keyboard.press("?");
  await expect(tray).toBeVisible(); // pressed shortly, it stays
  await page.keyboard.press("?");
  await expect(tray).toBeHidden();
  await page.keyboard.down("Control");
  await expect(tray).toBeVisible();
  await page.keyboard.up("Control");
  await expect(tray).toBeHidden();
  await page.keyboard.press("[");
  await expect(says).toContainText("w2 watches");
  await page.keyboard.press("x");
  await expect(timeline.words("w2")).toHaveAttribute("aria-label", /broken off/);
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /open|initial state/);
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("missed") });
  await page.keyboard.press("a");
  await expect(timeline.lane("w3")).toHaveCount(1);
  await page.keyboard.press("f");
  await expect(timeline.row("C0")).toHaveCount(0);
  await expect(page.getByRole("img", { name: /^API server cache,.*frozen/ })).toBeVisible();
  await page.keyboard.press("f");
  await page.keyboard.press("c");
  await expect(timeline.head).toContainText("etcd from");
  await page.keyboard.press("u");
  await expect(timeline.head).toContainText("all history kept");
  await page.keyboard.press("s");
  await expect(says).toContainText("The API server was restarted");
  await edge.getByRole("button", { name: "Leave" }).click();
  await expect(edge).toBeHidden();
});

test("the arrows step the ruler's revisions, and the sentence follows them and the playhead", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const timeline = new Timeline(page);
  const made = [];
  for (const name of ["one", "two"]) {
    const { body } = await lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });
    made.push(Number(body.metadata.resourceVersion));
  }
  await timeline.watchChanges("/api/v1/namespaces/default/pods"); // the first lane has no events
  await expect(timeline.lane("w1")).toHaveCount(1);
  const says = page.getByRole("region", { name: "Presenter" }).locator("#present-text");
  await page.locator("body").press("p");
  await page.keyboard.press("ArrowLeft");
  await expect(says).toContainText(`${made[1]} created the ConfigMap two`);
  await page.keyboard.press("ArrowLeft");
  await expect(says).toContainText(`${made[0]} created the ConfigMap one`);
  await page.keyboard.press("ArrowRight");
  await expect(says).toContainText(`${made[1]} created the ConfigMap two`);
  // Travelling: neither what is chosen besides nor Escape takes the sentence from the playhead.
  const { x, axis } = await timeline.at(made[0]);
  await page.mouse.click(x, axis);
  await expect.poll(() => timeline.revision()).toBe(made[0]);
  await expect(says).toContainText(`${made[0]} created the ConfigMap one`);
  await timeline.ruler.press("Escape");
  await expect(page.locator("#st-ruler-marks .st-ring")).toHaveCount(0);
  await expect(says).toContainText(`${made[0]} created the ConfigMap one`);
});

for (const [width, height] of [[1280, 720], [1920, 1080], [3840, 2160]]) {
  test(`lanes fill a screen of ${width}x${height}, and its text grows with it`,
    { tag: "@long" }, async ({ lab, page }) => {
    await page.setViewportSize({ width, height });
    await lab.open();
    const timeline = new Timeline(page);
    for (const from of ["now", "head", "any"]) await timeline.watch(configMaps, from);
    await expect(timeline.lane("w3")).toHaveCount(1);
    await page.locator("body").press("p");
    const edge = await page.getByRole("region", { name: "Presenter" }).boundingBox();
    expect(Math.round(edge.y + edge.height)).toBe(height);
    await expect.poll(async () => {
      const last = await timeline.lane("w3").boundingBox();
      return Math.abs(last.y + last.height - edge.y) < 3;
    }).toBe(true);
    const size = (css) => page.locator(css).first().evaluate((el) => parseFloat(getComputedStyle(el).fontSize));
    const least = (24 * Math.min(width / 1920, height / 1080));
    for (const css of ["#st-rows .st-l1", "#st-rows .st-l2", "#present-text"]) {
      expect(await size(css), css).toBeGreaterThan(least * 0.95);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });
}

test("rows of servers and of lists grow with the screen as lanes do", { tag: "@long" }, async ({ lab, page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await lab.open();
  await lab.fetch("/apis/sandbox.tabernetes.dev/v1/controlplanes/default", { method: "PATCH",
    headers: { "Content-Type": "application/merge-patch+json" }, body: { spec: { cache: { replicas: [{}, {}] } } } });
  const timeline = new Timeline(page);
  await timeline.watch(configMaps, "now");
  await lab.request("GET", "/api/v1/namespaces?limit=2");
  await expect(timeline.words("p1")).toBeVisible();
  const heights = () => page.evaluate(() => [".is-server", ".is-page", ".is-lane"].map(
    (row) => document.querySelector(`#st-rows > ${row}`)?.getBoundingClientRect().height ?? 0));
  const bar = () => page.locator("#st-rows .st-cache").first().evaluate((el) => el.getBoundingClientRect().height);
  await expect.poll(async () => (await heights())[0]).toBeGreaterThan(0);
  const [before, drawn] = [await heights(), await bar()];
  await page.locator("body").press("p");
  await expect.poll(async () => Math.min(...(await heights()).map((h, i) => h / before[i]))).toBeGreaterThan(1.2);
  await expect.poll(bar).toBeGreaterThan(drawn * 1.2);
  const edge = await page.getByRole("region", { name: "Presenter" }).boundingBox();
  await expect.poll(async () => {
    const last = await page.locator("#st-rows > :is(.is-server, .is-page, .is-lane)").last().boundingBox();
    return Math.abs(last.y + last.height - edge.y) < 3;
  }).toBe(true);
});

test("of forty lanes those that changed last, and how many more there are", { tag: "@long" }, async ({ lab, page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await lab.open();
  await page.evaluate(async (path) => {
    for (let i = 0; i < 24; i++) {
      const { body } = await fetch(`${path}?watch=1&resourceVersion=0&labelSelector=i!%3D${i}`);
      (async (r) => { while (!(await r.read()).done); })(body.getReader()).catch(() => {});
    }
  }, configMaps);
  await page.locator("body").press("p");
  const lanes = page.locator("#st-rows > .is-lane");
  await expect(page.locator("#st-rows")).toContainText(/\d+ more/);
  const all = () => page.locator("#st-rows").evaluate((el) =>
    el.querySelectorAll(".is-lane").length + Number(/(\d+) more/.exec(el.textContent)?.[1]));
  await expect.poll(all).toBe(24); // once all have begun
  expect(await lanes.count()).toBeLessThan(24);
  const box = await lanes.last().boundingBox();
  const edge = await page.getByRole("region", { name: "Presenter" }).boundingBox();
  expect(box.y + box.height).toBeLessThanOrEqual(edge.y + 2);
});
