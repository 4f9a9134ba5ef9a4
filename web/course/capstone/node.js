// @ts-check
/** What starts clusters outside a page: for tests. Not part of what the page loads. */
// @ts-ignore: the types of Node are not those of the page.
import { execFileSync } from "node:child_process";
// @ts-ignore
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
// @ts-ignore
import { tmpdir } from "node:os";
// @ts-ignore
import { join } from "node:path";
// @ts-ignore
import { fileURLToPath } from "node:url";
import { startCluster } from "./cluster.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** @type {Promise<WebAssembly.Module> | undefined} */
let module;

/** The server's program: the file that TABERNETES_WASM names, as make test-js does, or built from this source. */
async function load() {
  const { env } = /** @type {any} */ (globalThis).process;
  /** @type {(...args: string[]) => string} */
  const go = (...args) =>
    execFileSync("go", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const script = join(go("env", "GOROOT").trim(), "lib", "wasm", "wasm_exec.js");
  const scope = /** @type {any} */ (globalThis);
  if (!scope.navigator) scope.navigator = { userAgent: "node" };
  new Function(readFileSync(script, "utf8"))();
  if (env.TABERNETES_WASM) return WebAssembly.compile(readFileSync(env.TABERNETES_WASM));
  // Several test files may do so at the same time.
  const dir = mkdtempSync(join(tmpdir(), "capstone-"));
  try {
    const file = join(dir, "tabernetes.wasm");
    /** @type {(command: string) => string[]} */
    const words = (command) => go("run", "./devserver", command).trim().split(/\s+/);
    const flags = words("wasmflags");
    execFileSync("go", ["build", ...flags, "-ldflags=-s -w", "-o", file, "./wasm"], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...env, ...Object.fromEntries(words("wasmenv").map((word) => word.split("="))) },
    });
    return await WebAssembly.compile(readFileSync(file));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** A new cluster in this process. @param {number | string} seed */
export async function nodeCluster(seed) {
  module ??= load();
  return startCluster({ Go: /** @type {any} */ (globalThis).Go, module: await module, seed });
}
