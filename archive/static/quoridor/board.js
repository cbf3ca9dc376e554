// @ts-check
/**
 * A board of Quoridor as SVG. It knows no rules: it shows a position, marks, and what would be played.
 * Measures are those of kifu_core/quoridor/draw.py; ten units are one of `data-boardsize`.
 */

import { PAWN, VERTICAL, WALL } from "./rules.js";

/** @typedef {import("./rules.js").Position} Position */

/**
 * @typedef {object} View
 * @property {Position} position
 * @property {number | null} last the move that led here
 * @property {string} label the position in words, for those who do not see it
 */

/**
 * @typedef {object} Board
 * @property {SVGElement} svg
 * @property {(view: View) => void} show
 * @property {(flip: boolean) => void} flip
 * @property {(neutral: boolean) => void} neutral all walls in one colour
 * @property {(targets: number[]) => void} targets squares that a pawn may go to, as moves
 * @property {(moves: {move: number, share: number}[]) => void} hints moves, drawn the stronger the larger their share
 * @property {(move: number | null, legal?: boolean) => void} ghost a move that would be played
 * @property {(move: number | null) => void} cursor where the keyboard is
 * @property {(event: MouseEvent) => {x: number, y: number}} pointAt from a1's corner, y upward, 50 units a square
 */

const SVG = "http://www.w3.org/2000/svg";
export const FIELD = 440;
export const PITCH = 50;
const CELL = 40;
const EDGE = 20;
/** The coordinates are left of the board and below it. */
const LABELS = 16;
const LETTERS = "abcdefghi";
const SQUARES = Array.from({ length: 81 }, (_, square) =>
  `M${PITCH * (square % 9)} ${PITCH * Math.floor(square / 9)}h${CELL}v${CELL}h-${CELL}z`).join("");

/**
 * @param {HTMLElement} host its content is replaced by the board
 * @param {{labels?: boolean, flip?: boolean, neutral?: boolean}} config
 * @returns {Board}
 */
export function createBoard(host, config = {}) {
  const { svg, field, layers, labels } = emptyBoard(Boolean(config.labels));
  let flip = Boolean(config.flip);
  let neutral = Boolean(config.neutral);
  /** @type {View | null} */
  let view = null;
  /** @type {{targets: number[], hints: {move: number, share: number}[], ghost: number | null, legal: boolean, cursor: number | null}} */
  const over = { targets: [], hints: [], ghost: null, legal: true, cursor: null };

  function draw() {
    if (!view) return;
    const { position, last, label } = view;
    svg.setAttribute("aria-label", label);
    layers.marks.replaceChildren(...(last === null ? [] : [shape(last, flip, "qf-last", last & PAWN ? 0 : 4)]));
    const walls = [...position.walls.keys()].filter((number) => position.walls[number]);
    layers.walls.replaceChildren(...walls.map((number) =>
      shape(WALL + number, flip, `qf-wall ${neutral ? "qf-neutral" : side(position.walls[number] - 1)}`)));
    layers.pawns.replaceChildren(...position.pawns.map((square, color) => pawn(square, flip, side(color))));
    drawOver();
  }

  function drawOver() {
    if (!view) return;
    const mover = side(view.position.turn);
    const marks = over.targets.map((move) => dot(move - PAWN, flip, `qf-target ${mover}`));
    marks.push(...over.hints.map(({ move, share }) => hint(move, share, flip)));
    if (over.ghost !== null) {
      const kind = `qf-ghost ${over.legal ? mover : "qf-wrong"}`;
      marks.push(over.ghost & PAWN ? pawn(over.ghost - PAWN, flip, kind) : shape(over.ghost, flip, `qf-wall ${kind}`));
    }
    if (over.cursor !== null) marks.push(shape(over.cursor, flip, "qf-cursor", 3));
    layers.above.replaceChildren(...marks);
  }

  function turn() {
    labels?.replaceChildren(...coordinates(flip));
    draw();
  }

  turn();
  host.replaceChildren(svg);
  return {
    svg,
    show: (next) => {
      view = next;
      draw();
    },
    flip: (next) => {
      flip = next;
      turn();
    },
    neutral: (next) => {
      neutral = next;
      draw();
    },
    targets: (targets) => {
      over.targets = targets;
      drawOver();
    },
    hints: (hints) => {
      over.hints = hints;
      drawOver();
    },
    ghost: (ghost, legal = true) => {
      if (over.ghost === ghost && over.legal === legal) return;
      Object.assign(over, { ghost, legal });
      drawOver();
    },
    cursor: (cursor) => {
      over.cursor = cursor;
      drawOver();
    },
    pointAt: (event) => {
      const matrix = /** @type {SVGGraphicsElement} */ (field).getScreenCTM()?.inverse();
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
      return flip ? { x: FIELD - place.x, y: place.y } : { x: place.x, y: FIELD - place.y };
    },
  };
}

/** @param {boolean} labeled */
function emptyBoard(labeled) {
  const left = EDGE + (labeled ? LABELS : 0);
  const size = FIELD + left + EDGE;
  const svg = make("svg", { viewBox: `0 0 ${size} ${size}`, class: "qf-board", role: "img" });
  svg.append(make("rect", { class: "qf-wood", width: size, height: size, rx: 8 }));
  const field = svg.appendChild(make("g", { transform: `translate(${left} ${EDGE})` }));
  field.append(make("path", { class: "qf-square", d: SQUARES }));
  const layers = Object.fromEntries(["marks", "walls", "pawns", "above"].map((layer) =>
    [layer, field.appendChild(make("g", {}))]));
  // Redrawn while the mouse is down: what is under it must stay what was pressed.
  layers.above.setAttribute("pointer-events", "none");
  return { svg, field, layers, labels: labeled ? field.appendChild(make("g", { class: "qf-labels" })) : null };
}

/** @param {number} color @returns {string} */
function side(color) {
  return color ? "qf-black" : "qf-white";
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @returns {SVGElement}
 */
function make(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/**
 * @param {number} x @param {number} y of the lower left corner, upward @param {number} width @param {number} height
 * @param {boolean} flip
 */
function box(x, y, width, height, flip) {
  return { x: flip ? FIELD - x - width : x, y: flip ? y : FIELD - y - height, width, height };
}

/** @param {number} square @param {boolean} flip */
function cell(square, flip) {
  return box(PITCH * (square % 9), PITCH * Math.floor(square / 9), CELL, CELL, flip);
}

/** The square or the wall of a move. @param {number} move @param {boolean} flip */
function boxOf(move, flip) {
  if (move & PAWN) return cell(move - PAWN, flip);
  const [x, y] = [PITCH * (move & 7), PITCH * ((move & 63) >> 3)];
  return move & VERTICAL ? box(x + CELL, y, 10, 90, flip) : box(x, y + CELL, 90, 10, flip);
}

/**
 * @param {number} move @param {boolean} flip @param {string} kind
 * @param {number} [wider] how far it stands out on every side
 * @returns {SVGElement}
 */
function shape(move, flip, kind, wider = 0) {
  const { x, y, width, height } = boxOf(move, flip);
  return make("rect", {
    class: kind, x: x - wider, y: y - wider, width: width + 2 * wider, height: height + 2 * wider, rx: 3,
  });
}

/** @param {number} square @param {boolean} flip */
function middle(square, flip) {
  const { x, y } = cell(square, flip);
  return { cx: x + CELL / 2, cy: y + CELL / 2 };
}

/** @param {number} square @param {boolean} flip @param {string} kind @returns {SVGElement} */
function pawn(square, flip, kind) {
  return make("circle", { class: `qf-pawn ${kind}`, ...middle(square, flip), r: 16 });
}

/** @param {number} square @param {boolean} flip @param {string} kind @returns {SVGElement} */
function dot(square, flip, kind) {
  return make("circle", { class: kind, ...middle(square, flip), r: 6 });
}

/** @param {number} move @param {number} share @param {boolean} flip @returns {SVGElement} */
function hint(move, share, flip) {
  const opacity = (0.35 + 0.5 * share).toFixed(2);
  if (!(move & PAWN)) return make("rect", { class: "qf-hint", ...boxOf(move, flip), rx: 3, opacity });
  return make("circle", { class: "qf-hint", ...middle(move - PAWN, flip), r: 7 + Math.round(6 * share), opacity });
}

/** @param {boolean} flip @returns {SVGElement[]} a..i below, 1..9 at the left */
function coordinates(flip) {
  return Array.from({ length: 9 }, (_, index) => {
    const at = PITCH * index + CELL / 2;
    const number = flip ? index : 8 - index;
    const letter = text(at, FIELD + 25, LETTERS[flip ? 8 - index : index]);
    return [letter, text(-18, at + 6, String(number + 1))];
  }).flat();
}

/** @param {number} x @param {number} y @param {string} words @returns {SVGElement} */
function text(x, y, words) {
  const element = make("text", { x, y });
  element.textContent = words;
  return element;
}
