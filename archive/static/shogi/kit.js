// @ts-check
/** What the replay has to know of shogi. */

import { createBoard } from "./board.js";
import { encode } from "./shogi64.js";
import { fromSfen, play, square, squareOf, takeBack, toSfen } from "./position.js";
import { positionWords } from "./wording.js";

/** @type {import("../archive/js/replay.js").Kit} */
export const shogi = {
  start: (root) => fromSfen(root.dataset.start || ""),
  board: createBoard,
  play,
  takeBack,
  show(host, board, { position, played, move, label, marked, shapes }) {
    host.dataset.sfen = toSfen(position, played + 1);
    const [from, to] = [move?.from ? square(move.from) : null, move ? square(move.to) : null];
    board.show({ position, from, to, label, marked: marked.map(squareOf), shapes });
  },
  code: encode,
  texts: (position, played) => ({ sfen: toSfen(position, played + 1), shogi64: encode(position) || "" }),
  words: positionWords,
};
