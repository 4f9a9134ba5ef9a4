// Measures the page in a browser, and fails past the bounds, which are Chromium's:
//
//   node playwright/bench.js [--engine chromium|firefox|webkit]... [--json]
//
// The numbers are medians on this machine, in headless browsers.
import { parseArgs } from "node:util";
import { findEngine } from "./engines/engines.js";
import { Page } from "./engines/page.js";
import { bare, creates, createsTogether, events, gets, slowGets } from "./figures.js";
import { median } from "./median.js";
import { changedSite } from "./site.js";
import { startServer } from "./server.js";

/** What is measured: the bound fails the run, the aim is where to go. */
const rows = {
  open: { what: "page open to first answered API request, warm HTTP cache", unit: "ms", bound: 700, aim: 300,
    digits: 0 },
  offline: { what: "the same, from the service worker", unit: "ms", digits: 0 },
  get: { what: "in-page request, 2 KB JSON, median", unit: "ms", bound: 0.5, aim: 0.2, digits: 3 },
  slow: { what: "the same, longer than which one of 100 takes", unit: "ms", aim: 1, digits: 1 },
  seen: { what: "the same median, drawn by the lab", unit: "ms", digits: 3 },
  create: { what: "in-page creates of a ConfigMap, durable, one after the other", unit: "/s", digits: 0 },
  drawnCreate: { what: "the same, drawn by the lab", unit: "/s", digits: 0 },
  together: { what: "in-page creates of a ConfigMap, durable, by 100 at once", unit: "/s", aim: 5000, digits: 0 },
  bare: { what: "bare writes and flushes of the same storage, asked for one after the other", unit: "/s", digits: 0 },
  streamed: { what: "watch events received in the page", unit: "/s", digits: 0 },
  drawn: { what: "commits and watch events drawn", unit: "/s", digits: 0 },
};

/** Before the page's script: asks as soon as there is a fetch to ask. */
const firstAnswer = `(function ask() {
  if (!window.tabernetes) return void setTimeout(ask);
  fetch("/api/v1/namespaces/default").then((r) => r.text()).then(() => (window.firstAnswer = performance.now()));
})();`;

/** Before the worker's script: what storage can do by itself, in a worker of the name "bare". */
const bareWorker = `if (self.name === "bare") {
  const record = new Uint8Array(1500).fill(120);
  const append = (async () => {
    if (globalThis.FileSystemFileHandle && "createSyncAccessHandle" in FileSystemFileHandle.prototype) {
      const root = await navigator.storage.getDirectory();
      const handle = await (await root.getFileHandle("bare", { create: true })).createSyncAccessHandle();
      let at = handle.getSize();
      return () => { handle.write(record, { at }); at += record.length; handle.flush(); };
    }
    const db = await new Promise((resolve, reject) => {
      const open = indexedDB.open("bare", 1);
      open.onupgradeneeded = () => open.result.createObjectStore("records", { autoIncrement: true });
      open.onsuccess = () => resolve(open.result);
      open.onerror = () => reject(open.error);
    });
    return () => new Promise((resolve, reject) => {
      const tx = db.transaction(["records"], "readwrite", { durability: "strict" });
      tx.oncomplete = resolve;
      tx.onabort = () => reject(tx.error);
      tx.objectStore("records").add(record);
    });
  })();
  addEventListener("message", async (event) => {
    event.stopImmediatePropagation();
    await (await append)();
    postMessage("done");
  });
}`;

const { values } = parseArgs({ options: { engine: { type: "string", multiple: true }, json: { type: "boolean" } } });
let fine = true;
for (const name of values.engine ?? ["chromium"]) {
  const found = await findEngine(/** @type {any} */ (name));
  if (!found) throw new Error(`${name} is not here, and cannot be installed`);
  const site = await changedSite([{ page: firstAnswer, worker: bareWorker }]);
  const server = await startServer({ dist: site.dir });
  const engine = await found.launch();
  try {
    const measured = await measure(engine, server.url);
    if (values.json) console.log(JSON.stringify({ engine: name, ...measured }));
    const within = report(`${name} ${engine.version}`, measured, name === "chromium");
    fine &&= within;
  } finally {
    await engine.close();
    await server.stop();
    await site.remove();
  }
}
process.exitCode = fine ? 0 : 1;

async function measure(engine, url) {
  const measured = {};
  const profile = await engine.profile();
  const page = new Page(await profile.tab(), url);

  // Without the service worker only the browser's HTTP cache is between page and server.
  const opened = async (path) => {
    await page.tab.goto(page.url + path);
    return page.until("the first request is answered", () => window.firstAnswer);
  };
  await opened("/?nosw"); // fills the cache
  await opened("/?nosw"); // and lets the engine cache what it compiled
  measured.open = median(await repeat(9, () => opened("/?nosw")));

  await page.open();
  await page.installed();
  await opened("/");
  measured.offline = median(await repeat(5, () => opened("/")));

  await page.ready();
  measured.get = await page.evaluate(gets, true);
  measured.slow = await page.evaluate(slowGets);
  measured.seen = await page.evaluate(gets, false);
  // In turns, so that a machine that is busy for a while slows all of them.
  const turns = await repeat(5, async () => ({
    create: await page.evaluate(creates, true),
    drawnCreate: await page.evaluate(creates, false),
    together: await page.evaluate(createsTogether),
    bare: await page.evaluate(bare),
  }));
  for (const key of ["create", "drawnCreate", "together", "bare"]) measured[key] = median(turns.map((t) => t[key]));
  Object.assign(measured, await page.evaluate(events));
  await profile.close();
  return measured;
}

async function repeat(n, f) {
  const out = [];
  for (let i = 0; i < n; i++) out.push(await f());
  return out;
}

function report(title, measured, bounded) {
  const lines = [["in " + title, "measured", "bound", "aim"]];
  let fine = true;
  for (const [name, row] of Object.entries(rows)) {
    const value = measured[name];
    const show = (v, digits = row.digits) =>
      (v === undefined ? ""
        : `${v.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${row.unit}`);
    const past = bounded && row.bound !== undefined && !(value <= row.bound);
    fine &&= !past;
    lines.push([row.what, value === undefined ? "not measured" : show(value) + (past ? "  PAST THE BOUND" : ""),
      show(row.bound, row.bound < 1 ? 1 : 0), show(row.aim, row.aim < 1 ? 1 : 0)]);
  }
  const widths = lines[0].map((_, i) => Math.max(...lines.map((l) => l[i].length)));
  for (const [i, l] of lines.entries()) {
    console.log(l.map((c, j) => (j === 0 ? c.padEnd(widths[j]) : c.padStart(widths[j]))).join("  "));
    if (i === 0) console.log(widths.map((w) => "-".repeat(w)).join("  "));
  }
  return fine;
}
