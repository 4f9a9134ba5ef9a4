// @ts-check
// A browser with a profile that outlives it, to be killed with all of its processes.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { findEngine } from "../engines/engines.js";
import { PATIENCE } from "../engines/patience.js";

/** Chromium would report the crash, which takes a process outside of its group. */
const more = { chromium: ["--disable-breakpad", "--disable-crash-reporter", "--hide-crash-restore-bubble"],
  firefox: [] };

/**
 * @param {"chromium" | "firefox"} engine
 * @param {string} profile its directory
 */
export async function startBrowser(engine, profile) {
  const found = await findEngine(engine);
  if (!found) throw new Error(`${engine} is not here, and cannot be installed`);
  // What a killed browser leaves behind, by which the next one would find it.
  const left = ["SingletonLock", "SingletonSocket", "SingletonCookie", "lock", ".parentlock"];
  for (const name of left) await rm(join(profile, name), { force: true });
  const { executablePath, args } = found.found;
  const browser = await puppeteer.launch({
    browser: engine === "firefox" ? "firefox" : "chrome",
    executablePath,
    args: [...args, ...more[engine]],
    userDataDir: profile,
    headless: true,
    protocolTimeout: PATIENCE,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const process_ = browser.process();
  if (!process_?.pid) throw new Error("the browser has no process");
  const { pid } = process_;
  const exited = new Promise((resolve) => process_.once("exit", resolve));
  return {
    browser,
    /** Ends all of its processes at once, and resolves when they have ended. */
    async kill() {
      killGroup(pid);
      await exited;
      while (killGroup(pid)) await new Promise((wake) => setTimeout(wake, 5));
    },
  };
}

/** Puppeteer starts a browser as the first of a group of processes. Whether any was left. @param {number} pid */
function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
