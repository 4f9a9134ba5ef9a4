// A private window, whose quota can be small: what is acknowledged is there after a reload, and the rest is refused.
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Creates ConfigMaps of 10 KB, and returns what each was answered. */
function create(page) {
  return page.evaluate(async (path) => {
    const answers = [];
    for (let i = 0; i < 60; i++) {
      const body = JSON.stringify({ metadata: { name: `of-${i}` }, data: { x: "y".repeat(10_000) } });
      const r = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
      answers.push({ name: `of-${i}`, status: r.status, message: (await r.json()).message });
    }
    return answers;
  }, configMaps);
}

test.use({ tolerated: [/Failed to load resource/] });

for (const quota of [100_000, 300_000]) {
  test(`with a quota of ${quota / 1000} KB, what is acknowledged is kept`,
    { tag: "@long" }, async ({ lab, page, context, server }) => {
    const devtools = await context.newCDPSession(page);
    await page.goto(lab.url + "/?nosw");
    await lab.ready();
    await devtools.send("Storage.overrideQuotaForOrigin", { origin: new URL(server.url).origin, quotaSize: quota });
    const answers = await create(page);
    const kept = answers.filter((a) => a.status === 201).map((a) => a.name);
    const refused = answers.filter((a) => a.status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, message } of refused) {
      expect(status).toBe(500);
      expect(message).toMatch(/the storage is full|quota/i);
    }
    await expect(page.getByRole("banner")).toContainText(/not saved/i);

    await page.reload();
    await lab.ready();
    const names = (await lab.fetch(configMaps)).body.items.map((o) => o.metadata.name);
    expect(names.filter((name) => name.startsWith("of-")).sort()).toEqual(kept.sort());
  });
}
