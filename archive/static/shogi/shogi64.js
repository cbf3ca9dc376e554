// @ts-check
/**
 * Positions as Shogi64 codes (format 0.0.3): bits, most significant first, in base64url characters.
 * The counterpart of kifu_core/shogi/keys/shogi64.py: encodes every position that has a code, decodes strictly.
 */

import { fromSfen } from "./position.js";

/** @typedef {import("./position.js").Position} Position */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const FU = 1;
const OU = 8;

/** A pawn's code by its rank as its owner counts them; index 0 is a file without a pawn. */
const PAWN_FILES = ["110", "", "11111111", "1111110", "11110", "1110", "10", "0", "111110", "11111110"];
/** Prefixes by piece number; index 0 is the empty square. A bit for the side follows, 1 for Black. */
const NORMAL = ["0", "", "100", "1100", "1101", "101", "11110", "1110", "",
  "1111110", "111111111", "11111110", "111111110", "1111100", "1111101"];
const MIXED = ["0", "10", "1100", "11100", "11110", "1101", "111110", "111011", "111010",
  "11111110", "1111111111", "111111110", "1111111110", "11111100", "11111101"];
const FEW = ["0", "10", "110", "1110", "1111"];
const MAJOR = ["0", "10", "11"];

/**
 * @param {Position} position
 * @returns {string | null} null for hands that the format cannot hold (19 pawns, 5 lances ...)
 */
export function encode(position) {
  const hands = position.hands.map(handBits);
  if (hands.includes(null)) return null;
  const mixed = isMixed(position.board);
  const board = mixed ? mixedBits(position.board) : normalBits(position.board);
  const bits = (position.turn ? "0" : "1") + (mixed ? "1" : "0") + board + hands.join("");
  return pack(bits);
}

/** @param {string} bits @returns {string} */
function pack(bits) {
  let code = "";
  for (let at = 0; at < bits.length; at += 6) {
    code += ALPHABET[parseInt(bits.slice(at, at + 6).padEnd(6, "0"), 2)];
  }
  return code;
}

/** @param {Int8Array} board @returns {boolean} */
function isMixed(board) {
  /** @type {Map<number, number>} */
  const seen = new Map();
  for (let at = 0; at < 81; at++) {
    const piece = board[at];
    const pawn = Math.abs(piece) === FU;
    if (!pawn && Math.abs(piece) !== OU) continue;
    if (pawn && ownRank(at, piece) === 1) return true;
    const group = piece * 16 + (pawn ? at % 9 : 0);
    if (seen.has(group)) return true;
    seen.set(group, at);
  }
  return false;
}

/** @param {number} at @param {number} piece @returns {number} the rank as the piece's owner counts */
function ownRank(at, piece) {
  const rank = Math.floor(at / 9) + 1;
  return piece > 0 ? rank : 10 - rank;
}

/** @param {Int8Array} board @returns {string} */
function normalBits(board) {
  let bits = "";
  for (const king of [OU, -OU]) bits += (board.indexOf(king) + 1).toString(2).padStart(7, "0");
  for (const pawn of [FU, -FU]) {
    for (let column = 0; column < 9; column++) bits += PAWN_FILES[pawnRank(board, pawn, column)];
  }
  for (const piece of board) {
    const kind = Math.abs(piece);
    if (kind !== OU && kind !== FU) bits += NORMAL[kind] + sideBit(piece);
  }
  return bits;
}

/** @param {Int8Array} board @param {number} pawn @param {number} column @returns {number} */
function pawnRank(board, pawn, column) {
  for (let at = column; at < 81; at += 9) if (board[at] === pawn) return ownRank(at, pawn);
  return 0;
}

/** @param {Int8Array} board @returns {string} */
function mixedBits(board) {
  let bits = "";
  for (const piece of board) bits += MIXED[Math.abs(piece)] + sideBit(piece);
  return bits;
}

/** @param {number} piece @returns {string} */
function sideBit(piece) {
  if (!piece) return "";
  return piece > 0 ? "1" : "0";
}

/** @param {Uint8Array} hand @returns {string | null} */
function handBits(hand) {
  const counts = [pawnCount(hand[1]), FEW[hand[2]], FEW[hand[3]], FEW[hand[4]], FEW[hand[5]], MAJOR[hand[6]],
    MAJOR[hand[7]]];
  return counts.some((bits) => bits === undefined) ? null : counts.join("");
}

/** @param {number} count @returns {string | undefined} */
function pawnCount(count) {
  if (count < 3) return ["00", "01", "10"][count];
  if (count > 18) return undefined;
  return "1".repeat(count === 18 ? 17 : count - 1) + (count === 18 ? "" : "0");
}

const LONGEST = 160;
const HAND_KINDS = [1, 2, 3, 4, 5, 6, 7];

/** What a code has instead of a position; `code` is the name that the format gives to the fault. */
export class DecodeError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.name = "DecodeError";
    this.code = code;
  }
}

/** @param {(string | undefined)[]} codes by value @returns {Map<string, number>} */
function values(codes) {
  return new Map(codes.flatMap((bits, value) => (bits ? [[bits, value]] : [])));
}

/** @param {string[]} prefixes @returns {Map<string, number>} signed pieces by bits, the side included */
function cells(prefixes) {
  const kinds = new Map([["0", 0]]);
  prefixes.forEach((prefix, kind) => {
    if (kind && prefix) kinds.set(`${prefix}1`, kind).set(`${prefix}0`, -kind);
  });
  return kinds;
}

const PAWNS = values(PAWN_FILES);
const NORMAL_CELLS = cells(NORMAL);
const MIXED_CELLS = cells(MIXED);
const COUNTS = HAND_KINDS.map((kind) => {
  if (kind === FU) return values(Array.from({ length: 19 }, (_, count) => pawnCount(count)));
  return values(kind < 6 ? FEW : MAJOR);
});

/** The bits of a code, read from the front. */
class Reader {
  /** @param {string} bits */
  constructor(bits) {
    this.bits = bits;
    this.place = 0;
  }

  /** @param {number} width @returns {number} */
  number(width) {
    const digits = this.bits.slice(this.place, this.place + width);
    if (digits.length < width) throw new DecodeError("truncated");
    this.place += width;
    return parseInt(digits, 2);
  }

  /** @param {Map<string, number>} codes a prefix code @returns {number} */
  symbol(codes) {
    for (let end = this.place + 1; end <= this.bits.length; end++) {
      const value = codes.get(this.bits.slice(this.place, end));
      if (value !== undefined) {
        this.place = end;
        return value;
      }
    }
    throw new DecodeError("truncated");
  }
}

/**
 * @param {string} code
 * @returns {Position} the position of this code and of no other: `encode(decode(code)) === code`
 * @throws {DecodeError}
 */
export function decode(code) {
  const reader = new Reader(bitsOf(code));
  const position = fromSfen("9/9/9/9/9/9/9/9/9 b -");
  position.turn = reader.number(1) ? 0 : 1;
  const mixed = reader.number(1) === 1;
  if (mixed) for (let at = 0; at < 81; at++) position.board[at] = reader.symbol(MIXED_CELLS);
  else readNormal(reader, position.board);
  for (const hand of position.hands) {
    for (const [index, kind] of HAND_KINDS.entries()) hand[kind] = reader.symbol(COUNTS[index]);
  }
  const rest = reader.bits.slice(reader.place);
  if (rest.length >= 6) throw new DecodeError("trailing-chars");
  if (rest.includes("1")) throw new DecodeError("nonzero-padding");
  if (mixed && encode(position) !== code) throw new DecodeError("noncanonical-mode");
  return position;
}

/** @param {string} code @returns {string} */
function bitsOf(code) {
  if (!code) throw new DecodeError("empty");
  if (Array.from(code).length > LONGEST) throw new DecodeError("too-long");
  let bits = "";
  for (const character of code) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) throw new DecodeError("bad-char");
    bits += value.toString(2).padStart(6, "0");
  }
  return bits;
}

/** @param {Reader} reader @param {Int8Array} board */
function readNormal(reader, board) {
  for (const king of [OU, -OU]) {
    const coordinate = reader.number(7);
    if (coordinate > 81) throw new DecodeError("king-range");
    if (coordinate) put(board, coordinate - 1, king);
  }
  for (const pawn of [FU, -FU]) {
    for (let column = 0; column < 9; column++) {
      const rank = reader.symbol(PAWNS);
      if (rank) put(board, (pawn < 0 ? 9 - rank : rank - 1) * 9 + column, pawn);
    }
  }
  for (let at = 0; at < 81; at++) if (!board[at]) board[at] = reader.symbol(NORMAL_CELLS);
}

/** @param {Int8Array} board @param {number} at @param {number} piece */
function put(board, at, piece) {
  if (board[at]) throw new DecodeError("overlap");
  board[at] = piece;
}
