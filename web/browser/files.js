// @ts-check
/**
 * Where the files of the page's build are: beside its scripts; or in the page itself, if that is one file
 * (web/unpack/onefile), which has put the URLs of all that it brings into a table, by their names.
 *
 * @type {Record<string, string> | undefined}
 */
const inside = /** @type {any} */ (globalThis).tabernetesFiles;

/** Whether the page is one file, which has no server. */
export const oneFile = inside !== undefined;

/** The URL of a file of this build. @param {string} name */
export const fileURL = (name) => inside?.[name] ?? new URL(name, import.meta.url).href;
