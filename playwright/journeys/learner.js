// What a learner does in the lesson's column, with whatever the page's person presses things with.
import assert from "node:assert/strict";
import { filledRequest, whatNext } from "../todo.js";

/** @typedef {import("../engines/page.js").Page} Page */

const open = ".lesson[data-open]";
export const shown = `${open} .lesson-step[data-shown]`;
export const next = { css: `${open} .lesson-next[data-action=lesson-next]:enabled` };
export const where = { css: `${open} .lesson-where` };
const filled = { css: `${shown} .lesson-http .button[data-next]` };

/** Chooses a lesson, or a page, from the list. @param {Page} page @param {string} id */
export async function choose(page, id) {
  await page.use({ css: ".lesson-menu > summary" });
  await page.use({ css: `.lesson-menu [data-entry="${id}"]` });
  await page.until(`${id} is open`,
    (id) => document.querySelector(`.lesson-menu [data-entry="${id}"]`)?.getAttribute("aria-current") === "true", id);
}

/** How many choices the shown step's question has. @param {Page} page @returns {Promise<number>} */
export const choices = (page) =>
  page.evaluate((shown) => document.querySelectorAll(shown + " .lesson-choice input").length, shown);

/**
 * Answers the question of the shown step.
 *
 * @param {Page} page
 * @param {number | string | undefined} how the place of a choice, from 1, or its text; undefined: not at all
 */
export async function answer(page, how) {
  const place = typeof how !== "string" ? how : 1 + await page.evaluate((all, text) =>
    [...document.querySelectorAll(all)].findIndex((c) => c.textContent.trim() === text),
    shown + " .lesson-choice > label", how);
  assert.notEqual(place, 0, `no choice says ${how}`);
  if (place === undefined) {
    await page.use({ css: `${shown} button`, name: "Just run it" });
  } else {
    if (page.hand === "keys") {
      await page.tabTo({ css: `${shown} .lesson-choice:nth-child(1) input` });
      await page.press(" ");
      for (let i = 1; i < place; i++) await page.press("ArrowDown");
    } else {
      await page.use({ css: `${shown} .lesson-choice:nth-child(${place}) label` });
    }
    await page.use({ css: `${shown} button`, name: /^(That is my answer|Commit, run)$/ });
  }
  await page.see({ css: `${shown} .lesson-verdict` }, /^(Answered|Not answered)\. Run it and see\.$/);
}

/** Waits until there is a request to run, and returns its address: none is while one is sent. @param {Page} page */
export const toRun = (page) => page.until("there is a request to run", filledRequest);

/** Runs the filled request, and waits until it is under way. @param {Page} page @param {string | null} [at] */
export async function run(page, at) {
  at ??= await toRun(page);
  if (page.hand === "keys") await page.press("r");
  else await page.use(filled);
  await page.until(`the request at ${at} is under way`,
    (css, at) => document.querySelector(css)?.closest("[data-at]")?.getAttribute("data-at") !== at, filled.css, at);
}

/** Has the step set up again that cannot pass as it is. @param {Page} page */
export async function setUpAgain(page) {
  await page.use({ css: `${shown} .lesson-trouble button`, name: "Set this step up again" });
  await page.gone({ css: `${shown} .lesson-trouble` });
}

/** Shows the solution of the shown step. @param {Page} page */
async function reveal(page) {
  const button = { css: `${open} .lesson-bar button`, name: "Solution" };
  if (!(await page.text(button))) await page.use({ css: `${open} .lesson-more` }); // where there is less room
  await page.use(button);
}

/** After how many requests, answers and clicks a step is one that does not pass. */
const MOST = 60;

/** Does the shown step until it has passed. @param {Page} page @param {number | string} [how] see answer */
export async function solve(page, how) {
  const done = [];
  for (;;) {
    const todo = await page.until("there is something to do", whatNext);
    if (todo === "passed") return;
    done.push(todo);
    if (done.length > MOST) {
      const text = await page.evaluate((css) => document.querySelector(css)?.textContent, shown);
      assert.fail(`the step does not pass by ${done.join(", ")}:\n${text}`);
    }
    if (todo === "question") await answer(page, how);
    else if (todo === "solution") await reveal(page);
    else if (todo === "set up") await setUpAgain(page);
    else if (todo === "from there") await runRest(page);
    else {
      // What is under way may have passed the step meanwhile.
      const at = await page.evaluate(filledRequest);
      if (at) await run(page, at);
    }
  }
}

/** Runs what is left of the solution, from the first request on that was not run. @param {Page} page */
const runRest = (page) =>
  page.evaluate((shown) => {
    const runs = [...document.querySelectorAll(shown + " .lesson-solution [data-action=lesson-run]")];
    const first = runs.findIndex((b) => b.textContent === "Run");
    for (const run of runs.slice(first)) /** @type {HTMLElement} */ (run).click();
  }, shown);

/** What the question of the shown step says once the step has passed. @param {Page} page */
export async function judged(page) {
  const asked = await page.evaluate((shown) => Boolean(document.querySelector(shown + " .lesson-predict")), shown);
  if (!asked) return;
  await page.see({ css: `${shown} .lesson-verdict` },
    /^(You predicted it|The result was different|It was .*|Run without an answer)\.$/);
  await page.see({ css: `${shown} .lesson-explanation` });
}

/**
 * Plays the open lesson from a step to its end, with this answer and that.
 *
 * @param {Page} page @param {number} from @param {number} [to]
 */
export async function play(page, from, to) {
  const count = await page.evaluate((open) => document.querySelectorAll(open + " .lesson-step").length, open);
  for (let n = from; n <= (to ?? count); n++) {
    await page.see(where, `Step ${n} of ${count}`);
    const all = await choices(page);
    await solve(page, all > 0 && n % 3 !== 2 ? 1 + (n % all) : undefined);
    await judged(page);
    await page.use(next);
  }
  return count;
}
