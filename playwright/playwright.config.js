// How the end-to-end tests are run: in one real browser, against the built site.
import { defineConfig } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { resolveBrowser } from "./engines/browser.js";
import { PATIENCE, WHOLE_TEST } from "./engines/patience.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const browser = await resolveBrowser();

export default defineConfig({
  testDir: here,
  // Those of the terminal and of the control plane want a site that has their programs: make test-terminal, and make
  // test-controlplane.
  testMatch: process.env.TABERNETES_TERMINAL ? ["terminal/*.spec.js"]
    : process.env.TABERNETES_CONTROLPLANE ? ["controlplane/*.spec.js"] : ["tests/*.spec.js", "room/*.spec.js"],
  outputDir: here + "results/failures",
  // A page keeps two cores busy while it starts, and mostly waits then.
  workers: 2,
  fullyParallel: false,
  forbidOnly: !!process.env.CI,
  retries: 1, // what passes at the second attempt only is said to be flaky
  // What takes long is run by make test-long.
  ...(process.env.TABERNETES_LONG ? { grep: /@long/ } : { grepInvert: /@long/ }),
  // Bounds of minutes: nothing depends on how fast the machine is.
  timeout: WHOLE_TEST,
  expect: { timeout: PATIENCE },
  reporter: [["list", { printSteps: false }]],
  use: {
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    locale: "en-US",
    screenshot: "only-on-failure",
    actionTimeout: PATIENCE,
    // A function of the binary is compiled when it is first called: that saves a sixth of what it costs to open a page.
    launchOptions: {
      executablePath: browser.executablePath,
      args: [...browser.args, "--js-flags=--wasm-lazy-compilation"],
    },
  },
});
