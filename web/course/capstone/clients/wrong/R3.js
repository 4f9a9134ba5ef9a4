// @ts-check
/** Believes that "not older than my first list" is new enough for a list that comes later. */
export const flaw = [
  [`let version = "";`, `let version = "", first = "";`],
  [
    `await ask(token ? { limit: 500, continue: token } : { limit: 500 })`,
    `await ask(
        token
          ? { limit: 500, continue: token }
          : first
            ? { resourceVersion: first, resourceVersionMatch: "NotOlderThan" }
            : { limit: 500 },
      )`,
  ],
  [`    version = at;`, `    version = at;\n    first ||= at;`],
];
