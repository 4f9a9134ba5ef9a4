// A client that keeps a cache, beside its lane, as a person tries it.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const tab = (page) => page.getByRole("tab", { name: "Client", exact: true });
const panelOf = (page) => page.getByRole("tabpanel", { name: "Client", exact: true });

/** Starts a client in a way of the list. */
async function start(page, way) {
  const panel = panelOf(page);
  await panel.getByLabel("Collection").fill(configMaps);
  await panel.getByLabel("Way").selectOption({ label: way });
  await panel.getByRole("button", { name: "Start" }).click();
  await expect(panel).toContainText(/watching after \d+/);
}

test("a client that skips what it missed differs from the server, a correct one does not", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  for (const name of ["a", "b", "c"]) await lab.fetch(configMaps, { method: "POST", body: lab.configMap(name) });
  await tab(page).click();
  const panel = panelOf(page);
  await start(page, "watches from the newest version after each cut");
  const row = (name) => panel.getByRole("row", { name: new RegExp("default/" + name + "\\b") });
  await expect(row("a")).toContainText("as on the server");
  const lane = page.getByRole("listitem").filter({ has: page.getByRole("img", { name: /^w1\b/ }) });
  await expect(lane).toContainText("as on the server");

  // What is written while it watches reaches it.
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("d") });
  await expect(row("d")).toContainText("as on the server");

  // What happens between a cut and the next watch is lost. The writes are under way
  // when the watches are cut.
  await page.evaluate(async ([path, plane]) => {
    const quiet = { tabernetes: { quiet: true }, headers: { "Content-Type": "application/json" } };
    const cut = fetch(plane + "/disconnect", { ...quiet, method: "POST", body: "{}" });
    const lost = fetch(path, { ...quiet, method: "POST", body: JSON.stringify({ metadata: { name: "unseen" } }) });
    const ghost = fetch(path + "/b", { ...quiet, method: "DELETE" });
    await Promise.all([cut, lost, ghost]);
  }, [configMaps, CONTROL_PLANE]);
  await lab.lever("Compact now");
  await expect(row("unseen")).toContainText("missing: never received");
  await expect(row("b")).toContainText("ghost: deleted on the server");
  const note = page.locator(".st-cachenote.bad");
  await expect(note).toHaveText("1 lost, 1 ghost");

  await panel.getByRole("button", { name: "Stop" }).click();
  await expect(panel).toContainText("stopped");
  await expect(note).toHaveCount(0);

  // The correct one goes through the same, and ends the as on the server.
  await start(page, "as client-go does it");
  await expect(row("unseen")).toContainText("as on the server");
  await expect(row("b")).toHaveCount(0);
  await page.getByRole("button", { name: "Cut the watches" }).click();
  await lab.fetch(configMaps + "/a", { method: "DELETE" });
  await lab.lever("Compact now");
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("late") });
  await expect(row("late")).toContainText("as on the server");
  await expect(row("a")).toHaveCount(0);
  await expect(page.locator(".st-cachenote")).toHaveText("as on the server");
});

test("a client of another cluster's objects finds back by itself", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("before") });
  await tab(page).click();
  await start(page, "as client-go does it");
  const panel = panelOf(page);
  await expect(panel.getByRole("row", { name: /default\/before/ })).toContainText("as on the server");
  await lab.fetch(CONTROL_PLANE + "/reset", { method: "POST", body: {} });
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("after") });
  await expect(panel.getByRole("row", { name: /default\/after/ })).toContainText("as on the server");
  await expect(panel.getByRole("row", { name: /default\/before/ })).toHaveCount(0);
});

test("what is no collection is refused in words", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await tab(page).click();
  const panel = panelOf(page);
  for (const [path, says] of [
    [configMaps + "/one", "This is not a collection"],
    [configMaps + "?labelSelector=a", "without a query"],
    ["/api/v1/nothings", "no such resource type"],
  ]) {
    await panel.getByLabel("Collection").fill(path);
    await panel.getByRole("button", { name: "Start" }).click();
    await expect(panel.getByRole("alert")).toContainText(says);
  }
});

test("by keyboard: the focus stays where it is when the client starts and stops", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  await page.keyboard.press("Alt+8");
  const path = panelOf(page).getByLabel("Collection");
  await path.focus();
  await path.fill(configMaps);
  await page.keyboard.press("Enter");
  await expect(panelOf(page)).toContainText(/watching after \d+/);
  await expect(path).toBeFocused();
  const stop = panelOf(page).getByRole("button", { name: "Stop" });
  await stop.focus();
  await page.keyboard.press("Enter");
  await expect(panelOf(page).getByRole("button", { name: "Start" })).toBeFocused();
  await expect(panelOf(page)).toContainText("stopped");
});
