// @ts-check
/** Believes that a version that was good once is good for ever. */
export const flaw = [[`if (!refused) doubt = true;`, ``], [`if (rest !== "") doubt = true;`, ``]];
