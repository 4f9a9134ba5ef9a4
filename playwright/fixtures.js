// What every end-to-end test is given: a server with the built site, and a page
// that is watched for everything that must never happen on it.
import { test as base, expect } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { Lab } from "./lab.js";
import { startServer } from "./server.js";
import { refuseServiceWorkers, visited } from "./site.js";

export { expect };

/** Where screenshots and other results go. */
export const results = fileURLToPath(new URL("results/", import.meta.url));

async function server({}, use) {
  const server = await startServer();
  await use(server);
  await server.stop();
}

/**
 * What tests are given besides their server.
 *
 * @param {(server: Awaited<ReturnType<typeof startServer>>) => Promise<void>} check
 *   is called at the end, when the page is done
 */
const fixtures = (check) => ({
  // Set by a test to what its page may report, as regular expressions.
  tolerated: [[], { option: true }],
  // Whether the page installs what it opens with when its server is gone. That takes a third of what a start costs.
  installs: [false, { option: true }],
  // Whether it is the first visit, which begins with a scene.
  first: [false, { option: true }],

  context: async ({ context, tolerated, installs, first, server }, use) => {
    const problems = [];
    await watchContext(context, problems);
    if (!installs) await context.addInitScript(refuseServiceWorkers);
    if (!first) await context.addInitScript(visited);
    await use(context);
    expect.soft(problems.filter((p) => !tolerated.some((t) => t.test(p))), "errors on the page").toEqual([]);
    await check(server);
  },

  lab: async ({ page, server }, use) => {
    await use(new Lab(page, server.url));
  },
});

/** A test with a server that others use, too: no request of the API leaves the page. */
export const test = base.extend({ server: [server, { scope: "worker" }] }).extend(fixtures(async (server) => {
  expect.soft(await server.apiRequests(), "API requests that left the page").toBe(0);
}));

/** A test with its own server, which it may stop, and may send requests of the API. */
export const ownServerTest = base.extend({ server }).extend(fixtures(async () => {}));

/**
 * Notes uncaught errors, error messages and violations of the content security
 * policy on every page of a context.
 */
export async function watchContext(context, problems) {
  await context.exposeBinding("reportViolation", (_source, text) => problems.push("policy: " + text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (e) => {
      window.reportViolation(
        `${e.violatedDirective} ${e.blockedURI} ${e.sourceFile ?? ""}:${e.lineNumber} ${e.sample ?? ""}`);
    });
    // What is said may stay for a second only: Lab.says looks at all that was said since its last call.
    window.said = [];
    addEventListener("DOMContentLoaded", () => {
      const status = document.getElementById("status");
      const note = () => window.said.push(status.textContent);
      if (status) new MutationObserver(note).observe(status, { childList: true, characterData: true, subtree: true });
    });
  });
  context.on("weberror", (e) => problems.push("uncaught: " + (e.error().stack ?? e.error())));
  context.on("console", (m) => {
    // A program of Go that ends says why, and where, in ordinary messages.
    const ended = /^(panic|fatal error|goroutine \d+)/m.test(m.text());
    if (m.type() === "error" || ended) problems.push(`console: ${m.text()} (${m.location().url})`);
  });
}
