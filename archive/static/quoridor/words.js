// @ts-check
/** The texts of viewer and free board, and positions in words, in Japanese and English. */

import { distance, name, PAWN, wallsLeft, winner, WALL } from "./rules.js";

/** @typedef {import("./rules.js").Position} Position */

const SIDES = { ja: ["白", "黒"], en: ["White", "Black"] };

/** Faults of codes by the format's names. @type {Record<string, [string, string]>} */
const FAULTS = {
  empty: ["コードが空です。", "The code is empty."],
  "too-long": ["コードが長すぎます。", "The code is too long."],
  "bad-char": ["コードに使えない文字があります: {text}", "A character that no code has: {text}"],
  "no-content": ["コードに局面も棋譜もありません。", "The code holds neither a position nor moves."],
  truncated: ["コードが途中で切れています。最後までコピーされているか確かめてください。", "The code ends too early. Was it copied to its end?"],
  "trailing-chars": ["コードの後に余分な文字があります。", "There are characters after the end of the code."],
  "nonzero-padding": ["コードの最後の文字が正しくありません。", "The last character of the code is wrong."],
  "pawn-range": ["駒が盤の外にあります。", "A pawn stands outside the board."],
  "pawn-overlap": ["二つの駒が同じマスにあります。", "Both pawns are on one square."],
  "wall-count": ["板は一人10枚までです。", "A player has ten walls and no more."],
  "wall-conflict": ["板 {text} は他の板と重なるか、交わります。", "The wall {text} crosses or overlaps another."],
  "last-move-wall": ["最後に置いた板が盤にありません。", "The wall that was placed last is not on the board."],
  "off-board": ["駒が盤の外へ出ます。", "A pawn leaves the board."],
  "illegal-move": ["駒は {text} へ動けません。", "No pawn can move to {text}."],
  "turn-range": ["ターン数が1023を超えるため、コードにできません。", "No code can hold a turn number beyond 1023."],
  "too-many-plies": ["1023手を超えるため、コードにできません。", "No code can hold more than 1023 moves."],
};

/** What is odd about a code that is shown all the same. @type {Record<string, [string, string]>} */
const NOTES = {
  "no-path": ["ゴールへの道がふさがれた局面を含みます。", "A way to a goal is closed in it."],
  "after-win": ["決着後の手を含みます。", "It has moves after the game was won."],
  "start-snapshot": ["初期配置として、白番で表示しています。", "Shown as the start position with White to move."],
  parity: ["ターン数と手番が合っていません。", "Turn number and side to move disagree."],
};

/** @param {Element} element @returns {boolean} whether its readers read Japanese */
export function isJapanese(element) {
  const lang = /** @type {HTMLElement | null} */ (element.closest("[lang]"))?.lang;
  return (lang || navigator.language || "ja").toLowerCase().startsWith("ja");
}

/** @param {number} color @param {boolean} japanese @returns {string} */
export function sideName(color, japanese) {
  return SIDES[japanese ? "ja" : "en"][color];
}

/** @param {import("./qf_code.js").QfCodeError} error @param {boolean} japanese @returns {string} */
export function faultText({ code, ply, text }, japanese) {
  const words = (FAULTS[code]?.[japanese ? 0 : 1] || code).replace("{text}", text || "");
  if (!ply) return words;
  return japanese ? `${ply}手目: ${words}` : `Move ${ply}: ${words}`;
}

/** @param {{code: string}[]} notes @param {boolean} japanese @returns {string[]} */
export function noteTexts(notes, japanese) {
  return notes.flatMap(({ code }) => (NOTES[code] ? [NOTES[code][japanese ? 0 : 1]] : []));
}

/**
 * Why a move cannot be played.
 * @param {string} broken the rule's name
 * @param {number} move
 * @param {number[]} cutOff who would lose the last way
 * @param {boolean} japanese
 * @returns {string}
 */
export function refusal(broken, move, cutOff, japanese) {
  const [place, side] = [name(move), sideName(cutOff[0] || 0, japanese)];
  const texts = /** @type {Record<string, [string, string]>} */ ({
    "illegal-move": [`${place} へは動けません`, `${place}: the pawn cannot go there`],
    "wall-conflict": [`${place} には置けません（他の板と重なる）`, `${place}: another wall is in the way`],
    "wall-count": ["板は残っていません", "No walls left"],
    "no-path": [`${place} は置けません（${side}の道が全てふさがる）`, `${place}: it would close ${side}'s last way`],
    "after-win": ["勝負はついています", "The game is over"],
  });
  return texts[broken][japanese ? 0 : 1];
}

/** @param {Position} position @param {boolean} japanese @returns {string} who is to move, or who has won */
export function stateText(position, japanese) {
  const won = winner(position);
  const side = sideName(won ?? position.turn, japanese);
  if (won !== null) return japanese ? `${side}の勝ち` : `${side} has won`;
  return japanese ? `${side}番` : `${side} to move`;
}

/** @param {Position} position @param {number} color @param {boolean} japanese @returns {string} how far it is */
export function distanceText(position, color, japanese) {
  const steps = distance(position, color);
  if (steps === null) return japanese ? "道なし" : "no way";
  return japanese ? `あと${steps}歩` : `${steps} to go`;
}

/**
 * The whole position for those who do not see it, in lines; the counterpart of `words` in
 * kifu_core/quoridor/draw.py.
 * @param {Position} position
 * @param {boolean} japanese
 * @returns {string}
 */
export function positionWords(position, japanese) {
  const lines = [stateText(position, japanese)];
  for (const color of [0, 1]) {
    const side = sideName(color, japanese);
    const walls = [...position.walls.keys()].filter((number) => position.walls[number] === color + 1)
      .map((number) => name(WALL + number));
    const [square, left] = [name(PAWN + position.pawns[color]), wallsLeft(position, color)];
    if (japanese) lines.push(`${side}：駒${square}、残りの板${left}枚、置いた板：${walls.join("、") || "なし"}`);
    else lines.push(`${side}: pawn ${square}, walls left: ${left}, walls placed: ${walls.join(", ") || "none"}`);
  }
  return lines.join("\n");
}
