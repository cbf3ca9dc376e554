// @ts-check
/** Buttons that are one stop for the Tab key: arrows move between them. */

/** @param {HTMLElement} bar @param {HTMLElement[]} buttons in their order, in rows from top to bottom */
export function rove(bar, buttons) {
  /** @param {HTMLElement} chosen the stop */
  const stop = (chosen) => buttons.forEach((button) => (button.tabIndex = button === chosen ? 0 : -1));
  stop(buttons[0]);
  bar.addEventListener("focusin", (event) => {
    const chosen = buttons.find((button) => button === event.target);
    if (chosen) stop(chosen);
  });
  bar.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const next = neighbour(buttons, buttons.findIndex((button) => button === document.activeElement), event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

/** @param {HTMLElement[]} buttons @param {number} at @param {string} key @returns {HTMLElement | undefined} where a key leads */
function neighbour(buttons, at, key) {
  if (at < 0) return undefined;
  if (key === "Home") return buttons[0];
  if (key === "End") return buttons[buttons.length - 1];
  if (key === "ArrowLeft") return buttons[at - 1];
  if (key === "ArrowRight") return buttons[at + 1];
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const here = middle(buttons[at]);
  const sign = key === "ArrowUp" ? -1 : 1;
  const beyond = buttons.map((button) => ({ button, ...middle(button) })).filter(({ y }) => (y - here.y) * sign > 1);
  const nearest = Math.min(...beyond.map(({ y }) => (y - here.y) * sign));
  const row = beyond.filter(({ y }) => (y - here.y) * sign < nearest + 1);
  return row.sort((one, other) => Math.abs(one.x - here.x) - Math.abs(other.x - here.x))[0]?.button;
}

/** @param {HTMLElement} button @returns {{x: number, y: number}} */
function middle(button) {
  const box = button.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
