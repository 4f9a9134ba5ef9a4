// An exam in a room: a teacher who opens it, and two learners who take it, one with the keyboard and one on a phone.
import { readFile } from "node:fs/promises";
import { expect } from "@playwright/test";
import { expectNoViolations } from "../axe.js";
import { Lesson } from "../lesson.js";
import { test } from "./class.js";

/** The panel of the teacher. */
const panelOf = (who) => who.page.locator("#panel-exam");

/** Somebody's row in the table: the marks, by their words. */
const marks = (panel, name) => panel.getByRole("row").filter({ hasText: name }).locator(".class-mark .visually-hidden")
  .allTextContents();

/** Takes the nth question: with a choice of that place, or it is given up if it has no choices. */
async function take(who, nth, place) {
  const lesson = new Lesson(who.page);
  // Its number: until it is drawn, the one before it is shown.
  await expect(lesson.where).toHaveText(`Exam, question ${nth} of 5`);
  const values = await lesson.question.getByRole("radio").evaluateAll((all) => all.map((r) => r.value));
  if (values.length === 0) {
    await who.page.locator("article[data-open] [data-action=practice-give-up]").click();
    return "wrong";
  }
  await lesson.answer({ value: values.sort()[place] });
  await lesson.solve();
  const right = (await lesson.verdict.textContent()) === "You predicted it.";
  await lesson.next.click();
  return right ? "right" : "wrong";
}

test("an exam in a room: one seed for all, who is where, what is believed wrongly, CSV", { tag: "@long" },
  async ({ person }) => {
  const teacher = await person();
  await teacher.open("Ms Hopper");
  const link = await teacher.invite("Learners");
  const ada = await person();
  const bob = await person({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await ada.join(link, "Ada");
  await bob.page.goto(link.replace("/#", "/?nosw#"));
  await bob.column.getByRole("textbox", { name: /^Your name/ }).fill("Bob");
  await bob.column.getByRole("button", { name: "Join", exact: true }).click();
  await expect(bob.column.getByRole("heading", { name: "My link back" })).toBeVisible();

  // Nothing is said of an exam before there is one.
  await expect(ada.line.getByRole("button", { name: "Take the exam" })).toHaveCount(0);
  await teacher.openColumn();
  await teacher.column.getByRole("button", { name: "Exam", exact: true }).click();
  const panel = panelOf(teacher);
  await expect(panel).toContainText("another window");
  await panel.getByLabel("Questions").selectOption("5");
  await panel.getByLabel("Seed").fill("7");
  await panel.getByRole("button", { name: "Open an exam" }).click();
  await expect(panel.getByRole("status")).toHaveText("5 questions, the same for all (seed 7).");
  await expect(panel.getByRole("row").filter({ hasText: "Ada" })).toContainText("not begun");

  // Ada begins with the keyboard; her console is closed, and the teacher sees where she is.
  const begin = ada.line.getByRole("button", { name: "Take the exam" });
  await begin.focus();
  await ada.page.keyboard.press("Enter");
  await expect(new Lesson(ada.page).where).toHaveText("Exam, question 1 of 5");
  await expect(ada.page.locator("#panel-console")).toHaveJSProperty("inert", true);
  await expect.poll(() => marks(panel, "Ada")).toEqual(["is here", "open", "open", "open", "open"]);
  const first = await ada.page.evaluate(() => location.hash);

  // Bob gets the same, on a phone.
  await bob.column.getByRole("button", { name: "Take the exam" }).click();
  await expect(new Lesson(bob.page).where).toHaveText("Exam, question 1 of 5");
  expect(await bob.page.evaluate(() => location.hash)).toBe(first);

  const hers = [await take(ada, 1, 0), await take(ada, 2, 1)];
  await expect.poll(() => marks(panel, "Ada")).toEqual([...hers, "is here", "open", "open"]);
  const his = [await take(bob, 1, 1)];
  await expect.poll(() => marks(panel, "Bob")).toEqual([...his, "is here", "open", "open", "open"]);
  await expect(panel.getByRole("row").filter({ hasText: "Ada" })).toContainText(
    `${hers.filter((m) => m === "right").length} of 2`);

  // Two chose differently, so at least one belief of the first question is wrong; it leads to its step.
  const beliefs = panel.locator(".class-beliefs li");
  await expect(beliefs).not.toHaveCount(0);
  await expect(beliefs.first()).toContainText(/1 of [12]|2 of 2/);
  await expect(beliefs.first().getByRole("link")).toHaveAttribute("href", /^#lesson-[\w-]+$/);
  await expectNoViolations(teacher.page, "an exam, to its teacher", { within: "#panel-exam", rules: 5 });
  await teacher.page.screenshot({ path: process.env.EXAM_SHOTS ? `${process.env.EXAM_SHOTS}/teacher.png` : undefined });
  await bob.page.screenshot({ path: process.env.EXAM_SHOTS ? `${process.env.EXAM_SHOTS}/phone.png` : undefined });
  await ada.page.screenshot({ path: process.env.EXAM_SHOTS ? `${process.env.EXAM_SHOTS}/learner.png` : undefined });

  // A reload loses nothing of it, on either side.
  await ada.page.reload();
  await ada.inside();
  await expect(new Lesson(ada.page).where).toHaveText("Exam, question 3 of 5");
  await expect.poll(() => marks(panel, "Ada")).toEqual([...hers, "is here", "open", "open"]);

  // The end: nothing more is asked, the results stay, and go into a table.
  await panel.getByRole("button", { name: "End the exam" }).click();
  await panel.getByRole("button", { name: "End it" }).click();
  await expect(panel).toContainText("The exam has ended.");
  await expect(bob.page.locator(".course-page[data-open]")).toContainText("It was ended by the teacher.");
  await expect(bob.page.locator("#panel-console")).toHaveJSProperty("inert", false);
  await expect.poll(() => marks(panel, "Ada")).toEqual([...hers, "open", "open", "open"]);
  const download = teacher.page.waitForEvent("download");
  await panel.getByRole("button", { name: "Save as CSV" }).click();
  const csv = await readFile(await (await download).path(), "utf8");
  expect(csv.split("\n")[0]).toBe("who,seed,1,2,3,4,5,right,answered");
  expect(csv).toContain(`Ada,7,${hers.join(",")},,,,${hers.filter((m) => m === "right").length},2\n`);

  // Names are in the room, and nowhere in its objects.
  const room = await teacher.fetch("/apis/sandbox.tabernetes.dev/v1/rooms/default");
  expect(JSON.stringify(room.body)).not.toMatch(/Ada|Bob/);
});

test("an exam in a room: questions of one's own for each", { tag: "@long" }, async ({ people }) => {
  const [teacher, ada, bob] = people;
  await teacher.openColumn();
  await teacher.column.getByRole("button", { name: "Exam", exact: true }).click();
  const panel = panelOf(teacher);
  await panel.getByLabel("Drawn").selectOption("each");
  await panel.getByRole("button", { name: "Open an exam" }).click();
  await expect(panel.getByRole("status")).toHaveText("10 questions, others for each learner.");
  for (const who of [ada, bob]) {
    await who.line.getByRole("button", { name: "Take the exam" }).click();
    await expect(new Lesson(who.page).where).toHaveText("Exam, question 1 of 10");
  }
  const kept = (who) => who.page.evaluate(() => localStorage.getItem("tabernetes/exam-class"));
  const [hers, his] = [JSON.parse(await kept(ada)), JSON.parse(await kept(bob))];
  expect(hers.seed).not.toBe(his.seed);
  await expect.poll(async () => [(await marks(panel, "Ada"))[0], (await marks(panel, "Bob"))[0]]).toEqual(
    ["is here", "is here"]);
  // Those who are asked for no exam keep theirs.
  expect(await ada.page.evaluate(() => localStorage.getItem("tabernetes/exam"))).toBeNull();
});
