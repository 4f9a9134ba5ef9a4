// Who may do what, switched in Levers: under RBAC somebody else is refused, and
// the page itself is not.
import { test, expect } from "../fixtures.js";

const PODS = "/api/v1/namespaces/default/pods";

/** What the cluster answers to a user. */
const answer = (page, user) => page.evaluate(
  async ([path, user]) => (await fetch(path, user ? { headers: { "Impersonate-User": user } } : {})).status,
  [PODS, user]);

for (const way of ["mouse", "keyboard"]) {
  test(`RBAC is switched on in Levers, by ${way}`, { tag: way === "mouse" ? "@long" : [] }, async ({ lab, page }) => {
    await lab.open();
    expect(await answer(page, "jane")).toBe(200);
    await page.getByRole("button", { name: "Levers" }).click();
    const modes = page.locator("#panel-levers").getByRole("radiogroup", { name: "Authorization" });
    await expect(modes.getByRole("radio", { name: "AlwaysAllow" })).toBeChecked();
    if (way === "mouse") {
      await modes.getByText("RBAC").click();
    } else {
      await modes.getByRole("radio", { name: "AlwaysAllow" }).focus();
      await page.keyboard.press("ArrowDown");
    }
    await expect(page.locator("#levers-result")).toHaveText("Authorization RBAC: Roles decide who may do what.");
    expect(await answer(page, "jane")).toBe(403);
    expect(await answer(page)).toBe(200);
    await page.keyboard.press("Escape");
    const undo = page.getByRole("button", { name: "Undo: " });
    expect(await undo.locator(".st-word").evaluate((el) => {
      const [all, what] = [el.getBoundingClientRect(), el.querySelector("span").getBoundingClientRect()];
      return what.top < all.bottom - 1 && what.right > all.right + 1;
    }), "what is undone is cut").toBe(false);
    await undo.click();
    await expect.poll(() => answer(page, "jane")).toBe(200);
  });
}
