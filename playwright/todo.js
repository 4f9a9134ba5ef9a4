// What there is to do in the lesson that is open, read off the page. It runs in the page.

/**
 * "set up": the step, again, since it cannot pass as it is. "run": the filled request. "question": an answer.
 * "solution": open it. "from there": run the solution from the first
 * request on that was not run, since for what it does was done already, in a way by which the rest does not pass.
 * "passed": continue. Null: something is under way.
 *
 * @returns {"set up" | "run" | "question" | "solution" | "from there" | "passed" | null}
 */
export function whatNext() {
  const open = document.querySelector("article.lesson[data-open]");
  /** @type {HTMLElement | null | undefined} */
  const step = open?.querySelector(".lesson-step[data-shown]");
  if (!open || !step) return null;
  if (step.dataset.state === "passed") return "passed";
  if (step.querySelector(".lesson-trouble-place:not([hidden]) [data-action=lesson-set-up]:enabled")) return "set up";
  if (step.querySelector(".lesson-http .button[data-next]")) return "run";
  if (step.querySelector(".lesson-http [aria-busy=true]")) return null; // a request is under way
  /** @type {HTMLElement | null} */
  const acts = step.querySelector(".lesson-predict-acts");
  if (acts && !acts.hidden) return "question";
  const runs = (/** @type {ParentNode} */ part, css = ".lesson-http") =>
    [...part.querySelectorAll(css)].map(
      (box) => [box.querySelector("[data-action=lesson-run]"), box.querySelector(".lesson-chip")].map(
        (el) => el?.textContent ?? ""));
  const byKubectl = step.closest("[data-kubectl]") ? ":not(.lesson-both)" : ""; // commands have no chip
  const begun = runs(step, ".lesson-step-body > .lesson-http").every(([button]) => button !== "Run") &&
    runs(step, `.lesson-step-body > .lesson-http${byKubectl}`).every(([, chip]) => /\d{3}/.test(chip));
  /** @type {HTMLDetailsElement | null} */
  const solution = step.querySelector(".lesson-solution");
  if (!begun || !solution) return null;
  if (!solution.open) return "solution";
  return open.querySelector(".lesson-miss") && runs(solution).some(([button]) => button === "Run") ? "from there"
    : null;
}

/**
 * Returns the address of the request that is to be run next in the lesson that is open, or null. It runs in the page.
 *
 * @returns {string | null}
 */
export function filledRequest() {
  const step = "article.lesson[data-open] .lesson-step[data-shown]";
  const next = document.querySelector(`${step} .lesson-http .button[data-next]`);
  return next?.closest("[data-at]")?.getAttribute("data-at") ?? null;
}
