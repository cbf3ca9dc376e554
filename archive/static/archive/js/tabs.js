// @ts-check
/** On small screens one part of the page at a time is below the board; the style sheet hides the others. */

/** @param {HTMLElement} root */
export function startTabs(root) {
  const buttons = /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll(".tabs button")]);

  /** @param {string} name */
  function choose(name) {
    root.dataset.tab = name;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.tab === name));
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      choose(button.dataset.tab || "");
      makeRoom(root);
    });
  }
  choose(buttons[0]?.dataset.tab || "");
}

/**
 * A part that would begin at the screen's end, or under the board, which stays, is brought to where the board ends.
 * @param {HTMLElement} root
 */
function makeRoom(root) {
  const stage = root.querySelector(".stage")?.getBoundingClientRect();
  const top = root.getBoundingClientRect().top;
  if (top < 0 || (stage && innerHeight - stage.bottom < innerHeight / 3)) scrollBy(0, top);
}
