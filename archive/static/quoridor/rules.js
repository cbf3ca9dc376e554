// @ts-check
/**
 * Quoridor's rules: positions, legal moves, paths, the win. The counterpart of kifu_core/quoridor/rules.py;
 * tests compare the two. Squares are 0..80 (`9 * y + x` from a1), wall places 0..63 (`8 * y + x`).
 * A move is `PAWN` + the square a pawn goes to, or `WALL` + the place of a wall, `+ VERTICAL` for an upright one.
 */

export const PAWN = 256;
export const WALL = 128;
export const VERTICAL = 64;
export const WALLS_EACH = 10;

/**
 * @typedef {object} Position
 * @property {[number, number]} pawns the squares of White's and Black's pawn
 * @property {Uint8Array} walls by place, upright ones at `VERTICAL` + place: 0 none, 1 White's, 2 Black's
 * @property {0 | 1} turn who moves: 0 White, 1 Black
 */

const STEPS = [9, 1, -9, -1];
const LETTERS = "abcdefghi";
const NAME = /^([a-i])([1-9])$|^([a-h])([1-8])([hv])$/;
const NOWHERE = 255;

/** For every square, the directions (1 up, 2 right, 4 down, 8 left) that stay on the board. */
const INSIDE = Uint8Array.from({ length: 81 }, (_, square) =>
  (square < 72 ? 1 : 0) | (square % 9 < 8 ? 2 : 0) | (square > 8 ? 4 : 0) | (square % 9 ? 8 : 0));

/** @returns {Position} White to move, no walls */
export function initial() {
  return { pawns: [4, 76], walls: new Uint8Array(128), turn: 0 };
}

/** @param {Position} position @returns {Position} */
export function copy({ pawns, walls, turn }) {
  return { pawns: [...pawns], walls: walls.slice(), turn };
}

/** @param {Position} one @param {Position} other @returns {boolean} */
export function same(one, other) {
  return one.turn === other.turn && one.pawns.every((square, color) => square === other.pawns[color]) &&
    one.walls.every((owner, number) => owner === other.walls[number]);
}

/** @param {Position} position @param {number} color @returns {number} the walls in hand */
export function wallsLeft({ walls }, color) {
  let placed = 0;
  for (const owner of walls) placed += owner === color + 1 ? 1 : 0;
  return WALLS_EACH - placed;
}

/** @param {Position} position @returns {0 | 1 | null} whose pawn is at its goal; of two, the one that moved last */
export function winner({ pawns, turn }) {
  const home = [pawns[0] > 71, pawns[1] < 9];
  if (home[1 - turn]) return turn ? 0 : 1;
  return home[turn] ? turn : null;
}

/** @param {number} move @returns {string} such as e2, e3h, e3v */
export function name(move) {
  if (move & PAWN) return LETTERS[(move - PAWN) % 9] + (Math.floor((move - PAWN) / 9) + 1);
  return LETTERS[move & 7] + (((move & 63) >> 3) + 1) + (move & VERTICAL ? "v" : "h");
}

/** @param {string} text @returns {number | null} the move of a name */
export function readName(text) {
  const match = NAME.exec(text);
  if (!match) return null;
  if (match[1]) return PAWN + 9 * (Number(match[2]) - 1) + LETTERS.indexOf(match[1]);
  return WALL + (match[5] === "v" ? VERTICAL : 0) + 8 * (Number(match[4]) - 1) + LETTERS.indexOf(match[3]);
}

/** Changes the position; legality is not looked at. @param {Position} position @param {number} move */
export function play(position, move) {
  if (move & PAWN) position.pawns[position.turn] = move - PAWN;
  else position.walls[move - WALL] = position.turn + 1;
  position.turn = position.turn ? 0 : 1;
}

// --- passages and paths -------------------------------------------------------------------------------------

/** @param {Position} position @returns {Uint8Array} by square, the directions without a wall */
function passages({ walls }) {
  const open = INSIDE.slice();
  for (let number = 0; number < 128; number++) if (walls[number]) close(open, number);
  return open;
}

/** @param {Uint8Array} open @param {number} number a wall's place, `+ VERTICAL` */
function close(open, number) {
  const at = 9 * ((number & 63) >> 3) + (number & 7);
  const upright = number & VERTICAL;
  const [first, second, ahead, back] = upright ? [at, at + 9, 2, 8] : [at, at + 1, 1, 4];
  const across = upright ? 1 : 9;
  for (const square of [first, second]) {
    open[square] &= ~ahead;
    open[square + across] &= ~back;
  }
}

const waiting = new Uint8Array(81);
const steps = new Uint8Array(81);

/**
 * @param {Uint8Array} open
 * @param {number} from
 * @param {number} color
 * @returns {number | null} the steps to the goal, pawns being no obstacles; null without a way
 */
function way(open, from, color) {
  steps.fill(NOWHERE);
  steps[from] = 0;
  waiting[0] = from;
  for (let next = 0, end = 1; next < end; next++) {
    const at = waiting[next];
    if (color ? at < 9 : at > 71) return steps[at];
    for (let direction = 0; direction < 4; direction++) {
      const to = at + STEPS[direction];
      if (!(open[at] >> direction & 1) || steps[to] !== NOWHERE) continue;
      steps[to] = steps[at] + 1;
      waiting[end++] = to;
    }
  }
  return null;
}

/** @param {Position} position @param {number} color @returns {number | null} the steps of its shortest way */
export function distance(position, color) {
  return way(passages(position), position.pawns[color], color);
}

/** @param {Position} position @returns {boolean} whether both pawns can still reach their goals */
export function hasPaths(position) {
  return !cutOff(position, passages(position)).length;
}

/** @param {Position} position @param {Uint8Array} open @returns {(0 | 1)[]} the sides without a path */
function cutOff({ pawns }, open) {
  return /** @type {(0 | 1)[]} */ ([0, 1]).filter((color) => way(open, pawns[color], color) === null);
}

/** @param {Position} position @param {number} wall @returns {(0 | 1)[]} the sides whose last path the wall would close */
export function cutOffBy(position, wall) {
  const open = passages(position);
  close(open, wall - WALL);
  return cutOff(position, open);
}

// --- moves --------------------------------------------------------------------------------------------------

/** @param {Position} position @returns {number[]} the moves of the pawn whose turn it is */
export function pawnMoves(position) {
  const open = passages(position);
  const at = position.pawns[position.turn];
  const other = position.pawns[1 - position.turn];
  const moves = [];
  for (let direction = 0; direction < 4; direction++) {
    if (!(open[at] >> direction & 1)) continue;
    const to = at + STEPS[direction];
    if (to !== other) moves.push(PAWN + to);
    else if (open[other] >> direction & 1) moves.push(PAWN + other + STEPS[direction]);
    else {
      const sides = [(direction + 1) & 3, (direction + 3) & 3].filter((side) => open[other] >> side & 1);
      moves.push(...sides.map((side) => PAWN + other + STEPS[side]));
    }
  }
  return moves;
}

/** @param {Position} position @param {number} wall @returns {boolean} whether it crosses and overlaps no other */
export function hasRoom({ walls }, wall) {
  const number = wall - WALL;
  const upright = number & VERTICAL;
  const along = upright ? (number & 63) >> 3 : number & 7;
  const step = upright ? 8 : 1;
  return !walls[number] && !walls[number ^ VERTICAL] && !(along && walls[number - step]) &&
    !(along < 7 && walls[number + step]);
}

/** @param {Position} position @returns {number[]} the legal walls: horizontal ones first, each kind ascending */
function wallMoves(position) {
  if (wallsLeft(position, position.turn) <= 0) return [];
  const all = Array.from({ length: 128 }, (_, number) => WALL + number);
  return all.filter((wall) => hasRoom(position, wall) && !cutOffBy(position, wall).length);
}

/** @param {Position} position @returns {number[]} none after a win */
export function legalMoves(position) {
  return winner(position) === null ? [...pawnMoves(position), ...wallMoves(position)] : [];
}

/**
 * The rule that a move breaks, by its name in the format; what makes it impossible comes first.
 * @param {Position} position
 * @param {number} move
 * @returns {"illegal-move" | "wall-conflict" | "wall-count" | "after-win" | "no-path" | null}
 */
export function fault(position, move) {
  if (move & PAWN) {
    if (!pawnMoves(position).includes(move)) return "illegal-move";
  } else if (!hasRoom(position, move)) return "wall-conflict";
  else if (wallsLeft(position, position.turn) <= 0) return "wall-count";
  if (winner(position) !== null) return "after-win";
  return !(move & PAWN) && cutOffBy(position, move).length ? "no-path" : null;
}
