// The bench: a policy is broken and corrected by keyboard, with completion, and shared.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** What axe finds. It comes as the text of a function, since the page lets no other script in. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const violations = /** @type {() => Promise<string[]>} */ (new Function(`${axe};
  return axe.run(document).then(({ passes, violations }) => passes.length < 15 ? ["too little was looked at"]
    : violations.map(({ id, nodes }) => id + " " + nodes.map(({ target }) => target).join(", ")));`));

const policy = { css: "textarea", name: "Policy" };
const first = { css: "#requests .row" };

/** Selects a part of the policy, as Shift and arrows do. @param {string} text @param {number} [skip] at its start */
const select = (page, text, skip = 0) =>
  page.evaluate((text, skip) => {
    const area = /** @type {HTMLTextAreaElement} */ (document.activeElement);
    const at = area.value.indexOf(text);
    area.setSelectionRange(at + skip, at + text.length);
  }, text, skip);

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "bench: a policy is broken and corrected by keyboard",
    long: true,
    tab: "the bench has a cluster to itself",
    async run({ page }) {
      await page.tab.goto(`${page.url}/bench.html#example=replicas`);
      await page.help();
      await page.see(first, "refused by max-replicas");
      await page.tabTo(policy);
      await select(page, "<= int(");
      await page.tab.type("> int(");
      await page.press("Control+Enter");
      await page.see(first, "changed by add-team");
      await select(page, "object.spec.replicas > int(", "object.spec.".length);
      await page.tab.type("repl");
      await page.see({ css: "[role=option]", text: /^replicas/ });
      await page.press("Enter");
      await page.gone({ css: "[role=listbox]" });
      await page.tab.type(" <= int(");
      await page.press("Control+Enter");
      await page.see(first, "refused by max-replicas");
      await page.see({ css: ".cel u" }, "object.spec.replicas <= int(params.data.max)");
      await page.until("the address is a link", () => location.hash.startsWith("#bench=1."));

      // Somebody else opens it.
      const link = await page.evaluate(() => location.href);
      await page.tab.goto(`${page.url}/licenses.txt`);
      await page.tab.goto(link);
      await page.help();
      await page.see(first, "refused by max-replicas");
      await page.see({ css: ".cel u" }, "object.spec.replicas <= int(params.data.max)");
      assert.deepEqual(await page.evaluate(violations), [], "as it is");
      // 200 % of a small window, and a phone.
      for (const [width, height] of [[683, 384], [390, 844]]) {
        await page.tab.resize(width, height);
        for (const view of ["Texts", "Requests", "Outcome"]) {
          await page.click({ css: "#views [role=tab]", text: new RegExp(`^${view}`) });
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} ${width}`);
          assert.deepEqual(await page.evaluate(violations), [], `${view} ${width}`);
        }
      }
    },
  },
];
