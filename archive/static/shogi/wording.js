// @ts-check
/** Moves of a normalized record in words; the counterpart of archive/web/wording.py. */

import { KINDS } from "./position.js";

/** @typedef {import("./position.js").Move & {same?: boolean, relative?: string}} Move */

const NAMES = /** @type {Record<string, string>} */ ({
  FU: "歩", KY: "香", KE: "桂", GI: "銀", KI: "金", KA: "角", HI: "飛", OU: "玉",
  TO: "と", NY: "成香", NK: "成桂", NG: "成銀", UM: "馬", RY: "龍",
});
const LETTERS = /** @type {Record<string, string>} */ ({
  FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R", OU: "K",
  TO: "+P", NY: "+L", NK: "+N", NG: "+S", UM: "+B", RY: "+R",
});
const RELATIVE = /** @type {Record<string, string>} */ ({
  L: "左", C: "直", R: "右", U: "上", M: "寄", D: "引", H: "打",
});
const DIGITS = "０１２３４５６７８９";
const NUMERALS = "〇一二三四五六七八九";
const MARKS = ["▲", "△"];

const ENDINGS = /** @type {Record<string, [string, string]>} */ ({
  TORYO: ["投了", "resigns"],
  CHUDAN: ["中断", "adjourned"],
  SENNICHITE: ["千日手", "repetition"],
  TIME_UP: ["時間切れ", "out of time"],
  ILLEGAL_MOVE: ["反則負け", "illegal move"],
  "+ILLEGAL_ACTION": ["先手の反則行為", "Black acts against the rules"],
  "-ILLEGAL_ACTION": ["後手の反則行為", "White acts against the rules"],
  JISHOGI: ["持将棋", "impasse"],
  KACHI: ["入玉宣言勝ち", "wins by declaration"],
  HIKIWAKE: ["引き分け", "draw"],
  MATTA: ["待った", "takes a move back"],
  TSUMI: ["詰み", "checkmate"],
  FUZUMI: ["不詰", "no checkmate"],
  ERROR: ["エラー", "error"],
});

/**
 * @param {Move} move
 * @param {boolean} japanese
 * @param {Move} [before] the move before it
 * @returns {string} with its side's mark
 */
export function moveText(move, japanese, before) {
  return MARKS[move.color] + (japanese ? japaneseMove(move, before) : englishMove(move));
}

/** @param {string} special @param {boolean} japanese @returns {string} an ending; unknown ones as they are */
export function endingText(special, japanese) {
  return ENDINGS[special]?.[japanese ? 0 : 1] || special;
}

/** @param {Move} move @param {Move} [before] @returns {string} */
function japaneseMove(move, before) {
  // Some programs write KIF without 同.
  const place = move.same || (before?.to.x === move.to.x && before.to.y === move.to.y) ? "同　" : DIGITS[move.to.x] + NUMERALS[move.to.y];
  const words = [...(move.relative || "")].map((word) => RELATIVE[word]).join("");
  return place + NAMES[move.piece] + words + (move.promote ? "成" : move.promote === false ? "不成" : "");
}

/** @param {Move} move @returns {string} */
function englishMove(move) {
  const square = (/** @type {import("./position.js").Place} */ place) => `${place.x}${"abcdefghi"[place.y - 1]}`;
  const start = move.from && move.relative ? square(move.from) : "";
  const sign = move.from ? (move.capture ? "x" : "-") : "*";
  const tail = move.promote ? "+" : move.promote === false ? "=" : "";
  return `${LETTERS[move.piece]}${start}${sign}${square(move.to)}${tail}`;
}

const WORDS = [
  "", "pawn", "lance", "knight", "silver", "gold", "bishop", "rook", "king", "tokin",
  "promoted lance", "promoted knight", "promoted silver", "horse", "dragon",
];
const FROM_THE_KING = [8, 7, 14, 6, 13, 5, 4, 12, 3, 11, 2, 10, 1, 9];
const HELD = [7, 6, 5, 4, 3, 2, 1];

/**
 * The whole position for those who do not see it, in lines; the counterpart of wording.position_words.
 * @param {import("./position.js").Position} position
 * @param {boolean} japanese
 * @returns {string}
 */
export function positionWords(position, japanese) {
  const sides = japanese ? ["先手", "後手"] : ["Black", "White"];
  const none = japanese ? "なし" : "nothing";
  const lines = [sides[position.turn] + (japanese ? "番" : " to move")];
  sides.forEach((side, color) => {
    const hand = position.hands[color];
    const pieces = FROM_THE_KING.flatMap((kind) => placesOf(position, color ? -kind : kind)
      .map((at) => pieceAt(kind, at, japanese)));
    const held = HELD.filter((kind) => hand[kind]).map((kind) => heldWords(kind, hand[kind], japanese));
    const [colon, comma] = japanese ? ["：", "、"] : [": ", ", "];
    lines.push(`${side}${colon}${pieces.join(comma) || none}`);
    lines.push(`${side}${japanese ? "の持駒" : " in hand"}${colon}${held.join(comma) || none}`);
  });
  return lines.join("\n");
}

/** @param {import("./position.js").Position} position @param {number} piece @returns {number[]} */
function placesOf(position, piece) {
  return [...position.board.keys()].filter((at) => position.board[at] === piece);
}

/** @param {number} kind @param {boolean} japanese @returns {string} a piece in a word */
export function pieceWord(kind, japanese) {
  return japanese ? NAMES[KINDS[kind]] : WORDS[kind];
}

/** @param {number} kind @param {number} at @param {boolean} japanese @returns {string} */
function pieceAt(kind, at, japanese) {
  const [file, rank] = [9 - (at % 9), Math.floor(at / 9)];
  if (japanese) return pieceWord(kind, true) + DIGITS[file] + NUMERALS[rank + 1];
  return `${pieceWord(kind, false)} ${file}${"abcdefghi"[rank]}`;
}

/** @param {number} kind @param {number} count @param {boolean} japanese @returns {string} */
function heldWords(kind, count, japanese) {
  if (japanese) return NAMES[KINDS[kind]] + (count > 1 ? count : "");
  return count > 1 ? `${count} ${WORDS[kind]}s` : WORDS[kind];
}
