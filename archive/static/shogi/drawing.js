// @ts-check
/** The conditions of a pattern on squares, drawn on a board. */

import { CELL, corner, make, pictureOf, pictureOfAny } from "./board.js";
import { ANYTHING, namesOf, pieceOf } from "./pattern.js";

/** The most pieces of a set that are drawn in one square; dots stand for more. */
const DRAWN = 4;
/** The size of one of several. */
const SHARED = 0.52;

/**
 * @param {SVGElement} layer of a board that has own pieces below; what was drawn in it is replaced
 * @param {Map<number, number>} squares with what they may hold
 */
export function drawSquares(layer, squares) {
  layer.replaceChildren(...[...squares].filter(([, allowed]) => allowed !== ANYTHING)
    .map(([at, allowed]) => drawSquare(at, allowed)));
}

/** @param {number} at @param {number} allowed @returns {SVGElement} as kifu_core/shogi/draw.py does */
function drawSquare(at, allowed) {
  const [left, top] = corner(at, false);
  const [x, y] = [left + CELL.width / 2, top + CELL.height / 2];
  const { negated, names } = namesOf(allowed);
  const group = make("g", { class: "asked" });
  const drawn = names.slice(0, DRAWN);
  drawn.forEach((name, index) => {
    const side = drawn.length === 1 ? CELL.height : CELL.height * SHARED;
    const right = drawn.length === 1 ? 0 : index % 2 ? 15 : -15;
    const down = drawn.length < 3 ? 0 : index > 1 ? 16 : -16;
    const picture = pictureOfName(name);
    const place = { x: x + right - side / 2, y: y + down - side / 2, width: side, height: side };
    for (const [key, value] of Object.entries(place)) picture.setAttribute(key, String(value));
    group.append(picture);
  });
  if (names.length > drawn.length) {
    const more = make("text", { class: "more", x, y: y + 8 });
    more.textContent = "…";
    group.append(more);
  }
  if (negated) group.append(make("path", { class: "not", d: `M${x - 24} ${y + 26}l48 -52` }));
  return group;
}

/** @param {string} name of the allowed content of a square @returns {SVGElement} */
export function pictureOfName(name) {
  if (name === "-") return pictureOfNothing();
  const piece = pieceOf(name);
  return piece ? pictureOf(piece, false) : pictureOfAny(name === "x");
}

/** @returns {SVGElement} an empty square */
function pictureOfNothing() {
  const svg = make("svg", { viewBox: `0 0 ${CELL.height} ${CELL.height}`, "aria-hidden": "true" });
  const middle = CELL.height / 2;
  svg.append(make("path", { class: "empty", d: `M${middle - 11} ${middle - 11}l22 22m0 -22l-22 22` }));
  return svg;
}
