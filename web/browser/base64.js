// @ts-check
/** Bytes as base64, and back, in parts that the engines' argument lists take. */

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} @throws {DOMException} if it is not base64 */
export const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** The form of base64 for URLs, without padding. @param {string} base64 */
export const urlForm = (base64) => base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** base64 of the form for URLs. @param {string} text */
export const plainForm = (text) => text.replaceAll("-", "+").replaceAll("_", "/");
