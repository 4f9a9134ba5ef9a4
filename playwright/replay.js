// Runs the replay of the recordings against servers that are running.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const conformance = fileURLToPath(new URL("../core/conformance", import.meta.url));

/**
 * With the replay's test binary that TABERNETES_REPLAY_TEST names, or go test.
 *
 * @param {string} urls of the servers, with commas between them
 * @param {string} [run] which tests, as of go test -run
 * @returns {Promise<{code: number, output: string, summary: string}>}
 */
export async function replay(urls, run = "^TestReplay$") {
  const binary = process.env.TABERNETES_REPLAY_TEST;
  const [program, args] = binary ? [binary, [`-test.run=${run}`]] : ["go", ["test", "-count=1", `-run=${run}`]];
  const child = spawn(program, args, { cwd: conformance, env: { ...process.env, TABERNETES_REPLAY_URL: urls } });
  let output = "";
  child.stdout.on("data", (b) => (output += b));
  child.stderr.on("data", (b) => (output += b));
  const [code] = await once(child, "close");
  return { code, output, summary: /^replay: .*$/m.exec(output)?.[0] ?? "replay: no summary" };
}
