// @ts-check
/** Believes that a chunk ends where a character does. */
export const flaw = [[`decoder.decode(value, { stream: true })`, `decoder.decode(value)`]];
