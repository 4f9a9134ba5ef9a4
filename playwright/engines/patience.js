/**
 * How long tests wait for what must come, in milliseconds. It ends what hangs, and nothing else: what a machine at rest
 * does in two seconds takes one that has other work minutes.
 */
export const PATIENCE = 300_000;

/** How long a whole test may take. */
export const WHOLE_TEST = 4 * PATIENCE;
