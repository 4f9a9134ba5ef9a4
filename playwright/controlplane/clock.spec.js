// The programs of a scene's cluster go by its clock, which stands, whatever is between them and their server.
import { expect, test } from "../fixtures.js";

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
