// Pictures of the lab with the real controllers, to be looked at beside its design (living-rollout, living-nodes,
// living-broken): TABERNETES_DIST=SITE node playwright/shots-controlplane.js [state…] writes them into
// playwright/shots. The site has to have the programs (make test-controlplane builds one).
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { DEPLOYMENTS, deployment } from "./deployment.js";
import { resolveBrowser } from "./engines/browser.js";
import { startServer } from "./server.js";

const out = fileURLToPath(new URL("shots/", import.meta.url));

const PODS = "/api/v1/namespaces/default/pods";
const MERGE = "application/merge-patch+json";
const BAD = "pod-container-running-failed.stage.kwok.x-k8s.io";

/** @typedef {import("@playwright/test").Page} Page */

/** A request; the lab shows those that write. @param {Page} page */
const send = (page, path, method = "GET", body, type = "application/json") =>
  page.evaluate(async ([path, method, body, type]) => {
    const res = await fetch(path, { method, headers: body && { "Content-Type": type }, body,
      tabernetes: { quiet: method === "GET" } });
    return res.json();
  }, [path, method, body && JSON.stringify(body), type]);

/** Waits until a question has that answer, which is asked in the page. @param {Page} page */
async function until(page, path, is) {
  for (let i = 0; i < 600; i++) {
    if (is(await send(page, path + (path.includes("?") ? "" : "?limit=500")).catch(() => ({})))) return;
    await page.waitForTimeout(200);
  }
  throw new Error(`waited in vain: ${path}`);
}

/** Switches the programs on, and waits for the nodes. @param {Page} page */
async function begin(page) {
  await page.evaluate(() => document.getElementById("control-plane").click());
  await until(page, "/api/v1/nodes",
    ({ items }) => items?.filter(({ spec }) => !spec.taints).length === 3);
}

/** Makes a Deployment, and waits for its Pods. @param {Page} page */
async function run(page, name, replicas) {
  await send(page, DEPLOYMENTS, "POST", deployment(name, replicas, "500m"));
  await until(page, `${DEPLOYMENTS}/${name}`, ({ status }) => status?.readyReplicas === replicas);
}

/** @param {Page} page */
const open = (page, program = "kube-controller-manager") =>
  page.locator("#st-rows").getByRole("button", { name: program }).click();

/** Draws the chain of the first Pod of the rollout. @param {Page} page */
async function chain(page) {
  const pods = page.locator("#st-chain");
  await pods.selectOption({ index: 1 });
}

/** Shows nodes with their Pods. @param {Page} page */
async function byNode(page) {
  await page.getByRole("tab", { name: "Objects" }).click();
  await page.getByText("By node").click();
}

/** Plays a scene to its end. @param {Page} page */
async function play(page, scene) {
  await page.goto(new URL(`/?nosw#scene=${scene}`, page.url()).href);
  await page.reload();
  const edge = page.locator("#panel-present");
  const next = edge.locator("[data-do=next]");
  const ready = () => page.waitForFunction(() => {
    const next = document.querySelector("#panel-present [data-do=next]");
    return next?.getAttribute("aria-disabled") === "false";
  }, undefined, { timeout: 120_000 });
  await ready();
  const steps = await edge.getByRole("img", { name: /^Step/ }).getAttribute("aria-label");
  for (let step = 1; step < Number(steps.split(" ").pop()); step++) {
    await next.click();
    await ready();
  }
}

/** @type {Record<string, (page: Page) => Promise<void>>} */
const states = {
  async rollout(page) {
    await begin(page);
    await run(page, "web", 3);
    await open(page);
    await chain(page);
  },
  async "crash-loop"(page) {
    await begin(page);
    await run(page, "web", 2);
    await send(page, PODS, "POST", { metadata: { name: "bad", labels: { [BAD]: "true" } },
      spec: { containers: [{ name: "c", image: "i:1" }] } });
    await until(page, `${PODS}/bad`,
      ({ status }) => status?.containerStatuses?.[0].state.waiting?.reason === "CrashLoopBackOff");
    await byNode(page);
  },
  async drain(page) {
    await begin(page);
    await run(page, "web", 3);
    await send(page, "/api/v1/nodes/node-1", "PATCH", { spec: { unschedulable: true } }, MERGE);
    const { items } = await send(page, PODS);
    for (const { metadata: { name } } of items.filter(({ spec }) => spec.nodeName === "node-1")) {
      await send(page, `${PODS}/${name}/eviction`, "POST",
        { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });
    }
    await until(page, PODS, ({ items }) => items?.length === 3 &&
      items.every(({ spec, status }) => spec.nodeName !== "node-1" && status.phase === "Running"));
    await open(page);
    await chain(page).catch(() => {});
  },
  async paused(page) {
    await begin(page);
    await run(page, "web", 3);
    await page.evaluate(() => [...document.querySelectorAll("#control-plane-programs button")]
      .find((button) => button.textContent === "Pause").click());
    await send(page, `${DEPLOYMENTS}/web/scale`, "PATCH", { spec: { replicas: 5 } }, MERGE);
  },
  async "by-node"(page) {
    await begin(page);
    await run(page, "web", 6);
    await send(page, DEPLOYMENTS, "POST", deployment("big", 1, "1000"));
    await until(page, PODS,
      ({ items }) => items?.some(({ status }) => status.conditions?.[0].reason === "Unschedulable"));
    await byNode(page);
    await page.locator(".nowhere .pod").click();
    await page.locator(".why").waitFor();
  },
  "stale-controller": (page) => play(page, "stale-controller"),
  "two-leaders": (page) => play(page, "two-leaders"),
};

/** How each state is pictured: theme, size, and whether the page presents. */
const formats = {
  lab: ["light", 1440, 900, false], wide: ["light", 1920, 1080, false], 1366: ["light", 1366, 768, false],
  dark: ["dark", 1440, 900, false], presenter: ["light", 1440, 900, true], phone: ["light", 390, 844, false],
  "phone-presenter": ["light", 390, 844, true],
};

/** The states whose picture on a phone is of Objects; of others it is the stage. */
const objects = ["crash-loop", "by-node"];

const wanted = process.argv.slice(2);
await mkdir(out, { recursive: true });
const server = await startServer();
const found = await resolveBrowser();
const browser = await chromium.launch({ executablePath: found.executablePath, args: found.args });
try {
  for (const [state, make] of Object.entries(states)) {
    if (wanted.length > 0 && !wanted.includes(state)) continue;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.on("pageerror", (e) => console.error(state, e.stack ?? e));
    await page.goto(server.url + "/?nosw&link");
    await page.waitForFunction(
      () => window.tabernetes?.state === "ready" && /\d/.test(document.querySelector(".st-big")?.textContent ?? ""));
    await make(page);
    for (const [format, [theme, width, height, presenter]] of Object.entries(formats)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height });
      const presents = () => page.evaluate(() => document.documentElement.hasAttribute("data-presenting"));
      await page.evaluate(() => document.activeElement?.blur?.());
      for (let tries = 0; await presents() !== presenter && tries < 4; tries++) {
        await page.keyboard.press(presenter ? "p" : "Escape"); // what is chosen is let go of first
        await page.waitForTimeout(300);
      }
      if (format === "phone") {
        if (objects.includes(state)) await page.getByRole("button", { name: "Objects", exact: true }).click();
        else await page.locator(".stage-strip").getByText("Show").click().catch(() => {});
      }
      await page.waitForTimeout(1500); // the stage comes to rest
      await page.screenshot({ path: `${out}${state}-${format}.png` });
    }
    console.log(state);
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
}
