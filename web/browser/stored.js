// @ts-check
/**
 * A browser's storage that can be forbidden or full: nothing here is worth failing for.
 *
 * @param {() => Storage} storage
 */
export const forgiving = (storage) => ({
  /** @param {string} key */
  getItem(key) {
    try {
      return storage().getItem(key);
    } catch {
      return null;
    }
  },
  /** An empty value counts as no value. @param {string} key @param {string} value */
  setItem(key, value) {
    try {
      if (value) storage().setItem(key, value);
      else storage().removeItem(key);
    } catch {
      // then it holds for this visit
    }
  },
});
