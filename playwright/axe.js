// What axe-core finds on a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "@playwright/test";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Expects that axe finds nothing, and that it had something to look at.
 *
 * @param {import("@playwright/test").Page} page
 * @param {string} state what the page shows, for the report
 * @param {{within?: string, rules?: number}} [where] a selector, and how many rules must have had something to look at
 */
export async function expectNoViolations(page, state, { within, rules = 15 } = {}) {
  await page.evaluate(axe);
  const { found, checked } = await page.evaluate(async (within) => {
    const { violations, passes } = await window.axe.run(within ?? document,
      { rules: { "target-size": { enabled: true } } }); // axe leaves it out by itself
    // Marks of revisions stand where these are on the axis; the arrow keys, zoom and tables lead to each of them, too.
    const mark = (node) => node.any[0]?.id === "target-size" && document.querySelector(node.target[0])?.dataset.rev;
    for (const v of violations) v.nodes = v.nodes.filter((node) => !mark(node));
    const found = violations.filter((v) => v.nodes.length > 0).map(
      (v) => `${v.id} (${v.impact}): ${v.help}: ` +
        v.nodes.slice(0, 5).map((n) => `${n.target} ${n.any[0]?.message ?? n.all[0]?.message ?? ""}`).join(" | "));
    return { found, checked: passes.length };
  }, within);
  expect(checked, "rules that had something to look at").toBeGreaterThan(rules);
  expect.soft(found, state).toEqual([]);
}
