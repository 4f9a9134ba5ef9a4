// Finds the engines that tests run in; as root on a Debian it installs the distribution's packages first.
//
// Run by itself it prints what it found: node playwright/engines/engines.js
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { resolveBrowser } from "./browser.js";
import { installPackages, onPath, runnable } from "./packages.js";
import { launchPuppeteer } from "./puppeteer.js";
import { launchWebKit } from "./webdriver.js";

/** @typedef {import("./driver").Engine} Engine */

/** What each engine is started with, and the packages that bring it. */
const engines = {
  chromium: {
    packages: [],
    find: async () => resolveBrowser(),
    launch: (found, options) => launchPuppeteer("chromium", found, options),
  },
  firefox: {
    packages: ["firefox-esr"],
    find: async () => complete({ executablePath: onPath("firefox-esr") ?? onPath("firefox"), args: [] }),
    launch: (found, options) => launchPuppeteer("firefox", found, options),
  },
  webkit: {
    packages: ["webkit2gtk-driver", "xvfb"],
    find: async () => complete({ driver: onPath("WebKitWebDriver"), browser: miniBrowser(), screen: onPath("Xvfb") }),
    launch: launchWebKit,
  },
};

export const ENGINES = /** @type {(keyof typeof engines)[]} */ (Object.keys(engines));

/** An object none of whose values is missing; else undefined. */
const complete = (parts) => (Object.values(parts).every(Boolean) ? parts : undefined);

/** MiniBrowser is in no directory of the search path. */
function miniBrowser() {
  const under = (dir) => (existsSync(dir) ? readdirSync(dir).map((name) => `${dir}/${name}`) : []);
  const places = ["/usr/lib", "/usr/libexec"].flatMap((dir) => [dir, ...under(dir)]);
  const found = places.flatMap((dir) => [`${dir}/webkit2gtk-4.1/MiniBrowser`, `${dir}/webkit2gtk-4.0/MiniBrowser`]);
  return found.find(runnable);
}

/**
 * Finds an engine, and installs what it needs if that can be done; undefined where it cannot be had.
 *
 * @param {keyof typeof engines} name
 * @returns {Promise<{launch: (options?: import("./driver").Options) => Promise<Engine>, found: any} | undefined>}
 */
export async function findEngine(name) {
  const { packages, find, launch } = engines[name];
  let found = await find();
  if (!found && installPackages(packages)) found = await find();
  return found && { found, launch: (options = {}) => launch(/** @type {any} */ (found), options) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of ENGINES) {
    const engine = await findEngine(name);
    console.log(`${name}: ${engine ? Object.values(engine.found).flat()[0] : "not here, and it cannot be installed"}`);
  }
}
