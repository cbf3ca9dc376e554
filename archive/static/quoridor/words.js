// @ts-check
/** What viewer and free board say, and positions in words, in Japanese and English. */

import { fill, gettextOf } from "../archive/js/filling.js";
import { distance, name, PAWN, wallsLeft, winner, WALL } from "./rules.js";
import { MESSAGES, PHRASES, SIDES, TRANSLATIONS } from "./texts.js";

/** @typedef {import("./rules.js").Position} Position */

export const gettext = gettextOf(TRANSLATIONS);

/** @param {Element} element @returns {boolean} whether its readers read Japanese */
export function isJapanese(element) {
  const lang = /** @type {HTMLElement | null} */ (element.closest("[lang]"))?.lang;
  return (lang || navigator.language || "ja").toLowerCase().startsWith("ja");
}

/** @param {boolean} japanese */
function phrases(japanese) {
  return PHRASES[japanese ? "ja" : "en"];
}

/** @param {number} color @param {boolean} japanese @returns {string} */
function sideName(color, japanese) {
  return SIDES[japanese ? "ja" : "en"][color];
}

/** @param {string} code @param {boolean} japanese @param {import("../archive/js/filling.js").Params} params @returns {string} */
function messageText(code, japanese, params) {
  return fill(MESSAGES[code]?.[japanese ? "ja" : "en"] || code, params);
}

/** @param {import("./qf_code.js").QfCodeError} error @param {boolean} japanese @returns {string} with the move it is at */
export function faultText({ code, ply, params }, japanese) {
  const reason = messageText(code, japanese, { ...params, ply });
  if (!ply || MESSAGES[code]?.en.includes("{ply}")) return reason;
  return gettext("Move {ply}: {reason}", japanese, { ply, reason });
}

/** @param {import("./qf_code.js").Note[]} notes @param {boolean} japanese @returns {string[]} of those that are worth telling */
export function noteTexts(notes, japanese) {
  return notes.filter(({ code }) => code !== "unsorted")
    .map(({ code, ply, params }) => messageText(code, japanese, { ...params, ply }));
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
  const params = { place: name(move), side: sideName(cutOff[0] || 0, japanese) };
  const texts = /** @type {Record<string, string>} */ ({
    "illegal-move": gettext("{place}: the pawn cannot go there", japanese, params),
    "wall-conflict": gettext("{place}: another wall is in the way", japanese, params),
    "wall-count": gettext("No walls left", japanese),
    "no-path": gettext("{place}: it would close {side}'s last way", japanese, params),
    "after-win": gettext("The game is over", japanese),
  });
  return texts[broken];
}

/** @param {Position} position @param {boolean} japanese @returns {string} the side to move, or the winner */
export function stateText(position, japanese) {
  const won = winner(position);
  const side = sideName(won ?? position.turn, japanese);
  return fill(phrases(japanese)[won === null ? "to_move" : "won"], { side });
}

/** @param {Position} position @param {number} color @param {boolean} japanese @returns {string} how far it is */
export function distanceText(position, color, japanese) {
  const steps = distance(position, color);
  return steps === null ? gettext("no way", japanese) : gettext("{steps} to go", japanese, { steps });
}

/**
 * A position for those who cannot see it, in lines; the counterpart of `words` in
 * kifu_core/quoridor/draw.py.
 * @param {Position} position
 * @param {boolean} japanese
 * @returns {string}
 */
export function positionWords(position, japanese) {
  const { comma, none, side: line } = phrases(japanese);
  const lines = [0, 1].map((color) => {
    const walls = [...position.walls.keys()].filter((number) => position.walls[number] === color + 1)
      .map((number) => name(WALL + number));
    return fill(line, {
      side: sideName(color, japanese), square: name(PAWN + position.pawns[color]), left: wallsLeft(position, color),
      walls: walls.join(comma) || none,
    });
  });
  return [stateText(position, japanese), ...lines].join("\n");
}
