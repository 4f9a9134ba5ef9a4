// @ts-check
/** Believes that an object which is gone does no harm. */
export const flaw = [
  [`else if (type === "DELETED") store.remove(object, version);`, `else if (type === "DELETED") return;`],
];
