// Measures what drawing costs the page, in Chromium, and fails past the bounds:
//
//   node playwright/bench-lab.js [--only creates,lanes,updates,list,memory,rolling] [--json] [--verbose]
//     [--profile DIR]
//
// More than 400 lines: one measurement after another, of the same page.
//
// rolling needs a site with the controllers (make test-controlplane builds one), and is measured where
// TABERNETES_CONTROLPLANE is set.
//
// --profile writes a profile of the main thread for each into DIR, for the
// browser's developer tools.
//
// Of the main thread's tasks after warm-up the longest is printed: by the clock,
// as the browser reports long tasks and gaps in a timer of 4 ms show them; and
// by the processor's time that the thread has used, as the browser's trace has
// it. The bound is on the latter, which a busy machine does not lengthen. How
// much has been drawn is read from the page: its newest revision, and what its
// lanes say.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { chromium } from "@playwright/test";
import { resolveBrowser } from "./engines/browser.js";
import { Lab } from "./lab.js";
import { median } from "./median.js";
import { startServer } from "./server.js";

const TASK = { unit: "ms", bound: 100, aim: 50, digits: 0 };
const WORST = "the main thread's worst task meanwhile, in processor time";
const LONGEST = { what: "the same by the clock", unit: "ms", digits: 0 };

/** What is measured: the bound fails the run, the aim is where to go. */
const rows = {
  bare: { what: "5,000 creates, 16 at once, one watch open, the lab's program not started", unit: "s", digits: 1 },
  drawn: { what: "the same with the lab in view", unit: "s", digits: 1 },
  extra: { what: "which takes longer, for each create, by", unit: "ms", bound: 0.3, digits: 2 },
  ratio: { what: "and is slower by", unit: "x", aim: 1.05, digits: 2 },
  createsTask: { what: WORST, ...TASK },
  createsLongest: LONGEST,
  rate: { what: "writes asked for at 500/s for 10 s, 20 watches open: made", unit: "/s", digits: 0 },
  delivered: { what: "events delivered to the 20 watches", unit: "/s", digits: 0 },
  lanesDrawn: { what: "the last of them drawn after its delivery by", unit: "ms", digits: 0 },
  lanesTask: { what: WORST, ...TASK },
  lanesLongest: LONGEST,
  updates: { what: "500 updates, 16 at once, to 20 watches: delivered and drawn after", unit: "ms", digits: 0 },
  updatesTask: { what: WORST, ...TASK },
  updatesLongest: LONGEST,
  list: { what: "a list of 10,000 objects sent by the console: judged after", unit: "ms", digits: 0 },
  listTask: { what: WORST, ...TASK },
  listLongest: LONGEST,
  yaml: { what: "the same list as YAML: shown after", unit: "ms", digits: 0 },
  yamlTask: { what: WORST, ...TASK },
  yamlLongest: LONGEST,
  memoryAtOnce: { what: "memory of the renderer at the last of 50,000 events", unit: "MB", digits: 0 },
  memory: { what: "the same at rest, 20 s later", unit: "MB", bound: 350, aim: 250, digits: 0 },
  rolling: { what: "with the control plane on: 50 Pods of a Deployment replaced, after", unit: "s", digits: 1 },
  rollingTask: { what: WORST, ...TASK, bound: 60 },
  rollingLongest: LONGEST,
  rollingMemory: { what: "memory of the renderer then, with the three programs", unit: "MB", digits: 0 },
  memoryLongest: { what: "the main thread's worst task meanwhile, by the clock", unit: "ms", digits: 0 },
};

/** Before the page's script: notes the long tasks of the main thread. */
function probe() {
  const tasks = (window.benchTasks = []);
  new PerformanceObserver((list) => {
    for (const e of list.getEntries()) tasks.push({ at: e.startTime, ms: e.duration });
  }).observe({ type: "longtask", buffered: true });
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    if (now - last > 50) tasks.push({ at: last, ms: now - last - 4 });
    last = now;
  }, 4);
}

/** Before the page's script: the program that draws the page never starts; the one in the worker does. */
function undrawn() {
  WebAssembly.instantiate = () => new Promise(() => {});
}

/** Installed in the page: what the benchmarks are made of. */
function tools() {
  const path = "/api/v1/namespaces/default/configmaps";
  const json = { "Content-Type": "application/json" };
  const ask = async (method, at, body, quiet) => {
    const r = await fetch(at, { method, headers: json, body: JSON.stringify(body), tabernetes: { quiet } });
    const text = await r.text();
    if (!r.ok) throw new Error(`${method} ${at}: ${r.status} ${text}`);
    return text;
  };
  const many = (n, width, each) => {
    let next = 0;
    const one = async () => {
      while (next < n) await each(next++);
    };
    return Promise.all(Array.from({ length: width }, one));
  };
  window.bench = {
    received: [],
    create: (n, width, quiet, labels) =>
      many(n, width, () =>
        ask("POST", path, { metadata: { generateName: "bench-", labels }, data: { k: "v" } }, quiet)),
    /** Writes n times to objects of the names one-0 to one-15. */
    update: (n, width) =>
      many(n, width, (i) =>
        ask("PUT", `${path}/one-${i % width}`,
          { metadata: { name: `one-${i % width}`, labels: { watched: "yes" } }, data: { k: String(i) } })),
    names: (width) => many(width, width,
      (i) => ask("POST", path, { metadata: { name: `one-${i}`, labels: { watched: "yes" } } })),
    /** Asks for a write every 1/rate seconds, at most so many at once. */
    async pour(rate, seconds, width, watched) {
      const begin = performance.now();
      let made = 0;
      const one = async (i) => {
        while (made < rate * seconds) {
          const due = begin + (made++ * 1000) / rate;
          const wait = due - performance.now();
          if (wait > 1) await new Promise((r) => setTimeout(r, wait));
          await ask("PUT", `${path}/one-${i}`,
            { metadata: { name: `one-${i}`, labels: watched }, data: { k: String(made) } });
        }
      };
      await Promise.all(Array.from({ length: width }, (_, i) => one(i)));
      return made / ((performance.now() - begin) / 1000);
    },
    /** Opens a watch and counts what it delivers. */
    async watch(query) {
      const r = await fetch(`${path}?watch=1&resourceVersion=${query}`);
      const n = window.bench.received.push(0) - 1;
      const reader = r.body.getReader();
      (async () => {
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return;
          for (let i = -1; (i = value.indexOf(10, i + 1)) >= 0; ) window.bench.received[n]++;
        }
      })();
    },
    async head() {
      const r = await fetch(`${path}?limit=1`, { tabernetes: { quiet: true } });
      return (await r.json()).metadata.resourceVersion;
    },
    /** Waits until f returns something. */
    async until(what, f, patience = 120_000) {
      const begin = performance.now();
      while (!f()) {
        if (performance.now() - begin > patience)
          throw new Error(`waited in vain until ${what}: ${window.bench.shown()}, head ${await window.bench.head()}, ` +
            `delivered ${window.bench.received}`);
        await new Promise((r) => setTimeout(r, 5));
      }
      return performance.now();
    },
    delivered: (each) => window.bench.until("all is delivered", () => window.bench.received.every((n) => n >= each)),
    shown: () => document.querySelector(".st-big")?.textContent + "; " +
      [...document.querySelectorAll(".st-plot[id^=st-plot-w]")].map((el) => el.getAttribute("aria-label")).join("; "),
    /** Waits until the page shows the newest revision, and says of each lane that it has so many events. */
    async drawn(events) {
      const head = await window.bench.head();
      const told = new RegExp(`(?<!\\d)${events} events`);
      return window.bench.until("all is drawn", () => {
        if (document.querySelector(".st-big")?.textContent !== head) return false;
        return [...document.querySelectorAll(".st-plot[id^=st-plot-w]")].every(
          (el) => told.test(el.getAttribute("aria-label")));
      });
    },
    /** The longest task that began after a moment, by the clock. */
    longest: (since) => Math.max(0, ...window.benchTasks.filter((t) => t.at >= since).map((t) => t.ms)),
  };
}

const { values } = parseArgs(
  { options: { only: { type: "string" }, json: { type: "boolean" }, verbose: { type: "boolean" },
    profile: { type: "string" } } });
const parts = { creates, lanes, updates, list, memory, ...(process.env.TABERNETES_CONTROLPLANE ? { rolling } : {}) };
const found = await resolveBrowser();
const server = await startServer();
const measured = {};
try {
  for (const name of values.only?.split(",") ?? Object.keys(parts)) {
    Object.assign(measured, await inBrowser(parts[name]));
  }
} finally {
  await server.stop();
}
if (values.json) console.log(JSON.stringify(measured));
process.exitCode = report(measured) ? 0 : 1;

/** Runs one measurement in its own browser. */
async function inBrowser(measure) {
  const browser = await chromium.launch({ executablePath: found.executablePath, args: found.args });
  try {
    return await measure(browser);
  } finally {
    await browser.close();
  }
}

/** A page of a fresh profile, warmed up. @param {import("@playwright/test").Browser} browser */
async function open(browser, { lab = true, warm = 300 } = {}) {
  const context = await browser.newContext(
    { viewport: { width: 1440, height: 900 }, colorScheme: "light", locale: "en-US" });
  const page = await context.newPage();
  await page.addInitScript(probe);
  if (!lab) await page.addInitScript(undrawn);
  await new Lab(page, server.url).open("/?nosw");
  await page.evaluate(tools);
  await page.evaluate((warm) => bench.create(warm, 8, false), warm);
  if (lab) await page.evaluate(() => bench.drawn("[0-9]+"));
  await page.evaluate(() => new Promise((r) => setTimeout(r, 1000)));
  return page;
}

/** Both pages in turns, so that a machine that is busy for a while slows both, and the median of the turns. */
async function creates(browser) {
  const pages = { bare: await open(browser, { lab: false }), drawn: await open(browser) };
  for (const page of Object.values(pages)) await page.evaluate(async () => bench.watch(await bench.head()));
  const tasks = await watchTasks(browser, pages.drawn, "creates");
  /** @type {Record<string, number[]>} */
  const took = { bare: [], drawn: [] };
  for (let turn = 1; turn <= 9; turn++) {
    for (const [name, page] of Object.entries(pages)) {
      took[name].push(await page.evaluate(async () => {
        const begin = performance.now();
        await bench.create(1000, 16, false);
        return (performance.now() - begin) / 1000;
      }));
      await page.evaluate((n) => bench.delivered(n), 1000 * turn);
      if (name === "drawn") await page.evaluate((n) => bench.drawn(n), 1000 * turn);
    }
  }
  const bare = 5 * median(took.bare);
  const drawn = 5 * median(took.drawn);
  return { bare, drawn, extra: (drawn - bare) / 5, ratio: drawn / bare, ...(await tasks()) };
}

/** Opens watches of the objects that are written to. */
async function watches(page, n) {
  await page.evaluate(async (n) => {
    await bench.names(16);
    const head = await bench.head();
    for (let i = 0; i < n; i++) await bench.watch(`${head}&labelSelector=watched&allowWatchBookmarks=false`);
    await bench.update(200, 16);
    await bench.delivered(200);
    await bench.drawn(200);
    await new Promise((r) => setTimeout(r, 1000));
  }, n);
}

async function lanes(browser) {
  const page = await open(browser);
  await watches(page, 20);
  const tasks = await watchTasks(browser, page, "lanes");
  const out = await page.evaluate(async () => {
    const begin = performance.now();
    const rate = await bench.pour(500, 10, 16, { watched: "yes" });
    const delivered = await bench.delivered(200 + 5000);
    return { rate, delivered: (20 * 5000) / ((delivered - begin) / 1000),
      lanesDrawn: (await bench.drawn(5200)) - delivered };
  });
  return { ...out, ...(await tasks()) };
}

async function updates(browser) {
  const page = await open(browser);
  await watches(page, 20);
  const tasks = await watchTasks(browser, page, "updates");
  const updates = await page.evaluate(async () => {
    const begin = performance.now();
    await bench.update(500, 16);
    await bench.delivered(700);
    return (await bench.drawn(700)) - begin;
  });
  return { updates, ...(await tasks()) };
}

async function list(browser) {
  const page = await open(browser, { warm: 50 });
  await page.evaluate(() => bench.create(10_000 - 51, 64, true)); // kube-root-ca.crt is one of them
  await page.evaluate(() => bench.drawn("[0-9]+"));
  const lab = new Lab(page, server.url);
  const step = async (what, act, shown) => {
    const tasks = await watchTasks(browser, page, what);
    const begin = await act();
    const end = await page.evaluate(
      async (shown) => bench.until("the answer is shown", new Function(`return ${shown}`)), shown);
    await page.evaluate(() => new Promise((r) => setTimeout(r, 1000)));
    return { [what]: end - begin, ...(await tasks()) };
  };
  /** Presses an element, and returns when it was pressed. */
  const press = (locator) => locator.evaluate((el) => [performance.now(), el.click()][0]);
  const judged = `document.querySelector(".verdict h3")?.textContent.startsWith("10,000 ") &&
    document.querySelector("#res-body").textContent.length > 5000`;
  const laidOut = `document.querySelector("#res-body").textContent.includes("kind: ConfigMapList") ||
    /^\\s*(?:1\\s*)?apiVersion:/.test(document.querySelector("#res-body").textContent)`;
  const format = (value) =>
    page.locator(`#res-tools select, #res-tools input[value=${value}]`).first().evaluate(chooseFormat, value);
  const turns = [];
  for (let turn = 0; turn < 5; turn++) {
    await lab.request("GET", "/api/v1/namespaces/default/configmaps?limit=10");
    await page.locator(".verdict h3", { hasText: "remain" }).waitFor();
    await lab.path.fill("/api/v1/namespaces/default/configmaps");
    await page.evaluate(() => new Promise((r) => setTimeout(r, 1000)));
    const list = await step("list", () => press(lab.send), judged);
    turns.push({ ...list, ...(await step("yaml", () => format("yaml"), laidOut)) });
    await format("json");
  }
  return Object.fromEntries(Object.keys(turns[0]).map((key) => [key, median(turns.map((turn) => turn[key]))]));
}

/** Chooses how the answer is shown, and returns when. */
function chooseFormat(el, value) {
  const begin = performance.now();
  if (el.type === "radio") el.click();
  else {
    el.value = value;
    el.dispatchEvent(new Event("change", { bubbles: true }));
  }
  return begin;
}

async function memory(browser) {
  const page = await open(browser);
  await watches(page, 1);
  const began = await page.evaluate(() => performance.now());
  for (let turn = 1; turn <= 10; turn++) {
    await page.evaluate((n) => bench.update(5000, 16).then(() => bench.delivered(n)), 200 + 5000 * turn);
  }
  await page.evaluate(() => bench.drawn(50_200));
  const memoryAtOnce = await renderer(browser);
  // The engine gives back what it has collected some seconds after a page has come to rest.
  await page.evaluate(() => new Promise((r) => setTimeout(r, 20_000)));
  return { memoryAtOnce, memory: await renderer(browser),
    memoryLongest: await page.evaluate((since) => bench.longest(since), began) };
}

/** A Deployment of 50 Pods whose template changes, with the real controllers, and the manager's row open. */
async function rolling(browser) {
  const page = await open(browser, { warm: 50 });
  const lab = new Lab(page, server.url);
  const menu = await lab.openMenu("Levers");
  await menu.getByRole("button", { name: "Switch it on", exact: true }).click();
  await page.keyboard.press("Escape");
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const until = async (look, patience = 300_000) => {
    for (const begin = Date.now(); !(await look()); await new Promise((r) => setTimeout(r, 100))) {
      if (Date.now() - begin > patience) throw new Error("the control plane does not do what was asked of it");
    }
  };
  await until(async () => (await lab.readyNodes()) === 3);
  const labels = { app: "web" };
  await lab.fetch(path, { method: "POST", body: { metadata: { name: "web" }, spec: { replicas: 50,
    selector: { matchLabels: labels }, template: { metadata: { labels },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "c", image: "i:1" }] } } } } });
  const rolled = async (generation) => {
    const { status } = (await lab.fetch(`${path}/web`)).body;
    return status.observedGeneration === generation && status.updatedReplicas === 50 &&
      status.availableReplicas === 50 && status.replicas === 50;
  };
  await until(() => rolled(1));
  await page.getByRole("button", { name: "kube-controller-manager" }).click();
  await page.evaluate(() => new Promise((r) => setTimeout(r, 3000)));
  const tasks = await watchTasks(browser, page, "rolling");
  const begin = Date.now();
  await lab.fetch(`${path}/web`, { method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
    body: { spec: { template: { metadata: { labels: { ...labels, version: "2" } } } } } });
  await until(() => rolled(2));
  const seconds = (Date.now() - begin) / 1000;
  return { rolling: seconds, ...(await tasks()), rollingMemory: await renderer(browser) };
}

/** The memory that the largest renderer has for itself, in MB: that of a page and its worker. */
async function renderer(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const sizes = processInfo.filter((p) => p.type === "renderer").map((p) => {
    const status = readFileSync(`/proc/${p.id}/status`, "utf8");
    const kB = (name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(status)?.[1] ?? 0);
    if (values.verbose) {
      const said = ["VmRSS", "RssAnon", "VmHWM"].map((name) => `${name} ${kB(name) >> 10} MB`);
      console.log(`renderer ${p.id}: ${said.join(", ")}`);
    }
    return kB("RssAnon") + kB("RssShmem");
  });
  return Math.max(...sizes) / 1024;
}

/**
 * Watches the tasks of a page's main thread from now on; what is returned gives the worst ones since.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {import("@playwright/test").Page} page
 */
async function watchTasks(browser, page, name) {
  const profiler = values.profile ? (await page.context().newCDPSession(page)) : null;
  await profiler?.send("Profiler.enable");
  await profiler?.send("Profiler.start");
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
  // So that the page's thread is known in the trace.
  const mark = `bench ${name}`;
  const began = await page.evaluate((mark) => (performance.mark(mark), performance.now()), mark);
  return async () => {
    const longest = await page.evaluate((since) => bench.longest(since), began);
    if (profiler) {
      const { profile } = await profiler.send("Profiler.stop");
      mkdirSync(values.profile, { recursive: true });
      writeFileSync(`${values.profile}/${name}.cpuprofile`, JSON.stringify(profile));
    }
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const { pid, tid } = traceEvents.find((e) => e.name === mark);
    const events = traceEvents.filter((e) => e.pid === pid && e.tid === tid && e.tdur && e.name.endsWith("RunTask"));
    const tasks = events.map((e) => e.tdur / 1000);
    if (profiler) {
      const long = events.filter((e) => e.tdur > 20_000).map(({ ts, dur, tdur }) => ({ ts, dur, tdur }));
      writeFileSync(`${values.profile}/${name}.tasks.json`, JSON.stringify(long));
    }
    if (values.verbose) {
      const long = tasks.filter((ms) => ms > 30).sort((a, b) => b - a);
      const longest = long.slice(0, 30).map(Math.round).join(" ");
      const sum = Math.round(tasks.reduce((a, b) => a + b, 0));
      console.log(`${name}: ${long.length} of ${tasks.length} tasks over 30 ms: ${longest}; in all ${sum} ms`);
    }
    return { [`${name}Task`]: tasks.reduce((a, b) => Math.max(a, b), 0), [`${name}Longest`]: longest };
  };
}

function report(measured) {
  const lines = [["what the lab costs", "measured", "bound", "aim"]];
  let fine = true;
  for (const [name, row] of Object.entries(rows)) {
    const value = measured[name];
    if (value === undefined) continue;
    const show = (v, digits) =>
      (v === undefined ? ""
        : `${v.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${row.unit}`);
    const past = row.bound !== undefined && !(value <= row.bound);
    fine &&= !past;
    const said = row.unit === "ms" && row.bound && value === 0 ? "under 50 ms" : show(value, row.digits);
    lines.push([row.what, said + (past ? "  PAST THE BOUND" : ""), show(row.bound), show(row.aim)]);
  }
  const widths = lines[0].map((_, i) => Math.max(...lines.map((l) => l[i].length)));
  for (const [i, l] of lines.entries()) {
    console.log(l.map((c, j) => (j === 0 ? c.padEnd(widths[j]) : c.padStart(widths[j]))).join("  "));
    if (i === 0) console.log(widths.map((w) => "-".repeat(w)).join("  "));
  }
  return fine;
}
