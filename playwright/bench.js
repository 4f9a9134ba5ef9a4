// Measures the page in a browser, and fails past the bounds:
//
//   node playwright/bench.js [--json]
//
// The numbers are medians on this machine, in the headless browser that
// browser.js finds.
import { chromium } from "@playwright/test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveBrowser } from "./browser.js";
import { startServer } from "./server.js";

/** What is measured: the bound fails the run, the aim is where to go. */
const rows = {
  open: { what: "page open to first answered API request, warm HTTP cache", unit: "ms", bound: 700, aim: 300, digits: 0 },
  offline: { what: "the same, from the service worker", unit: "ms", digits: 0 },
  get: { what: "in-page request, 2 KB JSON, median", unit: "ms", bound: 0.5, aim: 0.2, digits: 3 },
  seen: { what: "the same, drawn by the lab", unit: "ms", digits: 3 },
  create: { what: "in-page create of a ConfigMap, durable, one after the other, median", unit: "ms", digits: 3 },
  streamed: { what: "watch events received in the page", unit: "/s", digits: 0 },
  drawn: { what: "commits and watch events drawn", unit: "/s", digits: 0 },
};

const browser = await resolveBrowser();
const server = await startServer();
const profile = await mkdtemp(join(tmpdir(), "tabernetes-bench-"));
const measured = {};
try {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser.executablePath,
    args: browser.args,
    viewport: { width: 1440, height: 900 },
  });
  await context.addInitScript(firstAnswer);
  const page = context.pages()[0] ?? (await context.newPage());

  // Without the service worker only the browser's HTTP cache is between page and server.
  const opened = async (path) => {
    await page.goto(server.url + path);
    return (await page.waitForFunction(() => window.firstAnswer)).evaluate((f) => f.at);
  };
  await opened("/?nosw"); // fills the cache
  await opened("/?nosw"); // and lets V8 cache what it compiled
  measured.open = median(await repeat(9, () => opened("/?nosw")));

  await page.goto(server.url);
  await page.evaluate(async () => {
    await tabernetes.ready;
    const { active } = await navigator.serviceWorker.ready;
    while (active.state !== "activated") await new Promise((r) => active.addEventListener("statechange", r, { once: true }));
  });
  await opened("/");
  measured.offline = median(await repeat(5, () => opened("/")));

  measured.get = await page.evaluate(gets, true);
  measured.seen = await page.evaluate(gets, false);
  measured.create = await page.evaluate(creates);
  Object.assign(measured, await page.evaluate(events));
  await context.close();
} finally {
  await server.stop();
  await rm(profile, { recursive: true, force: true });
}
process.exitCode = report(measured) ? 0 : 1;

/** Runs in the page, before everything else: asks as soon as there is a fetch to ask. */
function firstAnswer() {
  const ask = () => {
    if (!window.tabernetes) return void setTimeout(ask);
    fetch("/api/v1/namespaces/default")
      .then((r) => r.text())
      .then(() => (window.firstAnswer = { at: performance.now() }));
  };
  ask();
}

async function gets(quiet) {
  const path = "/api/v1/namespaces/default/configmaps";
  await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ metadata: { name: "two-kilobytes" }, data: { k: "x".repeat(1750) } }) });
  const one = async () => (await fetch(path + "/two-kilobytes", { tabernetes: { quiet } })).json();
  for (let i = 0; i < 200; i++) await one();
  // Ten at a time, one after the other, since a page's clock is coarse.
  const times = [];
  for (let i = 0; i < 100; i++) {
    const begin = performance.now();
    for (let j = 0; j < 10; j++) await one();
    times.push((performance.now() - begin) / 10);
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

async function creates() {
  const path = "/api/v1/namespaces/default/configmaps";
  const times = [];
  for (let i = 0; i < 300; i++) {
    const begin = performance.now();
    const r = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ metadata: { generateName: "bench-" } }), tabernetes: { quiet: true } });
    await r.text();
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

/** Many writers, one watch that the lab draws. */
async function events() {
  const path = "/api/v1/namespaces/default/configmaps";
  const many = 3000;
  const drawnBefore = window.__lab.drawn; // commits on the ruler and events in the lanes
  const watch = await fetch(path + "?watch=1&labelSelector=bench%3Devents");
  const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
  const begin = performance.now();
  const read = (async () => {
    for (let n = 0; n < many; ) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the watch ended early");
      for (let i = -1; (i = value.indexOf("\n", i + 1)) >= 0; ) n++;
    }
    return performance.now() - begin;
  })();
  const writer = async (n) => {
    for (let i = 0; i < n; i++) {
      await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ metadata: { generateName: "event-", labels: { bench: "events" } } }), tabernetes: { quiet: true } });
    }
  };
  await Promise.all(Array.from({ length: 30 }, () => writer(many / 30)));
  const out = { streamed: (many / (await read)) * 1000 };
  while (window.__lab.drawn - drawnBefore < 2 * many) {
    if (performance.now() - begin > 60000) throw new Error(`only ${window.__lab.drawn - drawnBefore} of ${2 * many} were drawn`);
    await new Promise((r) => requestAnimationFrame(r));
  }
  out.drawn = ((window.__lab.drawn - drawnBefore) / (performance.now() - begin)) * 1000;
  await reader.cancel();
  return out;
}

async function repeat(n, f) {
  const out = [];
  for (let i = 0; i < n; i++) out.push(await f());
  return out;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function report(measured) {
  if (process.argv.includes("--json")) console.log(JSON.stringify(measured));
  const lines = [["in a browser", "measured", "bound", "aim"]];
  let fine = true;
  for (const [name, row] of Object.entries(rows)) {
    const value = measured[name];
    const show = (v, digits = row.digits) => (v === undefined ? "" : `${v.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${row.unit}`);
    const past = row.bound !== undefined && !(value <= row.bound);
    fine &&= !past;
    lines.push([row.what, value === undefined ? "not measured" : show(value) + (past ? "  PAST THE BOUND" : ""), show(row.bound, row.bound < 1 ? 1 : 0), show(row.aim, row.aim < 1 ? 1 : 0)]);
  }
  const widths = lines[0].map((_, i) => Math.max(...lines.map((l) => l[i].length)));
  for (const [i, l] of lines.entries()) {
    console.log(l.map((c, j) => (j === 0 ? c.padEnd(widths[j]) : c.padStart(widths[j]))).join("  "));
    if (i === 0) console.log(widths.map((w) => "-".repeat(w)).join("  "));
  }
  return fine;
}
