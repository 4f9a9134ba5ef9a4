// Whole lessons, and a situation to practise, with the mouse; a step that was disturbed, with the keyboard too.
import assert from "node:assert/strict";
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { answer, choose, judged, next, play, run, setUpAgain, shown, solve, toRun, where } from "./learner.js";
import { stepOf } from "../steps.js";

const names = async (page) => (await page.fetch("/api/v1/namespaces")).body.items.map((n) => n.metadata.name);

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "lesson: it is played to its end, with a reload in the middle",
    long: true,
    async run({ page, without }) {
      await page.open();
      await choose(page, "addresses");
      await play(page, 1, 2);
      if (!without.has("locks")) {
        await page.reload();
        await page.see(where, "Step 3 of");
        await page.until("the first step is still passed", () => {
          const step = document.querySelector(".lesson[data-open] .lesson-step");
          return /** @type {HTMLElement} */ (step)?.dataset.state === "passed";
        });
      }
      const count = await play(page, 3);
      await page.see(where, `All ${count} steps passed`);
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
      if (inRoom) await solve(page, 2); // there a lesson is set up when something of it is run
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
      await page.open("/#practice-taken-or-free-7");
      await page.see(where, "Practice");
      await page.see({ css: ".lesson[data-open] .lesson-bar" }, "Seed 7");
      await solve(page, 2);
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
      assert.equal(saved.queue["taken-or-free"].seen, 1);
    },
  },
  ...[["keys", "by the keyboard alone"], ["mouse", "with the mouse"]].map(([hand, how]) => ({
    name: `lesson: a step whose situation became another one is set up again, and passed, ${how}`,
    long: true,
    async run({ page }) {
      page.hand = hand;
      await page.open("/#lesson-list-then-watch");
      await page.see({ css: "#lesson-list-then-watch[data-open]" }); // in a room it is asked for once the page is there
      const between = stepOf("list-then-watch", "what-falls-between");
      await play(page, 1, between - 1);
      await answer(page, "A only");
      for (let i = 0; i < 3; i++) await run(page); // two lists, and a Pod created between them
      await toRun(page);
      for (const lever of ["compact", "restart"])
        await page.evaluate((path) => fetch(path, { method: "POST", body: "{}" }).then((r) => r.text()),
          `${CONTROL_PLANE}/${lever}`);
      await run(page); // both watches, of which one gets 410 now
      const trouble = { css: `${shown} .lesson-trouble` };
      await page.see(trouble, "This run is not the situation that was asked about.");
      await page.see(trouble, /restarted.*ERROR 410.*Your prediction is kept/);
      await page.gone({ css: `${shown} .lesson-predict` });
      await page.gone({ css: ".lesson[data-open] .lesson-checks [data-done=true]" });
      await setUpAgain(page);
      await page.see(where, `Step ${between} of`);
      await solve(page);
      await page.see({ css: `${shown} .lesson-verdict` }, "You predicted it.");
    },
  })),
];
