// The recordings of a real API server, replayed against the one in the tab.
import { API_ROOTS } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";
import { startProxy } from "../proxy.js";
import { Lab } from "../lab.js";
import { replay } from "../replay.js";
import { visited } from "../site.js";

// Some recordings ask for what is no URL of the API: the site answers that.
const roots = API_ROOTS.map((root) => root.slice(1)).join("|");
test.use({ tolerated: [new RegExp(`Failed to load resource.*404.*\\(http://[^/]+/(?!${roots})`)] });

/** How many pages, each with its own server, share many recordings: most of the time is spent waiting. */
const PAGES = 4;

/**
 * The recordings that are replayed, as of go test -run. All are with every host that has them over HTTP, too; of the
 * page's fetch they test streams, bytes and headers, which some show as well as all do.
 */
const sets = {
  "some recordings": "^(accept|health|negotiation|paging-basic|protobuf|watch-(all|from|metadata|rv|send|single))",
  "all recordings": "",
};

for (const [what, names] of Object.entries(sets)) {
  test(`${what} pass through the page's fetch`, { tag: names ? [] : ["@long"] }, async ({ lab, browser, server }) => {
    test.setTimeout(600_000);
    const others = await Promise.all(Array.from({ length: names ? 0 : PAGES - 1 }, () => browser.newContext()));
    for (const context of others) await context.addInitScript(visited);
    const labs = [lab, ...(await Promise.all(
      others.map(async (context) => new Lab(await context.newPage(), server.url))))];
    const proxies = await Promise.all(
      labs.map(async (each) => {
        await each.open();
        // What the lab would show of all that is not looked at: it draws nothing from now on.
        await each.page.evaluate(() => void (window.requestAnimationFrame = () => 0));
        return startProxy(each.page, { quiet: true });
      }),
    );
    try {
      const { code, output, summary } = await replay(proxies.map((proxy) => proxy.url).join(), `^TestReplay$/${names}`);
      console.log("in the tab, " + summary);
      expect(code, output.slice(-10_000)).toBe(0);
      expect(Number(/(\d+) passed/.exec(summary)?.[1])).toBeGreaterThan(0);
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await Promise.all(others.map((context) => context.close()));
    }
  });
}
