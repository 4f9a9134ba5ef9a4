// @ts-check
/** Believes that one has to start again whenever a stream has ended. */
export const flaw = [[`    if (rest !== "") doubt = true;`, `    version = "";`]];
