// All objects of the cluster in one tree, and one of them with what is known of it.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

const row = (lab, name) => lab.objects.getByRole("row", { name, exact: false });
const tree = (lab) => lab.objects.getByRole("treegrid", { name: "Objects" });
const create = (lab, path, body) => lab.fetch(path, { method: "POST", body });

/** The row where the keyboard is. */
const active = (lab) =>
  tree(lab).evaluate((t) =>
    document.getElementById(t.getAttribute("aria-activedescendant") ?? "")?.querySelector(".label")?.textContent);

/** Opens a type's objects, and one of them. */
async function show(lab, type, name) {
  await lab.showTab("Objects");
  const back = lab.objects.getByRole("button", { name: "All", exact: true });
  if (await back.isVisible()) await back.click();
  const of = row(lab, new RegExp(`^${type}( \\d+)?$`));
  if ((await of.getAttribute("aria-expanded")) === "false") await of.click();
  if (name) await row(lab, new RegExp(`(^|/)${name} `)).click();
}

test("counts the objects of each type, from when it is first shown, and follows", async ({ lab, page }) => {
  await page.addInitScript(() => {
    window.lists = [];
    let made;
    Object.defineProperty(window, "tabernetes", {
      configurable: true,
      get: () => made,
      set(t) {
        made = new Proxy(t, {
          get: (target, name) =>
            (name === "fetch" ? (path, init) => (window.lists.push(String(path)), target.fetch(path, init))
              : Reflect.get(target, name)) });
      },
    });
  });
  await lab.open();
  await lab.settled();
  await create(lab, configMaps, lab.configMap("one"));
  const counted = () => page.evaluate(() => window.lists.filter((p) => p.includes("limit=1&")).length);
  const { revision } = (await lab.fetch(CONTROL_PLANE)).body.status;
  await expect(lab.page.getByRole("region", { name: "Stage" })).toContainText(`+1 per write ${revision}`);
  expect(await counted()).toBe(0);
  await lab.showTab("Objects");
  await expect(row(lab, /^configmaps 6$/)).toBeVisible();
  await expect(row(lab, /^namespaces 4$/)).toBeVisible();
  await expect.poll(counted).toBeGreaterThan(50);
  await expect(row(lab, "pods")).toHaveCount(0);

  // From here on nothing is asked: the commits tell.
  let before = -1;
  const unchanged = async () => {
    const was = before;
    before = await counted();
    return was === before;
  };
  await expect.poll(unchanged, { intervals: [500] }).toBe(true);
  const asked = await counted();
  await create(lab, configMaps, lab.configMap("two"));
  await expect(row(lab, /^configmaps 7$/)).toBeVisible();
  await lab.fetch(configMaps + "/one", { method: "DELETE" });
  await expect(row(lab, /^configmaps 6$/)).toBeVisible();
  await create(lab, "/api/v1/namespaces/default/pods",
    { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
  await expect(row(lab, /^pods 1$/)).toBeVisible();
  expect(await counted()).toBe(asked);

  await lab.objects.getByRole("button", { name: /All types/ }).click();
  await expect(row(lab, /^secrets 0$/)).toBeVisible();
  await lab.objects.getByLabel("Namespace").selectOption("kube-system");
  await expect(row(lab, /^configmaps 2$/)).toBeVisible();
  await expect(row(lab, /^pods 0$/)).toBeVisible();
  await expect(row(lab, /^namespaces/)).toHaveCount(0);
});

test("is walked with the keyboard as a tree is", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await create(lab, configMaps, lab.configMap("alpha"));
  await create(lab, configMaps, lab.configMap("beta"));
  await lab.showTab("Objects");
  await expect(row(lab, /^serviceaccounts/)).toBeVisible();
  await tree(lab).focus();
  await expect.poll(() => active(lab)).toBe("core");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => active(lab)).toBe("componentstatuses");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => active(lab)).toBe("configmaps");
  await expect(row(lab, /^configmaps/)).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("ArrowRight");
  await expect(row(lab, /^configmaps/)).toHaveAttribute("aria-expanded", "true");
  await expect(row(lab, /alpha/)).toHaveAttribute("aria-level", "3");
  await expect(row(lab, /alpha/)).toHaveAttribute("aria-setsize", "7");
  await page.keyboard.type("be");
  await expect.poll(() => active(lab)).toContain("beta");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => active(lab)).toBe("configmaps");
  await page.keyboard.press("End");
  await expect.poll(() => active(lab)).toBe("controlplanes");
  await page.keyboard.press("p"); // a letter here, not the presenter
  await expect.poll(() => active(lab)).toBe("priorityclasses");
  await expect(page.getByRole("banner")).toBeVisible();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  await expect(row(lab, /^core/)).toHaveAttribute("aria-expanded", "false");
  await expect(row(lab, /^configmaps/)).toHaveCount(0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("al");
  await expect.poll(() => active(lab)).toContain("alpha");
  await page.keyboard.press("Enter");
  await expect(lab.objects.getByRole("heading", { name: /ConfigMap.*default\/alpha/ })).toBeVisible();
  const back = lab.objects.getByRole("button", { name: "All", exact: true });
  await expect(back).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(tree(lab)).toBeFocused();
  await expect.poll(() => active(lab)).toContain("alpha");
});

test("draws what can be seen of many objects, and follows each", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.sample("1,253 pods");
  await expect(lab.path).toHaveValue(/paging/); // it is done
  await lab.showTab("Objects");
  await expect(row(lab, /^pods 1,253$/)).toBeVisible();
  await row(lab, /^pods 1,253$/).click();
  await expect(tree(lab)).toHaveAttribute("aria-rowcount", /^12\d\d$/);
  expect(await tree(lab).getByRole("row").count()).toBeLessThan(100);
  await tree(lab).focus();
  await page.keyboard.type("pod-1252");
  await expect.poll(() => active(lab)).toContain("pod-1252");
  const last = row(lab, /pod-1252/);
  await expect(last).toBeInViewport();
  const version = Number(await last.getByRole("gridcell").nth(1).textContent());
  const path = "/api/v1/namespaces/paging/pods/pod-1252";
  await lab.fetch(path,
    { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
      body: { metadata: { finalizers: ["example.com/hold"] } } });
  await expect.poll(async () => Number(await last.getByRole("gridcell").nth(1).textContent())).toBeGreaterThan(version);
  await lab.fetch(path, { method: "DELETE" });
  await expect(last).toContainText("being deleted");
  await lab.fetch(path,
    { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
      body: { metadata: { finalizers: null } } });
  await expect(last).toHaveCount(0);
  await page.keyboard.press("Home");
  await expect(row(lab, /^pods 1,252$/)).toBeVisible();
});

test("shows what etcd has, also when the caches stand still", { tag: "@long" }, async ({ lab }) => {
  await lab.open();
  await lab.fetch(CONTROL_PLANE, {
    method: "PATCH",
    headers: { "Content-Type": "application/merge-patch+json" },
    // No time passes, so a read that waited for a cache would wait forever.
    body: { spec: { cache: { replicas: [{ frozen: true }] }, clock: { paused: true } } },
  });
  await create(lab, configMaps, lab.configMap("behind-the-cache"));
  await show(lab, "configmaps");
  await expect(row(lab, /behind-the-cache/)).toBeVisible();
  await create(lab, configMaps, lab.configMap("and-another"));
  await expect(row(lab, /and-another/)).toBeVisible();
});

test("an object's YAML, and what each of its revisions changed", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  const made = (await create(lab, configMaps, lab.configMap("story", { chapter: "one" }))).body;
  await lab.fetch(configMaps + "/story", { method: "PUT", body: { ...made, data: { chapter: "two" } } });
  await show(lab, "configmaps", "story");
  await expect(lab.objects).toContainText("chapter: two");
  await lab.objects.getByRole("radio", { name: "History" }).check();
  const entry = lab.objects.getByRole("listitem").filter({ has: page.getByRole("button", { name: /MODIFIED/ }) });
  await expect(entry.getByRole("button", { name: /MODIFIED/ })).toHaveAttribute("aria-expanded", "true");
  await expect(entry).toContainText("one");
  await expect(entry).toContainText("two");
  await expect(lab.objects.getByRole("button", { name: /ADDED/ })).toBeVisible();

  // It continues while it is looked at, and is said to be gone in the end.
  await lab.fetch(configMaps + "/story", { method: "DELETE" });
  await expect(lab.objects.getByRole("heading")).toContainText("deleted");
  await expect(lab.objects.getByRole("button", { name: /DELETED/ })).toBeVisible();
  await lab.objects.getByRole("button", { name: "All", exact: true }).click();
  await expect(row(lab, /story/)).toHaveCount(0);
});

test("an object tells whose its fields are, and marks those of the managers that are chosen", { tag: "@long" },
  async ({ lab, page }) => {
  await lab.open();
  const demo = configMaps + "/demo";
  await lab.apply("demo", "me", { colour: "green", speed: "slow" });
  await lab.apply("demo", "you", { colour: "green" });
  await show(lab, "configmaps", "demo");
  const legend = lab.objects.getByRole("group", { name: /Field managers/ });
  const me = legend.getByRole("button", { name: /me \(Apply\)/ });
  const letter = await me.locator("i").textContent();
  const marks = (text) => lab.objects.locator("pre").evaluate((pre, text) => {
    const line = [...pre.querySelectorAll(".own")].find((el) => el.textContent.includes(text));
    return [...line.previousElementSibling.querySelectorAll("i")].map((i) => i.textContent).join("");
  }, text);
  await expect(legend.getByRole("button")).toHaveCount(2);
  expect((await marks("colour: green")).split("").sort().join("")).toBe("AB");
  expect(await marks("speed: slow")).toBe(letter);
  await me.click();
  await expect(me).toHaveAttribute("aria-pressed", "false");
  await expect.poll(() => marks("speed: slow")).toBe("");
  expect(await marks("colour: green")).not.toContain(letter);

  // In words where the keyboard is, one stop for Tab.
  const owned = (text) => lab.objects.locator(".own").filter({ hasText: text });
  const said = (text) => owned(text).evaluate((el) => getComputedStyle(el, "::after").content);
  await owned("colour").focus();
  await expect.poll(() => said("colour")).toContain("me (Apply); you (Apply)");
  await page.keyboard.press("ArrowDown");
  await expect(owned("speed")).toBeFocused();
  await expect(lab.objects.locator(".own[tabindex='0']")).toHaveCount(1);

  // managedFields are folded until asked for, and left out of what is edited.
  const fold = lab.objects.getByRole("button", { name: /^2 managers: / });
  await expect(fold).toHaveAttribute("aria-expanded", "false");
  await fold.click();
  await expect(lab.objects).toContainText("fieldsV1");
  await lab.objects.getByRole("button", { name: "Edit", exact: true }).click();
  await expect(lab.body).toHaveValue(/colour: green/);
  expect(await lab.body.inputValue()).not.toContain("manage");
});

test("an object tells what it belongs to, what belongs to it, and what holds its deletion back", { tag: "@long" },
  async ({ lab }) => {
  await lab.open();
  const replicaSets = "/apis/apps/v1/namespaces/default/replicasets";
  const pods = "/api/v1/namespaces/default/pods";
  const owner = (await create(lab, configMaps, lab.configMap("root"))).body;
  const owned = (o, kind, apiVersion) =>
    [{ apiVersion, kind, name: o.metadata.name, uid: o.metadata.uid, controller: true, blockOwnerDeletion: true }];
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const set = (await create(lab, replicaSets,
    { metadata: { name: "middle", ownerReferences: owned(owner, "ConfigMap", "v1") },
      spec: { selector: { matchLabels: { a: "b" } }, template } })).body;
  const pod = await create(lab, pods,
    { metadata: { name: "leaf", labels: { a: "b" }, ownerReferences: owned(set, "ReplicaSet", "apps/v1"),
      finalizers: ["example.com/hold"] }, spec: template.spec });
  expect(pod.status).toBe(201);

  await show(lab, "configmaps", "root");
  await lab.objects.getByRole("radio", { name: "Owners" }).check();
  await expect(lab.objects).toContainText("It has no owner");
  await expect(lab.objects.getByRole("listitem")).toHaveText(
    [/ReplicaSet.*middle.*controller.*blockOwnerDeletion/s, /Pod.*leaf/s]);
  await lab.objects.getByRole("button", { name: "leaf" }).click();
  await expect(lab.objects.getByRole("heading", { name: /Pod.*leaf/ })).toBeVisible();
  await expect(lab.objects.getByRole("listitem")).toHaveText([/ReplicaSet.*middle/s, /ConfigMap.*root/s]);
  await expect(lab.objects).toContainText("example.com/hold");

  // A deletion in the foreground waits for what blocks it, and is seen to continue.
  await lab.objects.getByRole("button", { name: "middle" }).click();
  await expect(lab.objects.getByRole("heading", { name: /ReplicaSet.*middle/ })).toBeVisible();
  await lab.fetch(replicaSets + "/middle", { method: "DELETE", body: { propagationPolicy: "Foreground" } });
  await expect(lab.objects).toContainText("foregroundDeletion");
  await expect(lab.objects).toContainText("there is one");
  await expect(lab.objects).toContainText("Its deletion was requested at");
  await lab.fetch(pods + "/leaf",
    { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
      body: { metadata: { finalizers: null } } });
  await expect(lab.objects.getByRole("heading", { name: /ReplicaSet.*middle.*deleted/ })).toBeVisible();
});

test("an enlarged panel gives way to what its acts need", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await create(lab, configMaps, lab.configMap("edited"));
  await show(lab, "configmaps", "edited");
  const small = (await lab.objects.boundingBox()).height;
  await page.getByRole("button", { name: "Enlarge this panel" }).first().click();
  expect((await lab.objects.boundingBox()).height).toBeGreaterThan(1.5 * small);
  await lab.objects.getByRole("button", { name: "Edit", exact: true }).click();
  await expect(lab.path).toHaveValue(configMaps + "/edited");
  await expect(lab.path).toBeFocused();
  // What is composed can be seen and typed into: nothing lies over it.
  for (const field of [lab.path, lab.body]) {
    const inFront = await field.evaluate((el) => {
      const box = el.getBoundingClientRect();
      return el.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
    });
    expect(inFront).toBe(true);
  }
});

test("says what is so after the sample data, and after a reset", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.sample("Guestbook");
  await expect.poll(async () => (await lab.fetch("/apis/apps/v1/namespaces/default/deployments")).body.items.length)
    .toBe(3);
  await page.keyboard.press("Escape");
  await show(lab, "deployments", "frontend");
  await expect(lab.objects).toContainText("kind: Deployment");
  await expect(lab.objects).not.toContainText("sample data");
  await lab.fetch(CONTROL_PLANE + "/reset", { method: "POST" });
  // The object is of a cluster that is gone: the tree is that of the new one.
  await expect(row(lab, /^deployments 0$/)).toBeVisible();
  await expect(row(lab, /^none$/)).toBeVisible();
  await expect(row(lab, /^configmaps 5$/)).toBeVisible();
});
