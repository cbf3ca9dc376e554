// @ts-check
/**
 * Circles and arrows drawn on a board: with the right mouse button, or with any pointer while drawing is switched on.
 * A tap makes a circle, a drag an arrow; the same shape again removes it.
 */

/** With a key held, the right button draws in another colour than the chosen one. */
const WITH_KEY = /** @type {const} */ ([["shiftKey", "R"], ["altKey", "B"], ["ctrlKey", "Y"]]);

/**
 * @param {HTMLElement} area around the board, on which pieces are moved
 * @param {import("./board.js").Board} board
 * @param {{isOn: () => boolean, brush: () => string, shapes: () => string[], preview: (shapes: string[]) => void,
 *   changed: (shapes: string[]) => void}} drawing
 */
export function drawShapes(area, board, { isOn, brush, shapes, preview, changed }) {
  /** @type {{from: number, to: number, id: number, brush: string} | null} */
  let drawn = null;
  /** Whether the click that a browser makes of the end of a drawing is still to come. */
  let ended = false;
  const stop = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  area.addEventListener("pointerdown", (event) => {
    const at = event.button === 2 || (isOn() && event.button === 0) ? board.squareAt(event) : null;
    if (at === null || !(event.target instanceof Element) || !event.target.closest("svg.board")) return;
    stop(event);
    ended = false;
    const key = event.button === 2 && WITH_KEY.find(([name]) => event[name]);
    drawn = { from: at, to: at, id: event.pointerId, brush: key ? key[1] : brush() };
    area.setPointerCapture(event.pointerId);
  }, { capture: true });
  area.addEventListener("pointermove", (event) => {
    if (drawn?.id !== event.pointerId) return;
    stop(event);
    const at = board.squareAt(event);
    if (at === null || at === drawn.to) return;
    drawn.to = at;
    preview([...shapes(), shapeOf(drawn)]);
  }, { capture: true });
  area.addEventListener("pointerup", (event) => {
    if (drawn?.id !== event.pointerId) return;
    stop(event);
    changed(toggled(shapes(), shapeOf(drawn)));
    drawn = null;
    ended = true;
  }, { capture: true });
  area.addEventListener("pointercancel", () => {
    if (drawn) preview(shapes());
    drawn = null;
  });
  area.addEventListener("touchmove", (event) => {
    if (drawn && event.cancelable) event.preventDefault();
  }, { passive: false, capture: true });
  area.addEventListener("click", (event) => {
    // The area has captured the pointer, so the click is on the area, not on the board.
    const late = ended;
    ended = false;
    if (late || (isOn() && event.target instanceof Element && event.target.closest("svg.board"))) stop(event);
  }, { capture: true });
  area.addEventListener("contextmenu", (event) => {
    if (event.target instanceof Element && event.target.closest("svg.board")) event.preventDefault();
  });
}

/** @param {{from: number, to: number, brush: string}} drawn @returns {string} */
function shapeOf({ from, to, brush }) {
  const name = (/** @type {number} */ at) => `${9 - (at % 9)}${"abcdefghi"[Math.floor(at / 9)]}`;
  return brush + name(from) + (from === to ? "" : name(to));
}

/** @param {string[]} shapes @param {string} shape @returns {string[]} with the shape, or without it where it was there */
export function toggled(shapes, shape) {
  const others = shapes.filter((one) => one.slice(1) !== shape.slice(1));
  return shapes.includes(shape) ? others : [...others, shape];
}
