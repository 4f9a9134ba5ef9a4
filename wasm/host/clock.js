// @ts-check
/** @import { ClockState } from "../protocol" */

/**
 * What the cluster's clock shows at a time of the host's, in milliseconds.
 *
 * @param {ClockState} state
 * @param {number} host
 */
export const timeAt = ({ offset, at, rate, since }, host) => at ?? host + offset + (host - since) * (rate - 1);

/** The state of a clock that is the host's. @type {ClockState} */
export const AS_HOST = { offset: 0, at: null, rate: 1, since: 0 };
