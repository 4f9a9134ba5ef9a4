// @ts-check
/** Makes elements. Texts become text, never HTML: what is shown here, others have written. */

/**
 * @param {string} tag with classes, as in "p.soft"
 * @param {Record<string, any> | null} [props] properties, or attributes with a hyphen
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any}
 */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(props ?? {})) {
    if (key.includes("-") || key === "role" || key === "for") element.setAttribute(key, value);
    else /** @type {any} */ (element)[key] = value;
  }
  element.append(.../** @type {(Node | string)[]} */ (children.filter((child) => child !== null &&
    child !== undefined && child !== false)));
  return element;
}

/** @param {string} text @param {() => void} onclick @param {Record<string, any>} [more] */
export const button = (text, onclick, more = {}) =>
  h("button." + (more.kind ?? "button"), { type: "button", onclick, ...more, kind: undefined }, text);

/** @param {number} n @param {string} one @param {string} [many] */
export const count = (n, one, many = one + "s") => `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
