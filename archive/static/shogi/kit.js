// @ts-check
/** What the replay has to know of shogi. */

import { createBoard } from "./board.js";
import { encode } from "./shogi64.js";
import { fromSfen, play, square, takeBack, toSfen } from "./position.js";
import { positionWords } from "./wording.js";

/** @type {import("../archive/js/replay.js").Kit} */
export const shogi = {
  start: (root) => fromSfen(root.dataset.start || ""),
  board: createBoard,
  play,
  takeBack,
  show(host, board, { position, played, move, label }) {
    host.dataset.sfen = toSfen(position, played + 1);
    board.show({ position, from: move?.from ? square(move.from) : null, to: move ? square(move.to) : null, label });
  },
  code: encode,
  texts: (position, played) => ({ sfen: toSfen(position, played + 1), shogi64: encode(position) || "" }),
  words: positionWords,
};
