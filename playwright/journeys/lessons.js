// Whole lessons, and a situation to practise, with the mouse.
import assert from "node:assert/strict";
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { whatNext } from "../todo.js";

/** @typedef {import("../engines/page.js").Page} Page */

const shown = ".lesson[data-open] .lesson-step[data-shown]";
const next = { css: ".lesson[data-open] .lesson-next:enabled" };
const filled = { css: `${shown} .lesson-http .button.primary` };

/** Chooses a lesson, or a page, from the list. @param {Page} page @param {string} id */
async function choose(page, id) {
  await page.click({ css: ".lesson-menu > summary" });
  await page.click({ css: `.lesson-menu [data-entry="${id}"]` });
  await page.until(`${id} is open`,
    (id) => document.querySelector(`.lesson-menu [data-entry="${id}"]`)?.getAttribute("aria-current") === "true", id);
}

/** Answers the question of the shown step: by the nth choice, or not. @param {Page} page @param {number} n */
async function answer(page, n) {
  const choices = await page.evaluate((shown) => document.querySelectorAll(shown + " .lesson-choice input").length,
    shown);
  if (choices > 0 && n % 3 !== 2) {
    await page.click({ css: `${shown} .lesson-choice:nth-child(${1 + (n % choices)}) label` });
    await page.click({ css: `${shown} button`, name: "That is my answer" });
  } else {
    await page.click({ css: `${shown} button`, name: "Just run it" });
  }
  await page.see({ css: `${shown} .lesson-verdict` }, /^(Answered|Not answered)\. Run it and see\.$/);
}

/** After how many requests, answers and clicks a step is one that does not pass. */
const MOST = 60;

/** Does the shown step until it has passed. @param {Page} page @param {number} n which one it is, for its answer */
async function solve(page, n) {
  const done = [];
  for (;;) {
    const todo = await page.until("there is something to do", whatNext);
    if (todo === "passed") return;
    done.push(todo);
    if (done.length > MOST) {
      const text = await page.evaluate((css) => document.querySelector(css)?.textContent, shown);
      assert.fail(`the step does not pass by ${done.join(", ")}:\n${text}`);
    }
    if (todo === "question") {
      await answer(page, n);
    } else if (todo === "solution") {
      await page.click({ css: ".lesson[data-open] .lesson-bar button", name: "Solution" });
    } else if (todo === "from there") {
      await page.evaluate((shown) => {
        const runs = [...document.querySelectorAll(shown + " .lesson-solution [data-action=lesson-run]")];
        const first = runs.findIndex((b) => b.textContent === "Run");
        for (const run of runs.slice(first)) /** @type {HTMLElement} */ (run).click();
      }, shown);
    } else {
      const at = await page.evaluate(
        (css) => document.querySelector(css)?.closest("[data-at]")?.getAttribute("data-at"), filled.css);
      await page.click(filled);
      await page.until(`the request at ${at} is under way`,
        (css, at) => document.querySelector(css)?.closest("[data-at]")?.getAttribute("data-at") !== at, filled.css, at);
    }
  }
}

/** What the question of the shown step says once the step has passed. @param {Page} page */
async function judged(page) {
  const asked = await page.evaluate((shown) => Boolean(document.querySelector(shown + " .lesson-predict")), shown);
  if (!asked) return;
  await page.see({ css: `${shown} .lesson-verdict` },
    /^(You predicted it|The result was different|It was .*|Run without an answer)\.$/);
  await page.see({ css: `${shown} .lesson-explanation` });
}

/** Plays the open lesson from a step to its end. @param {Page} page @param {number} from @param {number} [to] */
async function play(page, from, to) {
  const count = await page.evaluate(() => document.querySelectorAll(".lesson[data-open] .lesson-step").length);
  for (let n = from; n <= (to ?? count); n++) {
    await page.see({ css: ".lesson[data-open] .lesson-where" }, `Step ${n} of ${count}`);
    await solve(page, n);
    await judged(page);
    await page.click(next);
  }
  return count;
}

const names = async (page) => (await page.fetch("/api/v1/namespaces")).body.items.map((n) => n.metadata.name);

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "lesson: it is played to its end, with a reload in the middle",
    async run({ page, without }) {
      await page.open();
      await choose(page, "addresses");
      await play(page, 1, 2);
      if (!without.has("locks")) {
        await page.reload();
        await page.see({ css: ".lesson[data-open] .lesson-where" }, "Step 3 of");
        await page.until("the first step is still passed", () => {
          const step = document.querySelector(".lesson[data-open] .lesson-step");
          return /** @type {HTMLElement} */ (step)?.dataset.state === "passed";
        });
      }
      const count = await play(page, 3);
      await page.see({ css: ".lesson[data-open] .lesson-where" }, `All ${count} steps passed`);
      assert.ok((await names(page)).includes("addresses"));
      await page.click({ css: ".lesson[data-open] .lesson-notice button", name: "Tidy up" });
      await page.see({ css: ".lesson[data-open] .lesson-notice" }, "Everything is as it was before");
      assert.ok(!(await names(page)).includes("addresses"));
      // What it was about is to be practised, today or, if it was predicted wrong, tomorrow.
      await choose(page, "practice");
      await page.see({ css: ".course-page[data-open] .course-list .soft" }, /^due/);
    },
  },
  {
    name: "lesson: one with watches, and one that is left for another",
    long: true,
    async run({ page, inRoom }) {
      await page.open();
      await choose(page, "list-then-watch");
      await play(page, 1);
      await choose(page, "stale-reads");
      if (inRoom) await solve(page, 1); // there a lesson is set up when something of it is run
      await page.poll("the next one is set up", async () => (await names(page)).includes("stale-reads"));
      assert.ok(!(await names(page)).includes("list-then-watch"));
      const servers = (await page.fetch(CONTROL_PLANE)).body.spec.cache.replicas;
      assert.equal(servers.length, 2);
    },
  },
  {
    name: "practice: a situation by its link, and back to the list",
    long: true,
    async run({ page }) {
      await page.open("/#practice-p01c-7");
      await page.see({ css: ".lesson[data-open] .lesson-where" }, "Practice");
      await page.see({ css: ".lesson[data-open] .lesson-bar" }, "Seed 7");
      await solve(page, 1);
      await judged(page);
      await page.click(next);
      await page.see({ css: ".course-page[data-open] h2" }, "Practice");
      await page.see({ css: ".course-page[data-open] .course-now" }, "The next situations are due tomorrow.");
      // What is kept of a learner, as a file: what it would hold is looked at here.
      await choose(page, "progress");
      await page.see({ css: "[data-action=progress-save]" });
      const saved = await page.evaluate(async () => {
        const make = URL.createObjectURL;
        const file = new Promise(
          (got) => (URL.createObjectURL = (blob) => (got(/** @type {Blob} */ (blob).text()), make.call(URL, blob))));
        HTMLAnchorElement.prototype.click = () => {};
        /** @type {HTMLElement} */ (document.querySelector("[data-action=progress-save]")).click();
        return JSON.parse(await file);
      });
      assert.equal(saved.version, 1);
      assert.equal(saved.queue.p01c.seen, 1);
    },
  },
];
