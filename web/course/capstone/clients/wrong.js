// @ts-check
/**
 * Clients that are wrong on purpose: the right one, with a piece of its text replaced. One for each rule, by which the
 * judge is tested: that rule, and no other, has to be the first that it names.
 *
 * @import { Reflect } from "../protocol"
 */

/**
 * The text of a client that breaks a rule.
 *
 * @param {string} right the text of right.js
 * @param {string} rule its id
 */
export async function wrong(right, rule) {
  /** @type {{flaw: [string, string][]}} */
  const { flaw } = await import(`./wrong/${rule}.js`);
  let text = right;
  for (const [from, to] of flaw) {
    if (text.split(from).length !== 2) throw new Error(`${rule}: not there exactly once: ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}

/** Imports a client's text. @param {string} text @returns {Promise<{reflect: Reflect}>} */
export const importText = (text) => import("data:text/javascript," + encodeURIComponent(text));

/** @param {string} right @param {string} rule */
export const load = async (right, rule) => importText(await wrong(right, rule));
