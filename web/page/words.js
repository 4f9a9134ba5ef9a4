// @ts-check
/** Where it is kept that a person has put the page's words away: "off". */
export const WORDS = "tabernetes/words";
