// The sample page: each answer is what its text says. It is run on the site's own origin.
import { expect, test } from "../fixtures.js";
import { expectNoViolations } from "../axe.js";

/** What a text says of answers: their codes, and the types of the events that come with one. @param {string} says */
const saidIn = (says) => [...says.matchAll(/\b([1-5]\d\d)\b(?: with ((?:[A-Z]+(?:, )?)+))?/g)].map(
  ([, code, events]) => ({ code, events: events?.split(", ").filter(Boolean) ?? [] }));

test("each example is answered as its text says @long", async ({ page, server }) => {
  await page.goto(server.url + "/embed/examples.html");
  const says = await page.locator(".says").allTextContents();
  const shown = page.locator("tabernetes-snippet:not([setup]):not(:has(.language-kubectl))");
  await expect(shown).toHaveCount(says.length);
  for (const [i, text] of says.entries()) {
    const wanted = saidIn(text);
    await shown.nth(i).getByRole("button").click();
    const frame = shown.nth(i).locator("iframe").contentFrame();
    const fields = frame.locator("section");
    await expect(fields, text).toHaveCount(wanted.length);
    /** The events that a watch of this snippet waits for. */
    const open = [];
    for (const [at, { code, events }] of wanted.entries()) {
      const field = fields.nth(at);
      if (at > 0) await field.getByRole("button").click();
      await expect(field.getByRole("status"), `${text} ${at}`).toContainText(new RegExp(`(^|: )${code} `));
      if (events.length > 0) open.push({ field, events });
      else await expect(field.getByRole("button", { name: /^Run/ }), `${text} ${at}`).toBeVisible();
    }
    for (const { field, events } of open) {
      const seen = field.locator("summary b");
      for (const type of events) await expect(seen.getByText(type, { exact: true }).first()).toBeVisible();
      await field.getByRole("button", { name: /^Stop/ }).click();
      await expect(field.getByRole("status")).toContainText("stopped");
    }
    const kind = /\ba (ServiceList|Table|deletionTimestamp)\b/.exec(text)?.[1];
    if (kind) await expect(frame.locator("main"), text).toContainText(kind);
  }
  await expectNoViolations(page, "the page of examples", { rules: 10 });
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: /** @type {any} */ (theme) });
    const first = /** @type {any} */ (page.frames()[1]);
    await expectNoViolations(first, `a frame with answers, ${theme}`, { within: "main", rules: 8 });
  }
});
