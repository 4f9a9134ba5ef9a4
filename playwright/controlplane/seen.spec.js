// What is seen of the programs: their rows on the stage, the chain of a rollout, nodes with their Pods, and levers.
import { boxOf, Timeline } from "../lab.js";
import { expect, test } from "../fixtures.js";
import { begin, deployment, DEPLOYMENTS, ready, scale } from "./begin.js";

const PODS = "/api/v1/namespaces/default/pods";
const REVISIONS = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default/revisions?since=0";

test.use({ tolerated: [/deprecated|503/] });

/** The commits of the cluster up to a revision. */
const commitsTo = (page, path, revision) => page.evaluate(async ([path, revision]) => {
  const reader = (await fetch(path)).body.getReader();
  let text = "";
  for (let got = []; !got.some((c) => c.revision >= revision);) {
    text += new TextDecoder().decode((await reader.read()).value);
    got = text.split("\n").slice(0, -1).map((line) => JSON.parse(line).commit).filter(Boolean);
    if (got.some((c) => c.revision >= revision)) {
      reader.cancel();
      return got;
    }
  }
}, [path, revision]);

test("a rollout is read from its chain, whose links are true", async ({ lab, page }) => {
  await begin(lab, page);
  await lab.request("POST", DEPLOYMENTS, deployment("web", 3));
  await expect.poll(() => ready(lab, "web")).toBe(3);
  const rows = page.locator("#st-rows > .is-written");
  await expect(rows).toHaveText([/this page/, /kube-controller-manager/, /kube-scheduler/, /kubelets/]);
  const manager = page.getByRole("button", { name: "kube-controller-manager" });
  expect(await manager.evaluate((name) => name.scrollWidth - name.clientWidth), "its name is not cut").toBe(0);
  await manager.click();
  // All rows are in sight, those of its parts too.
  const scroll = await boxOf(page.locator("#st-scroll"));
  for (const name of ["kube-controller-manager", "deployment", "replicaset", "kube-scheduler", "kubelets"]) {
    const row = rows.filter({ has: page.locator(".st-l1", { hasText: name }) });
    await expect(row).toHaveCount(1);
    await expect.poll(async () => {
      const { y, height } = await boxOf(row);
      return y >= scroll.y - 1 && y + height <= scroll.y + scroll.height + 1;
    }, name).toBe(true);
  }
  const rollout = page.locator("#st-rollout");
  await expect(rollout).toContainText(/web: 3 of 3 ready, \d+ writes by 4 clients in [\d.]+ s/);
  await expect(rollout.locator("rect.is-full")).toHaveCount(3);
  await rollout.getByLabel("chain of").selectOption({ index: 2 });
  await expect(page.locator("#panel-answer")).toContainText(/created the Pod.*One after another/s);

  const web = (await lab.fetch(`${DEPLOYMENTS}/web`)).body;
  const commits = await commitsTo(page, REVISIONS, Number(web.metadata.resourceVersion));
  const at = new Map(commits.map((c) => [c.revision, c]));
  // What belongs to what: of objects that are still there.
  const objects = [web, ...(await lab.fetch("/apis/apps/v1/namespaces/default/replicasets")).body.items,
    ...(await lab.fetch(PODS)).body.items];
  const owners = new Map(objects.map(({ metadata: m }) => [m.uid, (m.ownerReferences ?? []).map(({ uid }) => uid)]));
  let links = 0;
  for (const { revision, uid, request = "" } of commits) {
    const [, after] = /^[\w-]+\/[\w-]*~(\d+)/.exec(request) ?? [];
    if (!Number(after) || !owners.has(uid)) continue;
    const before = at.get(Number(after));
    expect(Number(after)).toBeLessThan(revision);
    expect(before.uid === uid || owners.get(uid).includes(before.uid) || owners.get(before.uid)?.includes(uid),
      `${revision} ${request}`).toBe(true);
    links++;
  }
  expect(links).toBeGreaterThan(12);

  // The chosen write tells its chain, from the Deployment to its status.
  const rev = commits.find((c) => c.uid === web.metadata.uid && c.verb === "ADDED").revision;
  const timeline = new Timeline(page);
  await timeline.showTables();
  await timeline.tables.locator(`[data-action="st-select"][data-rev="${rev}"]`).first().click();
  const told = page.locator("#panel-answer");
  await expect(told).toContainText(new RegExp(`One after another, in [\\d.]+ s: ${rev} Deployment → ` +
    "\\d+ ReplicaSet → \\d+ Pod → \\d+ Pod bound → \\d+ Pod status → .*Deployment status"));
  await expect(page.locator("#st-rows .st-link.is-in").first()).toBeAttached();
});

test("by node, and why a Pod is pending; also on a phone", async ({ lab, page }) => {
  await begin(lab, page);
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 3) });
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("big", 1, "1000") });
  await expect.poll(() => ready(lab, "web")).toBe(3);
  await lab.showTab("Objects");
  await page.getByText("By node").click();
  await expect(page.locator(".node")).toHaveCount(3);
  await expect(page.locator(".node .pod.is-running")).toHaveCount(3);
  await expect(page.locator(".node").first()).toContainText(/Pods ask for 0.[1-3] of \d+ CPU/);
  const pending = page.locator(".nowhere .pod.is-pending");
  await expect(pending).toContainText("Pending");
  await pending.click();
  const why = page.getByRole("region", { name: "Why is this Pod pending?" });
  await expect(why).toContainText("0/3 nodes are available: 3 Insufficient cpu.");
  await expect(why).toContainText("FailedScheduling");
  // It is said beside the nodes, which stay in sight; from there the Pod is opened.
  await expect(page.locator(".node")).toHaveCount(3);
  await expect(pending).toHaveClass(/is-chosen/);
  await page.locator("#panel-answer").getByRole("button", { name: "YAML, history and owners" }).click();
  await expect(page.locator("#objects").getByRole("region", { name: "Why is this Pod pending?" })).toBeVisible();
  await page.locator("#object-back").click();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Objects", exact: true }).click();
  await expect(page.locator(".node .pod").first()).toBeVisible();
  expect((await boxOf(page.locator(".by-node"))).width).toBeLessThanOrEqual(390);
  // A phone has no room beside the nodes.
  await pending.click();
  await expect(page.locator("#objects").getByRole("region", { name: "Why is this Pod pending?" })).toBeVisible();
  await page.locator("#object-back").click();
  // In the presenter nothing of the stage lies over the rest of it.
  await page.keyboard.press("p");
  await expect(page.locator("#panel-present")).toBeVisible();
  const parts = await Promise.all(["#st-rollout", "#st-revision", "#st-ruler", "#st-scroll", "#panel-present"].map(
    (part) => boxOf(page.locator(part))));
  for (const [i, { y, height }] of parts.entries()) {
    if (i > 0) expect(y).toBeGreaterThanOrEqual(parts[i - 1].y + parts[i - 1].height - 1);
    expect(height).toBeGreaterThan(20);
  }
});

test("paused, the controllers do nothing until they are let go; killed and cut, they continue", async ({
  lab, page,
}) => {
  await begin(lab, page);
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 1) });
  await expect.poll(() => ready(lab, "web")).toBe(1);
  const lever = async (program, name) => {
    const menu = await lab.openMenu("Levers");
    await menu.getByRole("group", { name: program }).getByRole("button", { name }).click();
    await page.keyboard.press("Escape");
  };
  await lever("kube-controller-manager", "Pause");
  const row = page.locator("#st-rows > .is-written").filter({ hasText: "kube-controller-manager" });
  await expect(row).toContainText("paused");
  const paused = Number((await lab.fetch(`${DEPLOYMENTS}/web`)).body.metadata.resourceVersion);
  await scale(lab, "web", 2);
  await expect(row.locator(".st-held")).toBeAttached();
  // The other programs write meanwhile, and the manager does not.
  await lab.fetch("/api/v1/nodes/node-1", { method: "PATCH", body: { spec: { unschedulable: true } },
    headers: { "Content-Type": "application/merge-patch+json" } });
  const head = Number((await lab.fetch("/api/v1/nodes/node-1")).body.metadata.resourceVersion);
  const since = (await commitsTo(page, REVISIONS, head)).filter(({ revision }) => revision > paused);
  expect(since.some(({ name }) => name === "web")).toBe(true);
  expect(since.filter(({ request = "" }) => request.startsWith("kube-controller-manager/"))).toEqual([]);
  expect((await lab.fetch(PODS)).body.items.length).toBe(1);
  await lever("kube-controller-manager", "Pause");
  await expect.poll(() => ready(lab, "web")).toBe(2);
  await lever("kube-controller-manager", "Kill");
  await lever("kube-scheduler", "Cut");
  await scale(lab, "web", 3);
  await expect.poll(() => ready(lab, "web")).toBe(3);
});
