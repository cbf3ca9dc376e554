// @ts-check
/** Moves of a normalized record in words; the counterpart of archive/web/wording.py. */

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
  ILLEGAL_MOVE: ["反則手", "illegal move"],
  JISHOGI: ["持将棋", "impasse"],
  KACHI: ["入玉宣言勝ち", "wins by declaration"],
  HIKIWAKE: ["引き分け", "draw"],
  TSUMI: ["詰み", "checkmate"],
});

/** @param {Move} move @param {boolean} japanese @returns {string} with its side's mark */
export function moveText(move, japanese) {
  return MARKS[move.color] + (japanese ? japaneseMove(move) : englishMove(move));
}

/** @param {string} special @param {boolean} japanese @returns {string} an ending; unknown ones as they are */
export function endingText(special, japanese) {
  return ENDINGS[special]?.[japanese ? 0 : 1] || special;
}

/** @param {Move} move @returns {string} */
function japaneseMove(move) {
  const place = move.same ? "同　" : DIGITS[move.to.x] + NUMERALS[move.to.y];
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
