// Starts and stops the devserver that serves the built site to the tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DEVSERVER } from "../core/wellknown/wellknown.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * @param {{port?: number, args?: string[], dist?: string, edge?: boolean}} [options] edge: rooms in Durable Objects, of
 *   which TABERNETES_EDGE names what devserver edge has built
 */
export async function startServer({ port = 0, args = [], dist = process.env.TABERNETES_DIST ?? "dist", edge } = {}) {
  const binary = process.env.TABERNETES_DEVSERVER ?? ".cache/bin/devserver";
  const what = edge
    ? ["edge", "--out", process.env.TABERNETES_EDGE ?? ".cache/test/edge", "--site", dist]
    : ["--dir", dist, "--count-api"];
  const child = spawn(binary, [...what, "--no-build", "--addr", `127.0.0.1:${port}`, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const exited = once(child, "exit");
  const url = await new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`cannot start ${binary}: ${error.message} (make builds it)`)));
    child.once("exit", (code) => reject(new Error(`${binary} ended with ${code}:\n${said}`)));
    createInterface(child.stdout).on("line", (line) => {
      said += line + "\n";
      const found = /^listening on (http:\/\/\S+)/.exec(line);
      if (found) resolve(found[1].replace(/\/$/, ""));
    });
  });
  return {
    /** @type {string} */
    url,
    /** How many API requests have reached this server. */
    async apiRequests() {
      const answer = await fetch(url + DEVSERVER + "api-requests");
      return (await answer.json()).count;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await exited;
    },
  };
}
