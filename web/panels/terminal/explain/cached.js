// @ts-check
/**
 * What a command did not ask for, since an earlier one has: kubectl keeps such answers in files below ~/.kube/cache.
 *
 * @import { Line } from "./explain.js"
 */

/** @param {string} short @param {string} why @returns {Line} */
const earlier = (short, why) => ({
  id: 0, method: "GET", short, url: short, status: "", why,
  chip: { kind: "none", text: "read earlier", revision: 0 },
});

/**
 * The answers that a command has read from its files.
 *
 * @param {Iterable<string>} paths of the files that it has read
 * @param {Iterable<string>} urls what it has asked for
 * @returns {Line[]}
 */
export function cached(paths, urls) {
  const asked = [...urls];
  const read = [...paths];
  const out = [];
  if (read.some((p) => /\/cache\/discovery\//.test(p)) && !asked.some((u) => /^\/apis?(\?|$)/.test(u))) {
    out.push(earlier("/api, /apis", "which resource types there are"));
  }
  if (read.some((p) => /\/cache\/http\//.test(p)) && asked.some((u) => /^\/openapi\/v3(\?|$)/.test(u)) &&
    !asked.some((u) => /^\/openapi\/v3\/./.test(u))) {
    out.push(earlier("/openapi/v3/…", "which fields there are, and how lists merge"));
  }
  return out;
}
