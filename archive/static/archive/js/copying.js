// @ts-check
/** Text to the clipboard, also where browsers lock the clipboard away: pages that came without encryption. */

/** @param {string} text @returns {Promise<void>} */
export async function copyText(text) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copyBySelection(text);
}

/** @param {string} text */
function copyBySelection(text) {
  const field = document.createElement("textarea");
  field.className = "visually-hidden";
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/**
 * Says on the button that it is done, for a moment.
 * @param {HTMLButtonElement} button its `data-done` has the word
 */
export function sayDone(button) {
  const before = button.textContent;
  button.textContent = button.dataset.done || "";
  button.disabled = true;
  setTimeout(() => {
    button.textContent = before;
    button.disabled = false;
  }, 1500);
}
