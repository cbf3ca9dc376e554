// @ts-check
/** The list of the page's keys, opened by its button and by the question mark. */

export function startKeys() {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.keys"));
  if (!dialog) return;
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("button.show-keys")) dialog.showModal();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    dialog.showModal();
  });
}

/** @returns {boolean} whether the keys are not the page's, since a dialog lies over it */
export function isCovered() {
  return Boolean(document.querySelector("dialog[open]"));
}
