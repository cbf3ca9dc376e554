// @ts-check
/**
 * qf_code, strictly: a position ("state"), a list of moves ("record"), or both, as base64 characters.
 * The counterpart of kifu_core/quoridor/qf_code.py: same values, same names of errors, same order of checks.
 */

import { copy, fault, hasPaths, hasRoom, initial, name, PAWN, play, same, VERTICAL, WALL, WALLS_EACH } from "./rules.js";

/** @typedef {import("./rules.js").Position} Position */

/**
 * @typedef {object} State a position with what a code knows of the way there
 * @property {Position} position nobody changes it
 * @property {number | null} lastWall the place of the wall that was placed last, null if a pawn moved
 * @property {number} turnNumber
 */

/**
 * @typedef {object} Code
 * @property {State | null} state null where the moves begin at the start of the game
 * @property {number[] | null} moves as in rules.js; null where the code has no record
 * @property {Note[]} [notes] what is odd about it
 */

/** @typedef {{code: string, ply?: number, params?: Record<string, number | string>}} Note */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LONGEST = 712;
const MOST = 1023;
const DIRECTIONS = [[0, 1], [1, 1], [1, 0], [1, -1], [0, -1], [-1, -1], [-1, 0], [-1, 1]];
const BLANK = /[ \t-\r]+/g;
const STRANGE = /[^A-Za-z0-9+/]/u;
/** Owner, orientation and name of the four lists of walls. @type {[number, number, string][]} */
const LISTS = [[0, 0, "white_h"], [0, VERTICAL, "white_v"], [1, 0, "black_h"], [1, VERTICAL, "black_v"]];

/** An error in a code; `code` is the format's name of the fault, `params` are the parameters of its message. */
export class QfCodeError extends Error {
  /** @param {string} code @param {{ply?: number, column?: number, [param: string]: number | string | undefined}} [where] */
  constructor(code, { ply, column, ...params } = {}) {
    super(code);
    this.name = "QfCodeError";
    this.code = code;
    this.ply = ply;
    this.column = column;
    this.params = params;
  }
}

/** @returns {State} */
export function startState() {
  return { position: initial(), lastWall: null, turnNumber: 1 };
}

// --- decoding -----------------------------------------------------------------------------------------------

class Bits {
  /** @param {string} code */
  constructor(code) {
    this.digits = Array.from(code, (one) => ALPHABET.indexOf(one).toString(2).padStart(6, "0")).join("");
    this.place = 0;
  }

  /** @param {number} width @param {string} field name of the field @param {number} [ply] @returns {number} */
  number(width, field, ply) {
    const end = this.place + width;
    if (end > this.digits.length) {
      this.place = end;
      throw new QfCodeError("truncated", { ply, field });
    }
    const digits = this.digits.slice(this.place, end);
    this.place = end;
    return parseInt(digits, 2);
  }

  /** Only zeros may be left, fewer than a character. */
  finish() {
    const rest = this.digits.slice(this.place);
    this.place += 6;
    if (rest.length >= 6) throw new QfCodeError("trailing-chars", { count: Math.floor(rest.length / 6) });
    if (rest.includes("1")) throw new QfCodeError("nonzero-padding");
  }

  /** @returns {number} the number of the character that was read last, from 1 */
  character() {
    return Math.floor(Math.min(Math.max(this.place - 1, 0), this.digits.length - 1) / 6) + 1;
  }
}

/** @param {string} text @returns {string} without white space and `=` at the end: they are no part of a pasted code */
function clean(text) {
  return text.replace(BLANK, "").replace(/=+$/, "");
}

/** @param {string} text @returns {{code: string, dropped: number}} the code without foreign characters, and their number without white space */
export function dropStrange(text) {
  const pasted = Array.from(clean(text));
  const plain = pasted.filter((one) => !STRANGE.test(one));
  return { code: plain.join(""), dropped: pasted.length - plain.length };
}

/** @param {string} text @returns {Code} throws QfCodeError for everything that is not strictly a code */
export function decode(text) {
  const code = clean(text);
  if (!code) throw new QfCodeError("empty");
  if (code.length > LONGEST) throw new QfCodeError("too-long", { length: code.length });
  const strange = STRANGE.exec(code);
  if (strange) throw new QfCodeError("bad-char", { column: text.indexOf(strange[0]) + 1, char: strange[0] });
  const bits = new Bits(code);
  try {
    return read(bits);
  } catch (error) {
    if (error instanceof QfCodeError) error.column = columnOf(text, bits.character());
    throw error;
  }
}

/** @param {string} text @param {number} number @returns {number} the place of a character of the code in the pasted text */
function columnOf(text, number) {
  const places = [];
  for (let at = 0; at < text.length; at++) if (!/[ \t-\r]/.test(text[at])) places.push(at + 1);
  return places[number - 1];
}

/** @param {Bits} bits @returns {Code} */
function read(bits) {
  const [hasState, hasRecord] = [bits.number(1, "flags"), bits.number(1, "flags")];
  if (!hasState && !hasRecord) throw new QfCodeError("no-content");
  /** @type {Note[]} */
  const notes = [];
  const state = hasState ? readState(bits, notes) : null;
  const moves = hasRecord ? readRecord(bits, copy((state || startState()).position), notes) : null;
  bits.finish();
  if (isStartSnapshot({ state, moves })) notes.splice(0, notes.length, { code: "start-snapshot" });
  return { state, moves, notes };
}

/** @param {Bits} bits @param {Note[]} notes @returns {State} */
function readState(bits, notes) {
  const pawns = /** @type {[number, number]} */ (["white", "black"].map((field) => bits.number(7, field)));
  const position = { ...initial(), pawns };
  checkPawns(position.pawns);
  const lists = LISTS.map(([, , field]) => Array.from({ length: bits.number(4, field) }, () => bits.number(6, field)));
  for (const color of [0, 1]) checkCount(lists[2 * color].length + lists[2 * color + 1].length);
  lists.forEach((places, list) => places.forEach((place) => lay(position, LISTS[list][0], LISTS[list][1] + place)));
  const by = bits.number(1, "last_move");
  const lastWall = bits.number(1, "last_move") ? bits.number(6, "last_move") : null;
  if (lastWall !== null) checkLastWall(position, by, lastWall);
  position.turn = by ? 0 : 1;
  const turnNumber = bits.number(10, "turn_number");
  if (lists.some((places) => places.some((place, at) => at && place < places[at - 1]))) notes.push({ code: "unsorted" });
  if (turnNumber % 2 === position.turn) notes.push({ code: "parity", params: { number: turnNumber } });
  if (!hasPaths(position)) notes.push({ code: "no-path", ply: 0 });
  return { position, lastWall, turnNumber };
}

/** @param {number[]} pawns */
function checkPawns(pawns) {
  const outside = pawns.find((square) => square > 80);
  if (outside !== undefined) throw new QfCodeError("pawn-range", { square: outside });
  if (pawns[0] === pawns[1]) throw new QfCodeError("pawn-overlap");
}

/** @param {number} count the walls of a side */
function checkCount(count) {
  if (count > WALLS_EACH) throw new QfCodeError("wall-count", { count });
}

/** @param {Position} position @param {number} owner @param {number} number a place, `+ VERTICAL` */
function lay(position, owner, number) {
  if (!hasRoom(position, WALL + number)) throw new QfCodeError("wall-conflict", { move: name(WALL + number) });
  position.walls[number] = owner + 1;
}

/** @param {Position} position @param {number} owner @param {number} place */
function checkLastWall({ walls }, owner, place) {
  if (walls[place] === owner + 1 || walls[VERTICAL + place] === owner + 1) return;
  throw new QfCodeError("last-move-wall", { place: name(WALL + place).slice(0, 2) });
}

/** @param {Bits} bits @param {Position} position @param {Note[]} notes @returns {number[]} */
function readRecord(bits, position, notes) {
  const moves = [];
  const plies = bits.number(10, "plies");
  for (let ply = 1; ply <= plies; ply++) {
    const next = (/** @type {number} */ width) => bits.number(width, "move", ply);
    const move = next(1) ? WALL + next(7) : landing(position, next(3), ply);
    const broken = fault(position, move);
    if (isFault(broken)) throw new QfCodeError(broken, { ply, move: name(move) });
    if (broken && !notes.some((note) => note.code === broken)) notes.push({ code: broken, ply });
    play(position, move);
    moves.push(move);
  }
  return moves;
}

/** @param {ReturnType<typeof fault>} broken @returns {broken is "illegal-move" | "wall-conflict" | "wall-count"} */
function isFault(broken) {
  return broken !== null && broken !== "no-path" && broken !== "after-win";
}

/** @param {Position} position @param {number} direction @param {number} ply @returns {number} a step, or the jump that shares its number */
function landing({ pawns, turn }, direction, ply) {
  const [right, up] = DIRECTIONS[direction];
  let [x, y] = [pawns[turn] % 9 + right, Math.floor(pawns[turn] / 9) + up];
  if (x >= 0 && x <= 8 && 9 * y + x === pawns[1 - turn]) {
    if (direction % 2) throw new QfCodeError("pawn-overlap", { ply });
    [x, y] = [x + right, y + up];
  }
  if (x < 0 || x > 8 || y < 0 || y > 8) throw new QfCodeError("off-board", { ply });
  return PAWN + 9 * y + x;
}

// --- encoding -----------------------------------------------------------------------------------------------

/** @param {Code} code @returns {string} with ascending lists of walls; throws QfCodeError for a state that no code can hold */
export function encode({ state, moves }) {
  if (!state && !moves) throw new QfCodeError("no-content");
  let digits = (state ? "1" : "0") + (moves ? "1" : "0");
  if (state) digits += stateDigits(state);
  if (moves) digits += recordDigits(copy((state || startState()).position), moves);
  let code = "";
  for (let at = 0; at < digits.length; at += 6) {
    code += ALPHABET[parseInt(digits.slice(at, at + 6).padEnd(6, "0"), 2)];
  }
  return code;
}

/** @param {number} number @param {number} width @returns {string} */
function binary(number, width) {
  return number.toString(2).padStart(width, "0");
}

/** @param {State} state @returns {string} */
function stateDigits({ position, lastWall, turnNumber }) {
  checkPawns(position.pawns);
  if (turnNumber < 0 || turnNumber > MOST) throw new QfCodeError("turn-range", { number: turnNumber });
  if (lastWall !== null) checkLastWall(position, 1 - position.turn, lastWall);
  const board = { ...position, walls: new Uint8Array(128) };
  const parts = position.pawns.map((square) => binary(square, 7));
  for (const color of [0, 1]) checkCount(position.walls.filter((owner) => owner === color + 1).length);
  for (const [owner, lying] of LISTS) {
    const places = Array.from({ length: 64 }, (_, place) => place)
      .filter((place) => position.walls[lying + place] === owner + 1);
    for (const place of places) lay(board, owner, lying + place);
    parts.push(binary(places.length, 4), ...places.map((place) => binary(place, 6)));
  }
  parts.push(position.turn ? "0" : "1", lastWall === null ? "0" : `1${binary(lastWall, 6)}`, binary(turnNumber, 10));
  return parts.join("");
}

/** @param {Position} position is played on @param {number[]} moves @returns {string} */
function recordDigits(position, moves) {
  if (moves.length > MOST) throw new QfCodeError("too-many-plies", { count: moves.length, limit: MOST });
  const parts = [binary(moves.length, 10)];
  moves.forEach((move, index) => {
    const broken = fault(position, move);
    if (isFault(broken)) throw new QfCodeError(broken, { ply: index + 1, move: name(move) });
    parts.push(move & PAWN ? binary(directionOf(position, move), 4) : `1${binary(move - WALL, 7)}`);
    play(position, move);
  });
  return parts.join("");
}

/** @param {Position} position @param {number} move @returns {number} */
function directionOf({ pawns, turn }, move) {
  const to = move - PAWN;
  const right = Math.sign(to % 9 - pawns[turn] % 9);
  const up = Math.sign(Math.floor(to / 9) - Math.floor(pawns[turn] / 9));
  return DIRECTIONS.findIndex(([x, y]) => x === right && y === up);
}

// --- forms --------------------------------------------------------------------------------------------------

/** @param {Code} code @returns {boolean} whether it is the code of the free board of 2014 for the start */
function isStartSnapshot({ state, moves }) {
  return Boolean(state) && !moves && state?.lastWall === null && state.turnNumber === 1 &&
    same(state.position, { ...initial(), turn: 1 });
}

/** @param {Code} code @returns {boolean} whether it begins at the start of a game and so needs no state */
export function beginsAtStart({ state }) {
  return !state || (state.lastWall === null && state.turnNumber === 1 && same(state.position, initial()));
}

/** @param {Code} code @returns {State} where it begins; a snapshot of the start has White to move */
export function startOf(code) {
  return code.state && !isStartSnapshot(code) ? code.state : startState();
}

/** @param {Position} position @returns {string} its code as it looks: without last move and turn number */
export function positionCode(position) {
  return encode({ state: { position, lastWall: null, turnNumber: 0 }, moves: null });
}

/** @param {string} code @returns {string} as in paths of addresses */
export function inPath(code) {
  return code.replaceAll("+", "-").replaceAll("/", "_");
}
