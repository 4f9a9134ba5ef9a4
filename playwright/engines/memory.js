// How much memory a browser has that this process started.
import { readFileSync, readdirSync } from "node:fs";

/** What the largest process of the browser has for itself, in MB: that of the page and its workers. */
export function memory() {
  const parents = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      parents.set(Number(pid), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // it has ended
    }
  }
  const ours = (pid) => pid === process.pid || (parents.has(pid) && ours(parents.get(pid)));
  let largest = 0;
  for (const pid of parents.keys()) {
    if (pid === process.pid || !ours(pid)) continue;
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const kB = (name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(status)?.[1] ?? 0);
      largest = Math.max(largest, kB("RssAnon") + kB("RssShmem"));
    } catch {
      // it has ended
    }
  }
  return largest / 1024;
}
