// @ts-check
/** Absolute paths, as text. */

/**
 * The path without ".", ".." and doubled slashes; links are not followed.
 *
 * @param {string} path
 * @param {string} [from] a directory
 */
export function absolute(path, from = "/") {
  /** @type {string[]} */ const names = [];
  for (const name of (path.startsWith("/") ? path : `${from}/${path}`).split("/")) {
    if (name === "..") names.pop();
    else if (name && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** Whether a path is that of a directory, or below it. @param {string} path @param {string} dir */
export const within = (path, dir) => path === dir || path.startsWith(dir === "/" ? "/" : `${dir}/`);
