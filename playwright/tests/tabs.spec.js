// Several tabs of one cluster: the one that leads is closed again and again, while others write.
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Has a page create ConfigMaps without a pause, and note the names of those that were acknowledged. */
const write = (page, prefix) => page.evaluate(([path, prefix]) => {
  window.acknowledged = [];
  window.writing = true;
  window.written = (async () => {
    for (let i = 0; window.writing; i++) {
      const name = `${prefix}-${i}`;
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
      const headers = { "Content-Type": "application/json" };
      const status = await fetch(path, { method: "POST", body, headers }).then((r) => r.status, () => 0);
      if (status === 201) window.acknowledged.push(name);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
}, [configMaps, prefix]);

const acknowledged = (page) => page.evaluate(async () => {
  window.writing = false;
  await window.written;
  return window.acknowledged;
});

test("the tab that leads is closed ten times under writes: nothing acknowledged is lost",
  { tag: "@long" }, async ({ lab, page, context }) => {
  test.slow();
  await lab.open();
  const pages = [page];
  const promised = [];
  for (let round = 0; round < 10; round++) {
    while (pages.length < 3) {
      const next = await context.newPage();
      await new lab.constructor(next, lab.url).open();
      pages.push(next);
    }
    const [leader, ...others] = pages;
    for (const [i, other] of others.entries()) await write(other, `r${round}-t${i}`);
    // All of them have written through the leader, and are about to write more.
    for (const other of others) await other.waitForFunction(() => window.acknowledged.length > 1);
    await leader.close();
    await others[0].waitForFunction(() => tabernetes.state === "ready" && tabernetes.status.tabs === 2);
    for (const other of others) promised.push(...(await acknowledged(other)));
    const leads = await Promise.all(others.map((o) => o.evaluate(() => tabernetes.status.tab === "tab 1")));
    expect(leads.filter(Boolean).length, "one of them leads").toBe(1);
    const kept = await others[1].evaluate(async (path) =>
      (await (await fetch(path)).json()).items.map((o) => o.metadata.name), configMaps);
    expect(promised.filter((name) => !kept.includes(name)), `lost in round ${round}`).toEqual([]);
    pages.splice(0, pages.length, ...(leads[0] ? others : others.reverse()));
  }
  expect(promised.length).toBeGreaterThan(20);
});

test("what another tab writes has its name on the stage; its watch resumes when the leader is closed",
  { tag: "@long" }, async ({ lab, page, context }) => {
  await lab.open();
  const second = await context.newPage();
  const other = new lab.constructor(second, lab.url);
  await other.open();
  const theirs = new Timeline(second);
  await theirs.watch("/api/v1/configmaps");
  await second.evaluate(async ([path, body]) => {
    await fetch(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  }, [configMaps, lab.configMap("of-two")]);
  const timeline = new Timeline(page);
  await timeline.showTables();
  await expect(timeline.tables.getByRole("row", { name: /of-two/ })).toContainText("tab 2");
  await page.close();
  await second.waitForFunction(() => tabernetes.state === "ready" && tabernetes.status.tab === "tab 1");
  await theirs.resume("w1");
  await second.evaluate(async ([path, body]) => {
    await fetch(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  }, [configMaps, lab.configMap("after")]);
  await expect(theirs.lane("w1")).toContainText("resume after " + (await theirs.revision()));
});
