// @ts-check
/**
 * Patterns as text; the counterpart of kifu_core/shogi/patterns/text.py, which says what the words mean. What is wrong
 * with a text the server reports. A step that is being drawn may have no conditions yet.
 *
 * What a square may hold are the bits of a number: bit 0 nothing, 1 to 14 own pieces, 28 down to 15 the enemy's.
 */

import { fill } from "../archive/js/filling.js";
import { LETTERS } from "./board.js";
import { squareOf, usiSquare } from "./position.js";
import { CONDITIONS, EXPRESSIONS, IN_WORDS, NAMED, NUMERALS, OPTIONS, PIECES as KINDS_IN, SIGNS, VALUES } from "./texts.js";

/** @typedef {{least: number, most: number | null}} Count */

/**
 * @typedef {object} Step
 * @property {Map<number, number>} squares
 * @property {Map<number, Count>} hands by signed piece
 * @property {Map<number, Count>} board
 * @property {boolean | null} ownTurn
 * @property {number | null} first
 * @property {number | null} last
 * @property {number} kept
 */

/**
 * @typedef {object} Pattern
 * @property {Step[]} steps
 * @property {(number | null)[]} gaps
 * @property {0 | 1 | null} own
 * @property {boolean} mirrored
 * @property {boolean} main
 */

export const LONGEST = 1000;
export const MOST_STEPS = 8;
export const MOST = 999;

const KINDS = 14;
const CONTENTS = 2 * KINDS + 1;
export const ANYTHING = 2 ** CONTENTS - 1;
const EMPTY = 1;
const OWN = 2 ** (KINDS + 1) - 2;
const ENEMY = ANYTHING - OWN - EMPTY;

/** @param {number} piece signed; 0 for none @returns {number} its bit */
export function bitOf(piece) {
  return 1 << (piece < 0 ? CONTENTS + piece : piece);
}

/** @type {[string, number][]} in the order in which a set is printed */
const PIECES = LETTERS.flatMap((letter, kind) =>
  /** @type {[string, number][]} */ (kind ? [[letter, kind], [letter.toLowerCase(), -kind]] : []));
const PIECE = new Map(PIECES);
const NAMES = /** @type {[string, number][]} */ (
  [["X", OWN], ["x", ENEMY], ...PIECES.map(([name, piece]) => [name, bitOf(piece)]), ["-", EMPTY]]);
const BITS = new Map(NAMES);

const RANKS = Object.keys(NUMERALS).slice(0, 9);
const PLACED = new RegExp(`^(!?)(\\{[^{}]*\\}|\\+?[A-Za-z]|-)([1-9][a-i1-9${RANKS.join("")}])$`, "u");
const THEN = /^then(?:<=([0-9]+))?$/;
const COUNTED = /^(\+?[A-Za-z])(?:(>=|<=|=)([0-9]+))?$/;
const RANGE = new RegExp(`^([0-9]*)(${EXPRESSIONS.to})?([0-9]*)$`, "u");

const WORD = new RegExp(EXPRESSIONS.word, "gu");
const IN_JAPANESE = new RegExp(
  ["kept", "then", "placed", "allowed", "span"].map((name) => EXPRESSIONS[/** @type {keyof typeof EXPRESSIONS} */ (name)]).join("|"), "uy");
const ONE_OF = new RegExp(`^${EXPRESSIONS.named}$`, "u");
const IN_JAPANESE_COUNT = new RegExp(EXPRESSIONS.counted, "uy");

/** An invalid text; the server reports the reason. */
class Unreadable extends Error {}

/** @returns {Step} */
export function emptyStep() {
  return { squares: new Map(), hands: new Map(), board: new Map(), ownTurn: null, first: null, last: null, kept: 0 };
}

/** @returns {Pattern} with one step without conditions */
export function emptyPattern() {
  return { steps: [emptyStep()], gaps: [], own: null, mirrored: false, main: false };
}

/** @param {Step} step @returns {boolean} whether it has no conditions */
export function isEmpty(step) {
  return !stepWords(step, false).length;
}

/** @param {string} text @returns {Pattern | null} null for an invalid text */
export function read(text) {
  try {
    if ([...text].length > LONGEST) return null;
    const pattern = emptyPattern();
    /** The conditions read so far, on this step and on all. */
    const seen = { step: new Set(), all: new Set() };
    const plain = [...text].map((one) => one.normalize("NFKC")).join("");
    for (const [word] of plain.matchAll(WORD)) {
      const rest = readJapanese(pattern, word, seen);
      if (rest) readWord(pattern, Object.hasOwn(CONDITIONS, rest) ? CONDITIONS[rest] : rest, seen);
    }
    return pattern;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** @typedef {{step: Set<string>, all: Set<string>}} Seen */

/** @param {Pattern} pattern @param {string} word @param {Seen} seen @returns {string} the unread rest of the word */
function readJapanese(pattern, word, seen) {
  let rest = 0;
  for (const [text, kept, within, next, ...groups] of runOf(IN_JAPANESE, word)) {
    const [enemy, square, name, otherName, otherSquare, negated, allowed, at, ...span] = groups;
    rest += text.length;
    const piece = NAMED[name || otherName];
    const step = pattern.steps[pattern.steps.length - 1];
    if (kept) {
      note(seen.step, "kept");
      step.kept = number(kept);
    } else if (allowed) place(step, negated === "!", allowed, squareNamed(at));
    else if (piece) place(step, false, nameOf(enemy ? -piece : piece), squareNamed(square || otherSquare));
    else if (span.some(Boolean)) spans(step, span, seen);
    else follow(pattern, within || next, seen);
  }
  return word.slice(rest);
}

/** Takes plies in words. @param {Step} step @param {string[]} span @param {Seen} seen */
function spans(step, [first, last, one, onward, until], seen) {
  if (first || (one && !until)) {
    note(seen.step, "first");
    step.first = number(first || one);
  }
  if (last || (one && !onward)) {
    note(seen.step, "last");
    step.last = number(last || one);
  }
  if (step.first !== null && step.last !== null && step.last < step.first) throw new Unreadable();
}

/** @param {Set<string>} seen @param {...string} names of conditions, which must not be repeated */
function note(seen, ...names) {
  if (names.some((name) => seen.has(name))) throw new Unreadable();
  for (const name of names) seen.add(name);
}

/**
 * @param {RegExp} expression a sticky one
 * @param {string} text
 * @returns {RegExpExecArray[]} what it reads of the text, one after the other
 */
function runOf(expression, text) {
  const matches = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match; match = expression.exec(text)) matches.push(match);
  return matches;
}

/** @param {string} name such as 7f or 76 @returns {number} */
function squareNamed([file, rank]) {
  const letter = RANKS.includes(rank) ? RANKS.indexOf(rank) : Number(rank) - 1;
  return squareOf(file + ("abcdefghi"[letter] ?? rank));
}

/** @param {number} piece signed @returns {string} */
function nameOf(piece) {
  return piece > 0 ? LETTERS[piece] : LETTERS[-piece].toLowerCase();
}

/** @param {Pattern} pattern @param {string | undefined} within digits @param {Seen} seen */
function follow(pattern, within, seen) {
  if (pattern.steps.length === MOST_STEPS) throw new Unreadable();
  pattern.gaps.push(within ? gap(within) : null);
  pattern.steps.push(emptyStep());
  seen.step.clear();
}

/** @param {Pattern} pattern @param {string} word @param {Seen} seen */
function readWord(pattern, word, seen) {
  const step = pattern.steps[pattern.steps.length - 1];
  const then = THEN.exec(word);
  if (then) return follow(pattern, then[1], seen);
  const placed = PLACED.exec(word);
  if (placed) return place(step, placed[1] === "!", placed[2], squareNamed(placed[3]));
  const colon = word.indexOf(":");
  const called = word.slice(0, Math.max(0, colon));
  const name = Object.hasOwn(OPTIONS, called) ? OPTIONS[called] : called;
  const ofAll = Object.hasOwn(OF_ALL, name);
  if (!(ofAll || Object.hasOwn(OF_STEP, name))) throw new Unreadable();
  note(ofAll ? seen.all : seen.step, ...(name === "ply" ? ["first", "last"] : [name]));
  (ofAll ? OF_ALL : OF_STEP)[name](word.slice(colon + 1), step, pattern);
}

/** @param {Step} step @param {boolean} negated @param {string} pieces @param {number} at */
function place(step, negated, pieces, at) {
  let allowed = 0;
  for (const name of pieces.replace(/[{}]/g, "").split(/[,\u3001]/)) {
    const [, enemy, kind] = ONE_OF.exec(name) || [];
    const bits = kind ? bitOf(enemy ? -NAMED[kind] : NAMED[kind]) : BITS.get(name);
    if (bits === undefined) throw new Unreadable();
    allowed |= bits;
  }
  const both = (step.squares.get(at) ?? ANYTHING) & (negated ? ANYTHING & ~allowed : allowed);
  if (!both) throw new Unreadable();
  step.squares.set(at, both);
}

/** @typedef {(value: string, step: Step, pattern: Pattern) => void} Option */

/** @type {Record<string, Option>} conditions on a step */
const OF_STEP = {
  hand: (value, step) => {
    step.hands = counts(value);
    if ([...step.hands.keys()].some((piece) => Math.abs(piece) > 7)) throw new Unreadable();
  },
  board: (value, step) => void (step.board = counts(value)),
  turn: (value, step) => void (step.ownTurn = oneOf({ own: true, enemy: false }, value)),
  ply: (value, step) => void ([step.first, step.last] = plies(value)),
  kept: (value, step) => {
    if (!/^[0-9]+$/.test(value)) throw new Unreadable();
    step.kept = number(value);
  },
};
/** @type {Record<string, Option>} conditions on all steps together */
const OF_ALL = {
  own: (value, _, pattern) => void (pattern.own = oneOf(/** @type {Record<string, 0 | 1>} */ ({ black: 0, white: 1 }), value)),
  mirror: (value, _, pattern) => void (pattern.mirrored = oneOf({ yes: true, no: false }, value)),
  line: (value, _, pattern) => void (pattern.main = oneOf({ main: true, all: false }, value)),
};

/** @template T @param {Record<string, T>} values @param {string} value @returns {T} */
function oneOf(values, value) {
  const name = Object.hasOwn(VALUES, value) ? VALUES[value] : value;
  if (!Object.hasOwn(values, name)) throw new Unreadable();
  return values[name];
}

/** @param {string} digits @returns {number} */
function number(digits) {
  if (Number(digits) > MOST) throw new Unreadable();
  return Number(digits);
}

/** @param {string} digits @returns {number} at least 1: a step is later than the previous one */
function gap(digits) {
  if (!number(digits)) throw new Unreadable();
  return number(digits);
}

/** @param {string} value @returns {Map<number, Count>} */
function counts(value) {
  const counted = new Map();
  for (const [piece, sign, many] of value.split(/[,\u3001]/).flatMap(countsOf)) {
    const before = counted.get(piece) || { least: 0, most: null };
    const least = sign === "<=" ? before.least : Math.max(before.least, many);
    const most = sign === ">=" ? before.most : Math.min(before.most ?? many, many);
    if (most !== null && most < least) throw new Unreadable();
    counted.set(piece, { least, most });
  }
  return counted;
}

/**
 * @param {string} item of a list
 * @returns {[number, string, number][]} pieces with sign and number: one in letters, or several in Japanese
 */
function countsOf(item) {
  const match = COUNTED.exec(item);
  const piece = match ? PIECE.get(match[1]) : undefined;
  if (match && piece !== undefined) return [[piece, match[2] || ">=", number(match[3] || "1")]];
  const run = runOf(IN_JAPANESE_COUNT, item);
  if (!item || run.map(([text]) => text).join("") !== item) throw new Unreadable();
  return run.flatMap(([, enemy, name, sign, digits, none, least, most, many, word]) => {
    const kind = enemy ? -NAMED[name] : NAMED[name];
    if (none) return [[kind, "=", 0]];
    if (least) return [[kind, ">=", number(least)], [kind, "<=", number(most)]];
    const count = digits || many || "1";
    return [[kind, sign || SIGNS[word] || ">=", NUMERALS[count] ?? number(count)]];
  });
}

/** @param {string} value @returns {[number | null, number | null]} */
function plies(value) {
  const match = RANGE.exec(value);
  if (!match || !(match[1] || match[3])) throw new Unreadable();
  const first = match[1] ? number(match[1]) : null;
  const last = match[2] ? (match[3] ? number(match[3]) : null) : first;
  if (first !== null && last !== null && last < first) throw new Unreadable();
  return [first, last];
}

/**
 * @param {Pattern} pattern
 * @param {boolean} japanese
 * @returns {string} in the order of the server's, without empty steps; in letters if it is too long in Japanese
 */
export function write(pattern, japanese) {
  const { steps, gaps, own, mirrored, main } = pattern;
  /** @type {string[]} */
  const parts = [];
  steps.forEach((step, index) => {
    const words = stepWords(step, japanese);
    if (!words.length) return;
    if (parts.length) parts.push(gapText(gaps[index - 1] ?? null, japanese));
    parts.push(...words);
  });
  if (own !== null) parts.push(japanese ? IN_WORDS[own ? "white" : "black"] : own ? "own:white" : "own:black");
  if (mirrored) parts.push(japanese ? IN_WORDS.mirror : "mirror:yes");
  if (main) parts.push(japanese ? IN_WORDS.main : "line:main");
  const text = parts.join(" ");
  return japanese && text.length > LONGEST ? write(pattern, false) : text;
}

/** @param {number | null} gap @param {boolean} japanese @returns {string} */
function gapText(gap, japanese) {
  if (japanese) return fill(IN_WORDS[gap === null ? "then" : gap === 1 ? "next" : "within"], { gap: gap ?? "" });
  return gap === null ? "then" : `then<=${gap}`;
}

/** @param {Step} step @param {boolean} japanese @returns {string[]} */
export function stepWords(step, japanese) {
  const words = [...step.squares.keys()].sort((one, other) => one - other)
    .map((at) => (japanese ? japaneseSquare : squareText)(/** @type {number} */ (step.squares.get(at)), at));
  return [...words, ...(japanese ? japaneseConditions(step) : conditions(step))];
}

/** @param {Step} step @returns {string[]} */
function conditions(step) {
  const words = [];
  if (step.hands.size) words.push(`hand:${countsText(step.hands)}`);
  if (step.board.size) words.push(`board:${countsText(step.board)}`);
  if (step.ownTurn !== null) words.push(`turn:${step.ownTurn ? "own" : "enemy"}`);
  if (step.first !== null || step.last !== null) words.push(`ply:${pliesText(step.first, step.last)}`);
  if (step.kept) words.push(`kept:${step.kept}`);
  return words;
}

/** @param {Step} step @returns {string[]} */
function japaneseConditions({ hands, board, ownTurn, first, last, kept }) {
  const words = [];
  if (hands.size) words.push(fill(IN_WORDS.hand, { counts: japaneseCounts(hands) }));
  if (board.size) words.push(fill(IN_WORDS.board, { counts: japaneseCounts(board) }));
  if (ownTurn !== null) words.push(IN_WORDS[ownTurn ? "turn" : "enemy-turn"]);
  if (first !== null || last !== null) {
    const name = first === last ? "ply" : first === null ? "until" : last === null ? "from" : "plies";
    words.push(fill(IN_WORDS[name], { first: first ?? "", last: last ?? "" }));
  }
  if (kept) words.push(fill(IN_WORDS.kept, { kept }));
  return words;
}

/** @param {Map<number, Count>} all @returns {[number, Count][]} in the order in which they are printed */
function ordered(all) {
  return [...all].sort(([one], [other]) => one - other);
}

/** @param {Map<number, Count>} all @returns {string} */
function japaneseCounts(all) {
  return ordered(all).map(([piece, { least, most }]) => {
    const shown = { piece: fill(IN_WORDS[piece > 0 ? "own" : "enemy"], { piece: KINDS_IN.ja[Math.abs(piece)] }), least, most: most ?? "" };
    if (most === null) return fill(IN_WORDS.least, { ...shown, n: least });
    const name = least !== most ? (least ? "between" : "most") : most ? "exactly" : "none";
    return fill(IN_WORDS[name], { ...shown, n: most });
  }).join(IN_WORDS.comma);
}

/** @param {number} allowed @param {number} at @returns {string} as the server writes it: ８八玉, △５一玉, {△銀、金}７八 */
function japaneseSquare(allowed, at) {
  const { negated, names } = namesOf(allowed);
  const square = `${"９８７６５４３２１"[at % 9]}${RANKS[Math.floor(at / 9)]}`;
  const [first] = names;
  const piece = PIECE.get(first);
  if (names.length > 1 || (negated && piece)) return `${negated ? "!" : ""}{${names.map(japaneseName).join("、")}}${square}`;
  if (!piece) return `${negated ? "!" : ""}${first}${square}`;
  return `${piece < 0 ? "△" : ""}${square}${KINDS_IN.ja[Math.abs(piece)]}`;
}

/** @param {string} name of a set @returns {string} */
function japaneseName(name) {
  const piece = PIECE.get(name);
  return piece ? `${piece < 0 ? "△" : ""}${KINDS_IN.ja[Math.abs(piece)]}` : name;
}

/** @param {Map<number, Count>} all @returns {string} */
function countsText(all) {
  return ordered(all).flatMap(([piece, count]) => countWords(piece, count)).join();
}

/** @param {number} piece @param {Count} count @returns {string[]} */
function countWords(piece, { least, most }) {
  const letter = nameOf(piece);
  if (least === most) return [`${letter}=${least}`];
  const words = [];
  if (least || most === null) words.push(least === 1 && most === null ? letter : `${letter}>=${least}`);
  if (most !== null) words.push(`${letter}<=${most}`);
  return words;
}

/** @param {number | null} first @param {number | null} last @returns {string} */
function pliesText(first, last) {
  return first === last ? String(first) : `${first ?? ""}..${last ?? ""}`;
}

/** @param {number} allowed @param {number} at @returns {string} */
function squareText(allowed, at) {
  const { negated, names } = namesOf(allowed);
  return (negated ? "!" : "") + (names.length === 1 ? names[0] : `{${names}}`) + usiSquare(at);
}

/**
 * What a square may hold in the fewest names, of itself or of what it may not hold.
 * @param {number} allowed
 * @returns {{negated: boolean, names: string[]}}
 */
export function namesOf(allowed) {
  const [names, others] = [listed(allowed), listed(ANYTHING & ~allowed)];
  const negated = others.length > 0 && others.length < names.length;
  return { negated, names: negated ? others : names };
}

/** @param {number} allowed @returns {string[]} */
function listed(allowed) {
  /** @type {string[]} */
  const names = [];
  for (const [name, bits] of NAMES) {
    if (bits !== (allowed & bits)) continue;
    names.push(name);
    allowed &= ~bits;
  }
  return names;
}

/** @param {string} name such as G, x or - @returns {number} the content that it allows; anything for an unknown name */
export function bitsOf(name) {
  return BITS.get(name) ?? ANYTHING;
}

/** @param {string} name of a set @returns {number} a signed piece; 0 for a set that is no single kind */
export function pieceOf(name) {
  return PIECE.get(name) ?? 0;
}
