// @ts-check
/** Believes that a limit is the size of a large answer, and that there is no more. */
export const flaw = [[`while (token !== "");`, `while (false);`]];
