// What a class and its teacher have after each press: the focus, and what is said, whole.
import { expect } from "@playwright/test";
import { Lesson } from "../lesson.js";
import { test } from "./class.js";

const title = (person) => person.column.getByRole("heading", { name: /^Room \S/ });

test("the focus stays with a class and its teacher, and the bar says who follows", { tag: "@long" },
  async ({ person }) => {
  const teacher = await person({ viewport: { width: 1366, height: 768 } });
  await teacher.lab.open("/?nosw#rooms");
  await teacher.column.getByRole("textbox", { name: /^Your name/ }).fill("Ms Hopper");
  await teacher.page.keyboard.press("Enter");
  await teacher.inside();
  await expect(title(teacher)).toBeFocused();
  const link = await teacher.invite("Learners");
  const ada = await person({ viewport: { width: 1280, height: 720 } });
  await ada.page.goto(link.replace("/#", "/?nosw#"));
  await ada.column.getByRole("textbox", { name: /^Your name/ }).fill("Ada");
  await ada.page.keyboard.press("Enter");
  await ada.inside();
  await expect(title(ada)).toBeFocused();

  await teacher.press("Follow me");
  const said = teacher.line.getByText("Everyone follows you");
  await expect(said).toBeVisible();
  for (const width of [1366, 1280]) {
    await teacher.page.setViewportSize({ width, height: 768 });
    const whole = () => said.evaluate((el) => el.scrollWidth <= el.clientWidth && el.scrollHeight <= el.clientHeight);
    await expect.poll(whole, `all of it is seen at ${width}`).toBe(true);
  }
  await teacher.press("Follow me");

  await teacher.press("Exam");
  const panel = teacher.page.locator("#panel-exam");
  await panel.getByRole("button", { name: "Open an exam" }).press("Enter");
  await expect(panel.getByRole("button", { name: "End the exam" })).toBeVisible();
  await expect(panel.getByRole("heading", { name: "Exam", exact: true })).toBeFocused();

  // Where the bar has the answers, it has what comes next as well.
  await ada.column.getByRole("button", { name: "Take the exam" }).click();
  const lesson = new Lesson(ada.page);
  await expect(lesson.where).toHaveText("Exam, question 1 of 10");
  await lesson.choice("0").getByRole("radio").check();
  const go = lesson.bar.locator("[data-action=lesson-go]");
  await go.focus();
  await go.press("Enter");
  await expect(lesson.next).toBeFocused();

  await panel.getByRole("button", { name: "End the exam" }).press("Enter");
  await expect(panel.getByRole("button", { name: "End it" })).toBeFocused();
  await teacher.page.keyboard.press("Enter");
  await expect(panel.getByRole("button", { name: "Open an exam" })).toBeVisible();
  await expect(panel.getByRole("heading", { name: "Exam", exact: true })).toBeFocused();
  // What was not asked was not wrong.
  await expect(ada.page.locator(".course-page[data-open]")).toContainText("9 not answered");
  await expect(ada.page.locator(".exam-mark").filter({ hasText: "–" })).toHaveCount(9);
});
