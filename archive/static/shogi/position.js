// @ts-check
/**
 * A shogi position that is changed in place, and moves that can be taken back.
 * It knows no rules: the server has normalized every move (who, from where, what is captured).
 *
 * Squares are 0..80 in SFEN's reading order (0 = 9a, 80 = 1i). Pieces are 1..14 for colour 0, negative for
 * colour 1, 0 for an empty square.
 */

/** Kinds as JKF names them; the index is the piece's number. */
export const KINDS = ["", "FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];
const LETTERS = ["", "P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R"];
const HAND_ORDER = [7, 6, 5, 4, 3, 2, 1];
const PROMOTED = [0, 9, 10, 11, 12, 0, 13, 14];
const UNPROMOTED = [0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 6, 7];

/** @type {Record<string, number>} */
const NUMBER_OF_KIND = Object.fromEntries(KINDS.map((kind, number) => [kind, number]));
/** @type {Record<string, number>} */
const NUMBER_OF_LETTER = Object.fromEntries(LETTERS.map((letter, number) => [letter, number]));

/**
 * @typedef {object} Position
 * @property {Int8Array} board 81 squares
 * @property {[Uint8Array, Uint8Array]} hands counts by piece number, colour 0 and colour 1
 * @property {0 | 1} turn the side to move
 */

/** @typedef {{x: number, y: number}} Place */

/**
 * @typedef {object} Move a normalized move of JKF
 * @property {0 | 1} color
 * @property {Place} [from] absent for a drop
 * @property {Place} to
 * @property {string} piece the kind before it promotes
 * @property {boolean} [promote]
 * @property {string} [capture] the kind that is taken
 */

/** @param {Place} place @returns {number} */
export function square(place) {
  return (place.y - 1) * 9 + 9 - place.x;
}

/** @returns {Position} */
function empty() {
  return { board: new Int8Array(81), hands: [new Uint8Array(8), new Uint8Array(8)], turn: 0 };
}

/**
 * @param {string} sfen board, side, hands; the move number is not read
 * @returns {Position}
 */
export function fromSfen(sfen) {
  const [board, side, hands] = sfen.split(" ");
  const position = empty();
  position.turn = side === "w" ? 1 : 0;
  let at = 0;
  for (const [token] of board.matchAll(/\+?[A-Za-z]|\d/g)) {
    if (/\d/.test(token)) at += Number(token);
    else position.board[at++] = pieceOf(token);
  }
  for (const [, count, letter] of (hands || "-").matchAll(/(\d*)([A-Za-z])/g)) {
    const piece = pieceOf(letter);
    position.hands[piece > 0 ? 0 : 1][Math.abs(piece)] = count ? Number(count) : 1;
  }
  return position;
}

/** @param {string} token @returns {number} */
function pieceOf(token) {
  const upper = token.toUpperCase();
  return token === upper ? NUMBER_OF_LETTER[upper] : -NUMBER_OF_LETTER[upper];
}

/**
 * @param {Position} position
 * @param {number} moveNumber
 * @returns {string}
 */
export function toSfen(position, moveNumber) {
  const ranks = [];
  for (let rank = 0; rank < 9; rank++) ranks.push(rankText(position.board.subarray(rank * 9, rank * 9 + 9)));
  const side = position.turn ? "w" : "b";
  return `${ranks.join("/")} ${side} ${handsText(position)} ${moveNumber}`;
}

/** @param {Int8Array} cells @returns {string} */
function rankText(cells) {
  let text = "";
  let gap = 0;
  for (const piece of cells) {
    if (!piece) {
      gap++;
      continue;
    }
    text += (gap || "") + letter(piece);
    gap = 0;
  }
  return text + (gap || "");
}

/** @param {number} piece signed @returns {string} */
function letter(piece) {
  return piece > 0 ? LETTERS[piece] : LETTERS[-piece].toLowerCase();
}

/** @param {Position} position @returns {string} */
function handsText(position) {
  let text = "";
  for (const color of [0, 1]) {
    for (const piece of HAND_ORDER) {
      const count = position.hands[color][piece];
      if (count) text += (count > 1 ? count : "") + letter(color ? -piece : piece);
    }
  }
  return text || "-";
}

/**
 * Plays a move on the position.
 * @param {Position} position
 * @param {Move} move
 */
export function play(position, move) {
  const sign = move.color ? -1 : 1;
  const piece = NUMBER_OF_KIND[move.piece];
  if (move.from) position.board[square(move.from)] = 0;
  else position.hands[move.color][piece]--;
  if (move.capture) position.hands[move.color][UNPROMOTED[NUMBER_OF_KIND[move.capture]]]++;
  position.board[square(move.to)] = sign * (move.promote ? PROMOTED[piece] : piece);
  position.turn = move.color ? 0 : 1;
}

/**
 * Takes back a move that was just played.
 * @param {Position} position
 * @param {Move} move
 */
export function takeBack(position, move) {
  const sign = move.color ? -1 : 1;
  const piece = NUMBER_OF_KIND[move.piece];
  const captured = move.capture ? NUMBER_OF_KIND[move.capture] : 0;
  position.board[square(move.to)] = -sign * captured;
  if (captured) position.hands[move.color][UNPROMOTED[captured]]--;
  if (move.from) position.board[square(move.from)] = sign * piece;
  else position.hands[move.color][piece]++;
  position.turn = move.color;
}

const RANKS = "abcdefghi";

/** @param {Place} place @returns {string} */
function usiPlace(place) {
  return `${place.x}${RANKS[place.y - 1]}`;
}

/** @param {number} at a square @returns {string} such as 7f */
export function usiSquare(at) {
  return usiPlace({ x: 9 - (at % 9), y: Math.floor(at / 9) + 1 });
}

/** @param {string} text such as 7f @returns {number} the square */
export function squareOf(text) {
  return square(placeOf(text));
}

/** @param {string} text @returns {Place} */
function placeOf(text) {
  return { x: Number(text[0]), y: RANKS.indexOf(text[1]) + 1 };
}

/** @param {Move} move @returns {string} */
export function usiOf(move) {
  const to = usiPlace(move.to);
  if (!move.from) return `${LETTERS[NUMBER_OF_KIND[move.piece]]}*${to}`;
  return `${usiPlace(move.from)}${to}${move.promote ? "+" : ""}`;
}

/**
 * A move that is legal on the position, as JKF has it.
 * @param {Position} position
 * @param {string} usi
 * @returns {Move}
 */
export function moveOf(position, usi) {
  const to = placeOf(usi.slice(2, 4));
  if (usi[1] === "*") return { color: position.turn, to, piece: KINDS[NUMBER_OF_LETTER[usi[0]]] };
  const from = placeOf(usi.slice(0, 2));
  const taken = Math.abs(position.board[square(to)]);
  return {
    color: position.turn,
    from,
    to,
    piece: KINDS[Math.abs(position.board[square(from)])],
    promote: usi.endsWith("+"),
    ...(taken ? { capture: KINDS[taken] } : {}),
  };
}

/**
 * Moves in the notation of Western players, without the side.
 * @param {Position} position before the move
 * @param {string} usi
 * @param {string[]} legal all legal moves, which determine whether the origin is written
 * @returns {string}
 */
export function western(position, usi, legal) {
  const to = usi.slice(2, 4);
  if (usi[1] === "*") return `${usi[0]}*${to}`;
  const piece = position.board[square(placeOf(usi.slice(0, 2)))];
  const others = legal.some((other) =>
    other.slice(2, 4) === to && other[1] !== "*" && other.slice(0, 2) !== usi.slice(0, 2) &&
    position.board[square(placeOf(other.slice(0, 2)))] === piece);
  const sign = position.board[square(placeOf(to))] ? "x" : "-";
  const declined = !usi.endsWith("+") && legal.includes(`${usi}+`);
  const tail = usi.endsWith("+") ? "+" : declined ? "=" : "";
  return `${LETTERS[Math.abs(piece)]}${others ? usi.slice(0, 2) : ""}${sign}${to}${tail}`;
}
