// Measures the page with many Pods of real size in its cluster, in Chromium:
//
//   TABERNETES_DIST=SITE node playwright/bench-pods.js [--pods 1000,5000,10000,20000] [--profile DIR]
//
// The page creates Pods of 2.7 KB by fetch, 64 at once, while it has a watch of them open and the lab in view. At each
// number of Pods it lists them by pages and in one, the lab's panels are looked at, and the page is reloaded. Of each
// step it says how long it took, and the main thread's longest task meanwhile by the clock, if that is over 50 ms.
// --profile writes a profile of the page's thread for each.
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "@playwright/test";
import { resolveBrowser } from "./engines/browser.js";
import { memory } from "./engines/memory.js";
import { Lab } from "./lab.js";
import { startServer } from "./server.js";

const { values } = parseArgs({ options: {
  pods: { type: "string", default: "1000,5000,10000,20000" }, profile: { type: "string" },
} });

const server = await startServer();
const { executablePath, args } = await resolveBrowser();
// Not in a private window, whose files are in the memory of another process.
const directory = await mkdtemp(join(tmpdir(), "tabernetes-pods-"));
const context = await chromium.launchPersistentContext(directory,
  { executablePath, args, viewport: { width: 1440, height: 900 }, locale: "en-US" });
try {
  const page = context.pages()[0] ?? await context.newPage();
  const lab = new Lab(page, server.url);
  const session = await context.newCDPSession(page);
  await page.addInitScript(tools);
  await lab.open("/?link"); // on a first visit without one a scene plays
  await page.evaluate(() => bench.nodes());
  for (const pods of values.pods.split(",").map(Number)) {
    console.log(`${pods} Pods of 2.7 KB`);
    const step = stepper(session, page, pods);
    await page.evaluate(() => bench.watch());
    await step("created", () => page.evaluate((n) => bench.create(n), pods),
      ({ made, ms }) => `${Math.round(made / (ms / 1000))}/s`);
    await step("and drawn", () => page.evaluate(() => bench.drawn()));
    await step("get, median and one of 100", () => page.evaluate(() => bench.gets()),
      ({ median, slow }) => `${median.toFixed(2)}, ${slow.toFixed(1)} ms`);
    await step("listed by pages of 500", () => page.evaluate(() => bench.pages()),
      ({ first, middle }) => `first ${first.toFixed(1)} ms, in the middle ${middle.toFixed(1)} ms`);
    await step("listed in one", () => page.evaluate(() => bench.list()),
      ({ bytes }) => `${(bytes / 1e6).toFixed(1)} MB, ${Math.round(bytes / pods)} bytes each`);
    const first = lab.objects.locator("[aria-level='3']").first();
    const row = (name) => lab.objects.getByRole("row", { name });
    await step("tab Objects opened", async () => {
      await lab.showTab("Objects");
      await row(/^pods \d/).waitFor();
      await page.evaluate(() => bench.rest());
    });
    await step("its Pods opened", async () => {
      await row(/^pods \d/).click();
      await first.waitFor();
      await page.evaluate(() => bench.rest());
    });
    await step("10 creates with them in view", async () => {
      await page.evaluate(() => bench.create(10, true));
      await page.evaluate(() => bench.rest());
    });
    await step("one of them opened", async () => {
      await first.click();
      await lab.objects.getByRole("heading", { name: /pod-0/ }).waitFor();
      await page.evaluate(() => bench.rest());
      await lab.objects.getByRole("button", { name: "All", exact: true }).click();
    });
    const by = (how) => lab.objects.getByRole("radio", { name: how });
    await step("all by node", async () => {
      await by("By node").check();
      await lab.objects.locator(".by-node .pod").first().waitFor({ timeout: 120_000 });
      await page.evaluate(() => bench.rest());
    });
    await step("10 creates with the nodes in view", async () => {
      await page.evaluate(() => bench.create(10, true));
      await page.evaluate(() => bench.rest());
    });
    await by("Table").check();
    await lab.showTab("Console");
    await step("a page of 500 in the console", async () => {
      await lab.request("GET", "/api/v1/namespaces/default/pods?limit=500");
      await page.locator(".verdict h3", { hasText: /remain/ }).waitFor();
    });
    await step("all in the console", async () => {
      await lab.request("GET", "/api/v1/namespaces/default/pods");
      await page.waitForFunction((n) => {
        const said = document.querySelector(".verdict h3")?.textContent?.replaceAll(",", "") ?? "";
        return said.startsWith(`${n} `) || document.querySelector("#res-body")?.textContent?.includes("keeps at most");
      }, pods + 20, { timeout: 120_000 });
      await page.evaluate(() => bench.rest());
    });
    console.log(`  memory of the page and its workers ${Math.round(memory())} MB`);
    await step("reloaded", () => lab.open("/?link"));
    await step("and drawn", () => page.evaluate(() => bench.drawn()));
    await step("at rest", () => page.evaluate(() => bench.rest(10_000)));
    console.log(`  memory at rest ${Math.round(memory())} MB`);
  }
} finally {
  await context.close();
  await server.stop();
  await rm(directory, { recursive: true });
}

/** Installed in each page: what the steps are made of. */
function tools() {
  const path = "/api/v1/namespaces/default/pods";
  const longest = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longest.push({ at: startTime, ms: duration });
  }).observe({ type: "longtask", buffered: true });
  const nodes = 50;
  // As they are stored, with the managers of their fields, they have 2.7 KB.
  const pod = (i) => ({ metadata: { name: `pod-${i}`, labels: { app: "web", "pod-template-hash": "5d9c7b8f6" } },
    spec: { nodeName: `node-${i % nodes}`,
      containers: [{ name: "web", image: "registry.example.com/team/web:v1.2.3" }] } });
  const ask = async (at, init, quiet = false) => {
    const answer = await fetch(at, { ...init, tabernetes: { quiet } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${init?.method ?? "GET"} ${at}: ${answer.status} ${text}`);
    return text;
  };
  window.bench = {
    longest: (since) => Math.max(0, ...longest.filter(({ at }) => at >= since).map(({ ms }) => ms)),
    /** Has a watch of all Pods open, which begins with those that there are. */
    async watch() {
      if (window.bench.watched) return;
      window.bench.watched = 0;
      const answer = await fetch(path + "?watch=1");
      const reader = answer.body.getReader();
      (async () => {
        for (let value, done; ({ value, done } = await reader.read()), !done; ) {
          for (let i = -1; (i = value.indexOf(10, i + 1)) >= 0; ) window.bench.watched++;
        }
      })();
    },
    async nodes() {
      for (let i = 0; i < nodes; i++) {
        await ask("/api/v1/nodes", { method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ metadata: { name: `node-${i}` } }) }, true);
      }
    },
    /** Creates Pods until there are so many, or so many more. */
    async create(n, more = false) {
      const list = JSON.parse(await ask(path + "?limit=1", {}, true));
      let next = list.items.length + (list.metadata.remainingItemCount ?? 0);
      const end = more ? next + n : n;
      const made = end - next;
      const begin = performance.now();
      await Promise.all(Array.from({ length: 64 }, async () => {
        while (next < end) {
          await ask(path, { method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify(pod(next++)) });
        }
      }));
      return { made, ms: performance.now() - begin };
    },
    /** Waits until the page shows the newest revision. */
    async drawn() {
      const { metadata } = JSON.parse(await ask(path + "?limit=1", {}, true));
      while (document.querySelector(".st-big")?.textContent !== metadata.resourceVersion) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async gets() {
      const times = [];
      for (let i = 0; i < 500; i++) {
        const begin = performance.now();
        await ask(path + "/pod-100", {}, true);
        times.push(performance.now() - begin);
      }
      times.sort((a, b) => a - b);
      return { median: times[250], slow: times[495] };
    },
    async pages() {
      const times = [];
      for (let more = ""; ; ) {
        const begin = performance.now();
        const { metadata } = JSON.parse(await ask(`${path}?limit=500&continue=${more}`));
        times.push(performance.now() - begin);
        if (!(more = metadata.continue)) break;
      }
      return { first: times[0], middle: times[times.length >> 1] };
    },
    list: async () => ({ bytes: (await ask(path)).length }),
    /** Waits until the page has nothing to do for a while. */
    async rest(ms = 1500) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 60_000 }));
    },
  };
}

/** What carries out a step, and says how long it took. */
function stepper(session, page, pods) {
  return async (what, act, say = () => "") => {
    if (values.profile) {
      await session.send("Profiler.enable");
      await session.send("Profiler.start");
    }
    const before = await page.evaluate(() => performance.now());
    const origin = await page.evaluate(() => performance.timeOrigin);
    const begin = Date.now();
    const result = await act();
    const took = Date.now() - begin;
    const since = (await page.evaluate(() => performance.timeOrigin)) === origin ? before : 0;
    const longest = await page.evaluate((since) => bench.longest(since), since);
    if (values.profile) {
      const { profile } = await session.send("Profiler.stop");
      mkdirSync(values.profile, { recursive: true });
      writeFileSync(`${values.profile}/${pods}-${what.replace(/\W+/g, "-")}.cpuprofile`, JSON.stringify(profile));
    }
    console.log(`  ${what}: ${(took / 1000).toFixed(1)} s, longest task ${Math.round(longest)} ms  ${say(result)}`);
  };
}
