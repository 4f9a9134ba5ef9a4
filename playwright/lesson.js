// The lesson column as a learner uses it: lessons, practice, exam and progress. What to do
// next is read off the page, so nothing here knows the text of any lesson.
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "@playwright/test";
import { tabTo } from "./lab.js";
import { filledRequest, whatNext } from "./todo.js";

const sources = new URL("../web/lessons/", import.meta.url);

/**
 * The lessons as their files have them, in the order of the course. A wrong attempt is what the lesson says is not
 * enough: the requests of it, and what is said of it. Some are about the control plane's programs, which they need.
 *
 * @returns {{id: string, file: URL, namespaces: string[], programs: boolean, wrong: Wrong[]}[]}
 * @typedef {{step: number, says: string, requests: Request[]}} Wrong
 * @typedef {{method: string, path: string, body?: string}} Request
 */
export function lessonFiles() {
  const names = readdirSync(sources).filter((name) => /^\d\d-.*\.md$/.test(name)).sort();
  return names.map((name) => {
    const text = readFileSync(new URL(name, sources), "utf8");
    const namespaces = /^namespaces: (.*)$/m.exec(text)?.[1].split(/,\s*/) ?? [];
    const wrong = [];
    let step = 0;
    for (const [, title, says, block] of text.matchAll(/^## (.*)$|^```wrong ?(.*)\n([^]*?)^```$/gm)) {
      if (title !== undefined) step++;
      // What refers to earlier answers is left to those who play lessons without a page.
      else if (says && !block.includes("{{"))
        wrong.push({ step, says, requests: block.split(/^###.*\n/m).map(parseRequest) });
    }
    const programs = /^programs: on$/m.test(text);
    return { id: name.slice(3, -3), file: new URL(name, sources), namespaces, programs, wrong };
  });
}

/** @returns {Request} */
function parseRequest(text) {
  const [head, ...body] = text.replace(/^#.*\n/gm, "").trim().split("\n\n");
  const [first, ...more] = head.split("\n").filter((line) => !/^[\w-]+: /.test(line));
  const [method, path] = first.split(" ");
  return { method, path: path + more.map((line) => line.trim()).join(""), body: body.join("\n\n") || undefined };
}

export class Lesson {
  /**
   * @param {import("@playwright/test").Page} page
   * @param {{keys?: boolean}} [how] keys: the mouse is never used
   */
  constructor(page, { keys = false } = {}) {
    this.page = page;
    this.keys = keys;
    this.column = page.locator("#panel-lesson .lessons");
    this.article = this.column.getByRole("article");
    this.title = this.article.getByRole("heading", { level: 2 });
    this.menu = page.getByRole("navigation", { name: "Course", exact: true });
    this.bar = page.getByRole("group", { name: "Progress in this lesson" });
    this.where = this.bar.locator(".lesson-where");
    this.checks = this.bar.getByRole("list", { name: "To pass this step" }).getByRole("listitem");
    this.notice = this.bar.locator(".lesson-notice");
    this.next = this.bar.locator(".lesson-next:is(a, [data-action=lesson-next]:enabled)");
    this.shown = this.column.locator("article[data-open] .lesson-step[data-shown]");
    this.question = this.shown.locator(".lesson-predict");
    this.trouble = this.shown.locator(".lesson-trouble");
    this.verdict = this.question.locator(".lesson-verdict");
    this.offered = this.shown.locator("[data-action=lesson-run][data-next]");
    this.filled = this.column.locator("article[data-open] .button.primary:visible");
    this.outro = this.article.locator(".lesson-outro");
    this.due = this.column.locator(".lesson-due");
    this.turn = 0;
  }

  /** Presses something, by the mouse or with Tab and Enter. */
  async press(locator, { timeout } = {}) {
    if (!this.keys) return locator.click({ timeout });
    await tabTo(locator);
    await this.page.keyboard.press("Enter");
  }

  /** Opens the list of what there is. */
  async openMenu() {
    const opener = this.column.getByText("Course", { exact: true });
    if (!(await this.menu.isVisible())) await this.press(opener);
    await expect(this.menu).toBeVisible();
  }

  /** An entry of that list: a lesson's id, practice, exam or progress. */
  entry(id) {
    return this.column.locator(`.lesson-menu [data-entry="${id}"]`);
  }

  /** Chooses a lesson, or a page, from the list, and waits until it is shown. */
  async choose(id) {
    await this.openMenu();
    await this.press(this.entry(id));
    await this.isOpen(id);
  }

  async isOpen(id) {
    const page = ["practice", "exam", "progress"].includes(id);
    await expect(this.column.locator(page ? ".course-page[data-open]" : `article[data-lesson-id="${id}"][data-open]`))
      .toBeVisible();
    await expect(this.entry(id)).toHaveAttribute("aria-current", "true");
  }

  /** A step of the open lesson; they count from 1. */
  step(n) {
    return this.article.locator(`.lesson-step[data-step="${n - 1}"]`);
  }

  /** A request's box in the shown step, by its place. */
  request(n) {
    return this.shown.locator(".lesson-http").nth(n);
  }

  async count() {
    return this.article.locator(".lesson-step").count();
  }

  /** Where the learner is: "Step 2 of 8". */
  async at(n) {
    await expect(this.where).toHaveText(
      n > (await this.count()) ? /^(All \d+|Both) steps passed$|^Step passed$/ : new RegExp(`^Step ${n} of \\d+$`));
  }

  /**
   * The values of a question's choices that are right, or wrong: of a question of a lesson only the right one may go
   * without a reply. The page says nowhere which that is, so it is looked up in the lesson's source.
   */
  async choices(how) {
    const number = Number(await this.question.getAttribute("data-step"));
    const source = await this.article.locator('script[type="text/markdown"]').evaluateAll((all) => all[0]?.textContent);
    const [, ...asked] = source?.split(/^## /m)[number + 1]?.split("```predict\n") ?? [];
    const plain = (text) => text.replace(/[`*_]/g, "").replace(/\s+/g, " ").trim();
    const replied = new Map((asked[0] ?? "").split("\n---\n")[0].split(/^- /m).slice(1)
      .map((choice) => [plain(choice.split("\n")[0]), /^ +reply /m.test(choice)]));
    const all = await this.question.locator(".lesson-choice").evaluateAll((all) =>
      all.map((c) => ({ value: c.querySelector("input")?.value, text: c.querySelector("label > span").textContent })),
    );
    const is = (c) => c.value !== undefined && replied.get(plain(c.text)) === (how === "wrong");
    return all.filter(is).map((c) => c.value);
  }

  /** One of the answers to choose from, by its value. */
  choice(value) {
    return this.question.locator(`.lesson-choice[data-choice="${value}"]`);
  }

  /**
   * Answers the shown step's question, and returns how: where something is to be typed it is wrong, and where no choice
   * can be known to be right there is no answer.
   *
   * @param {"right" | "wrong" | "skip" | {value: string}} how
   */
  async answer(how) {
    await expect(this.question).toBeVisible();
    const field = this.question.getByRole("textbox");
    const typed = typeof how === "string" && how !== "skip" && (await field.count()) > 0;
    const value = typeof how === "object" ? how.value
      : how === "skip" || typed ? undefined : (await this.choices(how))[0];
    if (typed) {
      await (this.keys ? tabTo(field) : field.focus());
      await this.page.keyboard.type("none of them");
      await this.page.keyboard.press("Enter");
    } else if (value === undefined) {
      await this.press(this.question.getByRole("button", { name: "Just run it" }));
    } else {
      await this.select(value);
      // That of a question by itself runs it, too.
      await this.press(this.question.getByRole("button", { name: /^(That is my answer|Commit, run)$/ }));
    }
    await expect(this.question).toHaveAttribute("data-committed");
    return typed ? "wrong" : value === undefined ? "skip" : how;
  }

  /** Selects a choice without committing it: with the arrows, from the first on. */
  async select(value) {
    const radio = this.choice(value).getByRole("radio");
    if (!this.keys) return radio.check();
    const radios = this.question.getByRole("radio");
    await tabTo(radios.first());
    await this.page.keyboard.press("Space");
    for (let i = await radios.count(); i > 0 && !(await radio.isChecked()); i--) {
      await this.page.keyboard.press("ArrowDown");
    }
    await expect(radio).toBeChecked();
  }

  /** Waits until there is something to do in the shown step, and says what: see whatNext. */
  async comesNext() {
    const found = await this.page.waitForFunction(whatNext);
    return found.jsonValue();
  }

  /** Runs the filled request, by its button or the key for it, and waits until it is under way or done. */
  async run(at) {
    at ??= await (await this.page.waitForFunction(filledRequest)).jsonValue();
    const button = this.shown.locator(`.lesson-http[data-at="${at}"] [data-action=lesson-run]`);
    if (this.keys && this.turn++ % 2) await this.page.keyboard.press("r");
    else await this.press(button);
    await this.page.waitForFunction(
      (at) => {
        const box = document.querySelector(`article.lesson[data-open] .lesson-http[data-at="${at}"]`);
        return !box.querySelector("[data-next]") || box.querySelector(".lesson-chip .error");
      },
      at,
    );
  }

  /** Runs what is left of the solution, from the first request on that was not run, until the step has passed. */
  async runRest() {
    const step = this.column.locator(
      `article[data-open] .lesson-step[data-step="${await this.shown.getAttribute("data-step")}"]`);
    const boxes = await step.locator(".lesson-solution").first().locator(".lesson-http").all();
    let begun = false;
    for (const box of boxes) {
      const button = box.locator("[data-action=lesson-run]");
      begun ||= (await button.textContent()) === "Run";
      if (!begun) continue;
      if ((await step.getAttribute("data-state")) === "passed") return;
      await this.press(button);
      await expect(button).not.toHaveText("Run");
    }
  }

  /**
   * Opens the next hint, or the solution: where the bar is one line, behind a button.
   * @param {"hint" | "solution"} kind
   */
  async reveal(kind) {
    const button = this.bar.locator(`[data-action=lesson-reveal][data-kind=${kind}]`);
    if (!(await button.isVisible())) await this.press(this.bar.getByRole("button", { name: /^More of this step/ }));
    await this.press(button);
  }

  /**
   * Does the shown step, by its requests and then by its solution, until it has passed. Returns how its question was
   * answered, if it has one.
   *
   * @param {"right" | "wrong" | "skip"} how
   */
  async solve(how = "skip") {
    let answered;
    for (;;) {
      switch (await this.comesNext()) {
        case "passed":
          return answered;
        case "question":
          answered = await this.answer(how);
          break;
        case "solution":
          await this.reveal("solution");
          break;
        case "set up": {
          // What was run before may have it pass meanwhile: then the button that is waited for does not come back.
          const again = this.trouble.getByRole("button", { name: "Set this step up again" });
          let pressed = false;
          while (!pressed && (await this.trouble.isVisible())) {
            pressed = await this.press(again, { timeout: 2000 }).then(() => true, () => false);
          }
          await expect(this.trouble).toBeHidden();
          break;
        }
        case "from there":
          await this.runRest();
          break;
        default: {
          // What is under way may have passed the step meanwhile.
          const at = await this.page.evaluate(filledRequest);
          if (at) await this.run(at);
        }
      }
    }
  }

  /** Continues from a step that has passed, by its button or the key for it. */
  async goOn() {
    const left = await this.shown.getAttribute("data-step");
    await expect(this.next).toBeEnabled();
    if (this.keys && this.turn++ % 2) await this.page.keyboard.press("n");
    else await this.press(this.next);
    await expect(this.column.locator(`article[data-open] .lesson-step[data-shown][data-step="${left}"]`)).toHaveCount(
      0);
  }

  /** Does so many steps, from the shown one on, and continues from each. */
  async play(steps, how = "skip") {
    for (let i = 0; i < steps; i++) {
      await this.solve(how);
      await this.goOn();
    }
  }
}

/** Namespaces that there are. */
export async function namespaces(lab) {
  return (await lab.fetch("/api/v1/namespaces")).body.items.map((n) => n.metadata.name);
}

/** Saved progress, as the page writes it into a file. */
export const progressFile = (record) => ({
  name: "progress.json",
  mimeType: "application/json",
  buffer: Buffer.from(JSON.stringify({ version: 1, ...record })),
});
