// @ts-check
/** Moves of a normalized record in words; the counterpart of kifu_core/shogi/notation.py. */

import { fill, gettextOf } from "../archive/js/filling.js";
import { LETTERS } from "./board.js";
import { KINDS } from "./position.js";
import { ENDINGS, PHRASES, PIECES, SIDES, TRANSLATIONS } from "./texts.js";

/** @typedef {import("./position.js").Move & {same?: boolean, relative?: string}} Move */

const RELATIVE = /** @type {Record<string, string>} */ ({
  L: "左", C: "直", R: "右", U: "上", M: "寄", D: "引", H: "打",
});
const DIGITS = "０１２３４５６７８９";
const NUMERALS = "〇一二三四五六七八九";
const MARKS = ["▲", "△"];

export const gettext = gettextOf(TRANSLATIONS);

/**
 * @param {Move} move
 * @param {boolean} japanese
 * @param {Move} [before] the move before it
 * @returns {string} with its side's mark
 */
export function moveText(move, japanese, before) {
  return MARKS[move.color] + (japanese ? japaneseMove(move, before) : englishMove(move));
}

/** @param {number} score in hundredths of a pawn @returns {string} with its sign */
export function scoreText(score) {
  return score < 0 ? String(score) : `+${score}`;
}

/** @param {string} special @param {boolean} japanese @returns {string} an ending; unknown ones as they are */
export function endingText(special, japanese) {
  return ENDINGS[special]?.[japanese ? "ja" : "en"] || special;
}

/** @param {Move} move @param {Move} [before] @returns {string} */
function japaneseMove(move, before) {
  // Some programs write KIF without 同.
  const place = move.same || (before?.to.x === move.to.x && before.to.y === move.to.y) ? "同　" : DIGITS[move.to.x] + NUMERALS[move.to.y];
  const words = [...(move.relative || "")].map((word) => RELATIVE[word]).join("");
  return place + PIECES.ja[KINDS.indexOf(move.piece)] + words + (move.promote ? "成" : move.promote === false ? "不成" : "");
}

/** @param {Move} move @returns {string} */
function englishMove(move) {
  const square = (/** @type {import("./position.js").Place} */ place) => `${place.x}${"abcdefghi"[place.y - 1]}`;
  const start = move.from && move.relative ? square(move.from) : "";
  const sign = move.from ? (move.capture ? "x" : "-") : "*";
  const tail = move.promote ? "+" : move.promote === false ? "=" : "";
  return `${LETTERS[KINDS.indexOf(move.piece)]}${start}${sign}${square(move.to)}${tail}`;
}

const FROM_THE_KING = [8, 7, 14, 6, 13, 5, 4, 12, 3, 11, 2, 10, 1, 9];
const HELD = [7, 6, 5, 4, 3, 2, 1];

/**
 * A position for those who cannot see it, in lines; the counterpart of `words` in kifu_core/shogi/draw.py.
 * @param {import("./position.js").Position} position
 * @param {boolean} japanese
 * @returns {string}
 */
export function positionWords(position, japanese) {
  const language = japanese ? "ja" : "en";
  const { to_move: toMove, board, hand, placed, several, comma, none } = PHRASES[language];
  const lines = [fill(toMove, { side: SIDES[language][position.turn] })];
  SIDES[language].forEach((side, color) => {
    const counts = position.hands[color];
    const standing = FROM_THE_KING.flatMap((kind) => placesOf(position, color ? -kind : kind)
      .map((at) => fill(placed, { piece: pieceWord(kind, japanese), square: squareName(at, japanese) })));
    const held = HELD.filter((kind) => counts[kind]).map((kind) => {
      const piece = pieceWord(kind, japanese);
      return counts[kind] > 1 ? fill(several, { piece, count: counts[kind] }) : piece;
    });
    lines.push(fill(board, { side, pieces: standing.join(comma) || none }));
    lines.push(fill(hand, { side, pieces: held.join(comma) || none }));
  });
  return lines.join("\n");
}

/** @param {import("./position.js").Position} position @param {number} piece @returns {number[]} */
function placesOf(position, piece) {
  return [...position.board.keys()].filter((at) => position.board[at] === piece);
}

/** @param {number} kind @param {boolean} japanese @returns {string} a piece in a word */
export function pieceWord(kind, japanese) {
  return PIECES[japanese ? "ja" : "en"][kind];
}

/** @param {number} at @param {boolean} japanese @returns {string} */
export function squareName(at, japanese) {
  const [file, rank] = [9 - (at % 9), Math.floor(at / 9)];
  return japanese ? DIGITS[file] + NUMERALS[rank + 1] : `${file}${"abcdefghi"[rank]}`;
}
