// Measures when the page has its first answer on a first visit, on a slow line and on a slow processor, in Chromium:
//
//   node playwright/bench-open.js [--runs 5] [--only line,processor] SITE...
//
// Each SITE is a folder that devserver build has written. They are opened in turns, each time by a new profile that has
// nothing of them, so that a machine that is busy for a while slows all of them; what is printed are medians. The
// browser itself slows the line and the processor, without which the third row is.
import { parseArgs } from "node:util";
import puppeteer from "puppeteer-core";
import { resolveBrowser } from "./engines/browser.js";
import { PATIENCE } from "./engines/patience.js";
import { startServer } from "./server.js";

/** 1.6 Mbit/s, in bytes per second, and the latency in milliseconds: a slow mobile connection. */
const LINE = { offline: false, downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 };
/** How many times as long a script takes on the slow processor. */
const SLOWER = 4;

/** @type {Record<string, (session: import("puppeteer-core").CDPSession) => Promise<unknown>>} */
const ways = {
  line: (session) => session.send("Network.emulateNetworkConditions", LINE),
  processor: (session) => session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER }),
  neither: async () => {},
};

/** Before the page's script: asks as soon as there is a fetch to ask. */
function ask() {
  if (!window.tabernetes) return void setTimeout(ask);
  fetch("/api/v1/namespaces/default").then((r) => r.text()).then(() => (window.firstAnswer = performance.now()));
}

const { values, positionals: sites } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: "string", default: "5" }, only: { type: "string", default: Object.keys(ways).join() } },
});
const found = await resolveBrowser();
const browser = await puppeteer.launch({ ...found, headless: true, protocolTimeout: PATIENCE });
const servers = await Promise.all(sites.map((dist) => startServer({ dist })));
try {
  for (const way of values.only.split(",")) {
    /** @type {number[][]} */
    const times = sites.map(() => []);
    for (let run = 0; run < Number(values.runs); run++) {
      for (const [i, { url }] of servers.entries()) times[i].push(await opened(url, ways[way]));
    }
    for (const [i, site] of sites.entries()) {
      const sorted = times[i].toSorted((a, b) => a - b).map((ms) => (ms / 1000).toFixed(2));
      console.log(`${way}\t${site}\t${sorted[sorted.length >> 1]} s\tof ${sorted.join(" ")}`);
    }
  }
} finally {
  await browser.close();
  await Promise.all(servers.map((server) => server.stop()));
}

/**
 * Opens a site for the first time, and returns when its first request was answered, in milliseconds.
 *
 * @param {string} url
 * @param {(session: import("puppeteer-core").CDPSession) => Promise<unknown>} slow
 * @returns {Promise<number>}
 */
async function opened(url, slow) {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    const session = await page.createCDPSession();
    await session.send("Network.enable");
    await slow(session);
    page.on("workercreated", (worker) => void slow(worker.client).catch(() => {})); // it may have ended
    await page.evaluateOnNewDocument(`(${ask})()`);
    await page.goto(url + "/?nosw", { timeout: PATIENCE, waitUntil: "domcontentloaded" });
    const answered = await page.waitForFunction(() => window.firstAnswer, { timeout: PATIENCE });
    return /** @type {number} */ (await answered.jsonValue());
  } finally {
    await context.close();
  }
}
