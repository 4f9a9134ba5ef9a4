// Has Lighthouse judge the built site, as a desktop would see it: the median of
// five runs, printed; it fails below the bounds.
//
//   node playwright/lighthouse.js
//
// Lighthouse is heavy, and used by nothing else: npx fetches it when it is asked for.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveBrowser } from "./engines/browser.js";
import { startServer } from "./server.js";

const RUNS = 5;
const BOUND = 95;
const categories = ["performance", "accessibility", "best-practices"];

/**
 * Runs a command and fails with what it said.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
async function run(command, args, env) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const out of [child.stdout, child.stderr]) out.on("data", (text) => (said += text));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${said.slice(-2000)}`);
}

const browser = await resolveBrowser();
const server = await startServer();
const dir = await mkdtemp(join(tmpdir(), "lighthouse-"));
try {
  /** @type {Record<string, number[]>} */
  const scores = Object.fromEntries(categories.map((c) => [c, []]));
  for (let i = 0; i < RUNS; i++) {
    const file = join(dir, `${i}.json`);
    const judge = () => run(
      "npx",
      ["--yes", "lighthouse@12.8.2", server.url, "--preset=desktop", "--output=json", `--output-path=${file}`,
        "--quiet",
        `--only-categories=${categories.join(",")}`, `--chrome-flags=--headless=new ${browser.args.join(" ")}`],
      { CHROME_PATH: browser.executablePath },
    );
    try {
      await judge();
    } catch (error) {
      // The browser's trace misses the beginning of a navigation now and then: it runs again then, and says so.
      if (!/NO_NAVSTART/.test(String(error))) throw error;
      console.log(`  run ${i + 1} once more: Lighthouse had no trace of the page's load`);
      await judge();
    }
    const report = JSON.parse(await readFile(file, "utf8"));
    for (const c of categories) scores[c].push(Math.round(report.categories[c].score * 100));
    if (i === RUNS - 1) {
      for (const audit of Object.values(report.audits)) {
        if (audit.score !== null && audit.score < 0.9 && audit.scoreDisplayMode !== "informative")
          console.log(`  ${audit.id}: ${audit.displayValue ?? audit.title}`);
      }
    }
  }
  for (const c of categories) {
    const median = scores[c].sort((a, b) => a - b)[Math.floor(RUNS / 2)];
    const word = median >= BOUND ? "within" : "BELOW";
    const all = scores[c].join(", ");
    console.log(`${median}  ${c}, Lighthouse, desktop, median of ${RUNS} (${all}); bound ${BOUND}: ${word}`);
    if (median < BOUND) process.exitCode = 1;
  }
} finally {
  await server.stop();
  await rm(dir, { recursive: true, force: true });
}
