// The recordings of a real API server, replayed against the one in the tab.
import { test, expect } from "../fixtures.js";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startBridge } from "../bridge.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

// Some recordings ask for what is no URL of the API: the site answers that.
test.use({ tolerated: [/Failed to load resource.*404.*\(http:\/\/[^/]+\/(?!api|openapi|version|healthz|livez|readyz)/] });

test("the recordings pass through the page's fetch", async ({ lab }) => {
  test.setTimeout(600_000);
  await lab.open();
  const bridge = await startBridge(lab.page);
  try {
    const { code, output } = await run(bridge.url);
    const summary = /^replay: .*$/m.exec(output)?.[0] ?? "replay: no summary";
    console.log("in the tab, " + summary);
    expect(code, output.split("\n").filter((l) => !/^=== |^\s*--- (PASS|SKIP)/.test(l)).slice(-60).join("\n")).toBe(0);
    expect(Number(/(\d+) passed/.exec(summary)?.[1])).toBeGreaterThan(0);
  } finally {
    await bridge.close();
  }
});

/** Runs the replay's test binary, if there is one, or go test. */
function run(url) {
  const args = ["-test.run=^TestReplay$", "-test.v"];
  const binary = process.env.TABERNETES_REPLAY_TEST;
  const child = binary
    ? spawn(binary, args, { cwd: root + "core/conformance", env: { ...process.env, TABERNETES_REPLAY_URL: url } })
    : spawn("go", ["test", "-count=1", "-run=^TestReplay$", "-v", "./core/conformance"], { cwd: root, env: { ...process.env, TABERNETES_REPLAY_URL: url } });
  let output = "";
  child.stdout.on("data", (b) => (output += b));
  child.stderr.on("data", (b) => (output += b));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
