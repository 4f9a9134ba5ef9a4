// What is written fits where it is written, and what is pressed is large enough for a finger.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";
import { boxOf, Timeline } from "../lab.js";
import { fakeTerminal, Terminal } from "../terminal.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const merge = { "Content-Type": "application/merge-patch+json" };

/** Elements that show less than they have. @param {import("@playwright/test").Locator} all */
const cut = (all) => all.evaluateAll((els) => els
  .filter((el) => getComputedStyle(el).display !== "inline" && el.checkVisibility())
  .filter((el) => el.scrollWidth > el.clientWidth || el.scrollHeight > el.clientHeight + 2)
  .map((el) => `${el.className}: ${el.textContent.trim()}`));

/** Opens watches that stay open, from a version or from the current state. */
const watch = (page, path, version = "", headers = {}) =>
  page.evaluate(async ([url, headers]) => {
    fetch(url, { headers }).then((r) => r.text(), () => {});
  }, [`${path}?watch=1${version && `&resourceVersion=${version}`}`, headers]);

/** A lane of each kind of state: pushed out, cut, open, and one whose events are in bytes. */
async function lanes(lab, page) {
  const timeline = new Timeline(page);
  await lab.fetch(CONTROL_PLANE, { method: "PATCH", headers: merge,
    body: { spec: { cache: { capacity: { least: 2, most: 2 } } } } });
  const { metadata } = (await lab.fetch(configMaps)).body;
  await watch(page, configMaps, metadata.resourceVersion);
  await watch(page, "/api/v1/namespaces/kube-system/serviceaccounts", metadata.resourceVersion);
  await expect(timeline.words("w2")).toHaveCount(1);
  await lab.lever("Cut the watches");
  for (const name of ["a", "b", "c", "d"]) {
    await lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });
  }
  await timeline.resume("w1");
  await expect(timeline.words("w1")).toHaveAccessibleName(/error 410/);
  await watch(page, "/api/v1/namespaces/default/secrets");
  await watch(page, "/api/v1/namespaces/default/pods", "",
    { Accept: "application/vnd.kubernetes.protobuf;stream=watch" });
  await expect(timeline.words("w4")).toHaveCount(1);
  return timeline;
}

const sizes = [[1440, 900], [1180, 800], [1024, 768], [720, 450]];

test("the legend is whole at any size", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    const legend = page.locator(".st-legend");
    await expect(legend).toBeVisible();
    await expect.poll(() => cut(page.locator(
      ".st-legend, .st-leg > *, .st-legendrow .st-head > p, .st-addform .field")), `at ${width}x${height}`).toEqual([]);
  }
});

for (const [width, height] of sizes) {
  test.describe(`at ${width}x${height}`, () => {
    test.use({ viewport: { width, height } });

    test("the heads of lanes say all that they have to say", { tag: "@long" },
      async ({ lab, page }) => {
      await lab.open();
      await lab.settled();
      const timeline = await lanes(lab, page);
      await page.mouse.move(0, 0);
      const heads = page.locator(".is-lane .st-l2, .is-lane .st-l2 > *");
      expect(await cut(heads)).toEqual([]);
      await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
      await expect(timeline.head).toContainText("showing revision");
      expect(await cut(heads)).toEqual([]);
    });
  });
}

test("a watch in bytes says in its head that it is not drawn", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await watch(page, "/api/v1/namespaces/default/pods", "",
    { Accept: "application/vnd.kubernetes.protobuf;stream=watch" });
  const state = new Timeline(page).lane("w1").locator(".st-l2");
  await expect(state).toHaveText("open, not drawn");
  await expect(state.locator("span")).toHaveAttribute("title", /format/);
});

test("below the ruler no row is cut, whatever it is scrolled by", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const pods = "/api/v1/namespaces/default/pods";
  for (let i = 0; i < 5; i++) await watch(page, pods, String(5 + i));
  await lab.request("GET", "/api/v1/namespaces?limit=2");
  const timeline = new Timeline(page);
  await expect(timeline.words("p1")).toHaveCount(1);
  const scroll = page.locator("#st-scroll");
  /** The row that the ruler cuts, and whether the last list is seen. */
  const seen = () => scroll.evaluate((el) => {
    const { top, bottom } = el.getBoundingClientRect();
    const rows = [...el.querySelectorAll(".st-row")].map(
      (r) => ({ id: r.dataset.row, box: r.getBoundingClientRect() }));
    return {
      cut: rows.filter(({ box }) => box.top < top - 1 && box.bottom > top + 1).map(({ id }) => id).join(),
      list: rows.find(({ id }) => id === "p1").box.bottom <= bottom + 1,
    };
  });
  for (let i = 0; i < 6; i++) await page.locator("body").press("]");
  await expect.poll(seen).toEqual({ cut: "", list: true });
  await scroll.hover();
  await page.mouse.wheel(0, 2000);
  await expect.poll(async () => (await seen()).cut).toBe("");
  const add = await boxOf(page.locator(".st-add"));
  const box = await boxOf(scroll);
  expect(add.y + add.height).toBeLessThanOrEqual(box.y + box.height + 1);
});

test("where nothing hovers, what closes a lane does not lie on its name", { tag: "@long" },
  async ({ browser, lab }) => {
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(lab.url + "/?nosw");
  await page.waitForFunction(() => window.tabernetes?.state === "ready");
  await watch(page, "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-public/rolebindings");
  const lane = new Timeline(page).lane("w1");
  const close = await boxOf(lane.getByRole("button", { name: "Close watch w1" }));
  await expect(lane.locator(".st-acts")).toHaveCSS("opacity", "1");
  const name = await boxOf(lane.locator(".st-short"));
  expect(name.x + name.width).toBeLessThanOrEqual(close.x);
  await context.close();
});

test("of the answer’s path the middle is cut, not its end", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const path = "/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt";
  await lab.request("GET", path);
  const of = page.locator("#res-status .of");
  await expect(of).toHaveText(`GET ${path}`);
  const edge = (await boxOf(of)).x + (await boxOf(of)).width;
  const base = of.locator(".base");
  await expect(base).toHaveText("configmaps/kube-root-ca.crt");
  const box = await boxOf(base);
  expect(box.x + box.width).toBeLessThanOrEqual(edge + 1);
  expect(await cut(base)).toEqual([]);
});

test("the body of a DELETE has four lines", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.method.selectOption("DELETE");
  await lab.path.fill("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"); // two lines
  await lab.moreOfRequest();
  await page.getByRole("button", { name: "Add a body" }).click();
  const editor = await boxOf(lab.body);
  const rest = await boxOf(page.locator(".composer-rest"));
  expect(Math.min(editor.y + editor.height, rest.y + rest.height) - editor.y).toBeGreaterThanOrEqual(4 * 18);
  await page.getByRole("button", { name: "Present", exact: true }).click(); // it takes no room there
  await expect.poll(async () => (await boxOf(page.locator("#panel-stage"))).height).toBeGreaterThan(600);
});

test("what does not fit into the presenter’s foot ends in an ellipsis", { tag: "@long" }, async ({ lab, page }) => {
  await page.setViewportSize({ width: 720, height: 450 });
  await lab.open("/#scene=gone");
  const next = page.getByRole("region", { name: "Presenter" }).locator("[data-do=next] > span");
  await expect(next).toBeVisible();
  expect(await next.evaluate((el) => getComputedStyle(el).textOverflow)).toBe("ellipsis");
  const button = await boxOf(page.locator("[data-do=next]"));
  const box = await boxOf(next);
  expect(box.x + box.width).toBeLessThanOrEqual(button.x + button.width);
});

test("what is taken off the stage leaves the focus with its neighbour", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  for (let i = 0; i < 3; i++) await watch(page, "/api/v1/namespaces/default/pods", String(5 + i));
  await expect(timeline.words("w3")).toHaveCount(1);
  await lab.lever("Cut the watches");
  const off = async (id, what = "watch") => {
    await timeline.row(id).getByRole("button", { name: `Take ${what} ${id} off the stage` }).focus();
    await page.keyboard.press("Enter");
    await expect(timeline.words(id)).toHaveCount(0);
  };
  await off("w2");
  await expect(page.locator("#st-head-w3")).toBeFocused();
  await lab.request("GET", "/api/v1/namespaces?limit=2");
  await expect(timeline.words("p1")).toHaveCount(1);
  await off("p1", "list");
  await expect(page.locator("#st-head-w3")).toBeFocused();
  await page.getByRole("button", { name: "Close 2 ended" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("#st-add")).toBeFocused();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  /** How far around its middle an element is what a finger finds. */
  const found = async (locator) => {
    await locator.scrollIntoViewIfNeeded();
    return locator.evaluate((el) => {
      const { left, top, width, height } = el.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const reach = (dx, dy) => {
        let n = 0;
        while (n < 60 && el.contains(document.elementFromPoint(x + dx * (n + 1), y + dy * (n + 1)))) n++;
        return n;
      };
      return { wide: reach(-1, 0) + reach(1, 0) + 1, high: reach(0, -1) + reach(0, 1) + 1 };
    });
  };
  const large = async (locator) => {
    await expect(locator).toBeVisible();
    const { wide, high } = await found(locator);
    expect.soft(Math.min(wide, 44), "wide").toBe(44);
    expect.soft(Math.min(high, 44), "high").toBe(44);
  };

  test("a finger finds the buttons of lanes, and chips", { tag: "@long" }, async ({ lab, page }) => {
    await lab.open();
    await lab.settled();
    await page.getByRole("button", { name: "Console", exact: true }).tap();
    const timeline = new Timeline(page);
    await watch(page, configMaps, "5");
    await expect(timeline.words("w1")).toHaveCount(1);
    const lane = timeline.lane("w1");
    await large(lane.getByRole("button", { name: "Close watch w1" }));
    await page.evaluate((path) => fetch(path, { method: "POST", body: "{}" }), `${CONTROL_PLANE}/disconnect`);
    await large(lane.getByRole("button", { name: /^Resume watch w1/ }));
    await large(lane.getByRole("button", { name: "Take watch w1 off the stage" }));
    await large(lane.locator(".st-tank"));
    await lab.request("POST", configMaps, lab.configMap("one"));
    await expect(page.locator("#res-status")).toContainText("201");
    await page.getByRole("button", { name: /^Log/ }).tap();
    await large(lab.requests.locator("a.chip").first());
  });

  test("and chips of the terminal", { tag: "@long" }, async ({ lab, page }) => {
    await fakeTerminal(page);
    await lab.open();
    await page.getByRole("button", { name: "Terminal", exact: true }).tap();
    const terminal = new Terminal(page);
    await terminal.ready();
    await terminal.run("kubectl get pods");
    await large(terminal.block().locator("button.chip").first());
  });
});
