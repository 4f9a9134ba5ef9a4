// Replays the recordings of watches, pages and lists through the page's fetch in the engines in which the end-to-end
// tests do not replay all of them.
//
//   node playwright/journeys/replay.js [ENGINE]...
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startBridge } from "../bridge.js";
import { startServer } from "../server.js";
import { findEngine } from "./engines.js";
import { Page } from "./page.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const engines = process.argv.length > 2 ? process.argv.slice(2) : ["firefox", "webkit"];
const server = await startServer();
try {
  for (const name of engines) {
    const found = await findEngine(/** @type {any} */ (name));
    if (!found) {
      console.log(`${name} is not here, and cannot be installed: skipped`);
      continue;
    }
    const engine = await found.launch();
    try {
      const profile = await engine.profile();
      const page = new Page(await profile.tab(), server.url);
      await page.open();
      // What the lab would show of all that is not looked at: it draws nothing from now on.
      await page.evaluate(() => void (window.requestAnimationFrame = () => 0));
      const bridge = await startBridge(page.tab, { quiet: true });
      const replay = spawn("go", ["test", "-count=1", "-timeout=20m", "-run=^TestReplay$/^(watch|paging|list)-"], {
        cwd: root + "core/conformance",
        env: { ...process.env, TABERNETES_REPLAY_URL: bridge.url },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      replay.stdout.on("data", (b) => (output += b));
      replay.stderr.on("data", (b) => (output += b));
      const [code] = await once(replay, "close");
      console.log(`${name} ${engine.version}, in the tab, ${/^replay: .*$/m.exec(output)?.[0] ?? "no summary"}`);
      if (code !== 0) {
        console.log(output.slice(-10_000));
        process.exitCode = 1;
      }
      await bridge.close();
      await profile.close();
    } finally {
      await engine.close();
    }
  }
} finally {
  await server.stop();
}
