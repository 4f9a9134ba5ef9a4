// The real controllers and the real scheduler in the page: make test-controlplane builds a site that has them.
import { expect, test } from "../fixtures.js";
import { Lab } from "../lab.js";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const PODS = "/api/v1/namespaces/default/pods";
/** What the page says once the programs run. */
const RUNNING = "They run, with 3 nodes.";
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";

/** @param {string} name @param {number} replicas */
const deployment = (name, replicas) => ({
  apiVersion: "apps/v1", kind: "Deployment", metadata: { name },
  spec: {
    replicas, selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

/** How many Pods run. @param {Lab} lab */
const running = async (lab) =>
  (await lab.fetch(PODS)).body.items.filter((pod) => pod.status.phase === "Running" && !pod.metadata.deletionTimestamp)
    .length;

/** Presses the switch, and waits for what is said beside it. */
async function press(lab, page, name, said) {
  const menu = await lab.openMenu("Levers");
  await menu.getByRole("button", { name, exact: true }).click();
  await expect(menu.getByRole("region", { name: "Control plane" }).getByRole("status")).toHaveText(said);
  await page.keyboard.press("Escape");
}

/** Who has the manager's Lease; empty if nobody has. @param {Lab} lab */
const holder = async (lab) => (await lab.fetch(LEASE)).body.spec?.holderIdentity ?? "";

test.use({ tolerated: [/deprecated/] });

test("switched on, a Deployment gets its Pods, which run; off, nothing happens", async ({ lab, page }) => {
  await lab.open();
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 3) });
  const start = Date.now();
  await press(lab, page, "Switch it on", RUNNING);
  await expect.poll(() => running(lab)).toBe(3);
  console.log(`first Pods ${Date.now() - start} ms after the switch`);
  const scaled = Date.now();
  await lab.fetch(`${DEPLOYMENTS}/web/scale`, { method: "PATCH", body: { spec: { replicas: 5 } },
    headers: { "Content-Type": "application/merge-patch+json" } });
  await expect.poll(() => running(lab)).toBe(5);
  console.log(`scaled in ${Date.now() - scaled} ms`);
  const made = (await lab.fetch(`${PODS}?limit=1`)).body.items[0];
  expect(made.metadata.managedFields[0].manager).toBe("kube-controller-manager");
  expect(made.spec.serviceAccountName, "admission gives it an account").toBe("default");
  expect(made.spec.containers[0].volumeMounts[0].mountPath).toMatch(/serviceaccount$/);
  expect(await holder(lab)).toBe("page");

  await press(lab, page, "Switch it off", "");
  await expect.poll(() => holder(lab)).toBe("");
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("late", 1) });
  await lab.fetch("/api/v1/namespaces", { method: "POST", body: { metadata: { name: "own" } } });
  // The server's own controllers work again.
  await expect.poll(async () => (await lab.fetch("/api/v1/namespaces/own/serviceaccounts/default")).status).toBe(200);
  expect((await lab.fetch(`${DEPLOYMENTS}/late`)).body.status.replicas).toBeUndefined();
  const body = { metadata: { name: "alone" }, spec: { containers: [{ name: "c", image: "i" }] } };
  const alone = (await lab.fetch(PODS, { method: "POST", body })).body;
  expect(alone.spec.serviceAccountName, "without a manager it needs none").toBeUndefined();
});

test("after a reload they continue at once", async ({ lab, page }) => {
  await lab.open();
  await press(lab, page, "Switch it on", RUNNING);
  await expect.poll(() => holder(lab)).toBe("page");
  await expect.poll(() => lab.readyNodes()).toBe(3);

  // Such a cluster is shared by a link.
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const link = page.getByRole("region", { name: "Share", exact: true }).getByLabel("Link", { exact: true });
  await expect(link).toHaveValue(/#share=/);
  const { length } = await link.inputValue();
  console.log(`a link of ${length} characters`);
  expect(length).toBeLessThan(7500); // of 8,192

  await page.reload();
  await lab.ready();
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 2) });
  await expect.poll(() => running(lab)).toBe(2);
});

test("with RBAC each controller has its rights", async ({ lab, page }) => {
  await lab.open();
  await lab.fetch("/apis/sandbox.tabernetes.dev/v1/controlplanes/default", { method: "PATCH",
    body: { spec: { authorization: { mode: "RBAC" } } }, headers: { "Content-Type": "application/merge-patch+json" } });
  await press(lab, page, "Switch it on", RUNNING);
  await lab.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 2) });
  await expect.poll(() => running(lab)).toBe(2);

  // A fault is in force, and its button says so, also when the programs begin again.
  const slow = page.getByRole("group", { name: "kube-scheduler", includeHidden: true })
    .getByRole("button", { name: "Slow", includeHidden: true });
  await expect(slow).toHaveAttribute("aria-pressed", "false");
  await slow.dispatchEvent("click");
  await expect(slow).toHaveAttribute("aria-pressed", "true");
  await press(lab, page, "Switch it off", "");
  await press(lab, page, "Switch it on", RUNNING);
  await expect(slow).toHaveAttribute("aria-pressed", "true");
});

test("the tab that has the cluster runs them, and the next one when it is closed", async ({ lab, page, context }) => {
  await lab.open();
  await press(lab, page, "Switch it on", RUNNING);
  await expect.poll(() => holder(lab)).toBe("page");
  const second = await context.newPage();
  const other = new Lab(second, lab.url);
  await other.open();
  const menu = await other.openMenu("Levers");
  const said = menu.getByRole("region", { name: "Control plane" }).getByRole("status");
  await expect(said).toHaveText("They run in the tab that has the cluster.");
  await page.close();
  await expect(said).toHaveText(RUNNING);
  await other.fetch(DEPLOYMENTS, { method: "POST", body: deployment("web", 1) });
  await expect.poll(() => running(other)).toBe(1);
});

test("the log of a container is its kubelet's, which is out of reach once they are off", async ({ lab, page }) => {
  await lab.open();
  await press(lab, page, "Switch it on", RUNNING);
  const pod = (name, more = {}) => ({
    metadata: { name, ...more }, spec: { containers: [{ name: "c", image: "i:1", args: ["x"] }] } });
  await lab.fetch(PODS, { method: "POST", body: pod("web") });
  await lab.fetch(PODS, { method: "POST", body: pod("bad", {
    labels: { "pod-container-running-failed.stage.kwok.x-k8s.io": "true" },
    annotations: { "pod-container-running-failed.stage.kwok.x-k8s.io/exit-code": "3" } }) });
  await expect.poll(() => running(lab)).toBeGreaterThan(0);
  const log = async (name, query = "") => (await lab.fetch(`${PODS}/${name}/log${query}`)).text;
  const begin = (n) => new RegExp(`^c: docker.io/library/i:1 has started on node-\\d \\(restarts: ${n}\\)\n`);
  await expect.poll(() => log("web")).toMatch(begin(0));
  expect(await log("web", "?tailLines=1")).toBe('c: it would run ["x"]\n');
  expect(await log("web", "?previous=true"))
    .toContain('previous terminated container \\"c\\" in pod \\"web\\" not found');
  await expect.poll(() => log("bad", "?previous=true")).toMatch(/exit code 3/);
  await expect.poll(() => log("bad")).toMatch(begin(1));

  // Followed: the lines come as they are written, and the log ends with the container.
  await page.evaluate(async (url) => {
    const read = async (/** @type {AbortSignal | undefined} */ signal) => {
      const response = await fetch(url, { signal, tabernetes: { quiet: true } });
      const reader = response.body.getReader();
      const first = new TextDecoder().decode((await reader.read()).value);
      return { reader, first };
    };
    const stop = new AbortController();
    const left = await read(stop.signal);
    stop.abort();
    window.left = await left.reader.read().then(() => "", ({ name }) => name);
    const { reader, first } = await read();
    window.followed = { text: first, ended: false };
    (async () => {
      for (let part; !(part = await reader.read()).done;) window.followed.text += new TextDecoder().decode(part.value);
      window.followed.ended = true;
    })();
  }, `${PODS}/web/log?follow=true`);
  expect(await page.evaluate(() => window.left)).toBe("AbortError");
  expect(await page.evaluate(() => window.followed.ended)).toBe(false);
  await lab.fetch(`${PODS}/web?gracePeriodSeconds=1`, { method: "DELETE" });
  await expect.poll(() => page.evaluate(() => window.followed.ended)).toBe(true);
  expect(await page.evaluate(() => window.followed.text)).toMatch(begin(0));

  await press(lab, page, "Switch it off", "");
  const { status, body } = await lab.fetch(`${PODS}/bad/log`);
  expect([status, body.message.replaceAll(/node-\d/g, "NODE")]).toEqual([500,
    'Get "https://NODE:10250/containerLogs/default/bad/c": dial tcp: lookup NODE: no such host']);
});

const PLANE = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default";
const BAD = "pod-container-running-failed.stage.kwok.x-k8s.io";

/** Moves the cluster's clock. @param {Lab} lab @param {number} seconds */
async function advance(lab, seconds) {
  const begin = Date.now();
  const answer = await lab.fetch(`${PLANE}/advance`, { method: "POST", body: { seconds } });
  expect(answer.status, answer.text).toBe(201);
  return Date.now() - begin;
}

/** Pauses the cluster's clock, or lets it run. @param {Lab} lab @param {boolean} paused */
const pause = (lab, paused) => lab.fetch(PLANE, { method: "PATCH", body: { spec: { clock: { paused } } },
  headers: { "Content-Type": "application/merge-patch+json" } });

test("the programs go by the cluster's clock, which goes from timer to timer @long", async ({ lab, page }) => {
  await lab.open();
  await press(lab, page, "Switch it on", RUNNING);
  const nodes = async () => (await lab.fetch("/api/v1/nodes")).body.items;
  const ready = (node) => node.status.conditions?.find(({ type }) => type === "Ready");
  await expect.poll(async () => (await nodes()).filter((node) => ready(node)?.status === "True").length).toBe(3);
  await lab.fetch(PODS, { method: "POST", body: { metadata: { name: "bad", labels: { [BAD]: "true" } },
    spec: { containers: [{ name: "c", image: "i:1" }] } } });
  await lab.fetch("/apis/batch/v1/namespaces/default/cronjobs", { method: "POST", body: { metadata: { name: "cron" },
    spec: { schedule: "*/20 * * * *", successfulJobsHistoryLimit: 10, jobTemplate: { spec: { template: { spec: {
      restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] } } } } } } });
  const restarts = async () => (await lab.fetch(`${PODS}/bad`)).body.status.containerStatuses?.[0].restartCount ?? 0;
  await expect.poll(restarts).toBeGreaterThan(0);

  await pause(lab, true);
  const revision = async () => Number((await lab.fetch(`${PODS}?limit=1`)).body.metadata.resourceVersion);
  console.log(`a minute in ${await advance(lab, 60)} ms`);
  let before = await restarts();
  console.log(`five minutes in ${await advance(lab, 300)} ms`);
  expect(await restarts(), "the back-off of a crash").toBeGreaterThan(before);

  // While it stands nothing is written, for longer than any of them waits to renew its Lease in the host's time.
  before = await revision();
  await page.waitForTimeout(3000);
  expect(await revision()).toBe(before);

  const last = (await nodes()).map((node) => ready(node).lastTransitionTime);
  const jobs = async () => (await lab.fetch("/apis/batch/v1/namespaces/default/jobs")).body.items;
  const done = (await jobs()).length;
  console.log(`an hour in ${await advance(lab, 3600)} ms, with ${await revision() - before} revisions`);
  expect((await nodes()).map(ready).map(({ status, lastTransitionTime }) => [status, lastTransitionTime]))
    .toEqual(last.map((time) => ["True", time]));
  expect((await jobs()).length - done, "one each twenty minutes").toBe(3);
  expect((await jobs()).filter(({ status }) => status.succeeded === 1).length).toBe(done + 3);
  expect(await holder(lab)).toBe("page");
  const lease = (await lab.fetch(LEASE)).body;
  expect(lease.spec.leaseTransitions, "it was never lost").toBe(0);
  await pause(lab, false);
});
