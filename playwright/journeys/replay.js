// Replays the recordings of watches, pages and lists through the page's fetch in the engines in which the end-to-end
// tests do not replay all of them.
//
//   node playwright/journeys/replay.js [ENGINE]...
import { startProxy } from "../proxy.js";
import { replay } from "../replay.js";
import { startServer } from "../server.js";
import { findEngine } from "../engines/engines.js";
import { Page } from "../engines/page.js";

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
      const proxy = await startProxy(page.tab, { quiet: true });
      const { code, output, summary } = await replay(proxy.url, "^TestReplay$/^(watch|paging|list)-");
      console.log(`${name} ${engine.version}, in the tab, ${summary}`);
      if (code !== 0) {
        console.log(output.slice(-10_000));
        process.exitCode = 1;
      }
      await proxy.close();
      await profile.close();
    } finally {
      await engine.close();
    }
  }
} finally {
  await server.stop();
}
