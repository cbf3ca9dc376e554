// @ts-check
/** Where a record starts: JKF's presets and start positions; the counterpart of kifu_core/shogi/handicaps.py. */

import { fromSfen, KINDS, square } from "./position.js";

/** @typedef {import("./position.js").Position} Position */

/**
 * @typedef {object} Initial
 * @property {string} preset
 * @property {{color: 0 | 1, board: {color?: 0 | 1, kind?: string}[][], hands: Record<string, number>[]}} [data]
 */

const REST = "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
const HANDICAPS = /** @type {Record<string, string>} */ ({
  KY: "lnsgkgsn1/1r5b1", KY_R: "1nsgkgsnl/1r5b1", KA: "lnsgkgsnl/1r7", HI: "lnsgkgsnl/7b1",
  HIKY: "lnsgkgsn1/7b1", 2: "lnsgkgsnl/9", 3: "lnsgkgsn1/9", 4: "1nsgkgsn1/9", 5: "2sgkgsn1/9",
  "5_L": "1nsgkgs2/9", 6: "2sgkgs2/9", "7_L": "2sgkg3/9", "7_R": "3gkgs2/9", 8: "3gkg3/9", 10: "4k4/9",
});

/** @param {Initial | undefined} initial @returns {Position} */
export function startPosition(initial) {
  if (initial?.data) return fromData(initial.data);
  const handicap = initial && HANDICAPS[initial.preset];
  return fromSfen(handicap ? `${handicap}${REST} w -` : `lnsgkgsnl/1r5b1${REST} b -`);
}

/** @param {NonNullable<Initial["data"]>} data @returns {Position} */
function fromData(data) {
  const position = fromSfen("9/9/9/9/9/9/9/9/9 b -");
  position.turn = data.color;
  data.board.forEach((file, index) => file.forEach((cell, rank) => {
    if (!cell.kind) return;
    const kind = KINDS.indexOf(cell.kind);
    position.board[square({ x: index + 1, y: rank + 1 })] = cell.color ? -kind : kind;
  }));
  data.hands.forEach((hand, color) => {
    for (const [kind, count] of Object.entries(hand)) position.hands[color][KINDS.indexOf(kind)] = count;
  });
  return position;
}
