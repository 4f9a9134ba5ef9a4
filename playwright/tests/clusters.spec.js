// What belongs to a cluster stays with it when requests go to another one.
import { ownServerTest as test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** The switch in the header. @param {import("@playwright/test").Page} page */
const clusters = (page) => page.getByRole("radiogroup", { name: "Cluster that requests go to" });

test("an act can be undone in its own cluster only", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const undo = new Timeline(page).bar.getByRole("button", { name: /^Undo/ });
  await lab.fetch(configMaps, { method: "POST", body: lab.configMap("a") });
  await lab.lever("Compact now");
  await expect(undo).toBeVisible();
  await clusters(page).getByText("Devserver").click();
  await expect(undo).toHaveCount(0);
  await clusters(page).getByText("In this tab").click();
  await expect(undo).toBeVisible();
});

test("requests, lanes and the answer are put away with their cluster, and come back with it",
  { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const timeline = new Timeline(page);
  const own = lab.requests.getByRole("row").filter({ hasText: "configmaps" });
  const other = lab.requests.getByRole("row").filter({ hasText: "secrets" });
  await timeline.watchChanges(configMaps);
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /default\/configmaps, open/);
  await lab.request("POST", configMaps, lab.configMap("first"));
  await expect(lab.response).toContainText("Created at");
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /open, 1 event/);
  await expect(own).toHaveCount(2);
  const answered = await lab.answer.textContent();
  const wrote = await timeline.revision();

  await clusters(page).getByText("Devserver").click();
  await expect(timeline.lane("w1")).toHaveCount(0);
  await expect(own).toHaveCount(0);
  await expect(lab.answer).toContainText("Send a request");
  await page.locator("body").press("j"); // no lane can be chosen
  await expect(lab.answer).toContainText("Send a request");
  await timeline.watchChanges("/api/v1/namespaces/default/secrets");
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /default\/secrets, open/);
  await lab.request("GET", "/api/v1/namespaces/default/secrets");
  await expect(lab.answer).toContainText("SecretList");
  await expect(other).toHaveCount(2);
  // Meanwhile a client of the tab's cluster writes there: its watch, which is still open, gets it.
  await page.evaluate(([path, body]) => fetch(path, { method: "POST", body, headers: { "Content-Type":
    "application/json" }, tabernetes: { target: "tab" } }), [configMaps, JSON.stringify(lab.configMap("second"))]);
  await expect(own).toHaveCount(0);

  await clusters(page).getByText("In this tab").click();
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /default\/configmaps, open, 2 events/);
  await expect(timeline.rows.getByRole("listitem").filter({ hasText: "secrets" })).toHaveCount(0);
  await expect(own).toHaveCount(3);
  await expect(other).toHaveCount(0);
  expect(await lab.answer.textContent()).toBe(answered);
  // What its requests made is known as before.
  await own.filter({ hasText: `→ ${wrote}` }).click();
  await expect(timeline.stage).toContainText(`POST configmaps`);
  await lab.request("POST", configMaps, lab.configMap("third"));
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /open, 3 events/);

  await clusters(page).getByText("Devserver").click();
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /default\/secrets, open/);
  await expect(other).toHaveCount(2);
  await expect(lab.answer).toContainText("SecretList");
});
