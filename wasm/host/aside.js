// @ts-check
/** What the names of copies begin with that are kept of damaged clusters. */
export const ASIDE = "set-aside-";

/**
 * A name for the next copy: the time, and a number if that is taken.
 *
 * @param {string[]} names of those that are there
 */
export function nameAside(names) {
  const stem = ASIDE + new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  let name = `${stem}.log`;
  for (let i = 2; names.includes(name); i++) name = `${stem}-${i}.log`;
  return name;
}
