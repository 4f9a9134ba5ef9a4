// Finds the browser that the tests run in, the same on every machine:
//
//   1. TABERNETES_BROWSER, the path of a Chromium or Chrome;
//   2. one that is installed;
//   3. one that Playwright has downloaded;
//   4. as root on a Debian: the distribution's package, installed now.
//
// Run by itself it prints the browser's path: node playwright/engines/browser.js
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { installPackages, onPath, runnable } from "./packages.js";

/** Names of browsers on the search path, the ones to prefer first. */
const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/** Where browsers are that are not on the search path. */
const places = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  join(process.env.PROGRAMFILES ?? "C:\\Program Files", "Google\\Chrome\\Application\\chrome.exe"),
];

/** Quiet and the same everywhere: nothing in the background, nothing of Google's. */
const args = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * @typedef {object} Browser
 * @property {string} executablePath
 * @property {string[]} args what to start it with
 * @property {string} origin where it was found, for people
 */

/**
 * @returns {Promise<Browser>}
 */
export async function resolveBrowser() {
  const found = named() ?? installed() ?? downloaded() ?? fromDistribution();
  if (!found) {
    throw new Error(
      "No Chromium or Chrome was found. Install one, or name it in TABERNETES_BROWSER, " +
        "or let Playwright download one: npx playwright install chromium",
    );
  }
  // Chromium's sandbox does not work for root.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return { ...found, args: [...args, ...sandbox] };
}

function named() {
  const path = process.env.TABERNETES_BROWSER;
  if (!path) return undefined;
  if (!runnable(path)) throw new Error(`TABERNETES_BROWSER names ${path}, which is no program`);
  return { executablePath: path, origin: "TABERNETES_BROWSER" };
}

function installed() {
  const path = [...names.map(onPath), ...places].find((path) => path && runnable(path));
  return path && { executablePath: path, origin: "installed" };
}

function downloaded() {
  const path = chromium.executablePath();
  return path && existsSync(path) ? { executablePath: path, origin: "downloaded by Playwright" } : undefined;
}

function fromDistribution() {
  if (!installPackages(["chromium"])) return undefined;
  const found = installed();
  return found && { ...found, origin: "the distribution's package" };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { executablePath, origin } = await resolveBrowser();
  console.log(`${executablePath} (${origin})`);
}
