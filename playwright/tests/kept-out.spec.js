// Settings that keep a page's own requests out of its cluster, from a link, a file and a snapshot: they are said, and
// undone by one press, whatever the cluster answers to others.
import { test, expect } from "../fixtures.js";
import { linkOf, packed } from "../../web/panels/share/pack.js";

const PLANE = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default";
const PODS = "/api/v1/namespaces/default/pods";

const RBAC = { authorization: { mode: "RBAC" }, authentication: { withoutCredentials: "Unauthorized" } };

/** The fragment of a link with settings alone. */
const shut = async (settings = RBAC) => linkOf(await packed({ settings }, async () => new Uint8Array()));

/** What the cluster answers to a request of the page. */
const answer = (page, path = PODS, init = {}) => page.evaluate(
  async ([path, init]) => (await fetch(path, init)).status, [path, init]);

const share = (page) => page.getByRole("region", { name: "Share", exact: true });
const notice = (page) => page.locator('[data-banner="access"]');
const ready = (page) => page.evaluate(() => window.tabernetes.ready);

/** Opens a link in a fresh profile, and what it brings. */
async function opened({ page, server }, settings) {
  await page.goto("about:blank");
  await page.goto(server.url + "/" + (await shut(settings)));
  await expect(share(page).getByRole("heading", { name: "Shared with you" })).toBeVisible();
}

test("a link that keeps one out says so, setting by setting, and is undone by one press",
  { tag: "@long" }, async ({ page, server }) => {
  await opened({ page, server });
  for (const line of ["A setting: Roles decide who may do what (authorization.mode)",
    "A setting: Requests without credentials are refused (authentication.withoutCredentials)",
    "The settings can be undone.", "the cluster refuses requests without credentials;"]) {
    await expect(share(page)).toContainText(line);
  }
  expect(await answer(page), "nothing is in force yet").toBe(200);
  await share(page).getByRole("button", { name: "Open it" }).click();
  const brought = share(page).getByRole("group", { name: "Settings that came with it" });
  await expect(brought).toContainText("Requests without credentials are refused (authentication.withoutCredentials)");
  await expect(notice(page)).toContainText("refuses requests without credentials");
  for (const [path, init] of [[PODS], [PLANE], [PLANE + "/reset", { method: "POST" }],
    [PLANE, { headers: { "Tabernetes-Owner": "1", Authorization: "Bearer admin" } }]]) {
    expect(await answer(page, path, init), path).toBe(401);
  }
  await brought.getByRole("button", { name: "Undo these settings" }).click();
  await expect(share(page)).toContainText("The settings are as they were before.");
  await expect(notice(page)).toHaveCount(0);
  expect(await answer(page)).toBe(200);
  await page.reload();
  await ready(page);
  expect(await answer(page)).toBe(200);
  await expect(notice(page)).toHaveCount(0);
});

test("with the keyboard, and again after a reload", { tag: "@long" }, async ({ page, server }) => {
  await opened({ page, server }, { ...RBAC, authentication: { withoutCredentials: "Anonymous" } });
  await expect(share(page).getByRole("heading", { name: "Shared with you" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(share(page).getByRole("button", { name: "Open it" })).toBeFocused();
  await page.keyboard.press("Enter");
  const undo = share(page).getByRole("button", { name: "Undo these settings" });
  await expect(undo).toBeVisible();
  expect(await answer(page)).toBe(403);
  await page.reload();
  await ready(page);
  expect(await answer(page)).toBe(403);
  const letIn = notice(page).getByRole("button", { name: "Let this page in" });
  await letIn.focus();
  await page.keyboard.press("Enter");
  await expect(notice(page)).toHaveCount(0);
  expect(await answer(page)).toBe(200);
  await opened({ page, server });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await undo.focus();
  await page.keyboard.press("Enter");
  await expect(share(page).getByText("The settings are as they were before.")).toBeFocused();
  expect(await answer(page)).toBe(200);
});

/** A snapshot of a cluster that refuses requests without credentials. The cluster is as before then. */
const snapshot = (page, settings = RBAC) => page.evaluate(async ([plane, spec]) => {
  const { fetch } = window.tabernetes;
  const ask = (path, init) => fetch(path, { ...init, tabernetes: { quiet: true, owner: true } });
  const patch = { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" } };
  await (await ask(plane, { ...patch, body: JSON.stringify({ spec }) })).text();
  const bytes = new Uint8Array(await (await ask(plane + "/snapshot")).arrayBuffer());
  await (await ask(plane + "/reset", { method: "POST" })).text();
  return [...bytes];
}, [PLANE, settings]);

test("a snapshot that keeps one out, opened as a file in Levers and in the panel", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  const bytes = Buffer.from(await snapshot(page));
  const file = { name: "shut.tabernetes", mimeType: "application/octet-stream", buffer: bytes };
  expect(await answer(page)).toBe(200);
  await page.getByRole("button", { name: "Levers" }).click();
  await page.locator("#cluster-file").setInputFiles(file);
  const levers = page.locator("#panel-levers");
  await expect(levers).toContainText("shut.tabernetes is the cluster now.");
  const brought = levers.getByRole("group", { name: "Settings that came with it" });
  await expect(brought).toContainText("Requests without credentials are refused");
  expect(await answer(page)).toBe(401);
  await brought.getByRole("button", { name: "Undo these settings" }).click();
  await expect(levers).toContainText("The settings are as they were before.");
  expect(await answer(page)).toBe(200);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Share", exact: true }).click();
  for (const undo of ["Undo these settings", "Restore my cluster"]) {
    await page.locator("#share-picked").setInputFiles(file);
    await expect(share(page)).toContainText("Settings that come with it are shown then, and can be undone.");
    await share(page).getByRole("button", { name: "Open it" }).click();
    await expect(share(page).getByRole("group", { name: "Settings that came with it" }))
      .toContainText("Requests without credentials are refused");
    expect(await answer(page)).toBe(401);
    await share(page).getByRole("button", { name: undo }).click();
    await expect.poll(() => answer(page)).toBe(200);
  }
});

test("who is kept out by a snapshot can reset, and go on after a reload", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await page.evaluate(async ([plane, bytes]) => {
    const headers = { "Content-Type": "application/octet-stream" };
    await (await fetch(plane + "/snapshot", { method: "PUT", headers, body: new Uint8Array(bytes) })).text();
  }, [PLANE, await snapshot(page)]);
  expect(await answer(page)).toBe(401);
  await expect(notice(page)).toBeVisible();
  await page.reload();
  await ready(page);
  await expect(notice(page)).toBeVisible();
  await page.getByRole("button", { name: "Levers" }).click();
  const reset = page.locator("#panel-levers").getByRole("button", { name: "Reset the cluster", exact: true });
  await reset.click();
  await page.locator("#panel-levers").getByRole("button", { name: "Press again" }).click();
  await expect.poll(() => answer(page)).toBe(200);
  await expect(notice(page)).toHaveCount(0);
});
