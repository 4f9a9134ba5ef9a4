// @ts-check
/** Which process has a directory: the one whose number is in the file "lock", as long as it lives. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/**
 * Holds a directory for this process, and returns what lets it go.
 *
 * @param {string} directory
 */
export function hold(directory) {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "lock");
  const own = join(directory, `lock-${process.pid}-${Math.random()}`);
  // It gets its name with the number in it: an empty one would look like that of a process that has ended.
  writeFileSync(own, String(process.pid));
  try {
    for (let again = false; ; again = true) {
      try {
        linkSync(own, file);
        return () => rmSync(file, { force: true });
      } catch (/** @type {any} */ error) {
        if (error.code !== "EEXIST") throw new Error(`${directory}: ${error.message}`, { cause: error });
        const holder = Number(readFileSync(file, "utf8"));
        if (again || lives(holder)) {
          throw new Error(`${directory}: another process has it, or another cluster of this one: ${holder}, by the ` +
            `file "lock" there`, { cause: error });
        }
        rmSync(file, { force: true }); // its process has ended without letting go
      }
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Whether there is a process. @param {number} id */
function lives(id) {
  try {
    return id > 0 && process.kill(id, 0);
  } catch (/** @type {any} */ error) {
    return error.code === "EPERM";
  }
}
