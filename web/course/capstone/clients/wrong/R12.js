// @ts-check
/** Believes that a second is long enough for everybody. */
export const flaw = [[`await sleep(least * (1 + Math.random() / 2))`, `await sleep(1)`]];
