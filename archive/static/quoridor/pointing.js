// @ts-check
/** The move that a point of the board stands for: of the pawn, or the wall of the nearest gap. */

import { FIELD, PITCH } from "./board.js";
import { PAWN, VERTICAL, WALL } from "./rules.js";

/** How far from the middle of a gap it still counts, in units of the board: for a mouse, for a finger. */
const REACH = { fine: 12, coarse: 26 };
/** A finger means a square rather than a gap where it is further from all gaps than this. */
const INSIDE = 13;

/**
 * @param {{x: number, y: number}} point from a1's corner, y upward
 * @param {number[]} targets the moves of the pawn
 * @param {boolean} coarse whether it is a finger's
 * @returns {number | null} a move; a wall may be one that cannot be placed
 */
export function moveAt({ x, y }, targets, coarse) {
  if (Math.min(x, y) < -PITCH / 2 || Math.max(x, y) > FIELD + PITCH / 2) return null;
  const [column, row] = [gapNear(x), gapNear(y)];
  const [across, up] = [Math.abs(x - middleOf(column)), Math.abs(y - middleOf(row))];
  const near = Math.min(across, up);
  const pawn = targets.find((move) => isInside(move - PAWN, x, y));
  if (pawn && (!coarse || near > INSIDE)) return pawn;
  if (near > (coarse ? REACH.coarse : REACH.fine)) return null;
  return WALL + (across < up ? VERTICAL : 0) + 8 * row + column;
}

/** @param {number} gap @returns {number} */
function middleOf(gap) {
  return PITCH * (gap + 1) - 5;
}

/** @param {number} at @returns {number} the gap, 0 to 7, whose middle is nearest */
function gapNear(at) {
  return Math.max(0, Math.min(7, Math.round((at + 5) / PITCH) - 1));
}

/** @param {number} square @param {number} x @param {number} y @returns {boolean} */
function isInside(square, x, y) {
  const [left, below] = [PITCH * (square % 9), PITCH * Math.floor(square / 9)];
  return x >= left && x <= left + 40 && y >= below && y <= below + 40;
}

/**
 * The keyboard's place on the board: a square, or a wall.
 * @param {number} cursor as a move
 * @param {string} key an arrow
 * @param {boolean} flip
 * @returns {number} its neighbour, the same at an edge
 */
export function stepCursor(cursor, key, flip) {
  const [right, up] = /** @type {Record<string, [number, number]>} */ ({
    ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0],
  })[key].map((by) => (flip ? -by : by));
  const size = cursor & PAWN ? 9 : 8;
  const at = cursor & PAWN ? cursor - PAWN : cursor & 63;
  const [x, y] = [(at % size) + right, Math.floor(at / size) + up];
  if (x < 0 || y < 0 || x >= size || y >= size) return cursor;
  return cursor - at + size * y + x;
}

/**
 * The place of another kind that is nearest to the keyboard's.
 * @param {number} cursor
 * @param {string} key p for the pawn, h and v for walls
 * @returns {number}
 */
export function turnCursor(cursor, key) {
  const size = cursor & PAWN ? 9 : 8;
  const at = cursor & PAWN ? cursor - PAWN : cursor & 63;
  const [x, y] = [at % size, Math.floor(at / size)];
  if (key === "p") return PAWN + 9 * y + x;
  return WALL + (key === "v" ? VERTICAL : 0) + 8 * Math.min(7, y) + Math.min(7, x);
}
