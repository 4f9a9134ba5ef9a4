// An exam in a room: a teacher with the mouse, a learner with the keyboard, another one with a finger on a phone.
import assert from "node:assert/strict";
import { answer, choices, next, shown, solve, where } from "./learner.js";
import { classroom, press } from "./room.js";

/** @typedef {import("../engines/page.js").Page} Page */

/** Waits until the teacher's table says that of somebody's questions. @param {Page} teacher */
const marked = (teacher, name, marks) =>
  teacher.until(`${name} has ${marks}`,
    (name, marks) => {
      const row = [...document.querySelectorAll(".class-table tbody tr")].find((tr) => tr.textContent.includes(name));
      const words = [...row?.querySelectorAll(".class-mark .visually-hidden") ?? []];
      return words.map((m) => m.textContent).join() === marks;
    }, name, marks.join());

/** Whether what people make requests with is closed: the console, and the menu of the levers. @param {Page} page */
const closed = (page) =>
  page.evaluate(() => ["panel-console", "panel-levers"].map(
    (id) => /** @type {HTMLElement} */ (document.getElementById(id)).inert).join());

/**
 * Answers the nth question with a choice, runs what shows who is right, and says who was; a task, which has nothing to
 * choose from, is given up. Each browser shows the choices in its own order: which is meant is its place among
 * their values.
 *
 * @param {Page} page
 */
async function take(page, nth, which) {
  await page.see(where, `Exam, question ${nth} of 5`);
  if (await choices(page) === 0) {
    assert.equal(await closed(page), "false,false");
    await page.use({ css: ".lesson[data-open] [data-action=practice-give-up]" });
    return "wrong";
  }
  assert.equal(await closed(page), "true,true");
  const place = await page.evaluate((inputs, which) => {
    const values = [...document.querySelectorAll(inputs)].map((input) => /** @type {HTMLInputElement} */ (input).value);
    return 1 + values.indexOf(values.toSorted()[which - 1]);
  }, shown + " .lesson-choice input", which);
  await answer(page, place);
  assert.equal(await closed(page), "false,false");
  await solve(page);
  const right = (await page.text({ css: `${shown} .lesson-verdict` })) === "You predicted it.";
  await page.use(next);
  return right ? "right" : "wrong";
}

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "room: an exam, by a teacher and two learners, one with the keyboard and one on a phone",
    long: true,
    async run(around) {
      const { teacher, learners: [ada, bob] } = await classroom(around, { here: ["Ada", "Bob"] });
      ada.hand = "keys";
      bob.hand = "finger";
      await bob.tab.resize(390, 844);

      await press(teacher, "Exam");
      await teacher.choose({ css: "#class-questions" }, "5");
      await teacher.fill({ css: "#class-seed" }, "7");
      await teacher.click({ css: "#panel-exam button", name: "Open an exam" });
      await teacher.see({ css: "#panel-exam [role=status]" }, "5 questions, the same for all (seed 7).");

      // The same question for both, and each answers it otherwise.
      for (const page of [ada, bob]) {
        await page.use({ css: "#room-line button", name: "Take the exam" });
        await page.see(where, "Exam, question 1 of 5");
      }
      assert.equal(await ada.evaluate(() => location.hash), await bob.evaluate(() => location.hash));
      await marked(teacher, "Ada", ["is here", "open", "open", "open", "open"]);
      const hers = [await take(ada, 1, 1), await take(ada, 2, 1)];
      await marked(teacher, "Ada", [...hers, "is here", "open", "open"]);
      const his = await take(bob, 1, 2);
      await marked(teacher, "Bob", [his, "is here", "open", "open", "open"]);
      assert.ok(hers[0] === "wrong" || his === "wrong");
      await teacher.see({ css: ".class-beliefs li" }, /1 of [12]|2 of 2/);

      await teacher.click({ css: "#panel-exam button", name: "End the exam" });
      await teacher.click({ css: "#panel-exam button", name: "End it" });
      await teacher.see({ css: "#panel-exam" }, "The exam has ended.");
      for (const page of [ada, bob]) {
        await page.see({ css: ".course-page[data-open]" }, "It was ended by the teacher.");
        assert.equal(await closed(page), "false,false");
      }
      await marked(teacher, "Ada", [...hers, "open", "open", "open"]);
    },
  },
];
