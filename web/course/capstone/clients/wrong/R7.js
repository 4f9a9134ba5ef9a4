// @ts-check
/** Believes that a stream whose status was 200 has gone well. */
export const flaw = [[`if (type === "ERROR") throw new Refused(object, NaN);`, `if (type === "ERROR") return;`]];
