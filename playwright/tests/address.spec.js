// The address follows what one looks at, and leads back to it.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

test("revision and object are in the address; back, forward, a link and a reload show them", async ({ lab, page }) => {
  const timeline = new Timeline(page);
  await lab.open();
  await lab.settled();
  const head = await page.evaluate(async (objects) => {
    let made;
    for (const body of objects) {
      const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
      made = await (await fetch("/api/v1/namespaces/default/configmaps", init)).json();
    }
    return Number(made.metadata.resourceVersion);
  }, [lab.configMap("first"), lab.configMap("second")]);
  await expect.poll(() => timeline.revision()).toBe(head);
  const hash = () => page.evaluate(() => location.hash);
  await timeline.bar.getByRole("button", { name: /^One revision back/ }).click();
  await expect.poll(hash).toBe(`#at=${head - 1}`);
  await page.evaluate(() => location.assign("#see=configmaps/default/first"));
  await expect(lab.objects).toContainText("first");
  await expect.poll(hash).toContain("see=configmaps/default/first");
  await page.goBack();
  await expect.poll(() => timeline.revision()).toBe(head - 1);
  await page.goBack();
  await expect.poll(() => timeline.revision()).toBe(head);
  expect(await hash()).toBe("");
  await page.goForward();
  await expect.poll(() => timeline.revision()).toBe(head - 1);
  await page.reload();
  await lab.ready();
  await expect.poll(() => timeline.revision()).toBe(head - 1);
  await page.goto(page.url().split("#")[0] + `#lesson-verbs-2&at=${head + 100}`);
  await expect(page.getByText(`The cluster has no revision ${head + 100} to show.`).first()).toBeVisible();
  await expect.poll(() => timeline.revision()).toBeGreaterThanOrEqual(head); // the lesson's set-up writes, too
});
