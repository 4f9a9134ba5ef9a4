// Measures the terminal of the page in a browser, and fails past the bounds, which are Chromium's:
//
//   TABERNETES_DIST=SITE node playwright/bench-terminal.js [--engine chromium|firefox|webkit]... [--commands 300]
//
// The site has to have kubectl (make bench-terminal builds one). Commands are typed one after another, each when the
// one before has ended, as no person is as quick to do.
import { parseArgs } from "node:util";
import { findEngine } from "./engines/engines.js";
import { memory } from "./engines/memory.js";
import { Page } from "./engines/page.js";
import { median } from "./median.js";
import { startServer } from "./server.js";

/** What is measured, with the bound that fails the run. */
const rows = {
  first: ["terminal opened to the end of the first command, warm cache", "ms", 3000],
  later: ["a later command, median", "ms", 600],
  memory: ["memory of the page and its workers after the last command, at rest", "MB", 450],
  most: ["the most that it was, between commands", "MB", undefined],
};

const { values } = parseArgs({ options: {
  engine: { type: "string", multiple: true }, commands: { type: "string", default: "300" },
} });

let fine = true;
for (const name of values.engine ?? ["chromium"]) {
  const found = await findEngine(/** @type {any} */ (name));
  if (!found) {
    console.log(`${name} is not here, and cannot be installed: skipped`);
    continue;
  }
  const server = await startServer();
  const engine = await found.launch();
  try {
    const measured = await measure(engine, server.url);
    console.log(`in ${name} ${engine.version}, ${values.commands} commands`);
    for (const [key, [what, unit, bound]] of Object.entries(rows)) {
      const past = name === "chromium" && bound !== undefined && !(measured[key] <= bound);
      fine &&= !past;
      console.log(`  ${what}: ${Math.round(measured[key])} ${unit}${past ? `, PAST THE BOUND of ${bound}` : ""}`);
    }
  } finally {
    await engine.close();
    await server.stop();
  }
}
process.exitCode = fine ? 0 : 1;

async function measure(engine, url) {
  const profile = await engine.profile();
  const page = new Page(await profile.tab(), url);
  await page.open(); // fills the caches
  await page.evaluate(prepare);
  await page.evaluate(() => bench.open());
  await page.evaluate(() => bench.run("kubectl get namespaces"));

  await page.open();
  await page.evaluate(prepare);
  const begun = await page.evaluate(() => bench.open());
  const ended = await page.evaluate(() => bench.run("kubectl get namespaces").then(() => performance.now()));
  const times = [];
  let most = 0;
  for (let i = 0; i < Number(values.commands); i++) {
    const text = ["kubectl get namespaces", "kubectl get configmaps -A", "kubectl get pods"][i % 3];
    times.push(await page.evaluate((text) => bench.run(text), text));
    if (i % 25 === 0) most = Math.max(most, memory());
  }
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20_000))); // engines give back memory late
  const rest = memory();
  await profile.close();
  return { first: ended - begun, later: median(times), most, memory: rest };
}

/** What the page does for the measurements. */
function prepare() {
  const until = async (what) => {
    for (;;) {
      const found = what();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
  };
  window.bench = {
    async open() {
      const tabs = () => [...document.querySelectorAll("[role=tab]")];
      const tab = await until(() => tabs().find((t) => /^Terminal/.test(t.textContent.trim())));
      const begun = performance.now();
      tab.click();
      await until(() => document.querySelector(".term-blocks"));
      return begun;
    },
    /** Types a command, and returns how long it took. */
    async run(text) {
      const field = await until(() => document.querySelector('textarea[aria-label="Command"]'));
      const count = () => document.querySelectorAll(".term-block").length;
      const before = document.querySelector(".term-block:last-of-type");
      const begun = performance.now();
      field.focus();
      field.value = text;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
      await until(() => count() > 0 && document.querySelector(".term-block:last-of-type") !== before);
      await until(() => !document.querySelector(".term-block.is-running"));
      return performance.now() - begun;
    },
  };
}
