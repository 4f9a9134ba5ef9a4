// @ts-check
/** Believes that one has to begin anew whenever a stream has ended. */
export const flaw = [[`    if (rest !== "") doubt = true;`, `    version = "";`]];
