// @ts-check
/**
 * Header fields as the server and its ports pass them on: a line each. See ../PROTOCOL.md.
 *
 * @import { HeaderBlock } from "../protocol"
 */

/**
 * @param {HeaderBlock} block
 * @returns {[string, string][]}
 */
export function readBlock(block) {
  return block
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}

/**
 * @param {Iterable<[string, string]>} headers
 * @returns {HeaderBlock}
 */
export function writeBlock(headers) {
  let block = "";
  for (const [name, value] of headers) block += `${name}: ${value}\n`;
  return block;
}
