// @ts-check
/** Written by `python -m tools.texts` from the catalogue of the pages and from kifu_core. */

/** What the modules of this folder say: English to Japanese. @type {Record<string, string>} */
export const TRANSLATIONS = {
  "Back": "一手戻る",
  "Forward": "一手進む",
  "The record could not be read.": "棋譜を読み込めませんでした。",
  "To the end": "最終手へ",
  "To the start": "初手へ",
};

/** By JKF's names of endings. @type {Record<string, Record<"ja" | "en", string>>} */
export const ENDINGS = {
  "TORYO": {"ja": "投了", "en": "resigns"},
  "CHUDAN": {"ja": "中断", "en": "adjourned"},
  "SENNICHITE": {"ja": "千日手", "en": "repetition"},
  "TIME_UP": {"ja": "時間切れ", "en": "out of time"},
  "ILLEGAL_MOVE": {"ja": "反則負け", "en": "illegal move"},
  "+ILLEGAL_ACTION": {"ja": "先手の反則行為", "en": "Black acts against the rules"},
  "-ILLEGAL_ACTION": {"ja": "後手の反則行為", "en": "White acts against the rules"},
  "JISHOGI": {"ja": "持将棋", "en": "impasse"},
  "KACHI": {"ja": "入玉宣言勝ち", "en": "wins by declaration"},
  "HIKIWAKE": {"ja": "引き分け", "en": "draw"},
  "MATTA": {"ja": "待った", "en": "takes a move back"},
  "TSUMI": {"ja": "詰み", "en": "checkmate"},
  "FUZUMI": {"ja": "不詰", "en": "no checkmate"},
  "ERROR": {"ja": "エラー", "en": "error"},
};

/** By colour. */
export const SIDES = {
  "ja": ["先手", "後手"],
  "en": ["Black", "White"],
};

/** By kind. */
export const PIECES = {
  "ja": ["", "歩", "香", "桂", "銀", "金", "角", "飛", "玉", "と", "成香", "成桂", "成銀", "馬", "龍"],
  "en": ["", "pawn", "lance", "knight", "silver", "gold", "bishop", "rook", "king", "tokin", "promoted lance", "promoted knight", "promoted silver", "horse", "dragon"],
};

/** What positions are told with. */
export const PHRASES = {
  "ja": {"to_move": "{side}番", "board": "{side}：{pieces}", "hand": "{side}の持駒：{pieces}", "placed": "{piece}{square}", "several": "{piece}{count}", "comma": "、", "none": "なし"},
  "en": {"to_move": "{side} to move", "board": "{side}: {pieces}", "hand": "{side} in hand: {pieces}", "placed": "{piece} {square}", "several": "{count} {piece}s", "comma": ", ", "none": "nothing"},
};
