// @ts-check
/** Believes that a list from the cache is good enough, whatever it has already. */
export const flaw = [[`: { limit: 500 })).json()`, `: { limit: 500, resourceVersion: "0" })).json()`]];
