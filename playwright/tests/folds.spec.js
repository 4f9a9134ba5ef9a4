// What a server writes by itself is one mark on the stage, wherever it is; and what a fork leaves behind is marked.
import { test, expect } from "../fixtures.js";
import { boxAtRest, Timeline } from "../lab.js";

const PLANE = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default";
const MAPS = "/api/v1/namespaces/default/configmaps";

/** Switches RBAC, as any client does. */
const authorize = (lab, mode) => lab.fetch(PLANE, { method: "PATCH",
  headers: { "Content-Type": "application/merge-patch+json" }, body: { spec: { authorization: { mode } } } });

/** The words of the ruler. */
const words = (page) => page.locator("#st-ruler text").allTextContents();

const shot = (page, name) =>
  process.env.ROOM_SHOTS && page.screenshot({ path: `${process.env.ROOM_SHOTS}/${name}.png` });

test("the writes of a switch are one mark, before a reload and after it", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const timeline = new Timeline(page);
  const folds = page.locator("#st-ruler .st-fold");
  await expect(folds).toHaveCount(1);
  await lab.fetch(MAPS, { method: "POST", body: { metadata: { name: "before" } } });
  const on = await authorize(lab, "RBAC");
  expect(on.status).toBe(200);
  const at = Number(on.body.metadata.resourceVersion);
  await expect(folds).toHaveCount(2);
  await expect.poll(() => words(page)).toContainEqual(expect.stringMatching(/^(made by the )?server$/));
  // Its roles are behind the switch, which is seen by itself.
  await expect.poll(async () => {
    const span = (await words(page)).find((text) => text.startsWith(`${at + 1}–`));
    return Number(span?.split("–")[1]) - at;
  }).toBeGreaterThan(130);
  await shot(page, "rbac-1440");
  await lab.fetch(MAPS, { method: "POST", body: { metadata: { name: "after" } } });
  await page.reload();
  await lab.ready();
  await expect(folds).toHaveCount(2);
  // It is unfolded by a press, as the start is.
  const box = await boxAtRest(folds.nth(1));
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(async () => (await words(page)).some((text) => text.startsWith(`${at + 1}–`))).toBe(false);
  await expect(timeline.head).toBeVisible();
});

test("a fork marks the revisions of the branch that it leaves", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.settled();
  const made = [];
  for (const name of ["a", "b", "c"]) {
    await lab.request("POST", MAPS, JSON.stringify({ metadata: { name } }));
    await expect(lab.response).toContainText(`"name": "${name}"`);
    made.push(Number((await lab.fetch(`${MAPS}/${name}`)).body.metadata.resourceVersion));
  }
  const timeline = new Timeline(page);
  const chip = (revision) => page.locator("#history .chip", { hasText: `→ ${revision}` });
  await expect(chip(made[2])).toHaveAttribute("data-target", String(made[2]));
  await timeline.bar.getByRole("button", { name: "One revision back (←)" }).click();
  await timeline.bar.getByRole("button", { name: "One revision back (←)" }).click();
  await expect.poll(() => timeline.revision()).toBe(made[0]);
  await page.getByRole("button", { name: "Fork here" }).click();
  await expect(timeline.head).toContainText(`forked at ${made[0]}`);
  // The log: what the fork shares is a link, what it does not share leads nowhere.
  await expect(chip(made[0])).toHaveAttribute("data-target", String(made[0]));
  for (const left of made.slice(1)) {
    await expect(chip(left)).toHaveClass(/is-left/);
    await expect(chip(left)).not.toHaveAttribute("data-target");
    await expect(chip(left)).toContainText("of the cluster that you left");
  }
  // The stage: how far the other went, and no words over others.
  await expect(page.locator("#st-ruler .st-branch")).toHaveCount(1);
  await expect.poll(() => words(page)).toEqual(expect.arrayContaining([`forked at ${made[0]}`, "head",
    `the other continued to ${made[2]}`]));
  await shot(page, "fork-1440");
  const flag = await page.locator("#st-ruler .st-flag").first().boundingBox();
  const said = await page.locator("#st-ruler text", { hasText: "forked at" }).boundingBox();
  expect(said.x + said.width <= flag.x || flag.x + flag.width <= said.x || said.y >= flag.y + flag.height ||
    flag.y >= said.y + said.height, "the words and the flag are apart").toBe(true);
});

test("the ruler's head has its buttons in sight before the wall", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  for (const name of ["a", "b"]) await lab.fetch(MAPS, { method: "POST", body: { metadata: { name } } });
  await lab.fetch(PLANE + "/compact", { method: "POST", body: {} });
  const timeline = new Timeline(page);
  await expect(timeline.head).toContainText("etcd from");
  for (let i = 0; i < 3; i++) await timeline.bar.getByRole("button", { name: "One revision back (←)" }).click();
  await expect(timeline.head).toContainText("compacted, as recorded");
  for (const size of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }]) {
    await page.setViewportSize(size);
    await expect.poll(() => timeline.head.evaluate((head) => {
      const outer = head.getBoundingClientRect();
      const seen = [...head.querySelectorAll("button, b, span")].filter((el) => el.getClientRects().length > 0);
      return seen.every((el) => {
        const box = el.getBoundingClientRect();
        return box.top >= outer.top - 1 && box.bottom <= outer.bottom + 1;
      });
    })).toBe(true);
    await shot(page, `wall-${size.width}`);
  }
});
