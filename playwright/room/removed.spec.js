// A learner whom the teacher removes, in the middle of an exam: what it reads, and that its page asks no more.
import { expect } from "@playwright/test";
import { expectNoViolations } from "../axe.js";
import { Lesson } from "../lesson.js";
import { test } from "./class.js";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
const HELD = "/api/v1/namespaces/default/configmaps";

/** Takes a picture, if somebody wants to look. */
const shot = (page, name) =>
  process.env.ROOM_SHOTS && page.screenshot({ path: `${process.env.ROOM_SHOTS}/${name}.png` });

/** The teacher opens an exam for the class. */
async function openExam(teacher) {
  await teacher.openColumn();
  await teacher.column.getByRole("button", { name: "Exam", exact: true }).click();
  const panel = teacher.page.locator("#panel-exam");
  await expect(panel).toContainText("The exam is open-book");
  await panel.getByLabel("Seed").fill("7");
  await panel.getByRole("button", { name: "Open an exam" }).click();
  await expect(panel.getByRole("status")).toContainText("10 questions");
  return panel;
}

test("a class whose teacher removes one in an exam: what it reads, in its own cluster, and asks nothing more",
  { tag: "@long" }, async ({ person }) => {
  const teacher = await person();
  await teacher.open("Ms Hopper");
  const link = await teacher.invite("Learners");
  const ada = await person({ viewport: { width: 1280, height: 720 } });
  await ada.join(link, "Ada");
  const panel = await openExam(teacher);

  // One button leads to the exam, whatever is open.
  await expect(ada.line.getByRole("button", { name: "Take the exam" })).toBeVisible();
  await ada.openColumn();
  await expect(ada.page.getByRole("button", { name: "Take the exam" })).toHaveCount(1);
  await expect(ada.column).toContainText("It is open-book");
  await ada.column.getByRole("button", { name: "Take the exam" }).click();

  // The question has the room.
  const lesson = new Lesson(ada.page);
  await expect(lesson.where).toHaveText("Exam, question 1 of 10");
  await expect(lesson.bar.locator(".lesson-segments > i")).toHaveCount(10);
  await expect(lesson.bar.locator('.lesson-segments > [data-segment="shown"]')).toHaveCount(1);
  await expect(lesson.bar.locator(".lesson-checks")).toBeHidden();
  await expect(lesson.notice).toHaveCount(0);
  await expect(ada.page.getByRole("button", { name: /the exam$/ })).toHaveCount(0);
  const bar = await lesson.bar.evaluate((el) => el.getBoundingClientRect().height);
  expect(bar, "pixels of the bar, which may have the answers").toBeLessThan(240);
  await shot(ada.page, "exam-1280");
  await expectNoViolations(ada.page, "a question of the exam", { within: "article[data-open] .lesson-bar", rules: 5 });
  await lesson.bar.getByRole("button", { name: /^More of this step/ }).click();
  await expect(lesson.bar.locator(".lesson-checks")).toBeVisible();
  await lesson.bar.getByRole("button", { name: /^Less of this step/ }).click();

  // What is stored has the question that is asked, and none that comes later.
  const kept = JSON.parse(await ada.page.evaluate(() => localStorage.getItem("tabernetes/exam-class")));
  expect(kept.of).toBe(10);
  expect(kept.questions).toHaveLength(1);

  // One press of the bar's button is one answer, which is run, as in a lesson.
  await lesson.choice("0").getByRole("radio").check();
  await lesson.bar.locator("[data-action=lesson-go]").click();
  await expect(lesson.question).toHaveAttribute("data-committed");
  await expect(lesson.next).toBeVisible();
  await lesson.next.click();
  await expect(lesson.where).toHaveText("Exam, question 2 of 10");
  await expect(lesson.bar.locator('.lesson-segments > [data-segment="done"]')).toHaveCount(1);

  // After a reload it continues with the same question.
  const hash = await ada.page.evaluate(() => location.hash);
  await ada.page.reload();
  await ada.inside();
  await expect(lesson.where).toHaveText("Exam, question 2 of 10");
  expect(await ada.page.evaluate(() => location.hash)).toBe(hash);
  await expect(ada.page.locator("#panel-console")).toHaveJSProperty("inert", true);
  await expect(ada.page.getByRole("button", { name: /the exam$/ })).toHaveCount(0);
  // Elsewhere there is a way back to it.
  await ada.page.evaluate(() => (location.hash = "#practice"));
  await ada.line.getByRole("button", { name: "Continue the exam" }).click();
  await expect(lesson.where).toHaveText("Exam, question 2 of 10");

  // The teacher removes her.
  await panel.getByRole("button", { name: /^Close/ }).click();
  await teacher.act("Ada", "Remove Ada");
  await (await teacher.row("Ada")).getByRole("button", { name: "Remove", exact: true }).click();
  await expect(ada.line).toContainText("A teacher removed you");
  await expect(ada.page.locator("#panel-console")).toHaveJSProperty("inert", false);
  await expect(ada.page.locator(".course-page[data-open]")).toContainText("It ended with your place in the room.");
  expect(await ada.page.evaluate(() => sessionStorage.getItem("tabernetes.room"))).toBeFalsy();
  await shot(ada.page, "removed-1280");

  // Nothing is asked of the room any more: not by itself, and what she asks herself goes to her own cluster.
  const asked = [];
  ada.page.on("request", (request) => /\/rooms\//.test(request.url()) && asked.push(request.url()));
  expect((await ada.fetch(HELD, { method: "POST", body: { metadata: { name: "mine" } } })).status).toBe(201);
  await ada.page.evaluate(() => window.dispatchEvent(new Event("online")));
  expect((await ada.fetch(HELD + "/mine")).status).toBe(200);
  expect((await teacher.fetch(HELD + "/mine")).status).toBe(404);
  await ada.openColumn();
  await expect(ada.column.getByRole("alert")).toContainText("Another invitation lets you in again");
  await expectNoViolations(ada.page, "who was removed", { within: ".bar, #panel-room", rules: 5 });
  await ada.line.getByRole("button", { name: "My own cluster" }).click();
  await expect(ada.line).toBeEmpty();
  await expect(ada.column).toBeHidden();
  expect(asked).toEqual([]);
});

test("a removed learner on a phone, and one whose page was away", { tag: "@long" }, async ({ person }) => {
  const teacher = await person();
  await teacher.open("Ms Hopper");
  const link = await teacher.invite("Learners");
  const bob = await person({ ...PHONE, colorScheme: "dark" });
  await bob.page.goto(link.replace("/#", "/?nosw#"));
  await bob.column.getByRole("textbox", { name: /^Your name/ }).fill("Bob");
  await bob.column.getByRole("button", { name: "Join", exact: true }).click();
  await expect(bob.column.getByRole("heading", { name: "My link back" })).toBeVisible();
  await bob.closeColumn();
  const cleo = await person();
  await cleo.join(link, "Cleo");
  await cleo.page.goto("about:blank");
  const panel = await openExam(teacher);
  await bob.line.getByRole("button", { name: "Take the exam" }).click();
  await expect(new Lesson(bob.page).where).toHaveText("Exam, question 1 of 10");
  await shot(bob.page, "exam-phone-dark");
  await panel.getByRole("button", { name: /^Close/ }).click();
  for (const name of ["Bob", "Cleo"]) {
    await teacher.act(name, `Remove ${name}`);
    await (await teacher.row(name)).getByRole("button", { name: "Remove", exact: true }).click();
    await expect.poll(() => teacher.people()).not.toContain(expect.stringContaining(name));
  }
  await expect(bob.line).toContainText("A teacher removed you");
  await shot(bob.page, "removed-phone-dark");

  // The room does not say why a token is not known, so the page says what it knows, and can try again.
  await cleo.page.goto(new URL(link).origin + "/?nosw");
  await expect(cleo.line).toContainText("The room no longer knows this tab");
  await shot(cleo.page, "unknown-1440");
  const again = cleo.page.waitForResponse((res) => /\/rooms\/default\/follow/.test(res.url()));
  await cleo.line.getByRole("button", { name: "Try again" }).click();
  expect((await again).status()).toBe(401);
  await expect(cleo.line).toContainText("The room no longer knows this tab");
});
