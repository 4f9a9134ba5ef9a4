// The programs go by the clock of their cluster: a scene's, which stands, whatever is between them and their server, or
// the page's, which is faster.
import { expect, test } from "../fixtures.js";
import { begin } from "./begin.js";

const PODS = "/api/v1/namespaces/default/pods";
const PLANE = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default";

test.use({ tolerated: [/deprecated|503/], viewport: { width: 1280, height: 720 } });

test("paused, killed or late, the programs of a scene have its clock; their kubelets have logs @long",
  async ({ lab, page }) => {
    await lab.open("/#scene=rollout&present");
    await expect(page.getByRole("region", { name: "Presenter" }).locator("[data-do=next]"))
      .toHaveAttribute("aria-disabled", "false");
    const scheduler = page.getByRole("group", { name: "kube-scheduler", includeHidden: true });
    const lever = (name) => scheduler.getByRole("button", { name, includeHidden: true }).dispatchEvent("click");
    const make = async (name) => {
      const body = { metadata: { name }, spec: { containers: [{ name: "c", image: "i:1" }] } };
      const { metadata } = (await lab.fetch(PODS, { method: "POST", body })).body;
      return Date.parse(metadata.creationTimestamp);
    };
    const node = async (name) => (await lab.fetch(`${PODS}/${name}`)).body.spec.nodeName;
    const advance = async (seconds) => {
      const begin = Date.now();
      expect((await lab.fetch(`${PLANE}/advance`, { method: "POST", body: { seconds } })).status).toBe(201);
      console.log(`${seconds} s in ${Date.now() - begin} ms`);
    };

    await make("first");
    await expect.poll(async () => (await lab.fetch(`${PODS}/first/log`)).text)
      .toMatch(/^c: docker.io\/library\/i:1 has started on node-\d/);

    const faults = async () => ((await lab.fetch(PLANE)).body.spec.faults ?? []).length;
    const slow = scheduler.getByRole("button", { name: "Slow", includeHidden: true });
    await lever("Slow");
    await expect(slow).toHaveAttribute("aria-pressed", "true");
    expect(await faults(), "of the scene's cluster").toBe(1);
    await lever("Slow");
    await expect(slow).toHaveAttribute("aria-pressed", "false");
    expect(await faults()).toBe(0);

    await lab.fetch(PLANE, { method: "PATCH", body: { spec: { clock: { paused: true } } },
      headers: { "Content-Type": "application/merge-patch+json" } });
    // What the page learns of its cluster is not for the levers of the scene's programs.
    await page.evaluate(() => dispatchEvent(new StorageEvent("storage", { key: "tabernetes.control-plane" })));
    await lever("Pause");
    await make("held");
    await advance(20);
    expect(await node("held"), "a program that is paused gets nothing, and is not waited for").toBeUndefined();
    await lever("Pause");
    await advance(1);
    expect(await node("held")).toMatch(/node-/);

    await lever("Lag 5 s");
    await make("late");
    await advance(4);
    expect(await node("late")).toBeUndefined();
    await advance(2);
    expect(await node("late")).toMatch(/node-/);
    await lever("Lag 5 s");

    await lever("Kill");
    const made = await make("killed");
    await expect.poll(async () => {
      await advance(1);
      return node("killed");
    }).toMatch(/node-/);
    const { conditions } = (await lab.fetch(`${PODS}/killed`)).body.status;
    const bound = Date.parse(conditions.find(({ type }) => type === "PodScheduled").lastTransitionTime);
    const now = await make("clock");
    expect(bound).toBeGreaterThanOrEqual(made);
    expect(bound).toBeLessThanOrEqual(now);
  });

test("a clock that is faster takes the programs along, whose Leases last @long", async ({ lab, page }) => {
  await begin(lab, page);
  const leases = async () => (await lab.fetch("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases")).body.items
    .map(({ metadata, spec }) => [metadata.name, spec.holderIdentity, spec.leaseTransitions]);
  const before = await leases();
  expect(before).toHaveLength(3);

  const menu = await lab.openMenu("Clock");
  const speed = menu.getByRole("radiogroup", { name: "Speed of the cluster's clock" });
  await expect(speed.getByRole("radio", { name: "1×", exact: true })).toBeChecked();
  await speed.getByText("60×", { exact: true }).click();
  await expect(menu.getByText("60 times as fast")).toBeVisible();
  await page.keyboard.press("Escape");

  const clock = async () => {
    const { spec, status } = (await lab.fetch(PLANE)).body;
    return { rate: spec.clock.rate, now: Date.parse(status.clock.now) };
  };
  const start = await clock();
  expect(start.rate).toBe(60);
  const minute = new Date(start.now + 30 * 60_000).getUTCMinutes(); // thirty seconds from now, rather than minutes
  const containers = [{ name: "c", image: "i:1" }];
  await lab.fetch("/apis/batch/v1/namespaces/default/cronjobs", { method: "POST", body: {
    metadata: { name: "hourly" },
    spec: { schedule: `${minute} * * * *`,
      jobTemplate: { spec: { template: { spec: { containers, restartPolicy: "Never" } } } } },
  } });
  const jobs = async () => (await lab.fetch("/apis/batch/v1/namespaces/default/jobs")).body.items;
  await expect.poll(async () => (await jobs())[0]?.status.succeeded, { timeout: 90_000 }).toBe(1);
  const [job] = await jobs();
  const made = Date.parse(job.metadata.creationTimestamp);
  const due = Number(job.metadata.name.split("-")[1]) * 60_000;
  console.log(`its Job came ${(made - due) / 1000} s of the clock after it was due`);
  expect(made).toBeGreaterThanOrEqual(due);
  expect(Date.parse(job.status.completionTime)).toBeGreaterThanOrEqual(made);

  const events = (await lab.fetch("/api/v1/events")).body.items;
  expect(events.filter(({ reason }) => reason === "NodeNotReady")).toEqual([]);
  expect(await lab.readyNodes()).toBe(3);
  expect(await leases(), "nobody has lost a Lease").toEqual(before);

  const last = await clock();
  await page.reload();
  await lab.ready();
  const { rate, now } = await clock();
  expect(rate).toBe(60);
  expect(now).toBeGreaterThanOrEqual(last.now - 5 * 60_000); // that of the last write, at least
  await expect(page.getByRole("button", { name: /^The cluster’s clock, 60 times as fast/ })).toBeVisible();
});
