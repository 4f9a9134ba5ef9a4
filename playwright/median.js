// The number in the middle of several, by which measurements are compared.

/** @param {number[]} values */
export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
