// @ts-check
/** Choices of a visitor, stored in the browser. Browsers without storage throw; then a choice lasts for the page. */

/** @param {string} name @returns {string | null} */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Nothing is lost but the choice itself.
  }
}
