// @ts-check
/**
 * What the API says was wrong with a request: the message of a Status; the text itself, if it is not a Status.
 *
 * @param {string} text of the answer
 * @param {number} [most] how much of a text that is no Status, in characters
 * @returns {string}
 */
export function messageOf(text, most = Infinity) {
  try {
    return JSON.parse(text).message ?? text.slice(0, most);
  } catch {
    return text.slice(0, most);
  }
}
