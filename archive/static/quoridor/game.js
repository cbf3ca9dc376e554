// @ts-check
/**
 * What a viewer or free board holds: where a game starts, its moves, the one that is shown, a recording.
 * Values, never changed: every action makes a new one, so that it can be undone.
 */

import { beginsAtStart, decode, dropStrange, encode, startOf, startState } from "./qf_code.js";
import { copy, PAWN, play, VERTICAL, WALL } from "./rules.js";

/** @typedef {import("./qf_code.js").State} State */

/**
 * @typedef {object} Game
 * @property {State} start
 * @property {number[]} moves played or loaded
 * @property {number} at how many of them are shown
 * @property {number | null} recordedFrom where a recording began
 */

/** @returns {Game} */
export function newGame() {
  return { start: startState(), moves: [], at: 0, recordedFrom: null };
}

/** @param {Game} game @param {number} [at] @returns {State} the position after a number of moves, with the state of its code */
export function stateAt(game, at = game.at) {
  const position = copy(game.start.position);
  for (const move of game.moves.slice(0, at)) play(position, move);
  const last = at ? game.moves[at - 1] : null;
  const lastWall = last === null ? game.start.lastWall : last & PAWN ? null : last & 63;
  return { position, lastWall, turnNumber: game.start.turnNumber + at };
}

/** @param {Game} game @returns {number | null} the move that led to the shown position, null if unknown */
export function lastMove(game) {
  if (game.at) return game.moves[game.at - 1];
  const { position, lastWall, turnNumber } = game.start;
  if (lastWall !== null) return WALL + lastWall + (position.walls[VERTICAL + lastWall] ? VERTICAL : 0);
  // A state cannot say that nothing was played; only its turn number can.
  return turnNumber > 1 ? PAWN + position.pawns[1 - position.turn] : null;
}

/** A new move cuts off what followed. @param {Game} game @param {number} move @returns {Game} */
export function playOn(game, move) {
  return { ...game, moves: [...game.moves.slice(0, game.at), move], at: game.at + 1 };
}

/** @param {Game} game @returns {boolean} */
export function canGoBack(game) {
  return game.at > 0 && game.recordedFrom === null;
}

/** @param {Game} game @returns {boolean} */
export function canGoOn(game) {
  return game.at < game.moves.length;
}

/** @param {Game} game @returns {string} the shown position as a code; throws QfCodeError where there is none */
export function snapshot(game) {
  return encode({ state: stateAt(game), moves: null });
}

/** @param {Game} game @returns {string} the recorded moves; without a state if they begin at the start */
export function recording(game) {
  const from = game.recordedFrom ?? 0;
  return codeOf(stateAt(game, from), game.moves.slice(from, game.at));
}

/** @param {Game} game @returns {string} its start with all its moves, or where it has none the position */
export function wholeCode(game) {
  return game.moves.length ? codeOf(game.start, game.moves) : encode({ state: game.start, moves: null });
}

/** @param {State} state @param {number[]} moves @returns {string} */
function codeOf(state, moves) {
  return encode({ state: beginsAtStart({ state, moves }) ? null : state, moves });
}

/** @param {string} text @returns {{game: Game, hasRecord: boolean, notes: import("./qf_code.js").Note[]}} throws QfCodeError */
export function load(text) {
  const code = decode(text);
  const game = { start: startOf(code), moves: code.moves || [], at: 0, recordedFrom: null };
  return { game, hasRecord: code.moves !== null, notes: code.notes || [] };
}

/**
 * As `load`, of the code in the address of a free board too, and without characters that no code has. A turn
 * number of 0 stands for none, as in the addresses of positions: it disagrees with nobody's turn.
 * @param {string} text
 */
export function loadPasted(text) {
  const address = /^\s*https?:\S*[?&](code=[^&#\s]+)/.exec(text);
  const written = address && new URLSearchParams(address[1]).get("code")?.replaceAll(" ", "+");
  const { code, dropped } = dropStrange(written || text);
  const loaded = load(code);
  const notes = loaded.notes.filter((note) => note.code !== "parity" || loaded.game.start.turnNumber);
  return { ...loaded, notes, dropped };
}
