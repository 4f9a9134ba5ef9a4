// @ts-check
/** Believes that the list's version is where each watch begins, and not only the first one. */
export const flaw = [
  [`let version = "";`, `let version = "", listed = "";`],
  [`    version = at;`, `    listed = version = at;`],
  [`await ask({ watch: 1, resourceVersion: version,`, `await ask({ watch: 1, resourceVersion: listed,`],
];
