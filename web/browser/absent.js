// @ts-check
/**
 * Whether the site of this page was built without a program that pages load, so that they need not ask for it.
 *
 * @param {string} program such as kubectl
 */
export function isAbsent(program) {
  /** @type {HTMLMetaElement | null} */
  const named = document.querySelector('meta[name="absent"]');
  return named !== null && named.content.split(" ").includes(program);
}
