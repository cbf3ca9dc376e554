// @ts-check
/** What the replay has to know of Quoridor. Its moves are those of records: `{color, from, to}`, `{color, wall}`. */

import { createBoard } from "./board.js";
import { decode, inPath, positionCode } from "./qf_code.js";
import { PAWN, play, readName, WALL, wallsLeft } from "./rules.js";
import { positionWords } from "./words.js";

/** @typedef {import("../archive/js/archive-moves.js").Arrow} Arrow */
/** @typedef {{color: 0 | 1, from?: string, to?: string, wall?: string}} Move */

/** @param {Move} move @returns {number} as in rules.js */
export function packed(move) {
  return /** @type {number} */ (readName(move.wall || move.to || ""));
}

/** @param {Arrow[]} arrows moves by their names @returns {{move: number, share: number}[]} as boards of Quoridor show them */
export function hintsOf(arrows) {
  return arrows.map(({ move, weight }) => ({ move: readName(move) || 0, share: weight }));
}

/** @type {import("../archive/js/replay.js").Kit} */
export const quoridor = {
  start(root) {
    const { state } = decode(root.dataset.start || "");
    if (!state) throw new Error("the page names no position to start from");
    return state.position;
  },
  board(host, { flip, hands }) {
    const board = createBoard(host, { labels: true, flip });
    return {
      ...board,
      hands: hands || [],
      /** @param {Arrow[]} list */
      arrows: (list) => board.hints(hintsOf(list)),
    };
  },
  play: (position, move) => play(position, packed(move)),
  takeBack(position, move) {
    position.turn = move.color;
    if (move.wall) position.walls[packed(move) - WALL] = 0;
    else position.pawns[move.color] = packed({ ...move, to: move.from }) - PAWN;
  },
  show(host, board, { position, move, label }) {
    host.dataset.code = positionCode(position);
    board.show({ position, last: move ? packed(move) : null, label });
    /** @type {HTMLElement[]} */ (board.hands).forEach((hand, color) => showWalls(hand, wallsLeft(position, color)));
  },
  code: (position) => inPath(positionCode(position)),
  texts: (position) => ({ "qf-code": positionCode(position) }),
  words: positionWords,
};

/** The walls in a side's hand, as the server has drawn them. @param {HTMLElement} hand @param {number} left */
function showWalls(hand, left) {
  const count = /** @type {HTMLElement} */ (hand.querySelector(".qf-count"));
  const words = count.title.replace(/\d+/, String(left));
  if (count.title === words) return;
  count.title = words;
  /** @type {HTMLElement} */ (count.firstElementChild).textContent = String(left);
  /** @type {HTMLElement} */ (count.lastElementChild).textContent = words;
  hand.querySelectorAll(".qf-walls rect").forEach((bar, number) => bar.classList.toggle("qf-gone", number >= left));
}
