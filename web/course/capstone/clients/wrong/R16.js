// @ts-check
/** Believes that a request ends with the code that made it. */
export const flaw = [[", { signal });", ");"]];
