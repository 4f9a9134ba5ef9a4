// More than 400 lines: the tests share what is kept of a learner.
// Practice, the exam, and what is kept of a learner.
import { readFile } from "node:fs/promises";
import { test, expect } from "../fixtures.js";
import { expectNoViolations } from "../axe.js";
import { Lab } from "../lab.js";
import { Lesson, progressFile } from "../lesson.js";

/** The pages beside the lessons. */
class Pages extends Lesson {
  constructor(page) {
    super(page);
    this.text = this.column.locator(".course-page[data-open] .lesson-text");
    this.now = this.text.locator(".course-now");
  }

  /** Opens one of the pages, or a situation, by its address. */
  async visit(hash) {
    await this.page.evaluate((hash) => (location.hash = hash), hash);
    await (/^#practice-/.test(hash) ? expect(this.where).toHaveText(/^(Practice|Exam, question)/)
      : expect(this.text).toBeVisible());
  }

  /** Puts saved progress in the place of what is kept. */
  async load(record) {
    await this.visit("#progress");
    await this.text.locator("#progress-file").setInputFiles(progressFile(record));
    await expect(this.text.getByRole("status").last()).toHaveText("Loaded.");
  }

  /** Returns the right answers to each of some situations, by doing them without an answer. */
  async rightAnswers(hashes) {
    const right = [];
    for (const hash of hashes) {
      await this.visit(hash);
      await this.isQuestion(hash);
      await this.solve("skip");
      right.push(await this.question.locator('.lesson-choice[data-judged="right"]').getAttribute("data-choice"));
    }
    return right;
  }

  /** Waits until the situation of an address is the one that is shown. */
  async isQuestion(hash) {
    const [, id, seed] = /^#practice-([\w-]+)-(\d+)$/.exec(hash);
    await expect(this.column.locator(`article[data-lesson-id="${id}"][data-question]`)).toBeVisible();
    await expect(this.bar.getByRole("button", { name: /copy a link to this situation$/ })).toHaveText(`Seed ${seed}`);
  }

  /** What the list of practice says of a template. */
  row(id) {
    return this.text.locator("h3:has-text('All topics') ~ ul > li").filter(
      { has: this.page.locator(`a[href^="#practice-${id}-"]`) });
  }

  /** What is kept in the queue. */
  queue() {
    return this.page.evaluate(() => JSON.parse(localStorage.getItem("tabernetes/practice") ?? "{}"));
  }
}

const hash = (page) => page.evaluate(() => location.hash);

/** The course's templates, as the page knows them. */
const templates = (page) =>
  page.evaluate(() => JSON.parse(document.getElementById("course-index").textContent).templates);

/** From the next opening of the page on, its clock is a day ahead. */
const tomorrow = (page) =>
  page.addInitScript(() => {
    const { now } = Date;
    const ahead = 24 * 60 * 60 * 1000;
    window.Date = class extends Date {
      constructor(...args) {
        super(...(args.length ? args : [now() + ahead]));
      }
      static now() {
        return now() + ahead;
      }
    };
  });

test("what a lesson is about is due when it is done, and tomorrow what was predicted wrong", {
  tag: "@long",
}, async ({ lab, page }) => {
  await lab.open("/#lesson-addresses");
  const pages = new Pages(page);
  const own = (await templates(page)).filter((t) => t.lesson === "addresses");
  const missed = own[1].step;
  const count = await pages.count();
  await expect(pages.due).toBeHidden();
  for (let n = 1; n <= count; n++) {
    await pages.at(n);
    await pages.solve(n === missed ? "wrong" : "right");
    await pages.goOn();
    if (n !== missed) continue;
    await expect(pages.due).toBeHidden();
    expect(Object.keys(await pages.queue())).toEqual(own.filter((t) => t.step === missed).map((t) => t.id).sort());
  }
  const later = own.filter((t) => t.step === missed);
  const due = own.length - later.length;
  await expect(pages.due).toHaveText(`Due today: ${due}`);
  await pages.due.click();
  await expect(pages.title).toBeFocused();
  await expect(pages.now).toHaveText(`${due} situations are due today.`);
  for (const t of own) await expect(pages.row(t.id)).toContainText(later.includes(t) ? "due tomorrow" : /due$/);
  await page.reload();
  await lab.ready();
  await expect(pages.now).toHaveText(`${due} situations are due today.`);
  await tomorrow(page);
  await page.reload();
  await lab.ready();
  await expect(pages.now).toHaveText(`${own.length} situations are due today.`);
});

test("a session of practice: one after the other, and back to the list", async ({ lab, page }) => {
  await lab.open();
  const pages = new Pages(page);
  // A file from when templates had other names.
  await pages.load({ queue: { p01b: { due: 1 }, p02a: { due: 2 }, p18a: { due: 3 }, p20a: { due: 99_999 } } });
  await pages.choose("practice");
  await expect(pages.now).toHaveText("3 situations are due today.");
  await pages.text.getByRole("button", { name: "Start with 3 of them" }).click();
  await expect(pages.where).toHaveText("Practice, 1 of 3");
  await expect(pages.title).toBeFocused();
  const [, first] = /^#practice-([\w-]+)-\d+$/.exec(await hash(page));
  expect(first, "what has waited longest").toBe("path-from-left");
  await expect(pages.next).toBeHidden();
  const [any] = await pages.question.getByRole("radio").evaluateAll((all) => all.map((r) => r.value));
  await pages.answer({ value: any });
  await pages.solve();
  const right = (await pages.verdict.textContent()) === "You predicted it.";
  await expect(pages.choice(any)).toHaveAttribute("data-judged", right ? "right" : "wrong");
  await expect(pages.question.locator(".lesson-explanation")).toBeVisible();
  expect((await pages.queue())["path-from-left"])
    .toMatchObject({ seen: 1, ...(right ? { stage: 1 } : { stage: 0, wrong: 1 }) });

  await pages.next.click();
  await expect(pages.where).toHaveText("Practice, 2 of 3");
  await expect(pages.due).toHaveText("Due today: 2");
  await pages.bar.getByRole("button", { name: "Give up" }).click();
  await expect(pages.where).toHaveText("Practice, 3 of 3");
  expect((await pages.queue())["which-verb"]).toMatchObject({ seen: 1, stage: 0, wrong: 1 });

  // A reload ends the session, and keeps the queue and the situation.
  const third = await hash(page);
  await page.reload();
  await lab.ready();
  await pages.isQuestion(third);
  await expect(pages.where).toHaveText("Practice");
  await pages.solve("skip");
  await pages.next.click();
  await expect(pages.title).toHaveText("Practice");
  await expect(pages.now).toHaveText("Nothing is due today. The next situations are due tomorrow.");
  await expect(pages.due).toBeHidden();
  const again = pages.text.locator("h3:has-text('Wrong the last time') + ul");
  await expect(again.locator('a[href^="#practice-which-verb-"]')).toHaveCount(1);
  await expect(again.locator('a[href^="#practice-validation-levels-"]')).toHaveCount(1);
  await expect(again.locator('a[href^="#practice-menu-of-two-"]')).toHaveCount(0);
  expect((await pages.queue())["menu-of-two"]).toEqual({ due: 99_999, stage: 0 });
});

test("who comes back is greeted with what is due; sure and wrong comes first; mistakes are named",
  { tag: "@long" }, async ({
  lab, page,
}) => {
  await lab.open();
  const pages = new Pages(page);
  const welcome = page.locator(".course-welcome");
  await expect(welcome).toBeHidden();
  await pages.load({ queue: {
    "path-from-left": { due: 1 }, "which-verb": { due: 2, seen: 1, wrong: 1, sure: true },
    "newest-object": { due: 99_999, mistake: { lesson: "versions", step: 1, title: "In which order?" } } } });
  await pages.choose("practice");
  const mistakes = pages.text.locator("h3:has-text('From your mistakes in lessons') + ul");
  await expect(mistakes.getByRole("link", { name: "In which order?" }))
    .toHaveAttribute("href", "#lesson-versions-in-which-order");
  await page.evaluate(() => localStorage.setItem("tabernetes/visited",
    String(Number(localStorage.getItem("tabernetes/visited")) - 5)));
  await page.goto("about:blank");
  await lab.open();
  await expect(welcome).toContainText("You were away for 5 days. Due today: 2");
  await welcome.getByRole("button", { name: "Practise" }).click();
  await expect(welcome).toBeHidden();
  await expect(pages.where).toHaveText("Practice, 1 of 2");
  expect(await hash(page), "sure and wrong").toMatch(/^#practice-which-verb-/);
  // One key says that one is sure; a wrong answer is noted as such.
  await page.keyboard.press("s");
  await expect(pages.question.getByRole("checkbox", { name: /I am sure/ })).toBeChecked();
  const [any] = await pages.question.getByRole("radio").evaluateAll((all) => all.map((r) => r.value));
  await pages.answer({ value: any });
  await pages.solve();
  const right = (await pages.verdict.textContent()) === "You predicted it.";
  const { sure } = (await pages.queue())["which-verb"];
  expect(sure ?? false).toBe(!right);
  // The same day it is not said again.
  await page.goto("about:blank");
  await lab.open();
  await expect(welcome).toBeHidden();
});

test("a situation is shared by its link: the same one for everybody", { tag: "@long" },
  async ({ lab, page, browser }) => {
  const shared = "#practice-taken-or-free-7";
  await lab.open("/" + shared);
  const pages = new Pages(page);
  await pages.isQuestion(shared);
  // Only the order of the choices is one's own.
  const lines = async (pages) => (await pages.article.locator(".lesson-step").innerText()).split("\n").sort();
  const text = await lines(pages);
  await page.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
  await pages.bar.getByRole("button", { name: /copy a link to this situation$/ }).click();
  await expect.poll(() => page.evaluate(() => window.copied)).toBe(lab.url + "/" + shared);
  const [right] = await pages.rightAnswers([shared]);
  expect((await pages.queue())["taken-or-free"]).toMatchObject({ seen: 1, stage: 0, wrong: 1 });

  const context = await browser.newContext();
  const other = new Lab(await context.newPage(), lab.url);
  await other.open("/" + shared);
  const theirs = new Pages(other.page);
  await theirs.isQuestion(shared);
  expect(await lines(theirs)).toEqual(text);
  await theirs.answer({ value: right });
  await theirs.solve();
  await expect(theirs.verdict).toHaveText("You predicted it.");
  expect((await theirs.queue())["taken-or-free"]).toMatchObject({ seen: 1, stage: 1 });
  // What is right the first time comes back tomorrow, and has not been wrong.
  await theirs.next.click();
  await expect(theirs.row("taken-or-free")).toContainText("due tomorrow");
  await expect(theirs.text.getByText("Wrong the last time")).toHaveCount(0);
  await context.close();

  // Of another number it is another one, by its template's former name too, and what is no situation is left alone.
  await pages.visit("#practice-p01c-8");
  await pages.isQuestion("#practice-taken-or-free-8");
  await page.evaluate(() => (location.hash = "#practice-p99z-1"));
  await pages.isQuestion("#practice-taken-or-free-8");
});

test("a question has its own namespaces, and takes them away when another begins", {
  tag: "@long",
}, async ({ lab, page }) => {
  await lab.open("/#lesson-addresses");
  const pages = new Pages(page);
  const names = async () =>
    (await lab.fetch("/api/v1/namespaces")).body.items.map((n) => n.metadata.name).filter(
      (n) => !/^(default|kube-)/.test(n));
  await pages.play(2);
  expect(await names()).toEqual(["addresses", "addresses-b"]);
  await pages.visit("#practice-path-from-left-3");
  await expect.poll(names).toEqual(["path-from-left"]);
  await pages.solve();
  await pages.visit("#practice-which-verb-1");
  await expect.poll(names).not.toContain("path-from-left");
  await expect.poll(names).toContain("which-verb");
  await pages.choose("addresses");
  await pages.at(3);
  await expect.poll(names).toEqual(["addresses", "addresses-b"]);
});

test("the exam, from begin to result", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const pages = new Pages(page);
  // What is right is found out beforehand: the link gives everybody the same questions.
  await pages.visit("#exam-7");
  await pages.text.getByRole("button", { name: "Start" }).click();
  await expect(pages.where).toHaveText("Exam, question 1 of 30");
  const first = await hash(page);
  await pages.bar.getByRole("button", { name: "Give up" }).click();
  await expect(pages.where).toHaveText("Exam, question 2 of 30");
  const second = await hash(page);
  await page.evaluate(() => localStorage.removeItem("tabernetes/exam"));
  await page.reload();
  await lab.ready();
  const [right, alsoRight] = await pages.rightAnswers([first, second]);

  await pages.choose("exam");
  await expect(pages.text).toContainText("30 questions about the whole course");
  await pages.visit("#exam-7");
  await pages.text.getByRole("button", { name: "Start" }).click();
  await expect(pages.where).toHaveText("Exam, question 1 of 30");
  expect(await hash(page)).toBe(first);
  for (const kind of ["hint", "solution"]) await expect(pages.bar.locator(`[data-kind=${kind}]`)).toHaveCount(0);
  await pages.answer({ value: right });
  await pages.solve();
  await expect(pages.verdict).toHaveText("You predicted it.");
  await pages.next.click();
  await expect(pages.where).toHaveText("Exam, question 2 of 30");
  // It can be interrupted.
  await page.reload();
  await lab.ready();
  await pages.choose("exam");
  await expect(pages.now).toHaveText("Question 2 of 30 is next.");
  await pages.text.getByRole("button", { name: "Continue" }).click();
  await expect(pages.where).toHaveText("Exam, question 2 of 30");
  expect(await hash(page)).toBe(second);
  const values = await pages.question.getByRole("radio").evaluateAll((all) => all.map((r) => r.value));
  await pages.answer({ value: values.find((v) => v !== alsoRight) });
  await pages.solve();
  await expect(pages.verdict).toHaveText("The result was different.");
  await pages.next.click();
  for (let n = 3; n <= 30; n++) {
    await expect(pages.where).toHaveText(`Exam, question ${n} of 30`);
    await pages.bar.getByRole("button", { name: "Give up" }).click();
  }

  await expect(pages.now).toHaveText(/^1 of 30 right: not passed/);
  const areas = await pages.text.getByRole("table", { name: "By part of the course" }).locator("tbody tr")
    .evaluateAll((rows) => rows.map((r) => [...r.children].map((c) => c.textContent)));
  expect(areas.length).toBeGreaterThan(3);
  const sum = (n) => areas.reduce((all, row) => all + Number(row[n]), 0);
  expect([sum(1), sum(2)]).toEqual([1, 30]);
  const questions = pages.text.locator(".exam-list > li");
  await expect(questions).toHaveCount(30);
  await expect(questions.filter({ hasText: "✓" })).toHaveCount(1);
  await expect(questions.filter({ hasText: "★" })).not.toHaveCount(0);
  await expect(questions.first().getByRole("link")).toHaveAttribute("href", first);
  // The result stays, and can be printed and saved.
  await page.reload();
  await lab.ready();
  await pages.choose("exam");
  await expect(pages.now).toHaveText(/^1 of 30 right/);
  await page.evaluate(() => (window.print = () => (window.printed = (window.printed ?? 0) + 1)));
  await pages.text.getByRole("button", { name: "Print" }).click();
  expect(await page.evaluate(() => window.printed)).toBe(1);
  const download = page.waitForEvent("download");
  await pages.text.getByRole("button", { name: "Save as a file" }).click();
  const saved = await readFile(await (await download).path(), "utf8");
  expect(saved).toMatch(/^Tabernetes, exam 7, \d{4}-\d\d-\d\d\n1 of 30 right/);
  expect(saved.match(/^ *\d+\. (right|wrong) /gm)).toHaveLength(30);
  expect(saved).toContain(first);
  // All of it is in the queue now, and another exam can be begun.
  expect(Object.keys(await pages.queue()).length).toBe(30);
  await pages.text.getByRole("link", { name: "a link to the same questions" }).click();
  await expect.poll(() => hash(page)).toBe("#exam-7");
  await expect(pages.now).toHaveText(/^1 of 30 right/);
  // Another one can be begun a day later, and not before.
  await pages.visit("#exam-8");
  await expect(pages.text).toContainText("You can take it again in 24 hours, with other questions.");
  await expect(pages.text.locator("[data-action=exam-begin]")).toHaveCount(0);
  await page.evaluate(() => {
    const exam = JSON.parse(localStorage.getItem("tabernetes/exam"));
    localStorage.setItem("tabernetes/exam", JSON.stringify({ ...exam, begun: exam.begun - 24 * 3600 }));
  });
  await page.reload();
  await lab.ready();
  await pages.visit("#exam");
  await pages.visit("#exam-8");
  await pages.text.getByRole("button", { name: "Start" }).click();
  await expect(pages.where).toHaveText("Exam, question 1 of 30");
});

test("while a question of the exam is open, console and levers are closed, and the first answer counts", {
  tag: "@long",
}, async ({ lab, page }) => {
  await lab.open();
  const pages = new Pages(page);
  const console = page.locator("#panel-console");
  const closed = async (is) => {
    await expect(console).toHaveJSProperty("inert", is);
    await expect(page.locator("#panel-levers")).toHaveJSProperty("inert", is);
  };
  await closed(false);
  await pages.visit("#exam-7");
  await pages.text.getByRole("button", { name: "Start" }).click();
  await expect(pages.where).toHaveText("Exam, question 1 of 30");
  await expect(pages.bar).toContainText("The first answer counts.");
  await closed(true);
  await expect(console).toHaveAttribute("data-closed", /^A question of the exam is open/);
  // Not by leaving the question either, nor by a reload; the presenter's line does not open.
  await pages.choose("practice");
  await closed(true);
  await page.keyboard.press("p");
  await page.keyboard.press("/");
  await expect(page.locator("#panel-present").getByRole("combobox")).toBeHidden();
  await page.keyboard.press("Escape");
  await page.reload();
  await lab.ready();
  await closed(true);
  await pages.choose("exam");
  await pages.text.getByRole("button", { name: "Continue" }).click();
  const [first, second] = await pages.question.getByRole("radio").evaluateAll((all) => all.map((r) => r.value));
  await pages.answer({ value: first });
  await closed(false);
  const given = () => page.evaluate(() => JSON.parse(localStorage.getItem("tabernetes/exam")).questions[0].given);
  const kept = await given();
  expect(kept).toMatch(/^\d$/);
  await page.reload();
  await lab.ready();
  await pages.choose("exam");
  const again = pages.text.getByRole("button", { name: "Continue" });
  if (await again.isVisible()) {
    // It was not over: the answer is there still, and cannot be changed.
    await again.click();
    if ((await pages.where.textContent()) === "Exam, question 1 of 30") {
      await expect(pages.choice(first).getByRole("radio")).toBeChecked();
      await expect(pages.choice(second).getByRole("radio")).toBeDisabled();
    }
  }
  expect(await given()).toBe(kept);
});

test("progress is saved, forgotten, and loaded again", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-addresses");
  const pages = new Pages(page);
  await pages.play(1, "wrong");
  await pages.play(1, "right");
  await pages.choose("progress");
  await expect(pages.now).toHaveText(
    /^0 of \d+ lessons done\. Of 2 predictions 1 were right; 0 were skipped\. 0 situations practised\./);
  const row = pages.text.getByRole("row").filter({ has: page.locator('a[href="#lesson-addresses"]') });
  await expect(row.getByRole("cell")).toHaveText([/^2 of \d+$/, "1 of 2"]);
  const download = page.waitForEvent("download");
  await pages.text.getByRole("button", { name: "Save to a file" }).click();
  expect((await download).suggestedFilename()).toBe("tabernetes-progress.json");
  const saved = JSON.parse(await readFile(await (await download).path(), "utf8"));
  expect(saved.version).toBe(1);

  await pages.text.getByRole("button", { name: "Forget all" }).click();
  await expect(row.getByRole("cell").first()).toHaveText(/^2 of/);
  await pages.text.getByRole("button", { name: "Press again to delete all progress" }).click();
  await expect(pages.text.getByRole("status").last()).toHaveText("All progress is deleted.");
  await expect(row.getByRole("cell")).toHaveText([/^0 of \d+$/, ""]);
  await pages.choose("addresses");
  await pages.at(1);
  await page.reload();
  await lab.ready();
  await pages.at(1);

  await pages.visit("#progress");
  const status = pages.text.getByRole("status").last();
  for (const text of ["no JSON", '{"version": 99}', "{}"]) {
    await pages.text.locator("#progress-file").setInputFiles(
      { name: "x.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await expect(status, text).toHaveText(/^Nothing was loaded: this is not saved progress/);
    await expect(row.getByRole("cell").first()).toHaveText(/^0 of/);
  }
  await pages.load(saved);
  await expect(row.getByRole("cell")).toHaveText([/^2 of \d+$/, "1 of 2"]);
  await pages.openMenu();
  await expect(pages.entry("addresses")).toContainText(/2 of \d+/);
  await page.keyboard.press("Escape");
  await pages.choose("addresses");
  await pages.at(3);
  await expect(pages.step(1)).toHaveAttribute("data-state", "passed");
  await pages.solve("right");
  await expect(pages.verdict).toHaveText("You predicted it.");
});

test("the teacher's view unfolds all, and folds it again", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open("/#lesson-list-then-watch");
  const pages = new Pages(page);
  await pages.isOpen("list-then-watch");
  const teach = async (pressed) => {
    await pages.choose("progress");
    const button = pages.text.getByRole("button", { name: "Teacher's view" });
    await button.click();
    await expect(button).toHaveAttribute("aria-pressed", String(pressed));
    await pages.choose("list-then-watch");
  };
  await teach(true);
  const bodies = await pages.article.locator(".lesson-step-body").all();
  const hidden = [".lesson-hint > .lesson-prose", ".lesson-explanation"];
  // A choice may have no reply: the right one.
  const replies = pages.article.locator(".lesson-reply:visible");
  const all = await pages.article.locator(".lesson-replies").evaluateAll(
    (lists) => lists.reduce((sum, { content }) => sum + content.children.length, 0));
  expect(all).toBeGreaterThan(2);
  for (const body of bodies) await expect(body).toBeVisible();
  for (const css of hidden) for (const part of await pages.article.locator(css).all()) await expect(part).toBeVisible();
  await expect(replies).toHaveCount(all);
  await expect(pages.outro).toBeVisible();
  await teach(false);
  for (const [i, body] of bodies.entries()) await (i === 0 ? expect(body).toBeVisible() : expect(body).toBeHidden());
  for (const css of hidden) await expect(pages.article.locator(css + ":visible")).toHaveCount(0);
  await expect(replies).toHaveCount(0);
});

for (const scheme of ["light", "dark"]) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });
    test(`no violations, ${scheme}`, { tag: "@long" }, async ({ lab, page }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await lab.open("/#lesson-addresses");
      const pages = new Pages(page);
      const clean = (state) => expectNoViolations(page, state, { within: "#panel-lesson", rules: 8 });
      await pages.openMenu();
      await clean("the list of what there is");
      await pages.choose("practice");
      await clean("nothing to practise");
      await pages.choose("exam");
      await clean("before the exam");
      await pages.load({ queue: { "path-from-left": { due: 1, seen: 1, wrong: 1 },
        "which-verb": { due: 99_999, stage: 3, seen: 3 } } });
      await clean("progress that was loaded");
      await pages.text.getByRole("button", { name: "Forget all" }).click();
      await clean("about to forget");
      await pages.choose("practice");
      await expect(pages.now).toHaveText("One situation is due today.");
      await clean("something to practise");
      await pages.text.getByRole("button", { name: "Start with it" }).click();
      await expect(pages.where).toHaveText("Practice, 1 of 1");
      await clean("a question");
      await pages.solve("skip");
      await clean("a question that is done");
      const questions = ["path-from-left", "newest-object", "menu-of-two"].map(
        (template, i) => ({ template, seed: 1, must: i === 1, answered: i > 0, right: i > 0 }));
      await pages.load({ exam: { seed: 5, day: 1, questions } });
      await pages.choose("exam");
      await expect(pages.now).toHaveText("Question 1 of 3 is next.");
      await clean("in the middle of the exam");
      await pages.load({ exam: { seed: 5, day: 1, questions: questions.map((q) => ({ ...q, answered: true })) } });
      await pages.choose("exam");
      await expect(pages.now).toContainText("2 of 3 right");
      await clean("the result of the exam");
    });
  });
}
