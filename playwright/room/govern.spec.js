// A teacher governs a room: floods, links, roles, and the way back when a tab is lost.
import { expect } from "@playwright/test";
import { expectNoViolations } from "../axe.js";
import { classOf, test } from "./class.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const ROOM = "/apis/sandbox.tabernetes.dev/v1/rooms/default";
const MEMBERS = "/apis/sandbox.tabernetes.dev/v1/members";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };


/** Fills most of a member's share, and returns how many objects that are. */
async function flood(who) {
  // The page's copy of the room, which else answers what it reads, does not know it.
  const { share } = await who.page.evaluate(async (path) =>
    (await tabernetes.fetch(path, { tabernetes: { quiet: true, target: "room" } })).json(), ROOM + "/usage");
  const data = { a: "x".repeat(0.093 * share.bytes) };
  for (let i = 0; i < 10; i++) {
    const made = await who.fetch(MAPS, { method: "POST", body: { metadata: { name: "flood-" + i }, data } });
    expect(made.status, made.body.message).toBe(201);
  }
  return 10;
}

const floods = async (who) =>
  (await who.fetch(MAPS)).body.items.filter(({ metadata }) => metadata.name.startsWith("flood-")).length;

/** The name of a member's object. */
const nameOf = async (who, title) =>
  (await who.fetch(MEMBERS)).body.items.find(({ spec }) => spec.displayName === title)?.metadata.name;

/** Closes a page as a person does, and returns whether the browser asked before it did. */
async function close(page) {
  let asked = false;
  page.once("dialog", async (dialog) => {
    asked = dialog.type() === "beforeunload";
    await dialog.dismiss(); // the page stays
  });
  const closed = page.waitForEvent("close").then(() => false);
  const dialog = page.waitForEvent("dialog").then(() => true);
  await page.close({ runBeforeUnload: true });
  await Promise.race([closed, dialog]);
  closed.catch(() => {});
  dialog.catch(() => {});
  return asked;
}

/** What a teacher does about a flooder, an open link and a lost tab, at any width. */
async function govern(person, teacher, ada, dmitri, link) {
  const made = await flood(dmitri);
  await expect(teacher.line).toContainText("Dmitri floods the room");
  await expect(teacher.page.locator("#status")).toContainText("Dmitri floods the room");
  await teacher.line.getByRole("button", { name: "Dmitri floods the room" }).click();
  const row = await teacher.row("Dmitri");
  await expect(row.locator(".room-row")).toHaveAccessibleName(/10 objects, [\d,]+ KB.*9\d % of a share/);
  await expectNoViolations(teacher.page, "a flood");
  await row.getByRole("button", { name: `Remove ${made} objects` }).click();
  await expect(row).toContainText(`Remove ${made} objects that Dmitri made?`);
  await expect(row.getByRole("button", { name: "Remove them" })).toBeFocused();
  await row.getByRole("button", { name: "Remove them" }).click();
  await expect.poll(() => floods(teacher)).toBe(0);
  await expect(teacher.line).not.toContainText("floods");
  await expect(teacher.page.locator("#status")).toContainText("Dmitri no longer floods the room");

  await teacher.act("Dmitri", "Remove Dmitri");
  await expect(row).toContainText("Dmitri loses access immediately");
  await row.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(row).toHaveCount(0);
  await expect(dmitri.line).toContainText("A teacher removed you");
  // What is written there now is in that tab's own cluster.
  expect((await dmitri.fetch(MAPS, { method: "POST", body: { metadata: { name: "late" } } })).status).toBe(201);
  expect((await teacher.fetch(MAPS + "/late")).status).toBe(404);

  // Nobody comes by a link that has ended; who came by it stays.
  await teacher.press("End this link for Learners");
  await teacher.press("End it");
  await expect(teacher.column.locator(".room-links")).toContainText("ended, 1 joined");
  const stranger = await person();
  await stranger.page.goto(link.replace("/#", "/?nosw#"));
  await expect(stranger.column.getByRole("alert")).toContainText("no longer valid");
  expect((await ada.fetch(MAPS)).status).toBe(200);

  // The tab of the only teacher does not close unasked, until its link is copied; that brings the teacher back.
  expect(await close(teacher.page)).toBe(true);
  const back = await teacher.linkBack();
  await expect(teacher.column.locator(".room-own")).not.toHaveClass(/is-new/);
  expect(await close(teacher.page)).toBe(false);
  const again = await person();
  await again.page.goto(back.replace("/#", "/?nosw#"));
  await again.inside();
  await expect.poll(() => again.people()).toEqual(["Ada learner, here", "Ms Hopper (you) teacher, here"]);
  expect(again.page.url()).not.toContain("token");
  return again;
}

test("a class with a flooder: a teacher removes objects, person and link, and comes back",
  { tag: "@long" }, async ({ person }) => {
  const teacher = await person();
  await teacher.open("Ms Hopper");
  const link = await teacher.invite("Learners");
  const [ada, dmitri] = [await person(), await person()];
  await ada.join(link, "Ada");
  await dmitri.join(link, "Dmitri");
  const again = await govern(person, teacher, ada, dmitri, link);

  // A learner's own link brings the same member back, and a teacher may change its role.
  const name = await nameOf(again, "Ada");
  const own = await ada.linkBack();
  await ada.page.close();
  await expect.poll(() => again.people()).toContain("Ada learner, away");
  const came = await person();
  await came.page.goto(own.replace("/#", "/?nosw#"));
  await came.inside();
  await expect.poll(() => again.people()).toContain("Ada learner, here");
  expect(await nameOf(again, "Ada")).toBe(name);
  expect((await came.fetch(MAPS, { method: "POST", body: { metadata: { name: "left" } } })).status).toBe(201);
  await (await again.row("Ada")).getByRole("combobox", { name: "Role of Ada" }).selectOption("spectator");
  await expect.poll(() => again.people()).toContain("Ada spectator, here");
  await again.column.getByRole("spinbutton", { name: "Largest number of members" }).fill("3");
  await again.press("Set");
  await expect(again.column).toContainText("2 of 3 people, 2 here · 1 teacher");

  // What a person who was removed has left can be removed, too.
  await again.act("Ada", "Remove Ada");
  await (await again.row("Ada")).getByRole("button", { name: "Remove", exact: true }).click();
  const gone = again.column.getByRole("list", { name: "Former members with objects" });
  await expect(gone.getByRole("listitem")).toContainText(/Ada\s+has left, and still has 1 object, 1 KB/);
  await gone.getByRole("button", { name: "Remove what Ada has left" }).click();
  await gone.getByRole("button", { name: "Remove them" }).click();
  await expect(gone).toHaveCount(0);
  expect((await again.fetch(MAPS + "/left")).status).toBe(404);
});

test("a class with a flooder, from a phone", { tag: "@long" }, async ({ person }) => {
  const teacher = await person(PHONE);
  await teacher.open("Ms Hopper");
  const link = await teacher.invite("Learners");
  const [ada, dmitri] = [await person(), await person()];
  await ada.join(link, "Ada");
  await dmitri.join(link, "Dmitri");
  await teacher.openColumn();
  await expect(teacher.page.locator("#panel-stage")).toBeHidden();
  await teacher.page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Console" }).click();
  await expect(teacher.column).toBeHidden();
  await govern(person, teacher, ada, dmitri, link);
});

test("the people are one stop of Tab, and one is away", { tag: "@long" }, async ({ person }) => {
  const [teacher, ada] = await classOf(person, ["Ada"]);
  await teacher.press("Follow me");
  const { page } = teacher;
  // What can be scrolled in the lesson, and where it is.
  const scrolled = (to) => page.locator("#panel-lesson").evaluate((panel, to) => {
    const el = [panel, ...panel.querySelectorAll("*")].find((el) => el.scrollHeight > el.clientHeight + 4 &&
      getComputedStyle(el).overflowY === "auto");
    if (to) el.scrollTop = to;
    return el.scrollTop;
  }, to);
  await teacher.closeColumn();
  await scrolled(60);
  const where = await scrolled();
  expect(where).toBeGreaterThan(0);
  await teacher.openColumn();
  const rows = teacher.column.locator(".room-row");
  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(1)).toBeFocused();
  await expect(teacher.column.locator(".room-row[tabindex='0']")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(rows.nth(1)).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("Tab");
  await expect(teacher.column.getByRole("combobox", { name: "Role of Ada" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(teacher.column.getByRole("button", { name: "Hand over to Ada" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(rows.nth(1)).toBeFocused();
  await expect(rows.nth(1)).toHaveAttribute("aria-expanded", "false");
  await expectNoViolations(page, "the people");
  // What is asked about is taken back by Escape, and the focus is where it was.
  const end = teacher.column.getByRole("button", { name: "End this link for Learners" });
  await end.focus();
  await page.keyboard.press("Enter");
  await expect(teacher.column.getByRole("button", { name: "End it" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(end).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(teacher.column).toBeHidden();
  await expect(teacher.button).toBeFocused();
  await expect(page.getByRole("region", { name: "Lesson", exact: true })).toBeVisible();
  expect(await scrolled(), "the lesson is where it was").toBe(where);

  // What a learner sees: its own link, and nobody's acts.
  const column = await ada.openColumn();
  await expect(column.getByRole("heading", { name: "My link back" })).toBeVisible();
  await expect(column.getByRole("heading", { name: "Links", exact: true })).toHaveCount(0);
  await expect(column.locator("button.room-row")).toHaveCount(0);
  await expectNoViolations(ada.page, "a learner's column");

  await expect(ada.line).toContainText("Following Ms Hopper");
  await expect(ada.line).not.toContainText("away");
  await teacher.page.close();
  await expect(ada.line).toContainText("Ms Hopper is away");
});
