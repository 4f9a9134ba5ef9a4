// Programs of the machine: where they are, and the distribution's packages that bring them.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** @param {string} path */
export function runnable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of a program on the search path. @param {string} name */
export function onPath(name) {
  const dirs = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return dirs.map((dir) => join(dir, name)).find(runnable);
}

/** Reports whether packages can be installed here: as root on a Debian. */
export const canInstall = () => process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");

/**
 * Installs the distribution's packages, where that can be done. Reports whether it was.
 *
 * @param {string[]} packages
 */
export function installPackages(packages) {
  if (!canInstall()) return false;
  console.error(`installing the distribution's ${packages.join(", ")}`);
  for (const command of [["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", ...packages]]) {
    const done = spawnSync("apt-get", command, {
      // Only what goes wrong is worth reading.
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    if (done.status !== 0) return false;
  }
  return true;
}
