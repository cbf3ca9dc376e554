// @ts-check
/** Written by `python -m tools.texts` from the catalogue of the pages and from kifu_core. */

/** Texts of the modules of this folder: English to Japanese. @type {Record<string, string>} */
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

/** Words for describing positions. */
export const PHRASES = {
  "ja": {"to_move": "{side}番", "board": "{side}：{pieces}", "hand": "{side}の持駒：{pieces}", "placed": "{piece}{square}", "several": "{piece}{count}", "comma": "、", "none": "なし"},
  "en": {"to_move": "{side} to move", "board": "{side}: {pieces}", "hand": "{side} in hand: {pieces}", "placed": "{piece} {square}", "several": "{count} {piece}s", "comma": ", ", "none": "nothing"},
};

/** Kinds of pieces by all their Japanese names. @type {Record<string, number>} */
export const NAMED = {
  "歩": 1,
  "香": 2,
  "桂": 3,
  "銀": 4,
  "金": 5,
  "角": 6,
  "飛": 7,
  "玉": 8,
  "王": 8,
  "と": 9,
  "成歩": 9,
  "杏": 10,
  "成香": 10,
  "圭": 11,
  "成桂": 11,
  "全": 12,
  "成銀": 12,
  "馬": 13,
  "成角": 13,
  "龍": 14,
  "竜": 14,
  "成飛": 14,
};

/** In comments. */
export const ANNOTATIONS = {
  "marks": [["妙手", "!!", "Brilliant move"], ["好手", "!", "Good move"], ["勝負手", "!?", "Daring move"], ["緩手", "?!", "Slack move"], ["疑問手", "?", "Questionable move"], ["悪手", "??", "Bad move"], ["大悪手", "??", "Blunder"]],
  "brushes": "GRBY",
  "shapes": 100,
};

/** Of patterns in Japanese. */
export const EXPRESSIONS = {
  "word": "(?:hand|board|持駒|持ち駒|盤上):[^\\s、]*(?:、(?:([☖△▽]|相手の)?(歩|香|桂|銀|金|角|飛|玉|王|と|成歩|杏|成香|圭|成桂|全|成銀|馬|成角|龍|竜|成飛)(?:(>=|<=|=)([0-9]{1,9})|(なし)|([0-9]{1,9})[〜~]([0-9]{1,9})枚|([0-9]{1,9}|十[一二三四五六七八]?|[一二三四五六七八九])(枚以上|枚以下|枚)?)?|(?:[☖△▽]|相手の)?(?:歩|香|桂|銀|金|角|飛|玉|王|と|成歩|杏|成香|圭|成桂|全|成銀|馬|成角|龍|竜|成飛)(?:>=|<=|=))(?=[\\s、]|$))*|(?:\\{[^\\s{}]*\\}|(?:その後|そのあと)[\\s、]+(?=([0-9]{1,9})手以内に?|([0-9]{1,9})手続く)|(?!(?:hand|board|持駒|持ち駒|盤上):)[^\\s、])+",
  "kept": "(?:(?:その後|そのあと)[\\s、]*)?([0-9]{1,9})手続く",
  "then": "(?:その後|そのあと)(?:[\\s、]*([0-9]{1,9})手以内に?)?|(1)手後に?",
  "placed": "(?:[☗▲]|([☖△▽]))?(?:([1-9][1-9一二三四五六七八九])(歩|香|桂|銀|金|角|飛|玉|王|と|成歩|杏|成香|圭|成桂|全|成銀|馬|成角|龍|竜|成飛)|(歩|香|桂|銀|金|角|飛|玉|王|と|成歩|杏|成香|圭|成桂|全|成銀|馬|成角|龍|竜|成飛)([1-9][1-9一二三四五六七八九]))",
  "allowed": "(!?)(\\{[^{}]*\\}|\\+?[A-Za-z]|-)([1-9][一二三四五六七八九])",
  "span": "([0-9]{1,9})(?:(?:手目)?(?:\\.\\.|〜|~)|手目から)([0-9]{1,9})手目(?:まで)?|([0-9]{1,9})手目(?:(以降|以後|から)|(まで|以前|以内))?",
  "to": "(?:\\.\\.|〜|~)",
  "named": "([☖△▽])?(歩|香|桂|銀|金|角|飛|玉|王|と|成歩|杏|成香|圭|成桂|全|成銀|馬|成角|龍|竜|成飛)",
  "counted": "([☖△▽]|相手の)?(歩|香|桂|銀|金|角|飛|玉|王|と|成歩|杏|成香|圭|成桂|全|成銀|馬|成角|龍|竜|成飛)(?:(>=|<=|=)([0-9]{1,9})|(なし)|([0-9]{1,9})[〜~]([0-9]{1,9})枚|([0-9]{1,9}|十[一二三四五六七八]?|[一二三四五六七八九])(枚以上|枚以下|枚)?)?",
};

/** How many a number means by the word behind it. @type {Record<string, string>} */
export const SIGNS = {
  "枚": "=",
  "枚以下": "<=",
  "枚以上": ">=",
};

/** Numbers of pieces. @type {Record<string, number>} */
export const NUMERALS = {
  "一": 1,
  "二": 2,
  "三": 3,
  "四": 4,
  "五": 5,
  "六": 6,
  "七": 7,
  "八": 8,
  "九": 9,
  "十": 10,
  "十一": 11,
  "十二": 12,
  "十三": 13,
  "十四": 14,
  "十五": 15,
  "十六": 16,
  "十七": 17,
  "十八": 18,
};

/** What may stand before a colon. @type {Record<string, string>} */
export const OPTIONS = {
  "持駒": "hand",
  "持ち駒": "hand",
  "盤上": "board",
  "手番": "turn",
  "手数": "ply",
};

/** What may stand behind one. @type {Record<string, string>} */
export const VALUES = {
  "自分": "own",
  "相手": "enemy",
  "先手": "black",
  "後手": "white",
};

/** Conditions as pages tell them. @type {Record<string, string>} */
export const CONDITIONS = {
  "自分の手番": "turn:own",
  "相手の手番": "turn:enemy",
  "先手だけ": "own:black",
  "先手": "own:black",
  "後手だけ": "own:white",
  "後手": "own:white",
  "左右反転も": "mirror:yes",
  "左右反転": "mirror:yes",
  "本譜だけ": "line:main",
  "本譜": "line:main",
};

/** What patterns are written with in Japanese. */
export const IN_WORDS = {
  "own": "{piece}",
  "enemy": "相手の{piece}",
  "X": "自分の駒",
  "x": "相手の駒",
  "-": "空き",
  "or": "か",
  "not": "{pieces}以外",
  "square": "{square} {pieces}",
  "comma": "、",
  "hand": "持駒：{counts}",
  "board": "盤上：{counts}",
  "exactly": "{piece}{n}枚",
  "none": "{piece}なし",
  "least": "{piece}{n}枚以上",
  "most": "{piece}{n}枚以下",
  "between": "{piece}{least}〜{most}枚",
  "turn": "自分の手番",
  "enemy-turn": "相手の手番",
  "ply": "{first}手目",
  "from": "{first}手目以降",
  "until": "{last}手目まで",
  "plies": "{first}〜{last}手目",
  "kept": "その後{kept}手続く",
  "kept-once": "その後{kept}手続く",
  "then": "その後",
  "next": "1手後",
  "within": "その後{gap}手以内",
  "either": "先手・後手どちらでも",
  "black": "先手だけ",
  "white": "後手だけ",
  "mirror": "左右反転も",
  "main": "本譜だけ",
};
