// @ts-check
/** Believes that versions are numbers. */
export const flaw = [[`    version = at;`, `    version = String(Number(at));`]];
