// @ts-check
/** Moves as people type them, in Japanese (76歩, 同銀, 58金右), USI (7g7f), CSA (7776FU) or English (P-7f), among the legal ones. */

import { KINDS, western } from "./position.js";
import { NAMED } from "./texts.js";

/** @typedef {import("./playing.js").Legal} Legal */
/** @typedef {{square: string, kind: number, relative: string, promote: string, drop: boolean}} Words a Japanese move; `square` as 76 */

const NUMERALS = "〇一二三四五六七八九";
const RANKS = "abcdefghi";
const NAMES = Object.keys(NAMED).sort((one, other) => other.length - one.length);
const BEHIND = /^([左直右上行入寄引下]*)(打?)(不成|生|成)?$/;

/**
 * @param {string} typed one move
 * @param {import("./position.js").Position} position
 * @param {Legal[]} legal
 * @param {{x: number, y: number} | undefined} before where the move before went, for 同
 * @returns {Legal[]} the moves that it can mean
 */
export function matching(typed, position, legal, before) {
  const text = plain(typed);
  const usi = legal.filter((one) => one.move.toLowerCase() === text.toLowerCase() || numbers(one.move) === text);
  if (usi.length) return usi;
  const csa = /^[+-]?(\d{4})(FU|KY|KE|GI|KI|KA|HI|OU|TO|NY|NK|NG|UM|RY)$/i.exec(text);
  if (csa) return legal.filter((one) => isCsa(position, one.move, csa[1], csa[2].toUpperCase()));
  const names = legal.map((one) => one.move);
  const english = bare(text);
  const exact = legal.filter((one) => bare(western(position, one.move, names)) === english);
  if (exact.length) return exact;
  const words = japanese(text, before);
  return words ? japaneseMatches(words, position, legal) : [];
}

/** @param {string} text @returns {string[]} the moves in a line of text */
export function movesIn(text) {
  return text.replace(/同[\s　]+/g, "同").split(/[\s　、,]+/).map((one) => one.replace(/^\d{1,3}[.:]/, "")).filter(Boolean);
}

/** @param {string} text @returns {string} */
function plain(text) {
  const half = text.normalize("NFKC").replace(/[▲△▼▽☗☖]/g, "").replace(/\(\d\d\)$/, "").replace(/\s/g, "");
  return half.replace(/^([1-9])([一二三四五六七八九])/, (_, file, rank) => file + NUMERALS.indexOf(rank));
}

/** @param {string} usi @returns {string} a move on the board in digits: 7776 */
function numbers(usi) {
  const digit = (/** @type {string} */ rank) => RANKS.indexOf(rank) + 1;
  return usi[1] === "*" ? "" : `${usi[0]}${digit(usi[1])}${usi[2]}${digit(usi[3])}${usi[4] || ""}`;
}

/** @param {string} text @returns {string} */
function bare(text) {
  return text.replace(/[-x'=]/g, "").toLowerCase();
}

/** @param {import("./position.js").Position} position @param {string} usi @param {string} squares @param {string} kind after the move */
function isCsa(position, usi, squares, kind) {
  const number = KINDS.indexOf(kind);
  if (usi[1] === "*") return squares === `00${usi[2]}${RANKS.indexOf(usi[3]) + 1}` && "PLNSGBR".indexOf(usi[0]) + 1 === number;
  if (numbers(usi).slice(0, 4) !== squares) return false;
  const piece = pieceAt(position, usi);
  return usi.endsWith("+") ? number === PROMOTED[piece] : number === piece;
}

const PROMOTED = [0, 9, 10, 11, 12, 0, 13, 14];

/** @param {import("./position.js").Position} position @param {string} usi @returns {number} the kind of the piece that moves */
function pieceAt({ board }, usi) {
  if (usi[1] === "*") return "PLNSGBR".indexOf(usi[0]) + 1;
  return Math.abs(board[RANKS.indexOf(usi[1]) * 9 + 9 - Number(usi[0])]);
}

/** @param {string} text @param {{x: number, y: number} | undefined} before @returns {Words | null} */
function japanese(text, before) {
  const same = text.startsWith("同");
  const square = same ? (before ? `${before.x}${before.y}` : "") : text.slice(0, 2);
  if (!/^[1-9]{2}$/.test(square)) return null;
  const rest = text.slice(same ? 1 : 2);
  const name = NAMES.find((one) => rest.startsWith(one) && BEHIND.test(rest.slice(one.length)));
  const behind = name && BEHIND.exec(rest.slice(name.length));
  if (!name || !behind) return null;
  const relative = behind[1].replace(/[行入]/, "上").replace("下", "引");
  const promote = behind[3] ? (behind[3] === "成" ? "+" : "-") : "";
  return { square, kind: NAMED[name], relative, promote, drop: Boolean(behind[2]) };
}

/** @param {Words} words @param {import("./position.js").Position} position @param {Legal[]} legal @returns {Legal[]} */
function japaneseMatches(words, position, legal) {
  const possible = legal.filter(({ move: usi }) =>
    `${usi[2]}${RANKS.indexOf(usi[3]) + 1}` === words.square && pieceAt(position, usi) === words.kind &&
    (!words.promote || usi.endsWith("+") === (words.promote === "+")) && (!words.drop || usi[1] === "*"));
  if (words.drop) return possible;
  const named = possible.filter(({ text }) => [...words.relative].every((word) => text.includes(word)));
  // Without a word for the origin, the move that has none in the record's own notation is meant.
  const exact = named.filter(({ text }) => relativeOf(text) === words.relative);
  const found = exact.length ? exact : named;
  const boards = found.filter(({ move }) => move[1] !== "*");
  return boards.length ? boards : found;
}

/** @param {string} text a move in Japanese @returns {string} its words for the origin */
export function relativeOf(text) {
  return /[左直右上寄引]*(?=打?(?:不成|成)?$)/.exec(text)?.[0] || "";
}

const LETTERS = /** @type {Record<string, string>} */ ({ 左: "L", 直: "C", 右: "R", 上: "U", 寄: "M", 引: "D" });

/** @param {Legal} legal @returns {{relative?: string}} what JKF has of the words for the origin */
export function relativeField({ text }) {
  const letters = [...relativeOf(text)].map((word) => LETTERS[word]).join("") || (/打$/.test(text) ? "H" : "");
  return letters ? { relative: letters } : {};
}
